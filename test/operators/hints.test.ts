/** Hints of products: actions of a listener on the operator of the hint. */
import { afterEach, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, gallery, type Hint, type LinearOperator, permuted, permuteMatrix } from '#dist/index.node.js';

const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
const n = matrix.rows;
/** A · ones. */
const sums = new Float64Array(n);
for (let i = 0; i < n; i++)
  for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) sums[i]! += matrix.values[k]!;

let engine: Engine;
let listen: (hint: Hint) => void;
const heard: string[] = [];

/** An operator with two hints: it copies its vectors, and should have been converted after some products. */
async function setUp(kind = 'plain'): Promise<LinearOperator> {
  heard.length = 0;
  engine = await createEngine({
    threads: 1,
    onHint: (hint) => {
      heard.push(hint.name);
      expect(heard.length).toBeLessThan(10);
      listen(hint);
    },
  });
  if (kind === 'plain') return engine.operator(matrix, { products: 1 });
  const backwards = Uint32Array.from({ length: n }, (_, i) => n - 1 - i);
  const ordering = { rowOrder: backwards, colOrder: backwards };
  return permuted(engine.operator(permuteMatrix(matrix, ordering), { products: 1 }), ordering);
}

function product(operator: LinearOperator, factor: number): Float64Array {
  const y = new Float64Array(n);
  operator.apply(new Float64Array(n).fill(factor), y);
  return y;
}

const times = (factor: number) => sums.map((sum) => factor * sum);

afterEach(() => engine.dispose());

test.each([
  ['plain', ['copying-vectors', 'copying-vectors', 'converted-late']],
  // Its own vectors are in the heap.
  ['permuted', ['converted-late']],
])('one that applies the operator spoils no product (%s)', async (kind, expected) => {
  const operator = await setUp(kind);
  const inside: Float64Array[] = [];
  listen = () => void inside.push(product(operator, 7));
  for (let factor = 1; factor < 2_000 && !heard.includes('converted-late'); factor++)
    expect(product(operator, factor)).toEqual(times(factor));
  expect(heard).toEqual(expected);
  expect(inside).toEqual(expected.map(() => times(7)));
  operator.dispose();
});

test.each([
  ['plain', 'copying-vectors'],
  ['plain', 'converted-late'],
  ['permuted', 'converted-late'],
])('one that disposes the operator gets the product all the same (%s, %s)', async (kind, hint) => {
  const operator = await setUp(kind);
  listen = ({ name }) => {
    if (name === hint) operator.dispose();
  };
  for (let factor = 1; factor < 2_000 && !heard.includes(hint); factor++)
    expect(product(operator, factor)).toEqual(times(factor));
  expect(heard).toContain(hint);
  expect(() => product(operator, 1)).toThrow(/operator: expected one that is in use, got 'a disposed operator'/);
});

test('an error of a listener is thrown by the product, and reported once', async () => {
  const operator = await setUp();
  listen = ({ message }) => {
    throw new Error(message);
  };
  const y = new Float64Array(n);
  using x = engine.vector(n).fill(2);
  expect(() => operator.apply(x, y)).toThrow(/y is copied/);
  expect(y).toEqual(times(2));
  operator.apply(x, y);
  expect(heard).toEqual(['copying-vectors']);
});

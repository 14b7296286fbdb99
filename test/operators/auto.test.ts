/** `format: 'auto'`, the default. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { conformanceMatrices, sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { CsrBuilder, createEngine, gallery, type Hint, permuted, permuteVector } from '#dist/index.node.js';
import type { MatrixOperator } from '#dist/operators/matrix-operator.js';
import type { LinearOperator } from '#dist/operators/operator.js';
import type { OperatorOptions } from '#dist/operators/operator-options.js';
import { fewOrAll } from '../soak.js';

let engine: Engine;
let bytesBefore: number;
const hints: Hint[] = [];
beforeAll(async () => {
  engine = await createEngine({ threads: 2, onHint: (hint) => void hints.push(hint) });
});
afterAll(() => engine.dispose());
beforeEach(() => {
  hints.length = 0;
  bytesBefore = engine.heap.bytesInUse;
});
afterEach(() => expect(engine.heap.bytesInUse).toBe(bytesBefore));

function expectRight(matrix: CsrMatrix, operator: LinearOperator): void {
  using x = engine.vector(sampleVector(matrix.cols, 'real', 1));
  using y = engine.vector(matrix.rows);
  operator.apply(x, y);
  const expected = expectedProduct(matrix, 'f64', x.data, y.data, 1, 0);
  expect(compareProduct(expected, y.data).firstWrong).toBe(-1);
}

test('without a format one is chosen, and the operator reports which and why', () => {
  const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });
  using operator = engine.operator(matrix);
  const { decision } = operator;
  expect(operator.matrix.spec).toBe(decision!.chosen.spec);
  expect(operator.format).toBe(decision!.chosen.spec);
  expect(operator.matrix.spec).not.toBe('csr');
  expect(decision!.gain).toBeGreaterThan(1);
  expect(decision!.products).toBe(1000);
  expectRight(matrix, operator);
  using named = engine.operator(matrix, { format: 'csrk?k=2&superRowSize=64' });
  expect(named.format).toBe('csrk?superRowSize=64');
  expect(named.decision).toBeUndefined();
});

test('every matrix gets one that is right', () => {
  for (const { matrix } of conformanceMatrices()) {
    using operator = engine.operator(matrix);
    expectRight(matrix, operator);
  }
});

test('a small product has as many parts as its threads', () => {
  const matrix = gallery('laplace2d5', { nx: 70, ny: 70 });
  using operator = engine.operator(matrix, { products: 'many' });
  const { chosen } = operator.decision!;
  expect(chosen.threads).toBe(2);
  expect(operator.plan.parts).toBe(2);
  expectRight(matrix, operator);
});

test('for one product it stays csr, and a hint reports if that was a mistake', () => {
  const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });
  using operator = engine.operator(matrix, { products: 1 });
  expect(operator.matrix.spec).toBe('csr');
  const { late } = operator.decision!;
  using x = engine.vector(matrix.cols);
  using y = engine.vector(matrix.rows);
  for (let k = 1; k < late!.products; k++) operator.apply(x, y);
  expect(hints).toEqual([]);
  operator.apply(x, y);
  expect(hints).toMatchObject([{ name: 'converted-late', message: expect.stringContaining(late!.spec) }]);
  for (let k = 0; k < 10; k++) operator.apply(x, y);
  expect(hints.length).toBe(1);
});

describe('with trials', () => {
  const graph = gallery('rmat', { scale: 13 });
  const measuredIn = ({ decision }: MatrixOperator) =>
    decision!.ranking.filter(({ measuredMs }) => measuredMs !== undefined);

  test('the fastest measured format is chosen, and the only one that stays', () => {
    const { bytesInUse } = engine.heap;
    using operator = engine.operator(graph, { products: 1e6, tune: true });
    const measured = measuredIn(operator);
    expect(measured.length).toBeGreaterThan(1);
    const { chosen, gain, ranking, reason, tuneMs } = operator.decision!;
    const csr = ranking.find(({ spec }) => spec === 'csr')!;
    // On a busy machine there may be no time left for csr.
    const isMeasured = csr.measuredMs !== undefined;
    const [csrMs, chosenMs] = [csr, chosen].map(({ measuredMs, productMs }) => (isMeasured ? measuredMs! : productMs));
    expect(gain).toBeCloseTo(csrMs! / chosenMs!);
    expect(chosen.measuredMs).toBe(Math.min(...measured.map(({ measuredMs }) => measuredMs!)));
    expect(ranking.slice(0, measured.length)).toEqual(measured);
    expect(new Set(ranking.map(({ spec }) => spec)).size).toBe(ranking.length);
    if (chosen.spec !== 'csr') expect(reason).toContain(isMeasured ? 'measured' : 'predicted');
    expect(tuneMs).toBeGreaterThan(0);
    expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1.1 * operator.matrix.bytes + 65_536);
    expectRight(graph, operator);
  });

  test('none are made if it is told, or for few products', () => {
    using told = engine.operator(graph, { products: 'many', tune: false });
    using few = engine.operator(graph, { products: 10, tune: true });
    using plain = engine.operator(graph);
    for (const operator of [told, few, plain]) expect(measuredIn(operator)).toEqual([]);
  });

  test('every matrix gets one that is right', () => {
    for (const { matrix } of conformanceMatrices().filter((_, k) => k % fewOrAll(21, 7) === 0)) {
      using operator = engine.operator(matrix, { products: 1e9, tune: true });
      expectRight(matrix, operator);
    }
  });
});

describe('with a permutation allowed', () => {
  const mesh = gallery('rgg', { n: 60_000 });

  test('a scattered mesh is put in order', () => {
    using operator = engine.operator(mesh, { allowPermutation: true, products: 'many' });
    const { rowOrder, colOrder } = operator.ordering!;
    expect(operator.decision!.features.scattered).toBeLessThan(0.05);
    const x = sampleVector(mesh.cols, 'real', 1);
    const y = new Float64Array(mesh.rows);
    operator.apply(permuteVector(x, colOrder!), y);
    const expected = expectedProduct(mesh, 'f64', x, y, 1, 0);
    expect(
      compareProduct(
        {
          ...expected,
          y: permuteVector(expected.y as Float64Array, rowOrder!),
          tolerance: permuteVector(expected.tolerance as Float64Array, rowOrder!),
        },
        y,
      ).firstWrong,
    ).toBe(-1);
  });

  test('`permuted` makes it behave as the matrix', () => {
    const inside = engine.operator(mesh, { allowPermutation: true, products: 'many' });
    using operator = permuted(inside, inside.ordering!);
    expectRight(mesh, operator);
  });

  test('but not if it does not pay, or gains nothing', () => {
    using once = engine.operator(mesh, { allowPermutation: true, products: 1 });
    expect(once.ordering).toBeUndefined();
    using ordered = engine.operator(gallery('laplace2d5', { nx: 100, ny: 100 }), { allowPermutation: true });
    expect(ordered.ordering).toBeUndefined();
    using kept = engine.operator(mesh, { products: 'many' });
    expect(kept.ordering).toBeUndefined();
  });
});

/** A band, plus `strays` diagonals of one entry each, in rows that a sample does not include. */
function bandWithStrays(rows: number, strays: number): CsrMatrix {
  const builder = new CsrBuilder(rows, rows);
  const between = Math.floor(rows / 32 / 2);
  for (let i = 0; i < rows; i++) {
    for (let j = Math.max(0, i - 1); j <= Math.min(rows - 1, i + 1); j++)
      builder.add(i, j, 1 + ((i + j) % 5) / 7 + i / rows);
    if (i >= between && i < between + strays) builder.add(i, rows - 1 - i, 3);
  }
  return builder.build();
}

test('a format that refuses at conversion is skipped, with a hint', () => {
  const matrix = bandWithStrays(100_000, 400);
  using operator = engine.operator(matrix, { products: 'many' });
  expect(hints.filter(({ name }) => name === 'fill-in')).toMatchObject([
    { message: expect.stringMatching(/^dia was expected to be best, but/) },
  ]);
  expect(operator.matrix.spec).not.toBe('dia');
  expect(operator.decision!.ranking.map(({ spec }) => spec)).not.toContain('dia');
  expectRight(matrix, operator);
});

describe('invalid requests', () => {
  const matrix = gallery('laplace2d5', { nx: 4, ny: 4 });
  it.each<[OperatorOptions, RegExp]>([
    [{ products: 0 }, /products: expected an integer from 1/],
    [{ products: 1.5 }, /products: expected an integer from 1/],
    [{ products: 'few' as 'many' }, /products: expected an integer from 1/],
    [{ tune: 100 as never }, /tune: expected a boolean/],
    [{ allowPermutation: 1 as never }, /allowPermutation: expected a boolean/],
    [{ format: 'csr', products: 3 }, /products: expected no value \(only valid with format 'auto'\)/],
    [{ format: 'sell', tune: true }, /tune: expected no value \(only valid with format 'auto'\)/],
    [
      { groups: { superRowPtr: new Uint32Array([0, 16]), superSuperRowPtr: undefined } },
      /groups: expected no value \(only valid with format 'csrk'\)/,
    ],
  ])('%j', (options, message) => {
    expect(() => engine.operator(matrix, options)).toThrow(message);
  });
});

/** P A Qᵀ behaves as A. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  bandk,
  byRowLength,
  createEngine,
  gallery,
  hubsFirst,
  type Ordering,
  permuted,
  permuteMatrix,
  rcm,
} from '#dist/index.node.js';
import { smallMatrix } from '../gallery/arbitrary.js';
import { orderingOf } from '../reorder/arbitrary.js';

let engine: Engine;
let bytesBefore: number;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());
beforeEach(() => {
  bytesBefore = engine.heap.bytesInUse;
});
afterEach(() => expect(engine.heap.bytesInUse).toBe(bytesBefore));

/** The sign of a zero depends on the format, and another order of rows may choose another format. */
const unsignedZeros = (values: Iterable<number>): number[] => Array.from(values, (value) => value + 0);

function expectSame(matrix: CsrMatrix, ordering: Ordering, alpha: number, beta: number): void {
  using plain = engine.operator(matrix);
  using operator = permuted(engine.operator(permuteMatrix(matrix, ordering)), ordering);
  using x = engine.vector(sampleVector(matrix.cols, 'integer', 1));
  const before = beta === 0 ? new Float64Array(matrix.rows).fill(NaN) : sampleVector(matrix.rows, 'integer', 2);
  using expected = engine.vector(before);
  using y = engine.vector(before);
  const outside = before.slice();
  plain.apply(x, expected, alpha, beta);
  operator.apply(x, y, alpha, beta);
  operator.apply(x.data.slice(), outside, alpha, beta);
  expect(unsignedZeros(y.data)).toEqual(unsignedZeros(expected.data));
  expect(outside).toEqual(Float64Array.from(y.data));
  expect(x.data).toEqual(sampleVector(matrix.cols, 'integer', 1));
}

const scalars = fc.tuple(fc.constantFrom(1, -2, 0), fc.constantFrom(0, 1, 3));

test('under any ordering: rows, columns, both or neither, α and β', () => {
  const cases = smallMatrix().chain((matrix) => fc.tuple(fc.constant(matrix), orderingOf(matrix), fc.nat(3), scalars));
  fc.assert(
    fc.property(cases, ([matrix, { rowOrder, colOrder }, which, [alpha, beta]]) => {
      const ordering = { rowOrder: which & 1 ? rowOrder : undefined, colOrder: which & 2 ? colOrder : undefined };
      expectSame(matrix, ordering, alpha, beta);
    }),
    { numRuns: 200 },
  );
});

describe('under the orderings of the library', () => {
  const matrix = gallery('circuit', { n: 400, hubLength: 200, values: 'ones' });
  it.each([
    ['rcm', rcm],
    ['bandk', bandk],
    ['byRowLength', byRowLength],
    ['hubsFirst', hubsFirst],
  ])('%s', (_name, orderingFor) => expectSame(matrix, orderingFor(matrix), 2, -1));
});

test('in single precision', () => {
  const matrix = gallery('laplace2d5', { nx: 8, ny: 7 });
  const ordering = rcm(matrix);
  using operator = permuted(engine.operator(permuteMatrix(matrix, ordering), { dtype: 'f32' }), ordering);
  using y = engine.vector(56, { dtype: 'f32' });
  using x = engine.vector(56, { dtype: 'f32' }).fill(1);
  operator.apply(x, y);
  expect(y.data.subarray(0, 3)).toEqual(Float32Array.of(2, 1, 1));
});

describe('ownership', () => {
  const matrix = gallery('laplace1d3', { nx: 5 });

  it('the operator inside is disposed with it', () => {
    const inside = engine.operator(matrix);
    permuted(inside, rcm(matrix)).dispose();
    using x = engine.vector(5);
    using y = engine.vector(5);
    expect(() => inside.apply(x, y)).toThrowError('a disposed operator');
  });

  it('and stays the caller’s if the ordering is refused', () => {
    using inside = engine.operator(matrix);
    expect(() => permuted(inside, { rowOrder: Uint32Array.of(0, 1) })).toThrowError('rowOrder: expected length 5');
    expect(() => permuted(inside, { colOrder: new Uint32Array(5) })).toThrowError(
      'colOrder[1]: expected every index once',
    );
    using x = engine.vector(5).fill(1);
    using y = engine.vector(5);
    inside.apply(x, y);
    expect(y.data).toEqual(Float64Array.of(1, 0, 0, 0, 1));
  });
});

test.each([5, null, 'x'])('an invalid operator or ordering: %s', (none) => {
  using inside = engine.operator(gallery('laplace1d3', { nx: 5 }));
  expect(() => permuted(none as never, {})).toThrowError('operator: expected a linear operator');
  expect(() => permuted(inside, none as never)).toThrowError('ordering: expected an object');
});

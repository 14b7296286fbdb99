/** Orders, and matrices and vectors under them; `order[new] = old`. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  checkPermutation,
  composePermutations,
  csrMatrix,
  inversePermutation,
  permuteMatrix,
  permuteVector,
} from '#dist/index.node.js';
import { denseOf, smallMatrix } from '../gallery/arbitrary.js';
import { orderingOf, orderOf } from './arbitrary.js';

const identity = (length: number) => Uint32Array.from({ length }, (_, i) => i);

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  const matrix = csrMatrix({
    ...{ rows: 4, cols: 3, rowPtr: [0, 2, 2, 3, 6] },
    ...{ colIdx: [0, 2, 2, 0, 1, 2], values: [10, 20, 30, 40, 50, 60] },
  });

  it('by rows and columns', () => {
    const ordering = { rowOrder: Uint32Array.of(3, 0, 1, 2), colOrder: Uint32Array.of(2, 0, 1) };
    expect(denseOf(permuteMatrix(matrix, ordering))).toEqual([
      [60, 40, 50],
      [20, 10, 0],
      [0, 0, 0],
      [30, 0, 0],
    ]);
  });

  it('by rows alone, by columns alone, and by nothing', () => {
    expect(denseOf(permuteMatrix(matrix, { rowOrder: Uint32Array.of(2, 3, 1, 0) }))[0]).toEqual([0, 0, 30]);
    expect(denseOf(permuteMatrix(matrix, { colOrder: Uint32Array.of(1, 2, 0) }))[3]).toEqual([50, 60, 40]);
    expect(permuteMatrix(matrix, {})).toEqual(matrix);
  });

  it('and a vector: element i is element order[i]', () => {
    expect(permuteVector(Float64Array.of(7, 8, 9), Uint32Array.of(2, 0, 1))).toEqual(Float64Array.of(9, 7, 8));
    expect(permuteVector(Float32Array.of(7, 8), Uint32Array.of(1, 0))).toEqual(Float32Array.of(8, 7));
  });
});

test('an order and its inverse are the identity, either way', () => {
  fc.assert(
    fc.property(fc.nat(30).chain(orderOf), (order) => {
      const inverse = inversePermutation(order);
      expect(composePermutations(order, inverse)).toEqual(identity(order.length));
      expect(composePermutations(inverse, order)).toEqual(identity(order.length));
    }),
  );
});

test('one order after another is their composition', () => {
  fc.assert(
    fc.property(
      fc.nat(30).chain((length) => fc.tuple(orderOf(length), orderOf(length))),
      ([first, second]) => {
        const x = Float64Array.from(first, (_, i) => i * i);
        const both = permuteVector(x, composePermutations(first, second));
        expect(permuteVector(permuteVector(x, first), second)).toEqual(both);
      },
    ),
  );
});

test('P A Qᵀ is canonical, has A[rowOrder[i], colOrder[j]] at (i, j), and comes back by the inverses', () => {
  const withOrdering = smallMatrix().chain((matrix) => fc.tuple(fc.constant(matrix), orderingOf(matrix)));
  fc.assert(
    fc.property(withOrdering, ([matrix, { rowOrder, colOrder }]) => {
      const permuted = permuteMatrix(matrix, { rowOrder, colOrder });
      const dense = denseOf(matrix);
      expect(csrMatrix(permuted).colIdx).toBe(permuted.colIdx);
      expect(denseOf(permuted)).toEqual(Array.from(rowOrder, (i) => Array.from(colOrder, (j) => dense[i]![j]!)));
      const inverse = { rowOrder: inversePermutation(rowOrder), colOrder: inversePermutation(colOrder) };
      expect(permuteMatrix(permuted, inverse)).toEqual(matrix);
    }),
  );
});

test('a matrix stays symmetric only if rows and columns have the same order', () => {
  const matrix = csrMatrix({
    ...{ rows: 3, cols: 3, rowPtr: [0, 1, 3, 4], colIdx: [1, 0, 2, 1], values: [1, 1, 2, 2] },
    symmetry: 'symmetric',
  });
  const order = Uint32Array.of(1, 2, 0);
  expect(permuteMatrix(matrix, { rowOrder: order, colOrder: order }).symmetry).toBe('symmetric');
  expect(permuteMatrix(matrix, { rowOrder: order }).symmetry).toBe('general');
});

test('single precision and fields are kept', () => {
  const matrix = csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1], values: Float32Array.of(1, 2) });
  const permuted = permuteMatrix({ ...matrix, field: 'integer' }, { colOrder: Uint32Array.of(1, 0) });
  expect(permuted.values).toEqual(Float32Array.of(2, 1));
  expect(permuted.field).toBe('integer');
});

describe('an invalid order is refused', () => {
  it.each([
    [[0, 1], 'order: expected length 3, got Array of length 2'],
    [[0, 1, 3], 'order[2]: expected an integer from 0 to 2, got 3'],
    [[0, -1, 2], 'order[1]: expected an integer from 0 to 2, got -1'],
    [[0, 1.5, 2], 'order[1]: expected an integer from 0 to 2, got 1.5'],
    [[0, 2, 2], 'order[2]: expected every index once, got'],
    [null, 'order: expected length 3, got null'],
  ])('%j', (order, message) => {
    expect(() => checkPermutation('order', order as number[], 3)).toThrowError(message);
  });

  it('and a valid one is used unchanged', () => {
    const order = Uint32Array.of(2, 0, 1);
    expect(checkPermutation('order', order, 3)).toBe(order);
    expect(checkPermutation('order', [1, 0], 2)).toEqual(Uint32Array.of(1, 0));
  });

  it('where lengths differ', () => {
    const order = Uint32Array.of(1, 0);
    expect(() => composePermutations(order, Uint32Array.of(0))).toThrowError('second: expected length 2');
    expect(() => permuteVector(Float64Array.of(1), order)).toThrowError('x: expected length 2');
    expect(() => permuteVector(Float64Array.of(1, 2), order, new Float64Array(1))).toThrowError(
      'target: expected length 2',
    );
    const matrix = csrMatrix({ rows: 2, cols: 3, rowPtr: [0, 0, 0], colIdx: [] });
    expect(() => permuteMatrix(matrix, { rowOrder: order, colOrder: order })).toThrowError(
      'colOrder: expected length 3',
    );
  });
});

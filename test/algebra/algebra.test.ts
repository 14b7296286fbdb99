/** Operations on matrices, against dense arrays. Values are small integers, so every order of summation gives the same sums. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMatrices } from '#dist/algebra/add.js';
import { diagonalOf } from '#dist/algebra/diagonal.js';
import { kroneckerProduct } from '#dist/algebra/kronecker.js';
import { multiplyMatrices } from '#dist/algebra/multiply.js';
import { normsOf, scaleMatrix, sliceRows, sumsOf } from '#dist/algebra/rows.js';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { workedExample } from '#dist/conformance/matrices.js';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { gallery } from '#dist/gallery/registry.js';
import { denseOf, entriesOf, smallMatrix } from '../gallery/arbitrary.js';

/** The same rows and columns as in `matrix`, for other entries. */
function cropped(matrix: CsrMatrix, rows: number, cols: number): CsrMatrix {
  const builder = new CsrBuilder(rows, cols);
  for (const [row, col, value] of entriesOf(matrix)) if (row < rows && col < cols) builder.add(row, col, value);
  return builder.build();
}

const pair = fc.tuple(smallMatrix(), smallMatrix());
const zero = (value: number) => value + 0;

/** Canonical: `csrMatrix` takes the arrays without sorting them. */
function expectDense(matrix: CsrMatrix, expected: number[][]): void {
  expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
  expect(matrix.nnz).toBe(matrix.values.length);
  expect([matrix.rows, matrix.cols]).toEqual([expected.length, expected[0]?.length ?? matrix.cols]);
  expect(denseOf(matrix).map((row) => row.map(zero))).toEqual(expected.map((row) => row.map(zero)));
}

test('α A + β B', () => {
  const property = fc.property(pair, fc.integer({ min: -2, max: 2 }), ([a, other], beta) => {
    const b = cropped(other, a.rows, a.cols);
    const [left, right] = [denseOf(a), denseOf(b)];
    const expected = left.map((row, i) => row.map((value, j) => 3 * value + beta * right[i]![j]!));
    expectDense(addMatrices(a, b, 3, beta), expected);
  });
  fc.assert(property);
});

test('A B', () => {
  const property = fc.property(pair, ([a, other]) => {
    const b = cropped(other, a.cols, other.cols);
    const [left, right] = [denseOf(a), denseOf(b)];
    const expected = left.map((row) =>
      Array.from({ length: b.cols }, (_, j) => row.reduce((sum, value, k) => sum + value * right[k]![j]!, 0)),
    );
    expectDense(multiplyMatrices(a, b), expected);
  });
  fc.assert(property);
});

test('(A B)ᵀ = Bᵀ Aᵀ, on matrices with long rows', () => {
  const [a, b] = [gallery('rmat', { scale: 8 }), gallery('laplace2d9', { nx: 16, ny: 16 })];
  const integer = (matrix: CsrMatrix) => ({ ...matrix, values: matrix.values.map((_, k) => (k % 7) - 3) });
  const [left, right] = [integer(a), integer(b)];
  const product = transposeMatrix(multiplyMatrices(left, right));
  const other = multiplyMatrices(transposeMatrix(right), transposeMatrix(left));
  expect([product.rowPtr, product.colIdx]).toEqual([other.rowPtr, other.colIdx]);
  expect(product.values.map(zero)).toEqual(other.values.map(zero));
});

test('A ⊗ B', () => {
  const property = fc.property(fc.tuple(smallMatrix({ max: 5 }), smallMatrix({ max: 5 })), ([a, b]) => {
    const [left, right] = [denseOf(a), denseOf(b)];
    const expected = left.flatMap((row) => right.map((other) => row.flatMap((x) => other.map((y) => x * y))));
    expectDense(kroneckerProduct(a, b), expected);
  });
  fc.assert(property);
});

test('the 5-point Laplacian is I ⊗ T + T ⊗ I', () => {
  const line = gallery('laplace1d3', { nx: 6 });
  const identity = csrMatrix({
    rows: 6,
    cols: 6,
    rowPtr: [0, 1, 2, 3, 4, 5, 6],
    colIdx: [0, 1, 2, 3, 4, 5],
    symmetry: 'symmetric',
  });
  const sum = addMatrices(kroneckerProduct(identity, line), kroneckerProduct(line, identity));
  const { rowPtr, colIdx, symmetry } = gallery('laplace2d5', { nx: 6, ny: 6 });
  expect(sum).toMatchObject({ rowPtr, colIdx, symmetry });
});

test('slices of rows, scaling, diagonal, sums and norms', () => {
  const property = fc.property(smallMatrix(), fc.nat(12), fc.nat(12), (matrix, x, y) => {
    const dense = denseOf(matrix);
    const [begin, end] = [Math.min(x, y, matrix.rows), Math.min(Math.max(x, y), matrix.rows)];
    const { rows, cols } = matrix;
    expectDense(sliceRows(matrix, begin, end), dense.slice(begin, end));
    const byRow = Array.from({ length: rows }, (_, i) => i - 2);
    const byCol = Float32Array.from({ length: cols }, (_, j) => 2 * j + 1);
    const scaled = dense.map((row, i) => row.map((value, j) => value * byRow[i]! * byCol[j]!));
    expectDense(scaleMatrix(matrix, { rows: byRow, cols: byCol }), scaled);
    expect([...diagonalOf(matrix)].map(zero)).toEqual(dense.slice(0, cols).map((row, i) => zero(row[i]!)));
    const columns = Array.from({ length: cols }, (_, j) => dense.map((row) => row[j]!));
    for (const [lines, arrays] of [
      ['rows', dense],
      ['columns', columns],
    ] as const) {
      const folded = (add: (sum: number, value: number) => number) => arrays.map((line) => line.reduce(add, 0));
      expect([...sumsOf(matrix, lines)].map(zero)).toEqual(folded((sum, value) => sum + value).map(zero));
      expect([...normsOf(matrix, lines, 'one')]).toEqual(folded((sum, value) => sum + Math.abs(value)));
      expect([...normsOf(matrix, lines, 'max')]).toEqual(folded((most, value) => Math.max(most, Math.abs(value))));
      const squares = folded((sum, value) => sum + value * value);
      for (const [line, norm] of normsOf(matrix, lines).entries())
        expect(norm).toBeCloseTo(Math.sqrt(squares[line]!), 12);
    }
  });
  fc.assert(property);
});

describe('details', () => {
  test('a norm of huge or tiny values neither overflows nor vanishes', () => {
    const matrix = csrMatrix({
      rows: 2,
      cols: 2,
      rowPtr: [0, 2, 4],
      colIdx: [0, 1, 0, 1],
      values: [3e300, 4e300, 3e-300, 4e-300],
    });
    const [huge, tiny] = normsOf(matrix, 'rows');
    expect(huge! / 5e300).toBeCloseTo(1, 12);
    expect(tiny! / 5e-300).toBeCloseTo(1, 12);
  });

  test('symmetry is kept where the operation keeps it', () => {
    const matrix = gallery('laplace1d3', { nx: 4 });
    const d = Float64Array.of(1, 2, 3, 4);
    expect(scaleMatrix(matrix, { rows: d, cols: d }).symmetry).toBe('symmetric');
    expect(scaleMatrix(matrix, { rows: d }).symmetry).toBe('general');
    expect(multiplyMatrices(matrix, matrix).symmetry).toBe('general');
  });

  test.each([
    [
      "b: expected 4 × 3, as a, got '1 × 1'",
      () => addMatrices(workedExample(), gallery('dense', { rows: 1, cols: 1 })),
    ],
    ['b: expected 3 rows, as a has columns, got 4', () => multiplyMatrices(workedExample(), workedExample())],
    ['begin: expected an integer from 0 to 2, got 3', () => sliceRows(workedExample(), 3, 2)],
    ['scaling.rows: expected length 4, got 1', () => scaleMatrix(workedExample(), { rows: [1] })],
    ["norm: expected one | two | max, got 'three'", () => normsOf(workedExample(), 'rows', 'three' as never)],
    [
      'rows of the product: expected an integer from 0',
      () => {
        const empty = csrMatrix({ rows: 2 ** 17, cols: 0, rowPtr: new Uint32Array(2 ** 17 + 1), colIdx: [] });
        return kroneckerProduct(empty, empty);
      },
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(message);
  });
});

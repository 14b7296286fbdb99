import { describe, expect, test } from 'vitest';
import { adjointMatrix, type ComplexInput, complexFrom, complexMatrix, realEquivalent } from '#dist/core/complex.js';
import { csrMatrix } from '#dist/core/csr.js';

/** [1+2i 0 −i; 3 4−i 0] */
const CSR = { rows: 2, cols: 3, rowPtr: [0, 2, 4], colIdx: [0, 2, 0, 1], values: [1, 2, 0, -1, 3, 0, 4, -1] };
const VALUES = Float64Array.from(CSR.values);

describe('arrays', () => {
  test('canonical ones are not copied', () => {
    const arrays = {
      ...CSR,
      rowPtr: Uint32Array.from(CSR.rowPtr),
      colIdx: Uint32Array.from(CSR.colIdx),
      values: VALUES,
    };
    const matrix = complexMatrix(arrays);
    expect(matrix.values).toBe(arrays.values);
    expect(matrix.colIdx).toBe(arrays.colIdx);
    expect(matrix).toMatchObject({ rows: 2, cols: 3, nnz: 4, field: 'complex', symmetry: 'general' });
    expect(complexMatrix(matrix)).toBe(matrix);
  });

  test.each<[string, ComplexInput]>([
    ['unsorted rows', { ...CSR, colIdx: [2, 0, 1, 0], values: [0, -1, 1, 2, 4, -1, 3, 0] }],
    ['columns', { rows: 2, cols: 3, colPtr: [0, 2, 3, 4], rowIdx: [0, 1, 1, 0], values: [1, 2, 3, 0, 4, -1, 0, -1] }],
    [
      'coordinates, of which two are summed',
      { rows: 2, cols: 3, rowIdx: [1, 0, 1, 0, 0], colIdx: [1, 2, 0, 0, 0], values: [4, -1, 0, -1, 3, 0, 0, 2, 1, 0] },
    ],
  ])('%s become canonical', (_, input) => {
    const { rowPtr, colIdx, values } = complexMatrix(input);
    expect([...rowPtr]).toEqual(CSR.rowPtr);
    expect([...colIdx]).toEqual(CSR.colIdx);
    expect([...values]).toEqual(CSR.values);
  });

  test('single precision stays', () => {
    expect(complexMatrix({ ...CSR, values: Float32Array.from(CSR.values) }).values).toBeInstanceOf(Float32Array);
  });

  test.each<[ComplexInput, string]>([
    [
      { ...CSR, values: [1, 2, 3, 4] },
      'values: expected length 2 nnz = 8, two numbers for each entry, got Array of length 4',
    ],
    [{ ...CSR, field: 'real' as never }, "field: expected complex, got 'real'"],
    [{ ...CSR, symmetry: 'odd' as never }, 'symmetry: expected general | symmetric | skew-symmetric | hermitian'],
    [{ ...CSR, symmetry: 'hermitian' }, "symmetry: expected 'general' for a matrix that is not square"],
    [{ ...CSR, colIdx: [0, 3, 0, 1] }, 'colIdx[1]: expected a column below cols = 3, got 3'],
    [7 as never, 'matrix: expected a complex matrix, got 7'],
  ])('%o is refused', (input, message) => {
    expect(() => complexMatrix(input)).toThrow(message);
  });
});

test('two real matrices are the parts of one', () => {
  const re = csrMatrix({ rows: 2, cols: 3, rowPtr: [0, 1, 3], colIdx: [0, 0, 1], values: [1, 3, 4] });
  const im = csrMatrix({ rows: 2, cols: 3, rowPtr: [0, 2, 3], colIdx: [0, 2, 1], values: [2, -1, -1] });
  expect(complexFrom(re, im)).toEqual(complexMatrix({ ...CSR, values: VALUES }));
  expect([...complexFrom(re).values]).toEqual([1, 0, 3, 0, 4, 0]);
  expect(() => complexFrom(re, csrMatrix([[1]]))).toThrow('im: expected 2 × 3, as re, got');
});

test('the adjoint', () => {
  const adjoint = adjointMatrix(complexMatrix(CSR));
  expect([...adjoint.rowPtr]).toEqual([0, 2, 3, 4]);
  expect([...adjoint.colIdx]).toEqual([0, 1, 1, 0]);
  expect([...adjoint.values].map((value) => value + 0)).toEqual([1, -2, 3, 0, 4, 1, 0, 1]);
  expect([...adjointMatrix(complexMatrix(CSR), { conjugate: false }).values]).toEqual([1, 2, 3, 0, 4, -1, 0, -1]);
});

test('the real equivalent: a block [re −im; im re] for each entry', () => {
  const { rowPtr, colIdx, values, rows, cols, symmetry } = realEquivalent(complexMatrix(CSR));
  expect([rows, cols, symmetry]).toEqual([4, 6, 'general']);
  expect([...rowPtr]).toEqual([0, 4, 8, 12, 16]);
  expect([...colIdx]).toEqual([0, 1, 4, 5, 0, 1, 4, 5, 0, 1, 2, 3, 0, 1, 2, 3]);
  expect([...values].map((value) => value + 0)).toEqual([1, -2, 0, 1, 2, 1, -1, 0, 3, 0, 4, 1, 0, 3, -1, 4]);
  const hermitian = complexMatrix({
    rows: 1,
    cols: 1,
    rowPtr: [0, 1],
    colIdx: [0],
    values: [2, 0],
    symmetry: 'hermitian',
  });
  expect(realEquivalent(hermitian).symmetry).toBe('symmetric');
});

/** A matrix as an array of rows, `[[4, 1], [1, 3]]`: what one types first. */
import { isArrayLike } from './arrays.js';
import type { CsrMatrix } from './csr.js';
import { mismatch } from './errors.js';

/** Rows of equal length. Zeros are not stored. */
export type DenseMatrix = readonly ArrayLike<number>[];

/** @throws SparlaneError `argument` for what is no array of numbers; `shape` for rows of different length */
export function csrOfDense(dense: DenseMatrix): CsrMatrix {
  const rows = dense.length;
  const rowPtr = new Uint32Array(rows + 1);
  const [columns, numbers]: [number[], number[]] = [[], []];
  let cols = 0;
  for (let i = 0; i < rows; i++) {
    const row = dense[i];
    if (!isArrayLike(row)) throw mismatch('argument', `matrix[${i}]`, 'an array of numbers', row);
    if (i === 0) cols = row.length;
    if (row.length !== cols)
      throw mismatch('shape', `matrix[${i}]`, `length ${cols}, that of matrix[0]`, row.length, { row: i });
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== 'number') throw mismatch('argument', `matrix[${i}][${j}]`, 'a number', value);
      if (value === 0) continue;
      columns.push(j);
      numbers.push(value);
    }
    rowPtr[i + 1] = columns.length;
  }
  const [colIdx, values] = [Uint32Array.from(columns), Float64Array.from(numbers)];
  return { rows, cols, nnz: colIdx.length, rowPtr, colIdx, values, field: 'real', symmetry: 'general' };
}

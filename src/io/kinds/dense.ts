/** Between matrices and dense blocks, for kinds that store the other one. */
import type { CsrMatrix } from '../../core/csr.js';
import { checkBlock, checkClaim } from '../claims.js';
import { fileError } from '../parse-error.js';
import type { DenseBlock } from './kind.js';

/**
 * The entries that are not 0, as formats without a notation for a missing entry mean it.
 *
 * @throws SparlaneError `heap` for many rows without columns, which have no numbers
 */
export function sparse(file: string, { rows, columns, values }: DenseBlock): CsrMatrix {
  checkClaim({ file, rows, entries: values.length });
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    let count = rowPtr[i]!;
    for (let k = i * columns; k < (i + 1) * columns; k++) if (values[k] !== 0) count++;
    rowPtr[i + 1] = count;
  }
  const nnz = rowPtr[rows]!;
  const colIdx = new Uint32Array(nnz);
  const kept = new (values instanceof Float32Array ? Float32Array : Float64Array)(nnz);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const value = values[i * columns + j]!;
      if (value === 0) continue;
      colIdx[at] = j;
      kept[at++] = value;
    }
  }
  return { rows, cols: columns, nnz, rowPtr, colIdx, values: kept, field: 'real', symmetry: 'general' };
}

/** All numbers of a matrix. @throws SparlaneError `heap` beyond 4 GiB */
export function dense(file: string, { rows, cols, rowPtr, colIdx, values: entries }: CsrMatrix): DenseBlock {
  checkBlock(file, rows, cols);
  const values = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) values[i * cols + colIdx[k]!] = entries[k]!;
  return { rows, columns: cols, values };
}

/** @throws SparlaneError `parse` if a file does not have the columns that are wanted */
export function checkColumns(file: string, rows: number, columns: number, wanted: number | undefined): void {
  if (wanted === undefined || columns === wanted) return;
  const expected = wanted === 1 ? 'a vector, one column' : `${wanted} columns`;
  throw fileError(file, expected, `${rows} × ${columns}`);
}

/** The numbers of a block that is stored column by column, row by row. */
export function rowMajor(values: DenseBlock['values'], rows: number, columns: number): DenseBlock['values'] {
  if (columns <= 1 || rows <= 1) return values;
  const turned = new (values instanceof Float32Array ? Float32Array : Float64Array)(values.length);
  for (let j = 0; j < columns; j++) for (let i = 0; i < rows; i++) turned[i * columns + j] = values[j * rows + i]!;
  return turned;
}

/** Between matrices and dense blocks, for kinds that store the other one. */
import { type ComplexMatrix, complexMatrix } from '../../core/complex.js';
import type { CsrMatrix } from '../../core/csr.js';
import { checkBlock, checkClaim } from '../claims.js';
import { fileError } from '../parse-error.js';
import type { DenseBlock } from './kind.js';

/**
 * The entries of a block of real numbers that are not 0, as formats without a notation for a missing entry mean it.
 *
 * @throws SparlaneError `heap` for many rows without columns, which have no numbers
 */
export function sparse(file: string, block: DenseBlock): CsrMatrix {
  return sparseOfAny(file, block) as CsrMatrix;
}

/** The same for numbers that may be complex. @throws as `sparse` */
export function sparseOfAny(file: string, { rows, columns, values, field }: DenseBlock): CsrMatrix | ComplexMatrix {
  const parts = field === 'complex' ? 2 : 1;
  checkClaim({ file, rows, entries: values.length / parts });
  const isStored = (place: number) => values[parts * place] !== 0 || values[parts * place + parts - 1] !== 0;
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    let count = rowPtr[i]!;
    for (let k = i * columns; k < (i + 1) * columns; k++) if (isStored(k)) count++;
    rowPtr[i + 1] = count;
  }
  const nnz = rowPtr[rows]!;
  const colIdx = new Uint32Array(nnz);
  const kept = new (values instanceof Float32Array ? Float32Array : Float64Array)(parts * nnz);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const place = i * columns + j;
      if (!isStored(place)) continue;
      for (let part = 0; part < parts; part++) kept[parts * at + part] = values[parts * place + part]!;
      colIdx[at++] = j;
    }
  }
  const matrix = { rows, cols: columns, rowPtr, colIdx, values: kept };
  return field === 'complex' ? complexMatrix(matrix) : { ...matrix, nnz, field: 'real', symmetry: 'general' };
}

/** All numbers of a matrix. @throws SparlaneError `heap` beyond 4 GiB */
export function dense(file: string, matrix: CsrMatrix | ComplexMatrix): DenseBlock {
  const { rows, cols, rowPtr, colIdx, values: entries, field } = matrix;
  const isComplex = field === 'complex';
  const parts = isComplex ? 2 : 1;
  checkBlock(file, rows, parts * cols);
  const values = new Float64Array(rows * parts * cols);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++)
      for (let part = 0; part < parts; part++)
        values[parts * (i * cols + colIdx[k]!) + part] = entries[parts * k + part]!;
  return { rows, columns: cols, values, ...(isComplex && { field }) };
}

/** @throws SparlaneError `parse` if a file does not have the columns that are wanted */
export function checkColumns(file: string, rows: number, columns: number, wanted: number | undefined): void {
  if (wanted === undefined || columns === wanted) return;
  const expected = wanted === 1 ? 'a vector, one column' : `${wanted} columns`;
  throw fileError(file, expected, `${rows} × ${columns}`);
}

/** The numbers of a block that is stored column by column, row by row. @param parts of a number: 2 of a complex one */
export function rowMajor(values: DenseBlock['values'], rows: number, columns: number, parts = 1): DenseBlock['values'] {
  if (columns <= 1 || rows <= 1) return values;
  const turned = new (values instanceof Float32Array ? Float32Array : Float64Array)(values.length);
  for (let j = 0; j < columns; j++)
    for (let i = 0; i < rows; i++)
      for (let part = 0; part < parts; part++)
        turned[parts * (i * columns + j) + part] = values[parts * (j * rows + i) + part]!;
  return turned;
}

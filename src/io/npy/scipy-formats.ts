/** The formats of SciPy that the library does not take as they are: blocks and diagonals. */
import type { CooInput, CsrInput, MatrixArrays } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import { fileError } from '../parse-error.js';

type Shape = Required<Pick<MatrixArrays, 'rows' | 'cols' | 'field'>>;

/**
 * Blocks of R × C, row by row, in rows of blocks: block k covers the columns from C · indices[k] on. Lengths have been checked.
 *
 * @throws SparlaneError `parse` if pointers do not ascend
 */
export function bsrEntries(
  file: string,
  { rows, cols, field }: Shape,
  dataShape: readonly number[],
  data: FloatArray,
  indptr: Uint32Array,
  indices: Uint32Array,
): CsrInput {
  const [blocks, height, width] = dataShape as [number, number, number];
  const blockRows = rows / height;
  if (indptr[0] !== 0) throw fileError(file, 'pointers from 0 on', `indptr[0] = ${indptr[0]}`);
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(data.length);
  const values = data.slice();
  let at = 0;
  for (let blockRow = 0; blockRow < blockRows; blockRow++) {
    const begin = indptr[blockRow]!;
    const end = indptr[blockRow + 1]!;
    if (begin > end || end > blocks) throw fileError(file, 'pointers that ascend', `indptr[${blockRow + 1}] = ${end}`);
    for (let i = 0; i < height; i++) {
      for (let block = begin; block < end; block++) {
        for (let j = 0; j < width; j++) {
          colIdx[at] = Math.min(indices[block]! * width + j, 0xffff_ffff);
          values[at++] = data[(block * height + i) * width + j]!;
        }
      }
      rowPtr[blockRow * height + i + 1] = at;
    }
  }
  return { rows, cols, field, rowPtr, colIdx, values };
}

/**
 * One diagonal a row of `data`: data[k, j] is the entry in column j, and in row j − offsets[k]. Lengths have been checked.
 *
 * @throws SparlaneError `parse` if offsets are no integers, or not different
 */
export function diaEntries(
  file: string,
  { rows, cols, field }: Shape,
  [, length = 0]: readonly number[],
  data: FloatArray,
  offsets: FloatArray,
): CooInput {
  const wrong = offsets.find((offset) => !Number.isInteger(offset));
  if (wrong !== undefined) throw mismatch('parse', file, 'integers as offsets', wrong);
  const twice = offsets
    .slice()
    .sort()
    .find((offset, k, sorted) => offset === sorted[k - 1]);
  if (twice !== undefined) throw mismatch('parse', file, 'offsets that are different', twice);
  let used = 0;
  for (const value of data) if (value !== 0) used++;
  const rowIdx = new Uint32Array(used);
  const colIdx = new Uint32Array(used);
  const values = new (data instanceof Float32Array ? Float32Array : Float64Array)(used);
  let at = 0;
  offsets.forEach((offset, k) => {
    for (let j = Math.max(0, offset); j < Math.min(length, cols, rows + offset); j++) {
      const value = data[k * length + j]!;
      if (value === 0) continue;
      rowIdx[at] = j - offset;
      colIdx[at] = j;
      values[at++] = value;
    }
  });
  const [rowsOf, colsOf, entries] = [rowIdx, colIdx, values].map((array) => array.subarray(0, at));
  return { rows, cols, field, rowIdx: rowsOf!, colIdx: colsOf!, values: entries! };
}

/** The formats of SciPy that the library does not take as they are: blocks and diagonals. */
import type { CooInput, CsrInput, MatrixArrays } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import { fileError } from '../parse-error.js';

type Shape = Required<Pick<MatrixArrays, 'rows' | 'cols' | 'field'>>;

/**
 * Blocks of R × C, row by row, in rows of blocks: block k covers the columns from C · indices[k] on.
 *
 * @throws SparlaneError `parse` if lengths do not fit
 */
export function bsrEntries(
  file: string,
  { rows, cols, field }: Shape,
  dataShape: readonly number[],
  data: FloatArray,
  indptr: Uint32Array,
  indices: Uint32Array,
): CsrInput {
  const [blocks = 0, height = 0, width = 0] = dataShape;
  if (dataShape.length !== 3 || height === 0 || width === 0)
    throw fileError(file, 'data of blocks × rows × columns', `the shape (${dataShape.join(', ')})`);
  const blockRows = rows / height;
  if (indptr.length !== blockRows + 1 || indices.length !== blocks || indptr.at(-1) !== blocks || indptr[0] !== 0) {
    const got = `${indptr.length} pointers, ${indices.length} indices and ${blocks} blocks of ${height} × ${width}`;
    throw fileError(file, `${blockRows + 1} pointers to blocks of ${rows} rows`, got);
  }
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
 * One diagonal a row of `data`: data[k, j] is the entry in column j, and in row j − offsets[k].
 *
 * @throws SparlaneError `parse` if lengths do not fit
 */
export function diaEntries(
  file: string,
  { rows, cols, field }: Shape,
  [diagonals = 0, length = 0, ...more]: readonly number[],
  data: FloatArray,
  offsets: FloatArray,
): CooInput {
  if (offsets.length !== diagonals || more.length > 0 || diagonals * length !== data.length)
    throw fileError(
      file,
      `${offsets.length} diagonals`,
      `data of the shape (${[diagonals, length, ...more].join(', ')})`,
    );
  const wrong = offsets.find((offset) => !Number.isInteger(offset));
  if (wrong !== undefined) throw mismatch('parse', file, 'integers as offsets', wrong);
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

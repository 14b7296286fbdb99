/** Some rows of a matrix, made without the others: ranks have a matrix that nobody could hold. */
import type { CsrMatrix } from '../core/csr.js';
import { type ParameterValues, resolveParameters } from '../core/parameters.js';
import type { Symmetry } from '../core/types.js';
import { checkSize } from './family.js';
import { familyByName } from './registry.js';
import { type GalleryValues, withValues } from './values.js';

/** Values that need no numbers drawn for the rows before. */
const UNSEEDED: readonly GalleryValues[] = ['stencil', 'ones'];

export interface RowsOfGallery {
  /** With all columns; declared `general`. */
  readonly part: CsrMatrix;
  readonly firstRow: number;
  /** Of the whole matrix. */
  readonly symmetry: Symmetry;
}

/**
 * Rows of `gallery(name, given)`, or undefined where only the whole matrix can be made.
 *
 * @param rangeOf the first row and the one after the last, for the number of all rows
 * @throws as `gallery`; the limit of entries is one of these rows
 */
export function rowsOfGallery(
  name: string,
  given: ParameterValues,
  rangeOf: (rows: number) => readonly [begin: number, end: number],
): RowsOfGallery | undefined {
  const { parameters, size, rowRange, rowsTogether = 1 } = familyByName(name);
  const what = `gallery:${name}`;
  const values: ParameterValues = resolveParameters(what, parameters, given);
  const kind = values.values as GalleryValues;
  if (rowRange === undefined || !UNSEEDED.includes(kind)) return undefined;
  const block = values.block as number;
  const { rows, cols, entries } = size(values);
  const [firstRow, end] = rangeOf(rows * block);
  const share = rows === 0 ? 0 : (end - firstRow) / (rows * block);
  checkSize(what, { rows: rows * block, cols: cols * block, entries: entries * block * block * share });
  // Whole units that have these rows.
  const unit = rowsTogether * block;
  const [begin, stop] = [Math.floor(firstRow / unit), Math.ceil(end / unit)];
  const structure = rowRange(values, begin * rowsTogether, stop * rowsTogether);
  const made = withValues(structure, kind, values.seed as number, block);
  const part = rowsWithin(made, firstRow - begin * unit, end - begin * unit);
  return { part: { ...part, symmetry: 'general' }, firstRow, symmetry: made.symmetry };
}

/** The rows begin … end − 1, as views. */
function rowsWithin(matrix: CsrMatrix, begin: number, end: number): CsrMatrix {
  if (begin === 0 && end === matrix.rows) return matrix;
  const { rowPtr, colIdx, values } = matrix;
  const [from, to] = [rowPtr[begin]!, rowPtr[end]!];
  return {
    ...matrix,
    rows: end - begin,
    nnz: to - from,
    rowPtr: rowPtr.slice(begin, end + 1).map((k) => k - from),
    colIdx: colIdx.subarray(from, to),
    values: values.subarray(from, to),
  };
}

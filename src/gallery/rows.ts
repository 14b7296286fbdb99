/** Some rows of a stencil, made without the others: ranks have a matrix that nobody could hold. */
import type { CsrMatrix } from '../core/csr.js';
import { type ParameterValues, resolveParameters } from '../core/parameters.js';
import type { Symmetry } from '../core/types.js';
import { checkSize } from './family.js';
import { familyByName } from './registry.js';
import { type ValueKind, withValues } from './values.js';

/** Values that need no numbers drawn for the rows before. */
const UNSEEDED: readonly ValueKind[] = ['stencil', 'ones'];

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
  const { parameters, size, rowRange } = familyByName(name);
  const what = `gallery:${name}`;
  const values: ParameterValues = resolveParameters(what, parameters, given);
  const kind = values.values as ValueKind;
  if (rowRange === undefined || values.block !== 1 || !UNSEEDED.includes(kind)) return undefined;
  const { rows, cols, entries } = size(values);
  const [firstRow, end] = rangeOf(rows);
  checkSize(what, { rows, cols, entries: (entries / rows) * (end - firstRow) });
  const made = withValues(rowRange(values, firstRow, end), kind, values.seed as number, 1);
  return { part: { ...made, symmetry: 'general' }, firstRow, symmetry: made.symmetry };
}

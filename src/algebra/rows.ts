/** Rows and columns of a matrix: slices, scaling, sums and norms. */
import { asFloats, type NumberArray } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { newMatrix } from './new-matrix.js';

/**
 * The rows [begin, end), with all columns.
 *
 * @param begin from 0 to `end`
 * @param end up to the number of rows; default: all
 * @throws SparlaneError `argument`, and as `csrMatrix`
 */
export function sliceRows(matrix: MatrixInput, begin: number, end?: number): CsrMatrix {
  const { rows, cols, rowPtr, colIdx, values, field } = csrMatrix(matrix);
  const [first, last] = checkSlice(rows, begin, end);
  const [from, to] = [rowPtr[first]!, rowPtr[last]!];
  const sliced = {
    rows: last - first,
    cols,
    rowPtr: rowPtr.slice(first, last + 1).map((k) => k - from),
    colIdx: colIdx.slice(from, to),
    values: values.slice(from, to),
  };
  return { ...newMatrix(sliced), field };
}

/** First row and end of a slice. @throws SparlaneError `argument` */
export function checkSlice(rows: number, begin: number, end: number | undefined): readonly [number, number] {
  const last = integer('end', end ?? rows, 0, rows);
  return [integer('begin', begin, 0, last), last];
}

/** The factors of `scaleMatrix`. */
export interface Scaling {
  /** One for each row. Default: ones. */
  readonly rows?: NumberArray;
  /** One for each column. Default: ones. */
  readonly cols?: NumberArray;
}

/**
 * diag(rows) A diag(cols). Both factors of a symmetric matrix may be the same array: it then stays symmetric.
 *
 * @throws SparlaneError `shape` for a wrong number of factors; `argument`; and as `csrMatrix`
 */
export function scaleMatrix(matrix: MatrixInput, scaling: Scaling): CsrMatrix {
  const { rows, cols, rowPtr, colIdx, values: given, symmetry } = csrMatrix(matrix);
  knownKeys('scaling', scaling, { rows: true, cols: true });
  const left = scaling.rows === undefined ? undefined : factors('scaling.rows', scaling.rows, rows);
  const right = scaling.cols === undefined ? undefined : factors('scaling.cols', scaling.cols, cols);
  const values = Float64Array.from(given);
  for (let i = 0; i < rows; i++) {
    const factor = left?.[i] ?? 1;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) values[k]! *= factor * (right?.[colIdx[k]!] ?? 1);
  }
  const isSame = scaling.rows === scaling.cols;
  const arrays = { rows, cols, rowPtr: rowPtr.slice(), colIdx: colIdx.slice(), values };
  return newMatrix({ ...arrays, symmetry: isSame ? symmetry : 'general' });
}

function factors(name: string, given: NumberArray, length: number): FloatArray {
  const numbers = asFloats(name, given);
  if (numbers.length !== length) throw mismatch('shape', name, `length ${length}`, numbers.length, { length });
  return numbers;
}

/** Along which lines numbers are added: one result for each row, or for each column. */
export type LineKind = 'rows' | 'columns';
export const LINES: readonly LineKind[] = ['rows', 'columns'];

/** The sum of each row, or of each column. @throws SparlaneError `argument`, and as `csrMatrix` */
export function sumsOf(matrix: MatrixInput, lines: LineKind): Float64Array {
  return fold(csrMatrix(matrix), lines, 'sum');
}

/** `one`: Σ |aᵢⱼ|; `two`: √(Σ aᵢⱼ²); `max`: the greatest |aᵢⱼ|. */
export type Norm = 'one' | 'two' | 'max';
export const NORMS: readonly Norm[] = ['one', 'two', 'max'];

/** What is added up along a line. `squares`: relative to the greatest value of the line, so that they neither overflow nor vanish. */
export type Fold = 'sum' | 'one' | 'max' | 'squares';

/** The norm of each row, or of each column. @throws SparlaneError `argument`, and as `csrMatrix` */
export function normsOf(matrix: MatrixInput, lines: LineKind, norm: Norm = 'two'): Float64Array {
  const checked = csrMatrix(matrix);
  if (oneOf('norm', norm, NORMS) !== 'two') return fold(checked, lines, norm as 'one' | 'max');
  const greatest = fold(checked, lines, 'max');
  const squares = fold(checked, lines, 'squares', greatest);
  return squares.map((sum, line) => greatest[line]! * Math.sqrt(sum));
}

/** Folds the values of each line, in the order of the rows, from 0. */
function fold(
  { rows, cols, rowPtr, colIdx, values }: CsrMatrix,
  lines: LineKind,
  kind: Fold,
  greatest?: Float64Array,
): Float64Array {
  const byRow = oneOf('lines', lines, LINES) === 'rows';
  const sums = new Float64Array(byRow ? rows : cols);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const line = byRow ? i : colIdx[k]!;
      const sum = sums[line]!;
      const value = values[k]!;
      if (kind === 'sum') sums[line] = sum + value;
      else if (kind === 'one') sums[line] = sum + Math.abs(value);
      else if (kind === 'max') sums[line] = Math.max(sum, Math.abs(value));
      else {
        const part = value / (greatest![line]! || 1);
        sums[line] = sum + part * part;
      }
    }
  }
  return sums;
}

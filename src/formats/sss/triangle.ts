/** The lower triangle of a symmetric or skew-symmetric matrix, for formats that store only it. O(rows + nnz). */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch, SparlaneError } from '../../core/errors.js';
import { lowerBound } from '../../core/search.js';
import { evenly } from '../../core/span.js';
import { equalsTranspose, likenessOfTranspose } from '../../core/symmetry.js';
import { type Dtype, valueArray } from '../../core/types.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import { compareImages } from './loops.js';

export interface LowerTriangle {
  /** Of the workspace, length rows + 1: counts the entries below the diagonal, which are the first entries of their rows in the matrix. */
  readonly rowPtr: Uint32Array;
  /** The factor of a mirror image: −1 if the source marks the matrix as skew-symmetric. */
  readonly sign: 1 | -1;
  /** Greatest i − j of an entry. */
  readonly bandwidth: number;
  /** Whether numbers differ from those across the diagonal, by rounding errors. */
  readonly isRounded: boolean;
}

/**
 * Compares every entry with its mirror image, bit for bit as stored in the dtype. Symmetric up to rounding is symmetric: the numbers below the diagonal
 * stand for those above it.
 *
 * @throws SparlaneError `shape` if the matrix is not square, `structure` with the first entry without an equal mirror image, up to rounding
 */
export function lowerTriangle(matrix: CsrMatrix, dtype: Dtype, { array, runLoop }: ConversionWorkspace): LowerTriangle {
  const { rows, cols, nnz, rowPtr, colIdx, values: reals } = matrix;
  if (rows !== cols) throw mismatch('shape', 'cols', `as many as rows, ${rows}`, cols, { rows, cols });
  const sign = matrix.symmetry === 'skew-symmetric' ? -1 : 1;
  const stored = new (valueArray(dtype))(0);
  const cursors = array(Uint32Array, rows);
  const lowerPtr = array(Uint32Array, rows + 1);
  const found = array(Uint32Array, 3);
  found.set([0, rows]);
  runLoop(compareImages, { rows, sign, rowPtr, colIdx, reals, stored, cursors, lowerPtr, found }, evenly(1, nnz));
  const [bandwidth, row, place] = found as unknown as [number, number, number];
  if (row === rows) return { rowPtr: lowerPtr, sign, bandwidth, isRounded: false };
  if (sign === 1 && likenessOfTranspose(matrix) === 'rounded' && equalsTranspose(matrix, 'pattern'))
    return { rowPtr: lowerPtr, sign, bandwidth: countBelow(matrix, lowerPtr), isRounded: true };
  throw faultOf(matrix, sign, valueArray(dtype), row, place, cursors);
}

/** Counts the entries below the diagonal. @returns the greatest i − j of an entry */
function countBelow({ rows, rowPtr, colIdx }: CsrMatrix, lowerPtr: Uint32Array): number {
  let bandwidth = 0;
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    const diagonal = lowerBound(colIdx, i, begin, end);
    lowerPtr[i + 1] = lowerPtr[i]! + diagonal - begin;
    if (diagonal > begin) bandwidth = Math.max(bandwidth, i - colIdx[begin]!);
  }
  return bandwidth;
}

/** Why an entry has no equal mirror image. */
function faultOf(
  { rows, rowPtr, colIdx, values }: CsrMatrix,
  sign: number,
  type: ReturnType<typeof valueArray>,
  row: number,
  place: number,
  cursors: Uint32Array,
): SparlaneError {
  const col = colIdx[place]!;
  if (col < row) return noImage(row, col);
  const image = cursors[col]!;
  const other = image < rowPtr[col + 1]! ? colIdx[image]! : rows;
  if (other < row) return noImage(col, other);
  if (other > row) return noImage(row, col);
  const [expected, got] = type.of(sign * values[place]!, values[image]!) as unknown as [number, number];
  return otherImage(row, col, expected, got);
}

function noImage(row: number, col: number): SparlaneError {
  const text = `A[${row}, ${col}]: expected its mirror image A[${col}, ${row}], got none`;
  return new SparlaneError('structure', text, { row, col });
}

function otherImage(row: number, col: number, expected: number, got: number): SparlaneError {
  const text = `A[${col}, ${row}]: expected ${signed(expected)} to mirror A[${row}, ${col}], got ${signed(got)}`;
  return new SparlaneError('structure', text, { row: col, col: row, expected, got });
}

/** A number with the sign of its zero. */
function signed(value: number): string {
  return Object.is(value, -0) ? '−0' : String(value);
}

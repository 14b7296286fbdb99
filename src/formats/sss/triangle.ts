/** The lower triangle of a symmetric or skew-symmetric matrix, for formats that store only it. O(rows + nnz). */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch, SparlaneError } from '../../core/errors.js';
import { type Dtype, valueArray } from '../../core/types.js';
import type { Workspace } from '../layout/workspace.js';

export interface Triangle {
  /** Of the workspace, length rows + 1: counts the entries below the diagonal, which are the first entries of their rows in the matrix. */
  readonly rowPtr: Uint32Array;
  /** The factor of a mirror image: −1 if the source marks the matrix as skew-symmetric. */
  readonly sign: 1 | -1;
  /** Greatest i − j of an entry. */
  readonly bandwidth: number;
}

/**
 * Compares every entry with its mirror image, bit for bit as stored in the dtype. Rows are visited in order, with a cursor
 * in each row: the mirror images of row i are at the cursors of the rows given by its columns, since rows ascend.
 *
 * @throws SparlaneError `shape` if the matrix is not square, `structure` with the first entry without an equal mirror image
 */
export function lowerTriangle(matrix: CsrMatrix, dtype: Dtype, { array }: Workspace): Triangle {
  const { rows, cols, rowPtr, colIdx } = matrix;
  if (rows !== cols) throw mismatch('shape', 'cols', `as many as rows, ${rows}`, cols, { rows, cols });
  const type = valueArray(dtype);
  const values = matrix.values instanceof type ? matrix.values : new type(matrix.values);
  const sign = matrix.symmetry === 'skew-symmetric' ? -1 : 1;
  const cursors = rowPtr.slice(0, rows);
  const lower = array(Uint32Array, rows + 1);
  lower[0] = 0;
  let bandwidth = 0;
  for (let i = 0; i < rows; i++) {
    const end = rowPtr[i + 1]!;
    let k = cursors[i]!;
    lower[i + 1] = lower[i]! + k - rowPtr[i]!;
    if (k > rowPtr[i]!) bandwidth = Math.max(bandwidth, i - colIdx[rowPtr[i]!]!);
    if (k < end && colIdx[k]! < i) throw noImage(i, colIdx[k]!);
    if (k < end && colIdx[k] === i) k++;
    for (; k < end; k++) {
      const j = colIdx[k]!;
      const image = cursors[j]!;
      const column = image < rowPtr[j + 1]! ? colIdx[image]! : rows;
      if (column < i) throw noImage(j, column);
      if (column > i) throw noImage(i, j);
      if (!Object.is(values[image], sign * values[k]!)) throw otherImage(i, j, sign * values[k]!, values[image]!);
      cursors[j] = image + 1;
    }
  }
  return { rowPtr: lower, sign, bandwidth };
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

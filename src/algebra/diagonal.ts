/** Finds the diagonal of a matrix: the places of its entries among all entries, and their values. */
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';

/** The place of an entry that a matrix does not have. */
export const NO_ENTRY = 0xffff_ffff;

/**
 * Returns the places of the entries of the diagonal among all entries, `NO_ENTRY` for absent ones: one for each row that also is a column.
 *
 * @param firstRow the number of the first row in the whole matrix, of which these are consecutive rows
 */
export function diagonalPlaces(
  { rows, cols, rowPtr, colIdx }: Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx'>,
  firstRow: number = 0,
): Uint32Array {
  const places = new Uint32Array(Math.max(0, Math.min(rows, cols - firstRow))).fill(NO_ENTRY);
  // Rows of a mesh are alike: the entry is looked for first where the row before has its own.
  let offset = 0;
  for (let i = 0; i < places.length; i++) {
    const [col, begin, end] = [firstRow + i, rowPtr[i]!, rowPtr[i + 1]!];
    let k = begin + offset;
    if (k >= end || colIdx[k] !== col) {
      k = begin;
      while (k < end && colIdx[k] !== col) k++;
    }
    if (k === end) continue;
    places[i] = k;
    offset = k - begin;
  }
  return places;
}

/** Returns the diagonal, of length min(rows, cols); 0 for absent entries. @throws SparlaneError as `csrMatrix` */
export function diagonalOf(matrix: MatrixInput): Float64Array {
  return diagonalFrom(csrMatrix(matrix));
}

/** Returns the diagonal in consecutive rows of a matrix; 0 for absent entries. @param firstRow as for `diagonalPlaces` */
export function diagonalFrom(matrix: CsrMatrix, firstRow?: number): Float64Array {
  const { values } = matrix;
  const places = diagonalPlaces(matrix, firstRow);
  const diagonal = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) if (places[i] !== NO_ENTRY) diagonal[i] = values[places[i]!]!;
  return diagonal;
}

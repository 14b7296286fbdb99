/** What the kernels of sparse LU share. Layout: `src/direct/lu/layout.ts`. */

@unmanaged
export class LuHeader {
  /** u32, columns + 1: the first entry of each arranged column. */
  columnPtr!: usize;
  /** u32: the arranged row of each entry; rows before `firstOf` lie above the diagonal block. */
  rowIdx!: usize;
  /** u32: the place of each entry among the values. */
  source!: usize;
  /** f64: the values in the order of the caller. */
  values!: usize;
  /** f64, rows: the factor of each arranged row. */
  scale!: usize;
  /** u32, columns: the first column of the diagonal block of each column. */
  firstOf!: usize;
  /** Columns of the matrix. */
  size!: u32;
  /** u32, rows: the pivot of each arranged row; before it is one, `OPEN` + the column whose diagonal it is. */
  place!: usize;
  /** u32, columns: the arranged row of each pivot; before that, the row that counts as the diagonal of the column. */
  diagonal!: usize;
  /** f64, rows: zeros between two calls. */
  x!: usize;
  /** u32, rows: 1 + the last column that reached each row. */
  mark!: usize;
  /** u32, rows each: what a depth-first search needs, and the rows of a column of L. */
  stack!: usize;
  path!: usize;
  position!: usize;
  pattern!: usize;
  /** `LuColumn`, columns. */
  columns!: usize;
  /** f64, columns: the diagonal of U. */
  pivots!: usize;
  /** The free bytes of the present chunk, [at, end), a multiple of 8. */
  at!: usize;
  end!: usize;
  /** Work after which a call returns. */
  budget!: u32;
  /** Written by a call: the column after the last one that is done, why it ended there, and the bytes that the next column needs. */
  next!: u32;
  status!: u32;
  need!: u32;
  /** Pivots that are not the diagonal of their column. */
  offDiagonal!: u32;
  /**
   * f64, 5: multiplications and additions; entries of L and U, the diagonals of 1 of L left out; how much larger entries of a column become than
   * those of A, at most. These grow. Then the share of the largest entry of a column that its diagonal must have to be the pivot; and the
   * largest entry from which the last pivot was chosen.
   */
  totals!: usize;
}

export const DONE: u32 = 0;
/** The chunk is too small for the next column. */
export const ROOM: u32 = 1;
/** No row is a pivot of the next column. */
export const NO_PIVOT: u32 = 2;

/** A row of this place or more is no pivot yet. */
export const OPEN: u32 = 0x80000000;

/** What the kernels of `assembly/triangular/` read of triangles and of incomplete factors. */
export const TRIANGLES_HEADER = {
  rows: 'u32',
  /** u32, rows: the element of x and y of each row; 0: the element of its number. */
  order: 'usize',
  /** Of the type of x, rows: w, then z. */
  work: 'usize',
  /** Of the type of x, rows: the inverse of D; of E in `cholesky` (`assembly/triangular/factor.ts`). */
  inverse: 'usize',
  /** u32, rows + 1; columns, ascending in a row; values. Without the diagonal. */
  lowerPtr: 'usize',
  lowerIdx: 'usize',
  lower: 'usize',
  /** The same; 0 in `cholesky`. */
  upperPtr: 'usize',
  upperIdx: 'usize',
  upper: 'usize',
  /** For CUDA: stages of a solve; u32, stages + 1: the first unit of each; u32, units + 1: the first row of each unit. */
  stages: 'u32',
  stagePtr: 'usize',
  unitPtr: 'usize',
} as const;

export const FACTOR_HEADER = {
  triangles: 'usize',
  /** 1 if pivots must be positive. */
  isDefinite: 'u32',
  /** Of the type of x, rows: the diagonal of A. */
  diagonal: 'usize',
  /** Of the type of x, rows: the sum of the moduli of each row of A. */
  sums: 'usize',
  /** Of the type of x, rows; for `cholesky` four for each row where rows are factored in groups (`assembly/triangular/factor-groups.ts`). */
  dense: 'usize',
  /** Elements of `dense` for each row. */
  lanes: 'u32',
  /** f64: the multiple of the sums that is added to the diagonal. */
  shift: 'usize',
  /** u32: DONE, which the caller writes, or 1 + the row whose pivot is not usable. */
  status: 'usize',
} as const;

export const PIECES_HEADER = {
  /** u32, pieces + 1: the first row of each. */
  piecePtr: 'usize',
  /** u32: the next piece that is not taken. */
  next: 'usize',
  /** The piece after the last one. */
  end: 'u32',
  /** u32, shares: a `FactorHeader` each, with a `dense` of its own. */
  factors: 'usize',
} as const;

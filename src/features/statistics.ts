/**
 * Statistics of a matrix, for the command line, the benchmarks and the choice of a format. O(rows + nnz); memory: one cursor
 * per row and one bit per diagonal. The pattern is that of the stored entries, explicit zeros included.
 */
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import type { Symmetry } from '../core/types.js';

/** Statistics of the numbers of entries in the rows of a matrix. */
export interface RowLengths {
  /** 0 for a matrix without rows, as all these figures. */
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Population variance (divided by rows), in entries². */
  readonly variance: number;
  /** Rows without entries. */
  readonly empty: number;
}

/** `matrixStatistics` returns this. */
export interface MatrixStatistics {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** nnz / (rows · cols), from 0 to 1; 0 for a matrix without rows or columns. */
  readonly density: number;
  /** In entries. */
  readonly rowLengths: RowLengths;
  /** Whether the variance of the row lengths is at most 10: Lane & Booth's limit between regular and irregular. */
  readonly regular: boolean;
  /** Greatest |i − j| of an entry. */
  readonly bandwidth: number;
  /** Σ over rows of i − (first column), for first columns below the diagonal: the entries of the lower envelope. */
  readonly profile: number;
  /** Diagonals j − i that hold an entry, which DIA would store. */
  readonly occupiedDiagonals: number;
  /** Entries (i, i). */
  readonly diagonalEntries: number;
  /**
   * Share of the entries (i, j) off the diagonal for which (j, i) is stored too; 1 if all entries are on the diagonal.
   * Undefined if the matrix is not square.
   */
  readonly patternSymmetry: number | undefined;
  /** Found by comparing every entry with its mirror image, not taken from the source; an empty matrix is symmetric. */
  readonly symmetry: Symmetry;
}

/** Lane & Booth, "Heterogeneous Sparse Matrix-Vector Multiplication via Compressed Sparse Row Format", 2022, 5.3. */
const REGULAR_VARIANCE = 10;

/**
 * Returns the statistics of a matrix. O(rows + entries).
 *
 * @throws SparlaneError as `csrMatrix`
 */
export function matrixStatistics(input: MatrixInput): MatrixStatistics {
  const matrix = csrMatrix(input);
  const { rows, cols, nnz } = matrix;
  const rowLengths = rowLengthStatistics(matrix);
  return {
    rows,
    cols,
    nnz,
    density: nnz === 0 ? 0 : nnz / rows / cols,
    rowLengths,
    regular: rowLengths.variance <= REGULAR_VARIANCE,
    ...bandStatistics(matrix),
    ...symmetryStatistics(matrix),
  };
}

export function rowLengthStatistics({ rows, nnz, rowPtr }: CsrMatrix): RowLengths {
  if (rows === 0) return { min: 0, max: 0, mean: 0, variance: 0, empty: 0 };
  const mean = nnz / rows;
  let min = nnz;
  let max = 0;
  let empty = 0;
  let squares = 0;
  for (let i = 0; i < rows; i++) {
    const length = rowPtr[i + 1]! - rowPtr[i]!;
    if (length < min) min = length;
    if (length > max) max = length;
    if (length === 0) empty++;
    const difference = length - mean;
    squares += difference * difference;
  }
  return { min, max, mean, variance: squares / rows, empty };
}

function bandStatistics({ rows, cols, rowPtr, colIdx }: CsrMatrix) {
  const occupied = new Uint32Array(Math.ceil((rows + cols) / 32));
  let bandwidth = 0;
  let profile = 0;
  let occupiedDiagonals = 0;
  let diagonalEntries = 0;
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    if (begin === end) continue;
    // Columns ascend, so the first and the last are the farthest from the diagonal.
    bandwidth = Math.max(bandwidth, i - colIdx[begin]!, colIdx[end - 1]! - i);
    profile += Math.max(0, i - colIdx[begin]!);
    for (let k = begin; k < end; k++) {
      const column = colIdx[k]!;
      if (column === i) diagonalEntries++;
      const diagonal = column - i + rows - 1;
      const word = Math.floor(diagonal / 32);
      const bit = 1 << (diagonal % 32);
      if ((occupied[word]! & bit) === 0) {
        occupied[word]! |= bit;
        occupiedDiagonals++;
      }
    }
  }
  return { bandwidth, profile, occupiedDiagonals, diagonalEntries };
}

/**
 * Merges the matrix with its transpose without building the transpose. Rows i are visited in ascending order; the columns i
 * searched in a row j therefore ascend too, and one cursor per row, which only advances, finds each mirror image.
 */
function symmetryStatistics({ rows, cols, rowPtr, colIdx, values }: CsrMatrix) {
  if (rows !== cols) return { patternSymmetry: undefined, symmetry: 'general' as const };
  const cursor = rowPtr.slice(0, rows);
  let offDiagonal = 0;
  let mirrored = 0;
  let equal = 0;
  let opposite = 0;
  let nonZeroDiagonal = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      const value = values[k]!;
      if (j === i) {
        if (value !== 0) nonZeroDiagonal++;
        continue;
      }
      offDiagonal++;
      const limit = rowPtr[j + 1]!;
      let mirror = cursor[j]!;
      while (mirror < limit && colIdx[mirror]! < i) mirror++;
      cursor[j] = mirror;
      if (mirror === limit || colIdx[mirror] !== i) continue;
      mirrored++;
      if (values[mirror] === value) equal++;
      if (values[mirror] === -value) opposite++;
    }
  }
  const patternSymmetry = offDiagonal === 0 ? 1 : mirrored / offDiagonal;
  let symmetry: Symmetry = 'general';
  if (equal === offDiagonal) symmetry = 'symmetric';
  else if (opposite === offDiagonal && nonZeroDiagonal === 0) symmetry = 'skew-symmetric';
  return { patternSymmetry, symmetry };
}

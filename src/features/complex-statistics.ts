/** Statistics of a complex matrix: those of its pattern, and its symmetry. O(rows + cols + nnz). */
import { adjointMatrix, type ComplexMatrix, type ComplexSymmetry } from '../core/complex.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { type MatrixStatistics, matrixStatistics } from './statistics.js';

export interface ComplexStatistics extends Omit<MatrixStatistics, 'symmetry'> {
  /** Found by comparing every entry with its mirror image, not taken from the source. A real symmetric matrix is `hermitian`. */
  readonly symmetry: ComplexSymmetry;
}

/** The real matrix whose entries stand where those of a complex one do, each of them 1. */
export function patternOf({ rows, cols, nnz, rowPtr, colIdx }: ComplexMatrix): CsrMatrix {
  return csrMatrix({ rows, cols, rowPtr, colIdx, values: new Float64Array(nnz).fill(1), field: 'pattern' });
}

export function complexStatistics(matrix: ComplexMatrix): ComplexStatistics {
  return { ...matrixStatistics(patternOf(matrix)), symmetry: symmetryOf(matrix) };
}

/** What the mirror image of an entry is: its parts times these. */
const IMAGES = [
  ['hermitian', 1, -1],
  ['symmetric', 1, 1],
  ['skew-symmetric', -1, -1],
] as const;

function symmetryOf(matrix: ComplexMatrix): ComplexSymmetry {
  const { rows, cols, rowPtr, colIdx, values } = matrix;
  if (rows !== cols) return 'general';
  const transposed = adjointMatrix(matrix, { conjugate: false });
  const hasPattern =
    transposed.rowPtr.every((place, i) => place === rowPtr[i]) && transposed.colIdx.every((j, k) => j === colIdx[k]);
  if (!hasPattern) return 'general';
  const image = transposed.values;
  const found = IMAGES.find(([, re, im]) => values.every((value, k) => value === (k % 2 === 0 ? re : im) * image[k]!));
  return found?.[0] ?? 'general';
}

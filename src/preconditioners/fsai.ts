/**
 * Factorized sparse approximate inverse: M⁻¹ = Gᵀ G, where G has the pattern of the lower triangle of A, and G A Gᵀ has ones on its
 * diagonal.
 *
 * Source: Kolotilina & Yeremin 1993, §3. Row i of G is the last row of the inverse of A restricted to the columns of that row, scaled.
 * For: symmetric positive definite matrices where triangular solves are slow: many threads, and devices. Iterations are between those of
 *   `jacobi` and `ic0`.
 * Cost: two products with one triangle. The set-up solves a dense system of the length of each row.
 */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { transposedEntries } from '../core/transpose.js';
import type { FloatArray } from '../core/types.js';
import type { Vector } from '../memory/vector.js';
import { compose } from './composed.js';
import type { PreconditionerKind } from './preconditioner.js';

export const FSAI: PreconditionerKind = {
  name: 'fsai',
  summary: 'factorized sparse approximate inverse, in the pattern of the lower triangle',
  source: 'Kolotilina & Yeremin 1993',
  suits: 'symmetric positive definite matrices on many threads or a device',
  parameters: {},
  matrices: 'definite',
  isSymmetric: true,
  prepare(engine, preparation) {
    const { matrix } = preparation;
    return compose(engine, preparation, true, (parts) => {
      const first = inverseFactor(matrix, matrix.values);
      const [g, gt] = [parts.operator(first), parts.operator(transposeOf(first))];
      const [inner] = parts.vectors(1) as [Vector];
      return {
        compute(x, y) {
          g.operator.apply(x, inner);
          gt.operator.apply(inner, y);
        },
        refill(values) {
          const other = inverseFactor(matrix, values);
          g.refill(other.values);
          gt.refill(transposeOf(other).values);
        },
        entries: 2 * g.operator.nnz,
      };
    });
  },
};

function transposeOf(g: CsrMatrix): CsrMatrix {
  const { ptr, idx, values } = transposedEntries(g);
  return csrMatrix({ rows: g.rows, cols: g.cols, rowPtr: ptr, colIdx: idx, values });
}

/** G. @throws SparlaneError `structure` if A is not positive definite in the columns of a row */
function inverseFactor(matrix: CsrMatrix, values: FloatArray): CsrMatrix {
  const { rows, colIdx: all } = matrix;
  // Columns ascend: those before the diagonal come first.
  const ends = Uint32Array.from({ length: rows }, (_, i) => {
    let end = matrix.rowPtr[i]!;
    while (end < matrix.rowPtr[i + 1]! && all[end]! < i) end++;
    return end;
  });
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i]! + ends[i]! - matrix.rowPtr[i]! + 1;
  const colIdx = new Uint32Array(rowPtr[rows]!);
  const inverse = new Float64Array(rowPtr[rows]!);
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const columns = colIdx.subarray(begin, rowPtr[i + 1]!);
    columns.set(all.subarray(matrix.rowPtr[i]!, ends[i]!));
    columns[columns.length - 1] = i;
    const last = lastOfInverse(restricted(matrix, columns, values), columns.length);
    if (last === undefined) {
      const text = `matrix: expected a positive definite matrix, got one that is not in the columns of row ${i}`;
      throw new SparlaneError('structure', text, { row: i });
    }
    inverse.set(last, begin);
  }
  return csrMatrix({ rows, cols: rows, rowPtr, colIdx, values: inverse });
}

/** The lower triangle of A in these rows and columns, which ascend; row-major. */
function restricted({ rowPtr, colIdx }: CsrMatrix, columns: Uint32Array, values: FloatArray): Float64Array {
  const n = columns.length;
  const block = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const row = columns[i]!;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!, j = 0; k < end && j <= i; k++) {
      while (j <= i && columns[j]! < colIdx[k]!) j++;
      if (j <= i && columns[j] === colIdx[k]) block[i * n + j] = values[k]!;
    }
  }
  return block;
}

/**
 * g = K⁻ᵀ e, for the last unit vector e and block = K Kᵀ: B g is a multiple of e, and gᵀ B g = 1.
 *
 * @returns undefined if the block is not positive definite
 */
function lastOfInverse(block: Float64Array, n: number): Float64Array | undefined {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = block[i * n + j]!;
      for (let m = 0; m < j; m++) sum -= block[i * n + m]! * block[j * n + m]!;
      if (i !== j) block[i * n + j] = sum / block[j * n + j]!;
      else if (sum > 0 && sum < Number.POSITIVE_INFINITY) block[i * n + j] = Math.sqrt(sum);
      else return undefined;
    }
  const g = new Float64Array(n);
  g[n - 1] = 1;
  for (let i = n - 1; i >= 0; i--) {
    g[i]! /= block[i * n + i]!;
    for (let j = 0; j < i; j++) g[j]! -= block[i * n + j]! * g[i]!;
  }
  return g;
}

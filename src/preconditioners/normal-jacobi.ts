/**
 * Jacobi's preconditioner for least squares: M is the diagonal of Aᵀ A, which scales the columns of A to norm 1.
 *
 * Source: van der Sluis 1969: no other diagonal matrix gives a condition much better, up to √cols.
 * For: columns of very different size. It costs a multiplication per element of x, and no set-up but the norms.
 */
import { normsOf } from '../algebra/rows.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { DiagonalPreconditioner } from './diagonal.js';
import type { Preconditioner } from './preconditioner.js';

/**
 * z ← D⁻¹ g, for D the diagonal of Aᵀ A; `A.cols` × `A.cols`. A column of zeros stays as it is. `update` takes values of A.
 *
 * @throws SparlaneError `argument` if A is no operator of a matrix; `structure` if the norm of a column is not finite; `heap` if it does not fit
 *
 * @example
 * const { x } = lsmr(A, b, { preconditioner: normalJacobi(A) });
 */
export function normalJacobi(A: MatrixOperator): Preconditioner {
  if (!(A instanceof MatrixOperator)) throw mismatch('argument', 'A', 'the operator of a matrix', A);
  return normalJacobiOf(A, A.toCsr());
}

/** @param csr the matrix of A */
export function normalJacobiOf(A: MatrixOperator, csr: CsrMatrix): Preconditioner {
  const start = performance.now();
  const { cols } = A;
  const compute = (values: FloatArray) => inverseSquares(normsOf({ ...csr, values }, 'columns'));
  const made = { matrix: { rows: cols, cols, nnz: csr.nnz }, dtype: A.matrix.dtype, spec: 'jacobi', start };
  return new DiagonalPreconditioner(A.space, made, compute, compute(csr.values));
}

function inverseSquares(norms: Float64Array): Float64Array {
  return norms.map((norm, col) => {
    const factor = norm === 0 ? 1 : (1 / norm) ** 2;
    if (norm === 0 || (Number.isFinite(factor) && factor > 0)) return factor;
    const text = `A: expected columns whose norms have a square and its inverse, got ${norm} in column ${col}`;
    throw new SparlaneError('structure', text, { col });
  });
}

/**
 * Conjugate gradients, with a preconditioner.
 *
 * Source: Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 9.1.
 * For: symmetric positive definite A, and M likewise.
 * Cost: a step is a product, M, two dot products and three updates, one more dot product with M; five vectors.
 */
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { solveWith } from './iterate.js';
import { type Progress, type System, TINY } from './method.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/**
 * Solves A x = b for a symmetric positive definite A.
 *
 * @param A square; its symmetry is not checked
 * @param b length `A.rows`, in any space
 * @throws SparlaneError `argument` or `shape` for a wrong argument; `heap` if the vectors do not fit; errors of products. A solve
 *   that does not converge is not an error: see `Solution.reason`
 *
 * @example
 * const { x, converged, iterations } = cg(A, b, { preconditioner: jacobi(A) });
 */
export function cg(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(cgSteps, A, b, options);
}

export function* cgSteps({ A, b, x, M, work, every }: System): Generator<Progress, Reason | undefined> {
  const [r, p, q] = work.vectors(3) as [Vector, Vector, Vector];
  const [z = r] = M === undefined ? [] : work.vectors(1);
  const [rr, rz, rzBefore, pq, alpha, beta] = work.scalars(6) as [Scalar, Scalar, Scalar, Scalar, Scalar, Scalar];
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  yield { iterations: 0, products: 1, residualNorm: Math.sqrt(r.dot(r, rr).value) };
  M?.apply(r, z);
  z.dot(r, rz);
  beta.set(0);
  // The dot products come last: in the heap each half of a step is then one fork-join.
  const step = work.record(() => {
    p.axpby(1, z, beta); // p ← z + β p
    A.apply(p, q);
    p.dot(q, pq);
    pq.setSum(pq, TINY);
    alpha.setQuotient(rz, pq); // α ← (r, z) / (p, A p)
    x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    M?.apply(r, z);
    rzBefore.setSum(rz, TINY);
    r.dots(M === undefined ? [r] : [r, z], M === undefined ? [rr] : [rr, rz]);
    if (M === undefined) rz.setSum(rr, 0);
    beta.setQuotient(rz, rzBefore);
  });
  if (rz.value < 0) return 'not-definite';
  const isHeap = every === 1 && A.space.heap !== undefined;
  for (;;) {
    for (let k = 0; k < every; k++) step.launch();
    if (pq.value < 0 || rz.value < 0) return 'not-definite';
    if (pq.value <= TINY && rr.value !== 0) return 'breakdown';
    const residualNorm = Math.sqrt(rr.value);
    const coefficients = isHeap ? { coefficients: [alpha.value, beta.value] as const } : {};
    yield { iterations: every, products: every, residualNorm, ...coefficients };
  }
}

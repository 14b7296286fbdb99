/**
 * Conjugate gradients, with a preconditioner, which may be another one in each iteration.
 *
 * Source: Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 9.1. Flexible: Notay, "Flexible conjugate gradients",
 *   SIAM J. Sci. Comput. 22, 2000, with one direction: β makes p conjugate to the direction before, whatever M was; it is that of Polak & Ribière.
 * For: symmetric positive definite A, and M likewise.
 * Cost: a step is a product, M, two dot products and three updates, one more dot product with M, and another one if flexible; five vectors.
 */
import { Scalar, TINY } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
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

/**
 * The same for a preconditioner that is not the same map in every iteration: an inner solve, a K-cycle of multigrid.
 *
 * @throws as `cg`
 */
export function fcg(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(fcgSteps, A, b, options);
}

export function fcgSteps(system: System): Generator<Progress, Reason | undefined> {
  return cgSteps(system, true);
}

/** @param isFlexible whether M may change */
export function* cgSteps(
  { A, b, x, M, work, every }: System,
  isFlexible = false,
): Generator<Progress, Reason | undefined> {
  const [r, p, q] = work.vectors(3) as [Vector, Vector, Vector];
  const [z = r] = M === undefined ? [] : work.vectors(1);
  const [rr, rz, rzBefore, pq, alpha, beta] = work.scalars(6) as [Scalar, Scalar, Scalar, Scalar, Scalar, Scalar];
  const zq = isFlexible && M !== undefined ? work.scalar() : undefined;
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
    if (zq !== undefined) z.dot(q, zq);
    if (M === undefined) rz.setSum(rr, 0);
    if (zq === undefined) beta.setQuotient(rz, rzBefore);
    else beta.setQuotient(zq.times(-1), pq); // β ← −(z, A p) / (p, A p)
  });
  if (rz.value < 0) return 'not-definite';
  const isOfLanczos = !isFlexible && every === 1 && A.space.heap !== undefined;
  for (;;) {
    for (let k = 0; k < every; k++) step.launch();
    const [energy, product, square] = Scalar.values([pq, rz, rr]) as [number, number, number];
    if (energy < 0 || product < 0) return 'not-definite';
    if (energy <= TINY && square !== 0) return 'breakdown';
    const residualNorm = Math.sqrt(square);
    const coefficients = isOfLanczos ? { coefficients: [alpha.value, beta.value] as const } : {};
    yield { iterations: every, products: every, residualNorm, ...coefficients };
  }
}

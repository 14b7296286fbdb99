/**
 * Conjugate orthogonal conjugate gradients: cg with the bilinear form xᵀ y in place of the inner product, with a preconditioner.
 *
 * Source: van der Vorst & Melissen, "A Petrov–Galerkin type method for solving Ax = b, where A is symmetric complex", IEEE Trans. Magnetics 26, 1990.
 * For: complex symmetric A, A = Aᵀ, and M likewise: Helmholtz, circuits, eddy currents. Of a real operator it is cg.
 * Cost: a step is one product and M; three forms, with six dot products and six maps of a vector to i times it or its conjugate; seven vectors. It may break down
 *   where rᵀ z or pᵀ A p is 0 for a vector that is not.
 */
import { ComplexArithmetic, magnitude, negated, over } from '../complex/arithmetic.js';
import { UNIT_ROUNDOFF } from '../core/norms.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { cgSteps } from './cg.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/** Vectors whose form is below this share of their norms are conjugate up to rounding. */
const CONJUGATE = UNIT_ROUNDOFF.f64;

/**
 * Solves A x = b for a complex symmetric A.
 *
 * @param A square, as `complexOperator` makes it; its symmetry is not checked
 * @param b length `A.rows`: pairs (re, im)
 * @throws as `cg`
 */
export function cocg(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(cocgSteps, A, b, options);
}

export function* cocgSteps(system: System): Generator<Progress, Reason | undefined> {
  const { A, complex, b, x, M, work } = system;
  if (complex === undefined) return yield* cgSteps(system);
  const [r, p, q, turned, conjugate] = work.vectors(5) as [Vector, Vector, Vector, Vector, Vector];
  const [z = r] = M === undefined ? [] : work.vectors(1);
  const [re, im, square] = work.scalars(3) as [Scalar, Scalar, Scalar];
  const arithmetic = new ComplexArithmetic(complex, turned, [re, im]);
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  const norm = () => Math.sqrt(r.dot(r, square).value);
  yield { iterations: 0, products: 1, residualNorm: norm() };
  M?.apply(r, z);
  p.copyFrom(z);
  let rho = arithmetic.product(r, z, conjugate);
  for (;;) {
    A.apply(p, q);
    const mu = arithmetic.product(p, q, conjugate);
    const alpha = over(rho, mu); // α ← rᵀ z / pᵀ A p
    if (!Number.isFinite(magnitude(alpha))) return 'breakdown';
    arithmetic.axpby(alpha, p, 1, x);
    arithmetic.axpby(negated(alpha), q, 1, r);
    const residualNorm = norm();
    yield { iterations: 1, products: 1, residualNorm };
    M?.apply(r, z);
    const before = rho;
    rho = arithmetic.product(r, z, conjugate);
    const zNorm = M === undefined ? residualNorm : Math.sqrt(z.dot(z, square).value);
    if (!(magnitude(rho) > CONJUGATE * residualNorm * zNorm)) return 'breakdown';
    arithmetic.xpby(z, over(rho, before), p); // p ← z + β p
  }
}

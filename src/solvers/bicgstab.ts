/**
 * Stabilized biconjugate gradients, with a right preconditioner.
 *
 * Source: van der Vorst 1992; Saad 2003, algorithm 7.7.
 * For: nonsymmetric A. Short recurrences: eight vectors, however many iterations; convergence may be irregular.
 * Cost: a step is two products, M twice, four dot products and six updates.
 */
import { Scalar, TINY } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { complexBicgstabSteps } from './complex/bicgstab.js';
import { solveWith } from './iterate.js';
import { ORTHOGONAL, type Progress, type System } from './method.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/**
 * Solves A x = b for any square A.
 *
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 */
export function bicgstab(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(bicgstabSteps, A, b, options);
}

type Six = [number, number, number, number, number, number];

export function* bicgstabSteps(system: System): Generator<Progress, Reason | undefined> {
  const { A, complex, b, x, M, work, every } = system;
  if (complex !== undefined) return yield* complexBicgstabSteps(complex, system);
  const [r, shadow, p, v, t] = work.vectors(5) as [Vector, Vector, Vector, Vector, Vector];
  const [y = p, z = r] = M === undefined ? [] : work.vectors(2);
  const [rhoBefore, alpha, beta] = work.scalars(3) as [Scalar, Scalar, Scalar];
  const watched = work.scalars(6) as [Scalar, Scalar, Scalar, Scalar, Scalar, Scalar];
  const [rho, omega, sv, ts, tt, rr] = watched;
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  const shadowNorm = Math.sqrt(r.dot(r, rr).value);
  yield { iterations: 0, products: 1, residualNorm: shadowNorm };
  shadow.copyFrom(r);
  r.dot(shadow, rho);
  v.copyFrom(r);
  p.copyFrom(r);
  beta.set(0);
  omega.set(0);
  // The dot products come last: in the heap each third of a step is then one fork-join.
  const step = work.record(() => {
    p.axpy(omega.times(-1), v);
    p.axpby(1, r, beta); // p ← r + β (p − ω v)
    M?.apply(p, y);
    A.apply(y, v);
    shadow.dot(v, sv);
    sv.setSum(sv, TINY);
    alpha.setQuotient(rho, sv); // α ← (r̃, r) / (r̃, A M⁻¹ p)
    r.axpy(alpha.times(-1), v);
    x.axpy(alpha, y);
    M?.apply(r, z);
    A.apply(z, t);
    t.dots([r, t], [ts, tt]);
    tt.setSum(tt, TINY);
    omega.setQuotient(ts, tt); // ω ← (t, s) / (t, t)
    x.axpy(omega, z);
    r.axpy(omega.times(-1), t);
    rhoBefore.setSum(rho, 0);
    r.dots([shadow, r], [rho, rr]);
    beta.setProduct(rho, alpha);
    rhoBefore.setProduct(rhoBefore, omega);
    rhoBefore.setSum(rhoBefore, TINY);
    beta.setQuotient(beta, rhoBefore); // β ← ρ α / (ρ₋ ω)
  });
  for (;;) {
    for (let k = 0; k < every; k++) step.launch();
    const [rhoNow, weight, svNow, tsNow, ttNow, square] = Scalar.values(watched) as Six;
    const residualNorm = Math.sqrt(square);
    if (!Number.isFinite(residualNorm) && Math.abs(svNow) <= TINY) return 'breakdown';
    if (ttNow <= TINY && residualNorm > 0) return 'breakdown';
    yield { iterations: every, products: 2 * every, residualNorm };
    const sNorm = Math.hypot(residualNorm, weight * Math.sqrt(ttNow));
    if (!(Math.abs(rhoNow) > ORTHOGONAL * shadowNorm * residualNorm)) return 'breakdown';
    if (!(Math.abs(tsNow) > ORTHOGONAL * sNorm * Math.sqrt(ttNow))) return 'breakdown';
  }
}

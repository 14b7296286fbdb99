/** `bicgstab` with complex coefficients, for complex operators: the inner products are xᴴ y. */
import { ComplexArithmetic, magnitude, negated, over, times, ZERO } from '../../complex/arithmetic.js';
import type { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { ComplexMaps } from '../../operators/operator.js';
import { ORTHOGONAL, type Progress, type System } from '../method.js';
import type { Reason } from '../solution.js';

export function* complexBicgstabSteps(
  complex: ComplexMaps,
  { A, b, x, M, work }: System,
): Generator<Progress, Reason | undefined> {
  const [r, shadow, p, v, t, turned] = work.vectors(6) as [Vector, Vector, Vector, Vector, Vector, Vector];
  const [y = p, z = r] = M === undefined ? [] : work.vectors(2);
  const [re, im, square] = work.scalars(3) as [Scalar, Scalar, Scalar];
  const arithmetic = new ComplexArithmetic(complex, turned, [re, im]);
  const normOf = (vector: Vector) => Math.sqrt(vector.dot(vector, square).value);
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  const shadowNorm = normOf(r);
  yield { iterations: 0, products: 1, residualNorm: shadowNorm };
  shadow.copyFrom(r);
  p.copyFrom(r);
  v.fill(0);
  let rho = { re: shadowNorm ** 2, im: 0 };
  let [beta, omega] = [ZERO, ZERO];
  for (;;) {
    arithmetic.axpby(negated(omega), v, 1, p);
    arithmetic.xpby(r, beta, p); // p ← r + β (p − ω v)
    M?.apply(p, y);
    A.apply(y, v);
    const alpha = over(rho, arithmetic.dot(shadow, v)); // α ← (r̃, r) / (r̃, A M⁻¹ p)
    if (!Number.isFinite(magnitude(alpha))) return 'breakdown';
    arithmetic.axpby(negated(alpha), v, 1, r);
    arithmetic.axpby(alpha, y, 1, x);
    M?.apply(r, z);
    A.apply(z, t);
    const [sNorm, tNorm, ts] = [normOf(r), normOf(t), arithmetic.dot(t, r)];
    if (tNorm === 0 && sNorm > 0) return 'breakdown';
    omega = tNorm === 0 ? ZERO : over(ts, { re: tNorm ** 2, im: 0 }); // ω ← (t, s) / (t, t)
    arithmetic.axpby(omega, z, 1, x);
    arithmetic.axpby(negated(omega), t, 1, r);
    const residualNorm = normOf(r);
    yield { iterations: 1, products: 2, residualNorm };
    const before = rho;
    rho = arithmetic.dot(shadow, r);
    if (!(magnitude(rho) > ORTHOGONAL * shadowNorm * residualNorm)) return 'breakdown';
    if (!(magnitude(ts) > ORTHOGONAL * sNorm * tNorm)) return 'breakdown';
    beta = times(over(rho, before), over(alpha, omega)); // β ← ρ α / (ρ₋ ω)
  }
}

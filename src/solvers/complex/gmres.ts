/**
 * `gmres` with complex coefficients, for complex operators. Vᴴ w is two lists of dot products, with w and with i w, and W − V h two lists of updates; each list is
 * one pass. Gram–Schmidt is always done twice.
 */
import type { ComplexOperator } from '../../complex/operator.js';
import type { Complex } from '../../core/complex.js';
import { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { Progress, System } from '../method.js';
import { normalize, readNorm } from '../norms.js';
import type { Reason } from '../solution.js';
import { ComplexHessenbergProblem } from './hessenberg.js';

/** @param isFlexible whether M may change: M⁻¹ v is kept for every v, and M is not applied to their sum */
export function* complexGmresSteps(
  complex: ComplexOperator,
  { A, b, x, M, work }: System,
  restart: number,
  isFlexible: boolean,
): Generator<Progress, Reason | undefined> {
  const length = Math.min(restart, A.rows / 2);
  const basis = work.vectors(length + 1);
  const [z, r, turned] = work.vectors(3) as [Vector, Vector, Vector];
  const directions = isFlexible && M !== undefined ? work.vectors(length) : undefined;
  const sums = work.scalars(length);
  const norm = work.scalar();
  /** y ← y + Σ as[k] vs[k] */
  const add = (as: readonly Complex[], vs: readonly Vector[], y: Vector): void => {
    y.axpys(
      as.map(({ re }) => re),
      vs,
    );
    turned.fill(0).axpys(
      as.map(({ im }) => im),
      vs,
    );
    complex.imaginary.apply(turned, y, 1, 1);
  };
  /** Vᴴ w */
  const coefficients = (w: Vector, vs: readonly Vector[]): Complex[] => {
    const used = sums.slice(0, vs.length);
    w.dots(vs, used);
    const re = Scalar.values(used);
    complex.imaginary.apply(w, turned);
    turned.dots(vs, used);
    return Scalar.values(used).map((value, k) => ({ re: re[k]!, im: -value }));
  };
  for (;;) {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    const residualNorm = readNorm(r, norm);
    // A product without an iteration: the cycle begins with the true residual.
    yield { iterations: 0, products: 1, residualNorm };
    if (residualNorm === 0) return undefined;
    normalize(basis[0]!.copyFrom(r), residualNorm);
    const problem = new ComplexHessenbergProblem(residualNorm);
    try {
      while (problem.columns < length) {
        const known = basis.slice(0, problem.columns + 1);
        const w = basis[known.length]!;
        const v = known.at(-1)!;
        const direction = M === undefined ? v : (directions?.[problem.columns] ?? z);
        M?.apply(v, direction);
        A.apply(direction, w);
        const column = known.map((): Complex => ({ re: 0, im: 0 }));
        for (let turn = 0; turn < 2; turn++) {
          const part = coefficients(w, known);
          part.forEach(({ re, im }, k) => {
            column[k] = { re: column[k]!.re + re, im: column[k]!.im + im };
          });
          add(
            part.map(({ re, im }) => ({ re: -re, im: -im })),
            known,
            w,
          );
        }
        const height = readNorm(w, norm);
        if (!Number.isFinite(height)) return 'not-finite';
        problem.add(column, height);
        // The basis spans an invariant space: the solution is in it, or A is singular.
        if (height === 0) break;
        normalize(w, height);
        yield { iterations: 1, products: 1, residualNorm: problem.residualNorm, isAhead: true };
      }
    } finally {
      // Also when the caller ends the solve within a cycle.
      const y = problem.solve();
      if (directions !== undefined) add(y, directions.slice(0, y.length), x);
      else if (M === undefined) add(y, basis.slice(0, y.length), x);
      else if (y.length > 0) {
        add(y, basis.slice(0, y.length), r.fill(0));
        M.apply(r, z);
        x.axpy(1, z);
      }
    }
    if (problem.isSingular) return 'breakdown';
    if (problem.residualNorm === 0) return undefined;
  }
}

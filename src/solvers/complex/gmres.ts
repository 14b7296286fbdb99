/**
 * `gmres` with complex coefficients, for complex operators. Vᴴ w is two lists of dot products, with w and with i w, and W − V h two lists of updates; each list is
 * one pass. Gram–Schmidt is always done twice.
 */
import { negated, ZERO } from '../../complex/arithmetic.js';
import type { Complex } from '../../core/complex.js';
import { Scalar } from '../../memory/scalar.js';
import { totalOf } from '../../memory/space.js';
import type { Vector } from '../../memory/vector.js';
import type { ComplexMaps } from '../../operators/operator.js';
import { type GmresArithmetic, gmresCycles } from '../gmres-cycles.js';
import type { Progress, System } from '../method.js';
import { readNorm } from '../norms.js';
import type { Reason } from '../solution.js';
import { ComplexHessenbergProblem } from './hessenberg.js';

export function* complexGmresSteps(
  complex: ComplexMaps,
  system: System,
  restart: number,
  isFlexible: boolean,
): Generator<Progress, Reason | undefined> {
  const { A, work } = system;
  const length = Math.min(restart, totalOf(A.space, A.rows) / 2);
  const turned = work.vector();
  const [sums, norm] = [work.scalars(length), work.scalar()];
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
  const orthogonalize = (w: Vector, basis: readonly Vector[]) => {
    let column: readonly Complex[] = basis.map(() => ZERO);
    for (let turn = 0; turn < 2; turn++) {
      const part = coefficients(w, basis);
      column = column.map(({ re, im }, k) => ({ re: re + part[k]!.re, im: im + part[k]!.im }));
      add(part.map(negated), basis, w);
    }
    return { column: [...column], height: readNorm(w, norm) };
  };
  const arithmetic: GmresArithmetic<Complex[], Complex> = {
    problem: (beta) => new ComplexHessenbergProblem(beta),
    orthogonalize,
    add,
    combine: (y, vectors, sum) => add(y, vectors, sum.fill(0)),
  };
  return yield* gmresCycles(system, arithmetic, length, isFlexible);
}

/**
 * The method `direct` for matrices that are not square: x ← x + A⁺ (b − A x), by the factors of the augmented system. Only `solve` has it.
 *
 * Cost: a step is two products and a solve with the factors; one or two of them.
 */
import type { LeastSquaresFactors } from '../preconditioners/least-squares-factors.js';
import { DIRECT_METHOD } from './direct.js';
import { IMPROVEMENT, type Method, type Norms, type Progress, type System } from './method.js';
import type { NamedMethod } from './methods.js';
import { readNorm } from './norms.js';
import type { Reason } from './solution.js';

/** @param spec `direct` with its parameters */
export function leastSquaresDirect(spec: string, factors: LeastSquaresFactors): NamedMethod {
  const steps: Method = (system) => correctionSteps(system, factors);
  return { kind: { ...DIRECT_METHOD, solves: 'any', steps: () => steps }, spec, steps: Object.assign(steps, { spec }) };
}

function* correctionSteps(
  { A, At, b, x, work }: System,
  factors: LeastSquaresFactors,
): Generator<Progress, Reason | undefined> {
  const [r, gradient, correction] = [work.vector('b'), work.vector('x'), work.vector('x')];
  const norm = work.scalar();
  const measure = (): Norms & { readonly gradientNorm: number } => {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    At!.apply(r, gradient);
    return { residualNorm: readNorm(r, norm), gradientNorm: readNorm(gradient, norm) };
  };
  let before = measure();
  yield { iterations: 0, products: 2, ...before };
  for (;;) {
    correction.set(x.type.from(factors.solve(r.toArray())));
    x.axpy(1, correction);
    const now = measure();
    yield { iterations: 1, products: 2, ...now };
    const isBetter =
      now.residualNorm < IMPROVEMENT * before.residualNorm || now.gradientNorm < IMPROVEMENT * before.gradientNorm;
    if (!isBetter) return 'stagnated';
    before = now;
  }
}

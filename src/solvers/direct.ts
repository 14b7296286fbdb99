/**
 * The method `direct`: x ← A⁻¹ b by the factors of A, and iterative refinement, x ← x + A⁻¹ (b − A x). Only `solve` has it, since it needs the matrix.
 *
 * Cost: a step is a product and a solve with the factors; one or two of them.
 */
import { parseSpec } from '../core/parameters.js';
import type { Vector } from '../memory/vector.js';
import { DIRECT } from '../preconditioners/direct.js';
import { preconditionerOf } from '../preconditioners/registry.js';
import { IMPROVEMENT, type Progress, type System } from './method.js';
import { METHODS, type MethodKind, methodOf, type NamedMethod } from './methods.js';
import type { Reason } from './solution.js';

export const DIRECT_METHOD: MethodKind = {
  name: 'direct',
  summary: 'the factors of A, with iterative refinement',
  solves: 'square',
  parameters: DIRECT.parameters,
  steps: () => refinementSteps,
};

/** The methods of `solve`. */
export const SYSTEM_METHODS: readonly MethodKind[] = [...METHODS, DIRECT_METHOD];

/** @throws SparlaneError `argument` for a name, a parameter or a value that does not exist */
export function systemMethodOf(spec: string): NamedMethod {
  if (parseSpec('method', spec).name !== DIRECT_METHOD.name) return methodOf(spec, SYSTEM_METHODS);
  return { kind: DIRECT_METHOD, spec: preconditionerOf(spec).spec, steps: refinementSteps };
}

/** Steps that do not halve the residual before it counts as one of rounding errors, which differ from step to step by a factor of two or so. */
const PATIENCE = 3;

/** The first step is x ← A⁻¹ b: what is lost by rounding does not depend on the x before. Ends with the best x. */
export function* refinementSteps({ A, b, x, M, work }: System): Generator<Progress, Reason | undefined> {
  const [r, z, best] = work.vectors(3) as [Vector, Vector, Vector];
  const norm = work.scalar();
  const measure = () => {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    return Math.sqrt(r.dot(r, norm).value);
  };
  let least = measure();
  yield { iterations: 0, products: 1, residualNorm: least };
  best.copyFrom(x);
  x.fill(0);
  r.copyFrom(b);
  for (let left = PATIENCE; left > 0; ) {
    M!.apply(r, z);
    x.axpy(1, z);
    const residualNorm = measure();
    if (!(residualNorm < IMPROVEMENT * least)) left--;
    if (residualNorm < least) {
      least = residualNorm;
      best.copyFrom(x);
    }
    yield { iterations: 1, products: 1, residualNorm };
  }
  x.copyFrom(best);
  return 'stagnated';
}

/** Measures x, and ends. For a solve that is stopped before its first step. */
export function* stoppedSteps({ A, b, x, work }: System): Generator<Progress, Reason> {
  const r = work.vector('b');
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  yield { iterations: 0, products: 1, residualNorm: Math.sqrt(r.dot(r, work.scalar()).value) };
  return 'stopped';
}

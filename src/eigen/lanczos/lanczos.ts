/**
 * Lanczos on A itself, for the outer eigenvalues; with B, on B⁻¹ A by the factors of B.
 *
 * Source: Wu & Simon 2000; `search.ts` has the rounds.
 * For: the largest eigenvalues; the smallest ones where A is known by its products only, or its factors do not fit. The steps grow as
 *   √((λ_max − λ_min) / (λ_k+1 − λ_k)): the smallest eigenvalues of a fine mesh take very many.
 */
import { mismatch } from '../../core/errors.js';
import { dtypeOf } from '../../core/types.js';
import { Factorization } from '../../preconditioners/factorization.js';
import { factoring } from '../factoring.js';
import type { EigenMethod, EigenOutcome, EigenProblem, EigenStep } from '../method.js';
import { outcomeOf } from '../outcome.js';
import { Residuals } from '../residuals.js';
import { Search } from './search.js';
import { plain } from './transformation.js';

export const LANCZOS: EigenMethod = {
  name: 'lanczos',
  summary: 'thick-restart Lanczos, products only',
  source: 'Wu & Simon 2000',
  steps: lanczosSteps,
};

function* lanczosSteps(problem: EigenProblem): Generator<EigenStep, EigenOutcome> {
  const { A, B, which } = problem;
  if (which === 'nearest') throw mismatch('argument', 'which', 'smallest | largest for lanczos', which);
  const begin = performance.now();
  using factors = B === undefined ? undefined : yield* factorsOfMass(problem);
  const setupMs = performance.now() - begin;
  const op = plain(A, which, B && { B, factors: factors! });
  using residuals = new Residuals(problem);
  using search = new Search(problem, op, residuals);
  const reason = yield* search.run();
  const outcome = outcomeOf(problem, op, search, reason, factors === undefined ? 0 : setupMs);
  return { ...outcome, products: outcome.products + residuals.products, normOfA: residuals.normOfA };
}

function* factorsOfMass({ engine, A, mass, reasons }: EigenProblem): Generator<EigenStep, Factorization> {
  if (mass === undefined)
    throw mismatch('argument', 'B', 'a matrix, whose factors lanczos needs', 'an operator without entries');
  const request = { matrix: mass, dtype: dtypeOf(A.vectorType), spec: 'direct', start: performance.now() } as const;
  const factors = yield* factoring(Factorization.steps(engine, { ...request, method: 'auto', order: 'auto' }));
  const { inertia } = factors;
  if (inertia === undefined || inertia.negative > 0 || inertia.zero > 0) {
    factors.dispose();
    throw mismatch('structure', 'B', 'a positive definite matrix for lanczos', 'one that is not');
  }
  reasons.push('B⁻¹ A by the factors of B');
  return factors;
}

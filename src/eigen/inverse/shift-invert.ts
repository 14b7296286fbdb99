/**
 * Lanczos on (A − σ B)⁻¹ B by factors, for the eigenvalues nearest to σ, and the smallest ones with a σ below all. Inertia proves that none is missing:
 * the factors of A − τ B have as many negative pivots as there are eigenvalues below τ.
 *
 * Source: Ericsson & Ruhe 1980; Grimes, Lewis & Simon 1994 (shifted block Lanczos with inertia); Parlett 1998 (Sylvester).
 * For: the smallest or inner eigenvalues of matrices whose factors fit: meshes, graphs that are like meshes. Some 2 k + 20 solves, whatever the mesh.
 * Cost: one factorization for σ, one or two for the proof, two triangular solves a step.
 */
import { mismatch } from '../../core/errors.js';
import { FLOPS_PER_NS, type Prediction } from '../../direct/method.js';
import { STOPPED, untilStopped } from '../factoring.js';
import { Search } from '../lanczos/search.js';
import { shiftAndInvert } from '../lanczos/transformation.js';
import type { EigenMethod, EigenOutcome, EigenProblem, EigenReason, EigenStep } from '../method.js';
import { outcomeOf } from '../outcome.js';
import { Residuals } from '../residuals.js';
import { Pencil } from './pencil.js';
import { type Shifted, shiftBelow, shiftNear } from './shifts.js';
import { missingOf } from './slices.js';

/** Factors that take longer, on one thread, are left for a method without, where the caller named none. Chosen: two minutes. */
const LONGEST_MS = 120_000;

/** Searches for what a count says is missing. Chosen. */
const MORE_SEARCHES = 4;

export const SHIFT_INVERT: EigenMethod = {
  name: 'shift-invert',
  summary: 'thick-restart Lanczos with the factors of A − σ B, and a proof by inertia',
  source: 'Ericsson & Ruhe 1980; Grimes, Lewis & Simon 1994',
  steps: shiftInvertSteps,
};

function* shiftInvertSteps(problem: EigenProblem): Generator<EigenStep, EigenOutcome> {
  checkProblem(problem);
  const { B, which, shift = 0, reasons } = problem;
  using residuals = new Residuals(problem);
  using pencil = new Pencil(problem, problem.mayDecline ? refuseLarge : undefined);
  const taken = yield* which === 'nearest'
    ? shiftNear(problem, pencil, residuals)
    : shiftBelow(problem, pencil, residuals);
  const { sigma, method } = taken;
  // Counts replace the factors.
  const factors = { apply: pencil.apply.bind(pencil) };
  const op = shiftAndInvert(factors, sigma, which === 'nearest' ? { near: shift } : 'smallest', B);
  using search = new Search(problem, op, residuals);
  // A count costs less than a round that finds nothing.
  let reason = yield* search.run(true);
  if (reason === 'tolerance') reason = yield* prove(problem, search, pencil, taken, residuals);
  if (search.isPolished) yield* pencil.restore(sigma, method);
  reasons.push(`shift ${sigma}, factors by ${method}`);
  const outcome = outcomeOf(problem, op, search, reason, pencil.setupMs);
  return { ...outcome, products: outcome.products + residuals.products, normOfA: residuals.normOfA };
}

/** Goes on until a count finds nothing missing. */
function* prove(
  problem: EigenProblem,
  search: Search,
  pencil: Pencil,
  { sigma, method }: Shifted,
  residuals: Residuals,
): Generator<EigenStep, EigenReason> {
  if (search.isComplete) {
    problem.reasons.push('the basis spans the whole space: nothing can be missing');
    const { length } = search.values;
    if (length < problem.k) problem.reasons.push(`B has rank ${length}: there are no more eigenvalues`);
    return 'tolerance';
  }
  for (let more = 0; ; more++) {
    const counting = missingOf(problem, pencil, residuals, search.values, sigma);
    const missing = yield* untilStopped(counting, problem.isStopped);
    if (missing === STOPPED) return 'stopped';
    if (missing === 0) return 'tolerance';
    if (more === MORE_SEARCHES) return 'incomplete';
    yield* pencil.restore(sigma, method);
    const reason = yield* search.more(missing ?? 0);
    if (missing === undefined || reason !== 'tolerance') return reason;
  }
}

/** Why factors are not wanted, which would take very long beside a search without. */
export function refuseLarge({ flops, method, bytes }: Prediction): string | undefined {
  const ms = flops / FLOPS_PER_NS[method === 'lu' ? 'lu' : 'symmetric'] / 1e6;
  if (ms <= LONGEST_MS) return undefined;
  return `factors would take ${flops.toExponential(1)} operations and ${bytes} bytes`;
}

function checkProblem({ engine, B, matrix, mass, which }: EigenProblem): void {
  if (which === 'largest') throw mismatch('argument', 'which', 'smallest | nearest for shift-invert', which);
  if (engine.space.heap === undefined || engine.space.ranks !== undefined)
    throw mismatch('backend', 'shift-invert', "an engine with device: 'cpu', and without ranks", engine.device);
  if (matrix === undefined) throw mismatch('argument', 'A', 'a matrix for shift-invert', 'an operator without entries');
  if (B !== undefined && mass === undefined)
    throw mismatch('argument', 'B', 'a matrix for shift-invert', 'an operator without entries');
}

/** Which methods are tried, in order, and why. */
import { mismatch } from '../core/errors.js';
import { estimateFactors, type FactorEstimate, MOST_DIMENSIONS } from '../direct/estimate.js';
import { FLOPS_PER_NS } from '../direct/method.js';
import { blocksFor } from './expected.js';
import { lobpcgWithin } from './lobpcg/lobpcg.js';
import type { EigenMethod, EigenProblem } from './method.js';
import { EIGEN_METHODS, eigenMethodOf } from './methods.js';

/** The method that takes a preconditioner. */
const PRECONDITIONED = 'lobpcg';

/** Factors that are estimated to take longer, on one thread, are not analysed. Estimates are 0.45 to 7 times what an analysis counts. Chosen. */
const HOPELESS_MS = 600_000;

/** Where graphs grow faster than meshes, factors that are estimated to take longer are not made. Chosen: the nearest neighbours of 70,000 points take 2.5 s by products, 269 are expected of factors. */
const LONG_MS = 10_000;

/**
 * The methods that are tried until one does not decline: the last one does not.
 *
 * @throws SparlaneError `argument` for a name that is not known
 */
export function methodsFor(problem: EigenProblem, name: string): readonly EigenMethod[] {
  const { which, preconditioner, reasons } = problem;
  if (name !== 'auto') {
    const method = eigenMethodOf(name);
    reasons.push(`${name}: the method is named`);
    checkPreconditioner(problem, method);
    return [method];
  }
  if (which === 'nearest') return chosen(problem, ['shift-invert'], 'inner eigenvalues need factors');
  if (preconditioner !== undefined) return chosen(problem, [PRECONDITIONED], 'a preconditioner is given');
  if (which === 'largest')
    return chosen(problem, ['lanczos'], 'the largest eigenvalues are the outer ones of A itself');
  const unfit = whyUnfit(problem);
  if (unfit !== undefined) return chosen(problem, [PRECONDITIONED, 'lanczos'], unfit);
  const estimate = estimateFactors(problem.matrix!);
  const hopeless = whyHopeless(estimate);
  if (hopeless !== undefined) return chosen(problem, [PRECONDITIONED, 'lanczos'], hopeless);
  const apart = whyApart(estimate);
  if (apart !== undefined) return chosen(problem, ['lanczos'], apart);
  const blocks = blocksFor(problem, estimate);
  if (blocks !== undefined) {
    const [first, ...others] = chosen(problem, [PRECONDITIONED, 'shift-invert', 'lanczos'], blocks.why);
    return [blocks.patience === undefined ? first! : lobpcgWithin(blocks.patience), ...others];
  }
  return chosen(
    problem,
    ['shift-invert', PRECONDITIONED, 'lanczos'],
    'the smallest eigenvalues are found in few solves',
  );
}

function chosen(problem: EigenProblem, names: readonly string[], why: string): readonly EigenMethod[] {
  const { reasons } = problem;
  const methods = names.flatMap((name) => EIGEN_METHODS.filter((method) => method.name === name));
  checkPreconditioner(problem, methods[0]);
  reasons.push(`${methods[0]!.name}: ${why}`);
  return methods;
}

/** @throws SparlaneError `argument` for a preconditioner that the method does not take */
function checkPreconditioner({ preconditioner }: EigenProblem, method: EigenMethod | undefined): void {
  if (preconditioner === undefined || method?.name === PRECONDITIONED) return;
  throw mismatch(
    'argument',
    'preconditioner',
    `none for ${method?.name ?? 'the methods that there are'}`,
    preconditioner,
  );
}

/** Why A has no factors. */
function whyUnfit({ engine, A, B, matrix, mass }: EigenProblem): string | undefined {
  if (A.space.ranks !== undefined) return 'ranks have no common factors';
  if (A.space.heap === undefined || engine.space.heap === undefined) return 'a device has no factors';
  if (matrix === undefined || (B !== undefined && mass === undefined)) return 'an operator has no entries to factor';
  return undefined;
}

/** Why products alone are expected to find the smallest eigenvalues: of a graph that grows fast they are not close to each other. */
function whyApart({ flops, dimension }: FactorEstimate): string | undefined {
  const ms = flops / FLOPS_PER_NS.symmetric / 1e6;
  if (dimension <= MOST_DIMENSIONS || ms <= LONG_MS) return undefined;
  return `its graph grows faster than a mesh, and factors would take some ${flops.toExponential(1)} operations`;
}

/** Why factors are not analysed. */
function whyHopeless({ flops, isMesh }: FactorEstimate): string | undefined {
  const ms = flops / FLOPS_PER_NS.symmetric / 1e6;
  if (isMesh && ms > HOPELESS_MS) return `factors would take some ${flops.toExponential(1)} operations`;
  return undefined;
}

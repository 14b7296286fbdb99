/** The shift σ of A − σ B whose factors are used: below all eigenvalues, or near a number. */
import { SparlaneError } from '../../core/errors.js';
import { Declined } from '../../direct/choose.js';
import { readNorm } from '../../solvers/norms.js';
import { Workspace } from '../../solvers/workspace.js';
import { LanczosSpace } from '../lanczos/lanczos-space.js';
import { plain } from '../lanczos/transformation.js';
import type { EigenProblem, EigenStep } from '../method.js';
import { drawVector } from '../random.js';
import type { Residuals } from '../residuals.js';
import type { Pencil, PencilMethod } from './pencil.js';

/**
 * Shifts below 0, or below the one that was named, over ‖A‖ / ‖B‖, in turn. At −1.1 A − σ I is definite; with a B whose elements differ in size, A − σ B further down. A millionth is near beside the eigenvalues that are
 * wanted, and far enough from a zero eigenvalue, beside which the others keep 10 digits. Chosen.
 */
const BELOW = [0, -1e-6, -1e-4, -1e-2, -1.1, -11, -110, -1100] as const;

/**
 * Shifts beside the one that is wanted, over the same, in turn, where that one is an eigenvalue. With 1e-7 the rounding errors of that eigenvalue, 30 times in a 5-point grid of
 * 30² at 4, kept the others above the tolerance. Chosen.
 */
const BESIDE = [0, -1e-5, 1e-5, -1e-4, 1e-4] as const;

/** Factors are those of a singular matrix if two solves enlarge a vector by this, squared, over ‖A‖⁻¹. */
const SINGULAR = 1e12;

/** Steps that find where the spectrum of an indefinite matrix begins, and the share of the spectrum that is left below. Chosen. */
const STEPS = 40;
const BENEATH = 1e-3;

/** The shift that was taken, whose factors the pencil has. */
export interface Shifted {
  readonly sigma: number;
  readonly method: PencilMethod;
}

/** A σ below all eigenvalues: the factors of A − σ B have positive pivots. They are LDLᵀ, as those of counts are, so that these have the order and the pattern. @throws Declined, or SparlaneError `structure`, if there is none */
export function* shiftBelow(
  problem: EigenProblem,
  pencil: Pencil,
  residuals: Residuals,
): Generator<EigenStep, Shifted> {
  const { shift = 0, reasons, B } = problem;
  const scale = scaleOf(residuals);
  const method = 'ldlt';
  let isTried = false;
  for (const [place, below] of BELOW.entries()) {
    const sigma = shift + below * scale;
    if (place === 2 && B === undefined && !isTried) {
      isTried = true;
      const found = beginOfSpectrum(problem);
      if (found < shift && (yield* isDefinite(problem, pencil, residuals, found))) return { sigma: found, method };
    }
    if (yield* isDefinite(problem, pencil, residuals, sigma)) {
      if (below !== 0) reasons.push(`the shift was moved from ${shift} to ${sigma}, below all eigenvalues`);
      return { sigma, method };
    }
  }
  const text = `A − σ B: expected a positive definite matrix for some σ from ${shift} to ${shift + BELOW.at(-1)! * scale}, got none`;
  throw problem.mayDecline ? new Declined(text) : new SparlaneError('structure', text);
}

/** A σ at or beside a number, with factors that are not singular. @throws SparlaneError `structure` if there is none */
export function* shiftNear(problem: EigenProblem, pencil: Pencil, residuals: Residuals): Generator<EigenStep, Shifted> {
  const { shift = 0, reasons } = problem;
  const scale = Math.max(scaleOf(residuals), Math.abs(shift));
  for (const method of ['ldlt', 'auto'] as const) {
    for (const beside of BESIDE) {
      const sigma = shift + beside * scale;
      const { isSingular } = yield* pencil.factor(sigma, method);
      if (isSingular || isNearlySingular(problem, pencil, residuals)) continue;
      if (beside !== 0) reasons.push(`the shift was moved from ${shift}, where factors have pivots of 0, to ${sigma}`);
      return { sigma, method };
    }
  }
  throw new SparlaneError('structure', `A − σ B: expected factors for a σ near ${shift}, got singular ones`);
}

function scaleOf({ normOfA, normOfB }: Residuals): number {
  const scale = normOfA / normOfB;
  return scale > 0 && Number.isFinite(scale) ? scale : 1;
}

function* isDefinite(
  problem: EigenProblem,
  pencil: Pencil,
  residuals: Residuals,
  sigma: number,
): Generator<EigenStep, boolean> {
  const { below } = yield* pencil.factor(sigma, 'ldlt');
  return below === 0 && !isNearlySingular(problem, pencil, residuals);
}

/** Whether rounding errors decide what factors are: a solve with a random vector, and another one, show their least eigenvalue. */
function isNearlySingular({ A }: EigenProblem, pencil: Pencil, { normOfA }: Residuals): boolean {
  using work = new Workspace(A);
  const [x, y, scalar] = [work.vector(), work.vector(), work.scalar()];
  drawVector(x, 999);
  let growth = 1;
  for (let solve = 0; solve < 2; solve++) {
    const before = readNorm(x, scalar);
    pencil.apply(x, y);
    growth = readNorm(y, scalar) / before;
    if (!(growth > 0 && Number.isFinite(growth))) return growth !== 0;
    x.copyFrom(y).scale(1 / growth);
  }
  return growth * normOfA > SINGULAR;
}

/** A number that is probably below the spectrum of A, and near its begin. */
function beginOfSpectrum(problem: EigenProblem): number {
  using space = new LanczosSpace(problem, plain(problem.A, 'smallest'), Math.min(STEPS, problem.size));
  space.begin(undefined);
  while (!space.isFull && !space.isComplete && space.isFinite) space.expand();
  if (!space.isFinite) return Number.NaN;
  const { values, residuals } = space.ritz();
  const [least, greatest] = [values[0]!, values.at(-1)!];
  return least - residuals[0]! - BENEATH * Math.max(greatest - least, Math.abs(least));
}

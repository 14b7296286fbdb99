/** What inertia says of the eigenvalues that were found: how many of their range are missing. */
import { LEAST_VALUE } from '../limits.js';
import type { EigenProblem, EigenStep } from '../method.js';
import type { Residuals } from '../residuals.js';
import type { Pencil } from './pencil.js';

/** With B, values are known to this share of their distance from the shift, or to the tolerance if that is greater. Chosen. */
const KNOWN = 1e-8;

/** Units of rounding of ‖A‖ to which a count is right. Chosen. */
const ROUNDINGS = 1000;

/** Places for a count, each so much further from the values that were found, where the one before is an eigenvalue. */
const TRIES = 3;

/**
 * Counts the eigenvalues that are better than the worst that was found, but for a margin in which values are equal.
 *
 * @param values that were found, the best first
 * @param sigma the shift: all eigenvalues are above it, or `nearest` counts on both sides
 * @returns the number of those that are missing; undefined where inertia is not known
 */
export function* missingOf(
  problem: EigenProblem,
  pencil: Pencil,
  residuals: Residuals,
  values: Float64Array,
  sigma: number,
): Generator<EigenStep, number | undefined> {
  const { which, shift = 0, reasons } = problem;
  const centre = which === 'nearest' ? shift : sigma;
  const distances = Float64Array.from(values, (value) => Math.abs(value - centre)).sort();
  const margin = marginOf(problem, residuals, values, centre);
  for (let tried = 1; tried <= TRIES; tried++) {
    const reach = reachOf(distances, tried * margin);
    const inside = distances.filter((distance) => distance < reach).length;
    if (reach <= 0) break;
    const above = yield* pencil.factor(centre + reach, 'ldlt');
    const below = which === 'nearest' ? yield* pencil.factor(centre - reach, 'ldlt') : { below: 0 };
    if (above.below === undefined || below.below === undefined) continue;
    const count = above.below - below.below;
    const range = which === 'nearest' ? `from ${centre - reach} to ${centre + reach}` : `below ${centre + reach}`;
    if (count <= inside) reasons.push(`inertia: ${count} eigenvalues ${range}, and ${inside} were found`);
    return Math.max(count - inside, 0);
  }
  reasons.push('inertia is not known: what is missing was looked for from random vectors only');
  return undefined;
}

/** How far the value that is farthest from a centre may be from an eigenvalue: without B not farther than its residual is long. */
function marginOf(
  { B, tolerance }: EigenProblem,
  { unit, normOfA, normOfB }: Residuals,
  values: Float64Array,
  centre: number,
): number {
  const norm = normOfA / (normOfB || 1);
  const farthest = values.reduce((far, value) => (Math.abs(value - centre) > Math.abs(far - centre) ? value : far));
  const largest = Math.max(...values.map(Math.abs));
  const known =
    B === undefined
      ? tolerance * Math.max(Math.abs(farthest), LEAST_VALUE * norm)
      : Math.max(KNOWN, tolerance) * Math.max(Math.abs(farthest - centre), largest);
  return known + ROUNDINGS * unit * norm;
}

/** A distance less than the greatest by a margin, which is not that of any value. */
function reachOf(ascending: Float64Array, margin: number): number {
  let reach = ascending.at(-1)! - margin;
  for (let j = ascending.length - 1; j >= 0; j--)
    if (Math.abs(ascending[j]! - reach) < margin / 2) reach = ascending[j]! - margin;
  return reach;
}

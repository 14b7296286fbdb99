/**
 * A round that only asks whether anything is better than the k that are known, where the transformation is A itself. It ends when its random vector would have to be an improbable
 * one (`absence.ts`). Ritz vectors that are known well enough, though they have not converged, are kept out of it: what is left is further away from the k, and fewer steps tell.
 *
 * Cost: on the normalized Laplacian of the nearest neighbours of 70,000 points 55 steps, beside 245 for 10 pairs; a round that waits until the best value is known to a tenth of its
 *   distance takes 80 (steps are exact).
 */

import type { EigenProblem, EigenStep } from '../method.js';
import type { Expansion, ExpansionEnd } from './expansion.js';
import type { RitzPairs } from './projected.js';
import type { Transformation } from './transformation.js';

/** A random vector has as small a part in what is missing with at most this probability. Chosen. */
const CHANCE = 1e-4;

/** A Ritz vector is kept out if its residual is at most this share of the distance from the k. Chosen: with 0.1 the couplings cost more than the distance gains. */
const KNOWN = 0.01;

/** Of the vectors of a basis, beside the k, those that are kept out are at most this share. Chosen. */
const MOST_BESIDE = 1 / 3;

/** Ritz vectors that are kept out. */
export interface Beside {
  readonly columns: readonly number[];
  /** What their couplings to the rest of A may move one of its eigenvalues by. */
  readonly slack: number;
}

export const NONE_BESIDE: Beside = { columns: [], slack: 0 };

/**
 * Chooses the Ritz vectors that may be kept out. The residual of each couples it to the rest, which moves an eigenvalue near the k by less than Σ residual² / distance (Haynsworth's inertia of a Schur
 * complement).
 *
 * @param order columns that are not locked, the most wanted first
 * @param worst the order of the worst of the k
 */
export function besideOf(
  { values, residuals }: RitzPairs,
  order: readonly number[],
  worst: number,
  room: number,
  orderOf: Transformation['orderOf'],
): Beside {
  const distanceOf = (j: number) => orderOf(values[j]!) - worst;
  const unknown = order.findIndex((j) => !(residuals[j]! <= KNOWN * distanceOf(j)));
  const columns = order.slice(0, Math.min(unknown < 0 ? order.length : unknown, Math.floor(MOST_BESIDE * room)));
  const slack = columns.reduce((sum, j) => sum + (residuals[j]! === 0 ? 0 : residuals[j]! ** 2 / distanceOf(j)), 0);
  return { columns, slack };
}

/**
 * Probes, from a random vector that the space has begun with.
 *
 * @returns undefined where a round must go on: there is something, or a value is as good as the worst of the k
 */
export function* probe(
  expansion: Expansion,
  { k, size }: EigenProblem,
  { orderOf, cost }: Transformation,
  slack: number,
): Generator<EigenStep, 'nothing' | ExpansionEnd | undefined> {
  const { space } = expansion;
  if (cost.products === 0 || space.locked.length < k) return undefined;
  const [worst] = Array.from(space.locked).sort((a, b) => orderOf(b) - orderOf(a));
  const tolerance = expansion.toleranceOf(worst!);
  const limit = orderOf(worst!) - tolerance + slack;
  const least = Math.log(CHANCE) - Math.log((2 * size) / Math.PI) / 2;
  for (;;) {
    const end = yield* expansion.expand();
    if (end !== undefined) return end;
    const part = space.isComplete ? undefined : space.partBefore(limit);
    if (part === undefined) break;
    if (part <= least) {
      space.dropOthers();
      return 'nothing';
    }
    if (!space.isFull) continue;
    const ritz = expansion.ritz();
    const order = expansion.order(ritz);
    if (ritz.residuals[order[0]!]! <= tolerance) break;
    expansion.restart(ritz, order, 1);
  }
  if (space.beside > 0) {
    const ritz = expansion.ritz();
    space.dropBeside(ritz, expansion.order(ritz)[0]!);
  }
  return undefined;
}

/** Seeded random vectors, of which each rank draws its own part. */
import { randomStream, unit } from '../gallery/draw.js';
import type { Vector } from '../memory/vector.js';

/** Ranks draw from seeds that differ: with the same part on each, a symmetry of the ranks would be one of the vector. */
const SEEDS_OF_RANK = 1000;

/** x ← numbers in (−1/2, 1/2): away from the vectors that a structure makes special. @param draw the number of the vector: 0 … 999 */
export function drawVector(x: Vector, draw: number): void {
  const random = randomStream(1 + draw + SEEDS_OF_RANK * (x.space.ranks?.rank ?? 0), 'values');
  x.set(new x.type(x.length).map(() => unit(random) - 0.5));
}

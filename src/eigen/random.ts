/** Seeded random vectors, of which each rank draws its own part. */
import { type RandomStream, randomStream, unit } from '../gallery/draw.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';

/** Ranks draw from seeds that differ: with the same part on each, a symmetry of the ranks would be one of the vector. */
const SEEDS_OF_RANK = 1000;

/** x ← numbers in (−1/2, 1/2): away from the vectors that a structure makes special. @param draw the number of the vector: 0 … 999 */
export function drawVector(x: Vector, draw: number): void {
  const random = streamIn(x.space, 1 + draw);
  x.set(new x.type(x.length).map(() => unit(random) - 0.5));
}

/** Numbers for vectors in a space: a stream of its own for each rank. @param seed 0 to 2³² − 1 */
export function streamIn({ ranks }: Pick<Space, 'ranks'>, seed: number): RandomStream {
  return randomStream((seed + SEEDS_OF_RANK * (ranks?.rank ?? 0)) >>> 0, 'values');
}

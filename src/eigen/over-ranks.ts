/** Collects numbers of all ranks, which call these functions together. Without ranks each of them returns at once. */
import { type Space, totalOf } from '../memory/space.js';

/** Returns the numbers of each rank, in the order of the ranks. @param numbers equally many on each rank */
export function gathered(space: Pick<Space, 'ranks'>, numbers: Float64Array): Float64Array[] {
  const { ranks } = space;
  if (ranks === undefined) return [numbers];
  const { length } = numbers;
  const count = totalOf(space, 1);
  const all = new Float64Array(count * length);
  all.set(numbers, ranks.rank * length);
  ranks.sum(all);
  return Array.from({ length: count }, (_, rank) => all.subarray(rank * length, (rank + 1) * length));
}

/** The greatest of the numbers of all ranks; NaN if one is. */
export function greatestOf(space: Pick<Space, 'ranks'>, number: number): number {
  return Math.max(...gathered(space, Float64Array.of(number)).map(([one]) => one!));
}

/** The least of the numbers of all ranks; NaN if one is. */
export function leastOf(space: Pick<Space, 'ranks'>, number: number): number {
  return Math.min(...gathered(space, Float64Array.of(number)).map(([one]) => one!));
}

/** The number of rows that the ranks before this one have. */
export function rowsBefore(space: Pick<Space, 'ranks'>, rows: number): number {
  const all = gathered(space, Float64Array.of(rows));
  return all.slice(0, space.ranks?.rank ?? 0).reduce((sum, [count]) => sum + count!, 0);
}

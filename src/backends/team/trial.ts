/**
 * Ways to compute a product with the same bits (`StoredMatrix.ways`): the first products of a plan take them in turn, and the others the
 * fastest one. Nothing else is computed for it. Which one is the fastest depends on the processor, the caches and the threads.
 */
import type { StoredMatrix } from '../../formats/format.js';

/** Least work of a product, in entries. A smaller one takes less than some 0.1 ms, which clocks of pages do not measure. */
const LARGE = 2 ** 18;

/** Products of each way. The first two are slower: kernels start in V8's baseline tier. */
const PRODUCTS = 5;

/** Another way than the first must be faster by this factor. */
const WORTH = 0.97;

export interface LoopTrial {
  /** Computes a product, in one of the ways while they are on trial. */
  run(product: () => void): void;
}

/** A trial for a plan of that much work; undefined if the matrix is small or has one way only. */
export function trialOf({ ways = [] }: StoredMatrix, work: number): LoopTrial | undefined {
  if (ways.length < 2 || work < LARGE) return undefined;
  const least = ways.map(() => Number.POSITIVE_INFINITY);
  let products = 0;
  return {
    run(product) {
      if (products === ways.length * PRODUCTS) return product();
      const way = products % ways.length;
      ways[way]!();
      const begin = performance.now();
      product();
      least[way] = Math.min(least[way]!, performance.now() - begin);
      if (++products === ways.length * PRODUCTS) ways[fastestOf(least)]!();
    },
  };
}

function fastestOf(least: readonly number[]): number {
  const fastest = least.indexOf(Math.min(...least));
  return least[fastest]! < WORTH * least[0]! ? fastest : 0;
}

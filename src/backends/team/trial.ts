/**
 * Two ways to compute a product with the same bits (`StoredMatrix.alternate`): the first products of a plan take them in turn, and the
 * others the faster one. Nothing else is computed for it. Which one is faster depends on the processor, the caches and the threads.
 */
import type { StoredMatrix } from '../../formats/format.js';

/** Least work of a product, in entries: a smaller matrix is in the caches. */
const LARGE = 2 ** 21;

/** Products of each way. The first two are slower: kernels start in V8's baseline tier. */
const PRODUCTS = 5;

/** The second way must be faster by this factor. */
const WORTH = 0.97;

export interface LoopTrial {
  /** Computes a product, in one of the ways while both are on trial. */
  run(product: () => void): void;
}

/** A trial for a plan of that much work; undefined if the matrix is small or has one way only. */
export function trialOf({ alternate }: StoredMatrix, work: number): LoopTrial | undefined {
  if (alternate === undefined || work < LARGE) return undefined;
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let products = 0;
  return {
    run(product) {
      if (products === 2 * PRODUCTS) return product();
      const way = products % 2;
      alternate(way === 1);
      const begin = performance.now();
      product();
      least[way] = Math.min(least[way]!, performance.now() - begin);
      if (++products === 2 * PRODUCTS) alternate(least[1]! < WORTH * least[0]!);
    },
  };
}

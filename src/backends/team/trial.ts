/**
 * Ways to compute a product with the same bits (`StoredMatrix.ways`): the first products of a plan take them in turn, and the others the
 * fastest one. Nothing else is computed for it. Which one is the fastest depends on the processor, the caches and the threads.
 */
import type { StoredMatrix } from '../../formats/format.js';

/** Least work of a product, in entries: some 0.1 ms. What a smaller one could gain is not worth trials. Chosen. */
const LARGE = 2 ** 18;

/** Products are timed in turns of so many milliseconds at least: far longer than the resolution of most clocks, even in a page. Chosen. */
export const TURN_MS = 1;

/** Turns of each way. The first two are slower: kernels start in V8's baseline tier. */
const TURNS = 5;

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
  let turns = 0;
  let products = 0;
  let ms = 0;
  return {
    run(product) {
      if (turns === ways.length * TURNS) return product();
      const way = turns % ways.length;
      ways[way]!();
      const begin = performance.now();
      product();
      ms += performance.now() - begin;
      products++;
      if (ms < TURN_MS) return;
      least[way] = Math.min(least[way]!, ms / products);
      [ms, products] = [0, 0];
      if (++turns === ways.length * TURNS) ways[fastestOf(least)]!();
    },
  };
}

function fastestOf(least: readonly number[]): number {
  const fastest = least.indexOf(Math.min(...least));
  return least[fastest]! < WORTH * least[0]! ? fastest : 0;
}

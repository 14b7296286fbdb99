/**
 * The costs of a machine that nobody measured, by the number of threads: whoever has more of them has more channels of memory and more cache, too.
 * The constants were fitted to times of up to eight threads.
 */
import { MACHINE_COSTS } from './constants.js';
import type { MachineCosts } from './model.js';

/** The fit had times of up to so many threads (`constants.ts`). */
const FITTED_THREADS = 8;

/**
 * With t threads memory is read t / (1 + (t − 1) / 20) times as fast as with one: 5.9, 9.1 and 12.5 times with 8, 16 and 32. Intel Xeons of 16 and 32 cores
 * read 6.5, 9 and 12 times as fast (November 2026).
 */
const SATURATION = 20;

/** The last cache has so many bytes for each thread. Chosen: servers of today have 1.9 to 4 MiB a core. */
const CACHE_BYTES = 2.5e6;

/** Returns the constants, or for more threads than those of the fit others that follow from them. */
export function costsOfUnmeasured(threads: number): MachineCosts {
  if (threads <= FITTED_THREADS) return MACHINE_COSTS;
  const [l2, l3] = MACHINE_COSTS.cacheBytes;
  const busSpeedup = threads / (1 + (threads - 1) / SATURATION);
  return { ...MACHINE_COSTS, busSpeedup, cacheBytes: [l2, Math.max(l3, CACHE_BYTES * threads)] };
}

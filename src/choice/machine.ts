/**
 * The figures of the machine for the cost model: those that `sparlane tune` measured, or those of a typical one with so many threads. A machine with
 * more threads has more channels of memory and more cache, and its threads share cores.
 */
import type { CostTuning } from '../core/tuning.js';
import { KERNEL_COSTS } from './kernels.js';
import type { MachineCosts } from './model.js';

/**
 * Geometric means of what `sparlane tune` measured on an AMD EPYC, 2 cores, Node 20, and on an Intel Xeon, two threads, Node 24 (23 November
 * 2026).
 */
const TYPICAL = {
  entryNs: 0.375,
  byteNs: [0.0129, 0.0192, 0.0411],
  missNs: [0.192, 1.15, 10.9],
  cacheBytes: [1.69e6, 38.2e6],
  startNs: 133,
  forkJoinNs: 751,
} as const;

/** Up to so many threads are assumed to have a core each. Chosen: on the machines with two threads that the typical figures are of, they have. */
const OWN_CORES = 2;

/**
 * With more threads than `OWN_CORES` an entry takes so many times as long, since machines that are rented have two threads for each core, whatever they say. This is the geometric
 * mean of 1, a core for each thread, and 2.6, the factor of `csr` with all data in the caches of 8 and 16 threads of an Intel Xeon that others used too (November 2026).
 */
const SHARED_CORES = 1.6;

/**
 * With t threads memory is read t / (1 + (t − 1) / 20) times as fast as with one: 5.9, 9.1 and 12.5 times with 8, 16 and 32. Intel Xeons of 16 and 32 cores
 * read 6.5, 9 and 12 times as fast (November 2026).
 */
const SATURATION = 20;

/** The last cache has so many bytes for each thread. Chosen: servers of today have 1.9 to 4 MiB a core. */
const CACHE_BYTES = 2.5e6;

/** Returns the figures of a machine with so many threads. @param measured its tuning, if there is one */
export function machineCosts(threads: number, measured?: CostTuning): MachineCosts {
  const [l2, l3] = TYPICAL.cacheBytes;
  const { busSpeedup = threads / (1 + (threads - 1) / SATURATION), forkJoinNs = TYPICAL.forkJoinNs } = measured ?? {};
  const cacheBytes = [l2, Math.max(l3, CACHE_BYTES * threads)] as const;
  const entryNs = TYPICAL.entryNs * (threads > OWN_CORES ? SHARED_CORES : 1);
  return { ...TYPICAL, cacheBytes, entryNs, ...measured, busSpeedup, forkJoinNs, kernels: KERNEL_COSTS };
}

/** The constants of the cost model for a machine that was measured. Loaded only if there is such a measurement. */
import type { CostTuning } from '../core/tuning.js';
import { MACHINE_COSTS } from './constants.js';
import type { KernelCost, MachineCosts } from './model.js';
import { PROBED } from './probed.js';

/** Of a kernel, what is no time. */
const RATIOS: readonly string[] = ['stall', 'doubt'];

/**
 * The fitted constants, each times the ratio of its figure here and where it was fitted. Computing is as much slower as an entry of
 * `csr` is.
 */
export function costsFor(here: CostTuning): MachineCosts {
  const speed = here.entryNs / PROBED.entryNs;
  const scaled = (figures: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(figures).map(([name, ns]) => [name, RATIOS.includes(name) ? ns : ns * speed]));
  const kernels = Object.entries(MACHINE_COSTS.kernels).map(([name, cost]) => [name, scaled({ ...cost })]);
  const levels = <K extends 'byteNs' | 'missNs' | 'cacheBytes'>(name: K) =>
    MACHINE_COSTS[name].map((fitted, k) => (fitted * here[name][k]!) / PROBED[name][k]!) as unknown as MachineCosts[K];
  const single = (name: 'busSpeedup' | 'startNs' | 'forkJoinNs') =>
    (MACHINE_COSTS[name] * (here[name] ?? PROBED[name])) / PROBED[name];
  return {
    ...MACHINE_COSTS,
    kernels: Object.fromEntries(kernels) as Record<string, KernelCost>,
    conversionNs: scaled(MACHINE_COSTS.conversionNs),
    byteNs: levels('byteNs'),
    missNs: levels('missNs'),
    cacheBytes: levels('cacheBytes'),
    busSpeedup: Math.max(1, single('busSpeedup')),
    startNs: single('startNs'),
    forkJoinNs: single('forkJoinNs'),
  };
}

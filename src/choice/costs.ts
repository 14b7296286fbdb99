/** The constants of the cost model, with the memory speed of this machine if it is known. */
import type { Tuning } from '../core/tuning.js';
import { MACHINE_COSTS } from './constants.js';
import type { MachineCosts } from './model.js';

/** The fitted constants, with the memory speed measured by `sparlane tune`. */
export function costsFor(tuning: Tuning | undefined): MachineCosts {
  if (tuning?.bus === undefined) return MACHINE_COSTS;
  const { oneGbps, allGbps } = tuning.bus;
  const [l2, l3, memory] = MACHINE_COSTS.byteNs;
  return {
    ...MACHINE_COSTS,
    byteNs: [l2, l3, (memory * MACHINE_COSTS.readGbps) / oneGbps],
    busSpeedup: Math.max(1, allGbps / oneGbps),
  };
}

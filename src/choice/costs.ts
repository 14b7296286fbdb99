/** The constants of the cost model, with the speed of this machine's memory where it is known. */
import type { Tuning } from '../core/tuning.js';
import { MACHINE_COSTS } from './constants.js';
import type { MachineCosts } from './model.js';

/** What was fitted, with memory as fast as `sparlane tune` found it. */
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

/** Partitions units into contiguous ranges of equal work, with one binary search on a prefix sum for each bound. */
import { MAX_PARTS } from './carries.js';

/**
 * Maximum work of a part. A thread takes work from another one in whole parts, and a finished part shows that its
 * thread is alive. A part takes about 1 ms: far below the team's patience, even for a thread that gets a tenth of a
 * core. Smaller parts cost time: a kernel reads a part at two positions, and gains less the nearer they are (de Bruijn
 * 2²⁰ on one thread: 1 part 1.15 × plain C, 20 parts 1.03 ×).
 */
const PART_WORK = 2 ** 20;

/** Units, and the work before each unit: `workBefore(0)` = 0, ascending, `workBefore(units)` = the total work. */
export interface Divisible {
  readonly units: number;
  workBefore(unit: number): number;
}

/** Number of parts: 1 for one thread, else `oversubscription` per thread, or more if these would be too large. */
export function partsFor(work: number, threads: number, oversubscription = 1): number {
  if (threads === 1) return 1;
  const rounds = Math.ceil(work / (PART_WORK * threads));
  return Math.min(Math.max(rounds, oversubscription) * threads, MAX_PARTS - (MAX_PARTS % threads));
}

/**
 * parts + 1 ascending units, the first 0, the last `units`. Part p is bounds[p] … bounds[p + 1] − 1 and may be empty.
 */
export function partition(divisible: Divisible, parts: number): Uint32Array {
  const { units } = divisible;
  const work = divisible.workBefore(units);
  const bounds = new Uint32Array(parts + 1);
  for (let part = 1; part < parts; part++)
    bounds[part] = firstUnitFrom(divisible, (work * part) / parts, bounds[part - 1]!);
  bounds[parts] = units;
  return bounds;
}

/** The unit boundary nearest to `target` work, not below `from`. */
export function firstUnitFrom(divisible: Divisible, target: number, from: number): number {
  let low = from;
  let high = divisible.units;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (divisible.workBefore(middle) < target) low = middle + 1;
    else high = middle;
  }
  if (low > from && target - divisible.workBefore(low - 1) < divisible.workBefore(low) - target) return low - 1;
  return low;
}

/** Partitions units into contiguous ranges of equal work, with one binary search on a prefix sum for each bound. */
import type { Span } from '../core/span.js';
import { ALONE_BELOW, ONE_PART_BELOW } from '../formats/format.js';
import type { HeapScope } from '../memory/heap.js';
import { MAX_PARTS } from './carries.js';
import type { TeamTask } from './task.js';

/**
 * Maximum work of a part. A thread takes work from another one in whole parts, and a finished part shows that its
 * thread is alive. A part takes about 1 ms: far below the team's patience, even for a thread that gets a tenth of a
 * core. Smaller parts cost time: a kernel reads a part at two positions, and gains less the nearer they are (de Bruijn
 * 2²⁰ on one thread: 1 part 1.15 × plain C, 20 parts 1.03 ×).
 */
const PART_WORK = 2 ** 20;

/**
 * A part has this work at least where parts are made smaller for more threads: it takes some 3 µs, a claim 0.15. Nine products of `csr` with 28,000 to 510,000 entries and a
 * step of `cg` take on 4, 8 and 16 threads 0.98, 0.99 and 0.88 of the time that they take with 2¹⁴, and 0.96, 0.86 and 0.92 with 2¹¹ (geometric means, each of
 * the medians of 11 turns; 16 cores of an Intel Xeon, which other programs slow down, Node 24, f64, November 2026).
 */
const LEAST_WORK = 2 ** 12;

/**
 * Most parts per thread that are made for the threads alone. Threads of one machine are not equally fast, and whoever
 * is done takes parts of the others. CSR, 5-point 2000² / 27-point 128³, GFLOP/s with 1, 4 and 16 parts per thread:
 * 8 threads 7.5, 9.9, 10.0 / 7.5, 8.0, 8.1; 16 threads 14.8, 15.5, 20.2 / 12.0, 12.2, 14.6; 32 threads 18.2, 31.4, 35.6
 * / 17.1, 19.5, 22.5. (32 cores of an Intel Xeon, Node 24, f64, November 2026.)
 */
const MANY = 16;

/**
 * Work that is worth a thread, some 3 µs. Nine products of `csr` with 14,000 to 59,000 entries in a loop on 4, 8 and 16 threads take 0.99, 0.86 and 0.84 of
 * the time that they take with 6,000, a step of `cg` on a 5-point Laplacian of 140² 0.79, 0.89 and 0.93, three products after a pause of 3 ms
 * 1.04, 0.93 and 0.96 (geometric means, each of the medians of 11 turns; 16 cores of an Intel Xeon, Node 24, f64, November 2026). With 2,000 products gain no more.
 */
const WORTH_A_THREAD = 3_000;

/**
 * Work that is worth a thread where it is done in many stages, such as the levels of a triangular solve, after each of which threads join. With 12,500 or
 * 6,000 a step of `cg` with `ic0` takes no less time (5-point and 27-point grids of 16,000 to 360,000 rows, 4 and 16 threads of an Intel Xeon, Node 24,
 * November 2026).
 */
export const WORTH_IN_STAGES = 50_000;

/**
 * Number of threads that take part in this much work: 2 at least, if there are several.
 *
 * @param each work that is worth a thread
 */
export function threadsFor(work: number, threads: number, each: number = WORTH_A_THREAD): number {
  return Math.min(threads, Math.max(2, Math.floor(work / each)));
}

/**
 * Number of parts: 1 for one thread, else a multiple of `threadsFor(work, threads)`, and at least `oversubscription` per
 * thread. Two threads get one part each, if these are not too large; from 16 threads on, each gets 16.
 */
export function partsFor(work: number, threads: number, oversubscription = 1): number {
  if (threads === 1) return 1;
  const workers = threadsFor(work, threads);
  const rounds = Math.ceil(work / (PART_WORK * workers));
  const wanted = workers === 2 ? 1 : Math.min(workers, MANY, Math.floor(work / (LEAST_WORK * workers)));
  return Math.min(Math.max(rounds, oversubscription, wanted) * workers, MAX_PARTS - (MAX_PARTS % workers));
}

/** Number of parts of a product, as `partsFor`; 1, on the caller's thread, if it is small. */
export function partsOfProduct(work: number, threads: number, oversubscription?: number): number {
  return work < ONE_PART_BELOW ? 1 : partsFor(work, threads, oversubscription);
}

/**
 * A large kernel that runs once on one thread, such as a step of a set-up, has so many parts. V8 replaces the code of its baseline tier only between two calls. The
 * first solve of a process takes 100 ms of the processor less where multigrid is made for a 5-point Laplacian of 10⁶ rows, and the
 * first operator 116 instead of 162 (AMD EPYC Zen 4, Node 20, November 2026). On two threads 16 parts were not found to be better than two.
 */
export const PARTS_OF_STEP = 16;

/** Returns the number of parts of a kernel that runs once: those of a product, but for a large one on one thread. */
export function partsOfStep(work: number, threads: number): number {
  return threads === 1 && work >= ALONE_BELOW ? PARTS_OF_STEP : partsOfProduct(work, threads);
}

/**
 * parts + 1 ascending units, the first 0, the last `units`. Part p is bounds[p] … bounds[p + 1] − 1 and may be empty.
 */
export function partition(span: Span, parts: number): Uint32Array {
  const { units } = span;
  const work = span.workBefore(units);
  const bounds = new Uint32Array(parts + 1);
  for (let part = 1; part < parts; part++) bounds[part] = firstUnitFrom(span, (work * part) / parts, bounds[part - 1]!);
  bounds[parts] = units;
  return bounds;
}

/** The task over a span, in parts of equal work, which is that of the span unless `task` says otherwise. Its bounds are in `scope` if there are several. @throws SparlaneError `heap` */
export function taskOver(scope: HeapScope, span: Span, parts: number, task: Omit<TeamTask, 'bounds'>): TeamTask {
  const bounds = partition(span, parts);
  return { work: span.workBefore(span.units), ...task, bounds: parts === 1 ? bounds : scope.copy(Uint32Array, bounds) };
}

/** The unit boundary nearest to `target` work, not below `from`. */
export function firstUnitFrom(span: Span, target: number, from: number): number {
  let low = from;
  let high = span.units;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (span.workBefore(middle) < target) low = middle + 1;
    else high = middle;
  }
  if (low > from && target - span.workBefore(low - 1) < span.workBefore(low) - target) return low - 1;
  return low;
}

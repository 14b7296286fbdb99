/**
 * Caches from two curves: the time of a byte that is read in order, and of a gather at random, by the size of the memory that is used.
 * Both rise where it exceeds a cache. They are fitted with the shares of the cost model (`src/choice/model.ts`), so the sizes are those
 * that a thread has for itself, not those that the system names.
 */
import { missedShare } from '../choice/model.js';
import type { CostTuning } from '../core/tuning.js';

/** A point of a curve. */
export interface CurvePoint {
  /** Size of the memory that is used. */
  readonly bytes: number;
  /** Nanoseconds. */
  readonly ns: number;
  /** The nanoseconds to which an error is relative. Default: `ns`. */
  readonly of?: number;
}

type Levels = readonly [l2: number, l3: number, memory: number];

/** Candidates for the size of a cache: four to a factor of two. */
const PER_OCTAVE = 4;
const L2_BYTES = [2 ** 17, 2 ** 24] as const;
const LEAST_L3_BYTES = 2 ** 20;

/** Of unknowns that are strongly correlated, coordinate by coordinate. */
const PASSES = 300;

/** No level costs less: what is not measurable is no division by 0 for the reader. */
const LEAST_NS = 1e-4;

/** The cache sizes for which both curves together have the least sum of squared relative errors. */
export function fitCaches(
  reads: readonly CurvePoint[],
  gathers: readonly CurvePoint[],
): Pick<CostTuning, 'byteNs' | 'missNs' | 'cacheBytes'> {
  const largest = Math.max(...[...reads, ...gathers].map(({ bytes }) => bytes));
  let best = { error: Number.POSITIVE_INFINITY, byteNs: [0, 0, 0] as Levels, missNs: [0, 0, 0] as Levels };
  let cacheBytes: readonly [number, number] = [0, 0];
  for (const l2 of geometric(...L2_BYTES)) {
    for (const l3 of geometric(Math.max(2 * l2, LEAST_L3_BYTES), largest / 2)) {
      const [byte, miss] = [fitLevels(reads, l2, l3), fitLevels(gathers, l2, l3)];
      const error = byte.error + miss.error;
      if (error >= best.error) continue;
      best = { error, byteNs: byte.levels, missNs: miss.levels };
      cacheBytes = [l2, l3];
    }
  }
  return { byteNs: best.byteNs, missNs: best.missNs, cacheBytes };
}

function geometric(first: number, last: number): number[] {
  const count = Math.max(1, Math.floor(PER_OCTAVE * Math.log2(last / first)) + 1);
  return Array.from({ length: count }, (_, k) => Math.round(first * 2 ** (k / PER_OCTAVE)));
}

/** Least squares of ns = a + b · (share that misses L2) + c · (share that misses L3) with a, b, c ≥ 0: levels never fall. */
function fitLevels(samples: readonly CurvePoint[], l2: number, l3: number): { levels: Levels; error: number } {
  const rows = samples.map(({ bytes, ns, of = ns }) => ({
    terms: [1 / of, missedShare(bytes, l2) / of, missedShare(bytes, l3) / of],
    target: ns / of,
  }));
  const normal = [0, 1, 2].map((i) => [0, 1, 2].map((j) => sum(rows, ({ terms }) => terms[i]! * terms[j]!)));
  const right = [0, 1, 2].map((i) => sum(rows, ({ terms, target }) => terms[i]! * target));
  const steps = [0, 0, 0];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const i of steps.keys()) {
      const slope = right[i]! - dot(normal[i]!, steps);
      steps[i] = Math.max(0, steps[i]! + slope / normal[i]![i]!);
    }
  }
  const error = sum(rows, ({ terms, target }) => (dot(terms, steps) - target) ** 2);
  const [a, b, c] = steps as [number, number, number];
  return { levels: [Math.max(a, LEAST_NS), Math.max(a + b, LEAST_NS), Math.max(a + b + c, LEAST_NS)], error };
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((total, value, i) => total + value * b[i]!, 0);
}

/** Measures the best few formats of a ranking: stores the matrix in each of them, and times them in turn. */
import type { Backend } from '../backends/backend.js';
import { expectedMs, type Products, partsOf, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, vectorArray } from '../core/types.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import { Vector } from '../memory/vector.js';

/**
 * Minimum length of a turn, which has at least two products: far longer than the clock's resolution, even in a browser.
 */
const TURN_MS = 0.5;
const FEWEST = 2;

/** Share of the budget for conversions, and the largest predicted time of a candidate, relative to the best one. */
const LAYOUT_SHARE = 0.6;
const HOPELESS = 1.6;

/** Threads that slept during the conversions may share a core for this time: see `bench/contenders.mjs`. */
const WARM_UP_MS = 40;

/** A format slower than the best one by this factor in some turns is no longer timed. */
const BEATEN = 1.15;

/** Memory for x and y, and the function that computes products with them. */
export interface Lanes extends Disposable {
  /** Computes the product of a matrix and waits for it. */
  product(stored: StoredMatrix, format: RankedFormat): () => void;
}

interface Trial {
  readonly format: RankedFormat;
  readonly stored: StoredMatrix;
  readonly product: () => void;
  /** Minimum time of a product over all turns. */
  ms: number;
}

export interface Measured {
  readonly stored: StoredMatrix;
  /**
   * First the measured formats, best first. Then, in predicted order, those not measured or not suited to the matrix.
   */
  readonly ranking: readonly RankedFormat[];
}

/**
 * Converts the matrix to several formats and times them, for about `budgetMs`. `csr` and the first format of the
 * ranking are always measured in full, however long that takes. A format that does not fit in addition to the others is
 * skipped.
 *
 * @returns undefined if two formats do not fit at once, since then no comparison is possible
 */
export function fastestOf(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  makeLanes: () => Lanes,
  { budgetMs, products }: { budgetMs: number; products: Products },
): Measured | undefined {
  const begin = performance.now();
  const trials: Trial[] = [];
  try {
    using lanes = makeLanes();
    layOut(ranking, store, lanes, begin + LAYOUT_SHARE * budgetMs, trials);
    takeTurns(trials, begin + budgetMs);
  } catch (error) {
    for (const { stored } of trials) stored[Symbol.dispose]();
    if (isOutOfMemory(error)) return undefined;
    throw error;
  }
  const measured = trials.map(({ format, ms }) => ({ ...format, measuredMs: ms }));
  const total = (format: RankedFormat & { measuredMs: number }) =>
    expectedMs({ ...format, productMs: format.measuredMs, doubt: 1 }, products);
  measured.sort((a, b) => total(a) - total(b));
  const best = trials.find(({ format }) => format.spec === measured[0]!.spec)!;
  for (const trial of trials) if (trial !== best) trial.stored[Symbol.dispose]();
  const others = ranking.filter(({ spec }) => !measured.some((one) => one.spec === spec));
  return { stored: best.stored, ranking: [...measured, ...others] };
}

function layOut(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  lanes: Lanes,
  deadline: number,
  trials: Trial[],
): void {
  const csr = ranking.filter(({ spec }) => spec === YARDSTICK);
  const hopeless = HOPELESS * Math.min(...ranking.map(({ productMs }) => productMs));
  const others = ranking.filter(({ spec, productMs }) => spec !== YARDSTICK && productMs < hopeless);
  const refusals: unknown[] = [];
  for (const format of [...csr, ...others]) {
    if (trials.length > 1 && performance.now() + format.conversionMs > deadline) break;
    try {
      const trial = tryOut(format, store, lanes);
      // A format that falls back to an existing layout is not worth its memory.
      if (trials.some(({ stored }) => stored.spec === trial.stored.spec)) trial.stored[Symbol.dispose]();
      else trials.push(trial);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error);
    }
  }
  if (trials.length === 0) throw refusals.at(-1);
  if (trials.length === 1 && refusals.some(isOutOfMemory)) throw refusals.find(isOutOfMemory);
}

function tryOut(format: RankedFormat, store: (format: RankedFormat) => StoredMatrix, lanes: Lanes): Trial {
  const stored = store(format);
  try {
    return { format, stored, product: lanes.product(stored, format), ms: Infinity };
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
}

function isOutOfMemory(error: unknown): boolean {
  return isRefusal(error) && error.code === 'heap';
}

/** Products of a backend. @throws SparlaneError `heap` if x and y do not fit */
export function createLanes(backend: Backend, { rows, cols }: CsrMatrix, dtype: Dtype, wanted = 1): Lanes {
  const { space } = backend;
  // On a device formats are compared by products of vectors.
  const columns = backend.onDevice ? 1 : wanted;
  const verb = columns === 1 ? 'spmv' : 'spmm';
  return assemble((owned) => {
    const x = owned.own(new Vector(space, vectorArray(dtype), cols, undefined, columns)).fill(1);
    const y = owned.own(new Vector(space, vectorArray(dtype), rows, undefined, columns));
    return {
      product(stored, format) {
        const plan = owned.own(backend.plan(stored, verb, { ...partsOf(format), columns }));
        return () => {
          plan.run(x, y, 1, 0);
          space.synchronize();
        };
      },
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  });
}

function takeTurns(trials: readonly Trial[], deadline: number): void {
  const warm = Math.min(performance.now() + WARM_UP_MS, (performance.now() + deadline) / 2);
  do trials[0]!.product();
  while (performance.now() < warm);
  let least = Infinity;
  for (let round = 0; round < FEWEST || performance.now() < deadline; round++) {
    for (const trial of round % 2 === 0 ? trials : trials.toReversed()) {
      if (round >= FEWEST && trial.ms > BEATEN * least) continue;
      trial.ms = Math.min(trial.ms, turn(trial.product));
      least = Math.min(least, trial.ms);
    }
  }
}

/** Mean milliseconds of a product; the first product of a turn does not count. */
export function turn(run: () => void): number {
  run();
  const begin = performance.now();
  let count = 0;
  let elapsed = 0;
  while (count < FEWEST || elapsed < TURN_MS) {
    run();
    count++;
    elapsed = performance.now() - begin;
  }
  return elapsed / count;
}

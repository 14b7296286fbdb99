/** The best few formats of a ranking, laid out side by side and timed in turn. */
import { planWasm, type WasmContext } from '../backends/wasm.js';
import { expectedMs, type Products, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import type { CsrMatrix } from '../core/csr.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';

/** A turn lasts as long, or two products: far longer than the clock's steps, even in a browser. */
const TURN_MS = 0.5;
const FEWEST = 2;

/** Share of the budget for laying out, and how much slower than the best one may be predicted to be tried at all. */
const LAYOUT_SHARE = 0.6;
const HOPELESS = 1.6;

/** Threads that slept while formats were laid out may share a core for so long: see `bench/contenders.mjs`. */
const WARM_UP_MS = 40;

/** A format that took longer than the best in some turns by as much is not timed any more. */
const BEATEN = 1.15;

/** Room for x and y, and what multiplies with them. */
export interface Lanes extends Disposable {
  /** The product of a matrix, waited for. */
  product(stored: StoredMatrix, format: RankedFormat): () => void;
}

interface Trial {
  readonly format: RankedFormat;
  readonly stored: StoredMatrix;
  readonly product: () => void;
  /** Least time of a product over all turns. */
  ms: number;
}

export interface Measured {
  readonly stored: StoredMatrix;
  /** What was measured comes first, best first; what was not, or refused the matrix, as it was predicted. */
  readonly ranking: readonly RankedFormat[];
}

/**
 * Lays out and times formats for about `budgetMs`; at least `csr` and the first of the ranking, in full, however long that takes.
 * One that finds no room beside the others is passed over.
 *
 * @returns undefined where there is no room for two of them at once, so that nothing can be compared
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
    expectedMs({ ...format, productMs: format.measuredMs }, products);
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
      // What falls back to a layout that is there already is not worth its memory.
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

/** One part where the caller is faster alone, else as many as the plan likes. */
export function partsOf({ threads }: RankedFormat): { parts?: number } {
  return threads === 1 ? { parts: 1 } : {};
}

/** Products on the team. @throws SparlaneError `heap` where x and y do not fit */
export function teamLanes(context: WasmContext, { rows, cols }: CsrMatrix, dtype: Dtype): Lanes {
  return context.heap.build((scope) => {
    const x = scope.array<FloatArray>(vectorArray(dtype), cols).fill(1);
    const y = scope.array<FloatArray>(vectorArray(dtype), rows);
    return {
      product(stored, format) {
        const plan = planWasm(context, stored, partsOf(format));
        return () => plan.run(x, y, 1, 0);
      },
      [Symbol.dispose]: () => scope[Symbol.dispose](),
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

/** Milliseconds of a product, on average; the first of a turn does not count. */
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

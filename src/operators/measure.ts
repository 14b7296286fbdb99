/** Trials of formats: the matrix is stored in one after another, and each is timed next to the fastest so far. */
import { type Backend, isOnDevice } from '../backends/backend.js';
import type { Plan } from '../backends/plan.js';
import { type Products, partsOf, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { type MeasuredFormat, worthTrying } from '../choice/trials.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, vectorArray } from '../core/types.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import { Vector } from '../memory/vector.js';

/**
 * Minimum length of a turn, which has at least two products: far longer than the clock's resolution, even in a browser.
 */
const TURN_MS = 1;
const FEWEST = 2;

/** On a device a turn has so many products, each with empty caches, and their median counts: what else a program computes leaves nothing of A there. */
const COLD_PRODUCTS = 5;

/**
 * Formats are timed in rounds, for so long at least: a kernel starts in V8's baseline tier, 2 to 3 times as slow, and threads that slept may share a
 * core (`bench/contenders.mjs`). If their ratio differs from the predicted one by the factor SURPRISING, the cause may be that V8's own threads, which
 * optimize kernels and collect garbage, wait for a core: then they get longer (5-point to FEM, 10⁵ entries, two threads on two cores of an AMD
 * EPYC: up to 200 ms, November 2026).
 */
const WARM_UP_MS = 40;
const WAKE_UP_MS = 100;
const LONG_MS = 200;
const SURPRISING = 1.3;

/** A round is undisturbed if no time is far above the least of its format. So many are enough, fewer if one format is clearly slower. */
const UNDISTURBED = 1.2;
const UNDISTURBED_ROUNDS = 9;
const MOST_ROUNDS = 20;
const CLEARLY = 1.3;

/** Memory for x and y, and the products with them, which are disposed with it. */
export interface Lanes extends Disposable {
  /** Products of a matrix on the threads that are best for the format. */
  product(stored: StoredMatrix, format: RankedFormat): Product;
}

export interface Product extends Disposable {
  /** Computes some products, and returns the milliseconds of one. */
  time(): number;
}

interface Trial {
  readonly format: RankedFormat;
  readonly stored: StoredMatrix;
  readonly product: Product;
  /** Milliseconds of a product: the least of all turns so far. */
  leastMs: number;
}

/** A matrix in the first format of a ranking. */
export interface Ranked {
  readonly stored: StoredMatrix;
  readonly ranking: readonly RankedFormat[];
}

/**
 * The matrix in a faster format, if one is found. Formats are tried as long as that is expected to pay (`choice/trials.ts`), `csr` last. At most two are in
 * the heap at a time: a format that does not fit beside the fastest so far is not tried, and if x and y do not fit, none is.
 *
 * @param first it is disposed unless it is returned
 * @returns the measured formats come first in the ranking, the fastest one first; the others follow in the given order
 */
export function fastestOf(
  first: Ranked,
  products: Products,
  store: (format: RankedFormat) => StoredMatrix,
  makeLanes: () => Lanes,
): Ranked {
  const [format, ...rest] = first.ranking as [RankedFormat, ...RankedFormat[]];
  const others = new Set(rest);
  const timed = new Map([[format, format.productMs]]);
  const figures = () => [...timed].map(([one, measuredMs]): MeasuredFormat => ({ ...one, measuredMs }));
  const next = () => worthTrying(figures(), [...others], products);
  // Not even another one of the same speed would be worth it.
  if (rest.length === 0 || worthTrying(figures(), [{ ...format, conversionMs: 0 }], products) === undefined)
    return first;
  const inHeap = new Set([first.stored]);
  try {
    using lanes = ifItFits(makeLanes);
    if (lanes === undefined) return first;
    let best: Trial = { format, stored: first.stored, product: lanes.product(first.stored, format), leastMs: Infinity };
    timed.set(format, median(roundsOf([best], WAKE_UP_MS, () => true).map(([ms]) => ms!)));
    const meet = (rival: RankedFormat): void => {
      others.delete(rival);
      const trial = tryOut(rival, store, lanes);
      if (trial === undefined) return;
      inHeap.add(trial.stored);
      const champion = best;
      const ratio = ratioOf(champion, trial);
      timed.set(rival, ratio * timed.get(champion.format)!);
      const [winner, loser] = ratio < 1 ? [trial, champion] : [champion, trial];
      best = winner;
      loser.product[Symbol.dispose]();
      inHeap.delete(loser.stored);
      loser.stored[Symbol.dispose]();
    };
    const csr = first.ranking.find(({ spec }) => spec === YARDSTICK);
    // At the end, when V8 has optimized all kernels, the fastest meets `csr`: nothing should be slower than that.
    let compared = csr;
    const nextOrCsr = () => next() ?? (best.format === csr || best.format === compared ? undefined : csr);
    for (let rival = nextOrCsr(); rival !== undefined; rival = nextOrCsr()) {
      if (rival === csr) compared = best.format;
      meet(rival);
    }
    const measured = figures().sort((a, b) => a.measuredMs - b.measuredMs);
    return { stored: best.stored, ranking: [...measured, ...rest.filter((one) => !timed.has(one))] };
  } catch (error) {
    for (const stored of inHeap) stored[Symbol.dispose]();
    throw error;
  }
}

/** Undefined if the format does not suit the matrix, or if there is no room. */
function tryOut(format: RankedFormat, store: (format: RankedFormat) => StoredMatrix, lanes: Lanes): Trial | undefined {
  const stored = ifItFits(() => store(format));
  if (stored === undefined) return undefined;
  try {
    const product = ifItFits(() => lanes.product(stored, format));
    if (product !== undefined) return { format, stored, product, leastMs: Infinity };
    stored[Symbol.dispose]();
    return undefined;
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
}

/** Undefined if it is refused. */
function ifItFits<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

/** The time of a product of `rival` relative to one of `best`: the median of the undisturbed rounds. */
function ratioOf(best: Trial, rival: Trial): number {
  const predicted = rival.format.productMs / best.format.productMs;
  const rounds = roundsOf([best, rival], WARM_UP_MS, (undisturbed, ms) => {
    const ratio = rival.leastMs / best.leastMs;
    if (Math.max(ratio / predicted, predicted / ratio) > SURPRISING && ms < LONG_MS) return false;
    return undisturbed >= UNDISTURBED_ROUNDS || Math.max(ratio, 1 / ratio) > CLEARLY;
  });
  return median(rounds.map(([bestMs, rivalMs]) => rivalMs! / bestMs!));
}

type Ends = (undisturbed: number, ms: number) => boolean;

/** Milliseconds of a product of each, in turn, in the undisturbed rounds. */
function roundsOf(trials: readonly Trial[], warmUpMs: number, isOver: Ends): number[][] {
  const rounds: number[][] = [];
  const undisturbed = () => rounds.filter((times) => times.every((ms, k) => ms < UNDISTURBED * trials[k]!.leastMs));
  const begin = performance.now();
  for (let ms = 0; ms < warmUpMs || !isOver(undisturbed().length, ms); ms = performance.now() - begin) {
    if (ms > LONG_MS && rounds.length >= MOST_ROUNDS) break;
    const times = trials.map(({ product }) => product.time());
    for (const [k, time] of times.entries()) trials[k]!.leastMs = Math.min(trials[k]!.leastMs, time);
    rounds.push(times);
  }
  const some = undisturbed();
  return some.length > 0 ? some : rounds;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/** Mean milliseconds of a product; the first product of a turn does not count. `run` computes so many products and waits for them. */
export function turn(run: (count: number) => void): number {
  run(1);
  const begin = performance.now();
  let count = 0;
  let elapsed = 0;
  for (let next = FEWEST; elapsed < TURN_MS; next = count) {
    run(next);
    count += next;
    elapsed = performance.now() - begin;
  }
  return elapsed / count;
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
    const plans = new Set<Plan>();
    return {
      product(stored, format) {
        const plan = backend.plan(stored, verb, { ...partsOf(format), columns, patient: true });
        plans.add(plan);
        const queue = () => plan.run(x, y, 1, 0);
        return {
          time() {
            if (isOnDevice(space)) return median([...space.time(queue, COLD_PRODUCTS, true)]);
            return turn((count) => {
              for (let k = 0; k < count; k++) queue();
            });
          },
          [Symbol.dispose]() {
            if (plans.delete(plan)) plan[Symbol.dispose]();
          },
        };
      },
      [Symbol.dispose]() {
        for (const plan of plans) plan[Symbol.dispose]();
        owned[Symbol.dispose]();
      },
    };
  });
}

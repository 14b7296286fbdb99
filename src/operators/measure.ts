/** Trials of formats: the matrix is stored in one after another, and each is timed next to the fastest so far. */
import { type Backend, isOnDevice } from '../backends/backend.js';
import type { Plan } from '../backends/plan.js';
import { type Products, partsOf, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { type MeasuredFormat, worthTrying } from '../choice/trials.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, vectorArray } from '../core/types.js';
import { partsFor, threadsFor } from '../execution/partition.js';
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

/** Several threads must take at most so much of the time of one: after a pause they are woken, which one is spared. */
const WORTH_SHARING = 0.8;

/** Memory for x and y, and the products with them, which are disposed with it. */
export interface Lanes extends Disposable {
  /** Products of a matrix on the threads of the format. */
  product(stored: StoredMatrix, format: RankedFormat): Product;
  /** The format on several threads, if it would be computed on one of several. */
  shared(stored: StoredMatrix, format: RankedFormat): RankedFormat | undefined;
}

export interface Product extends Disposable {
  /** Computes some products, and returns the milliseconds of one. */
  time(): number;
}

interface Trial {
  readonly format: RankedFormat;
  /** The same, on the threads on which it is timed. */
  readonly used: RankedFormat;
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
 * Small products stay on the caller's thread, since others may sleep (`ALONE_BELOW`). In a loop they do not: if several threads are faster for
 * the first format, or needed for it, all formats have them.
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
    const open = (one: RankedFormat, used: RankedFormat, stored: StoredMatrix): Trial => {
      return { format: one, used, stored, product: lanes.product(stored, used), leastMs: Infinity };
    };
    let best = open(format, format, first.stored);
    timed.set(format, median(roundsOf([best], WAKE_UP_MS, () => true).map(([ms]) => ms!)));
    const onSeveral = lanes.shared(best.stored, format);
    const shared = onSeveral && ifItFits(() => open(format, onSeveral, first.stored));
    if (shared !== undefined) {
      const { ratio, winner } = duel(best, shared, 1, WORTH_SHARING);
      if (winner !== best) timed.set(format, ratio * timed.get(format)!);
      best = winner;
    }
    const isShared = best.used.threads > 1;
    const used = new Map([[format, best.used]]);
    const meet = (rival: RankedFormat): void => {
      others.delete(rival);
      const trial = tryOut(rival, store, (stored) => {
        return open(rival, (isShared ? lanes.shared(stored, rival) : undefined) ?? rival, stored);
      });
      if (trial === undefined) return;
      inHeap.add(trial.stored);
      used.set(rival, trial.used);
      const champion = best.format;
      const { ratio, winner, loser } = duel(best, trial, rival.productMs / champion.productMs);
      timed.set(rival, ratio * timed.get(champion)!);
      best = winner;
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
    const measured = [...timed].map(([one, measuredMs]) => ({ ...used.get(one)!, measuredMs }));
    measured.sort((a, b) => a.measuredMs - b.measuredMs);
    return { stored: best.stored, ranking: [...measured, ...rest.filter((one) => !timed.has(one))] };
  } catch (error) {
    for (const stored of inHeap) stored[Symbol.dispose]();
    throw error;
  }
}

/** Undefined if the format does not suit the matrix, or if there is no room. */
function tryOut(
  format: RankedFormat,
  store: (format: RankedFormat) => StoredMatrix,
  open: (stored: StoredMatrix) => Trial,
): Trial | undefined {
  const stored = ifItFits(() => store(format));
  if (stored === undefined) return undefined;
  try {
    const trial = ifItFits(() => open(stored));
    if (trial === undefined) stored[Symbol.dispose]();
    return trial;
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

/** Times two products, and disposes the slower one; that of `rival`, if its time is not below `most` of the other. */
function duel(best: Trial, rival: Trial, predicted: number, most = 1) {
  const ratio = ratioOf(best, rival, predicted);
  const [winner, loser] = ratio < most ? [rival, best] : [best, rival];
  loser.product[Symbol.dispose]();
  return { ratio, winner, loser };
}

/** The time of a product of `rival` relative to one of `best`: the median of the undisturbed rounds. */
function ratioOf(best: Trial, rival: Trial, predicted: number): number {
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
export function createLanes(
  backend: Backend,
  { rows, cols }: CsrMatrix,
  dtype: Dtype,
  threads: number,
  wanted = 1,
): Lanes {
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
      shared(stored, format) {
        if (backend.onDevice || threads === 1 || format.threads > 1) return undefined;
        const work = stored.stages.spmv.reduce((sum, stage) => sum + stage.workBefore(stage.units), 0);
        return { ...format, threads: threadsFor(work, threads), parts: partsFor(work, threads) };
      },
      [Symbol.dispose]() {
        for (const plan of plans) plan[Symbol.dispose]();
        owned[Symbol.dispose]();
      },
    };
  });
}

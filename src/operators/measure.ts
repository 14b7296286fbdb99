/** Trials of formats: the matrix is stored in one after another, and each is timed next to the fastest so far. */
import { type Products, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { type MeasuredFormat, trialMs, worthTrying } from '../choice/trials.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { Product, TimingLanes } from './lanes.js';
import { ratioOf, type TimedTurn, warmMs } from './turns.js';

/** A matrix in the first format of a ranking. */
export interface Ranked {
  readonly stored: StoredMatrix;
  readonly ranking: readonly RankedFormat[];
}

/** A format replaces another one only if it is faster by this. Chosen: what a trial saves less than that is not worth another layout. */
const MARGIN = 0.02;

/** The meeting with `csr` may take so much more than the budget. Chosen. */
const OVERRUN = 0.5;

type Store = (format: RankedFormat) => StoredMatrix;

interface Trial extends TimedTurn {
  readonly format: RankedFormat;
  readonly stored: StoredMatrix;
  readonly product: Product;
}

/** Where formats are tried, and for how many products. */
export interface Trials {
  readonly products: Products;
  /** Stores what is multiplied in trials. */
  readonly store: Store;
  readonly makeLanes: () => TimingLanes;
  /** Milliseconds that all trials may take, by those of a product. */
  readonly budgetMs: (productMs: number) => number;
  /** The share of the matrix that is stored and multiplied: 1 for all of it. */
  readonly share: number;
}

/**
 * The matrix in a faster format, if one is found. Formats are tried as long as that is expected to pay (`choice/trials.ts`), `csr` last. At most two are in
 * the heap at a time: a format that does not fit beside the fastest so far is not tried, and if x and y do not fit, none is.
 *
 * A format replaces another one only if it is faster by more than a margin and the noise: otherwise it counts as equally fast.
 *
 * @param first it is disposed unless it is returned
 * @returns the measured formats come first in the ranking, the fastest one first; the others follow in the given order
 */
export function fastestOf(first: Ranked, trials: Trials): Ranked {
  if (!mayPay(first.ranking, trials)) return first;
  const inHeap = new Set([first.stored]);
  try {
    using lanes = ifItFits(trials.makeLanes);
    if (lanes === undefined) return first;
    const contest = new Contest(first, trials, lanes, inHeap);
    contest.hold();
    return contest.outcome();
  } catch (error) {
    for (const stored of inHeap) stored[Symbol.dispose]();
    throw error;
  }
}

/** Whether trials can pay: a format as fast as the first one, without a conversion, would be tried. */
export function mayPay(
  ranking: readonly RankedFormat[],
  { products, share }: Pick<Trials, 'products' | 'share'>,
): boolean {
  const [format, ...rest] = ranking as [RankedFormat, ...RankedFormat[]];
  const predicted = [{ ...format, measuredMs: format.productMs }];
  return rest.length > 0 && worthTrying(predicted, [{ ...format, conversionMs: 0 }], products, { share }) !== undefined;
}

class Contest {
  readonly #first: Ranked;
  readonly #trials: Trials;
  readonly #lanes: TimingLanes;
  readonly #inHeap: Set<StoredMatrix>;
  readonly #others: Set<RankedFormat>;
  /** Holds the milliseconds of a product in each format that was tried. */
  readonly #timed = new Map<RankedFormat, number>();
  /** The kernels that were timed, which V8 has optimized since then. */
  readonly #warm = new Set<string>();
  /** When trials end, by `performance.now()`. */
  readonly #end: number;
  /** Milliseconds by which the meeting with `csr` may be later. */
  readonly #overrunMs: number;
  #best: Trial;

  /** @param inHeap the matrices that are stored, to be freed after an error */
  constructor(first: Ranked, trials: Trials, lanes: TimingLanes, inHeap: Set<StoredMatrix>) {
    this.#first = first;
    this.#trials = trials;
    this.#lanes = lanes;
    this.#inHeap = inHeap;
    const [format, ...rest] = first.ranking as [RankedFormat, ...RankedFormat[]];
    this.#others = new Set(rest);
    this.#best = this.#open(format, first.stored);
    const begin = performance.now();
    this.#record(this.#best, warmMs(this.#best));
    this.#warm.add(this.#best.product.kernels);
    const spentMs = performance.now() - begin;
    const budget = trials.budgetMs(this.#bestMs);
    this.#end = performance.now() + budget - spentMs;
    this.#overrunMs = OVERRUN * budget;
  }

  /**
   * Tries formats as long as one is worth it and time is left. Then, when V8 has optimized all kernels, the fastest meets `csr`, for which there is some more
   * time: nothing should be slower than that.
   */
  hold(): void {
    const { products, share } = this.#trials;
    const csr = this.#first.ranking.find(({ spec }) => spec === YARDSTICK);
    let compared = csr;
    for (;;) {
      const { format } = this.#best;
      const leftMs = this.#end - performance.now();
      const isDue = csr !== undefined && format !== csr && format !== compared;
      const last =
        isDue && trialMs(csr, this.#bestMs, share) <= Math.max(leftMs, 0) + this.#overrunMs ? csr : undefined;
      const rival = worthTrying(this.#measured(), [...this.#others], products, { share, leftMs }) ?? last;
      if (rival === undefined) break;
      this.#meet(rival);
      if (rival === csr || format === csr) compared = this.#best.format;
    }
  }

  outcome(): Ranked {
    // Of formats that count as equally fast the one that stays comes first.
    const timed = new Map([[this.#best.format, this.#bestMs], ...this.#timed]);
    const measured = [...timed].map(([format, measuredMs]) => ({ ...format, measuredMs }));
    measured.sort((a, b) => a.measuredMs - b.measuredMs);
    const others = this.#first.ranking.filter((one) => !this.#timed.has(one));
    return { stored: this.#best.stored, ranking: [...measured, ...others] };
  }

  get #bestMs(): number {
    return this.#timed.get(this.#best.format)!;
  }

  #measured(): MeasuredFormat[] {
    return [...this.#timed].map(([format, measuredMs]) => ({ ...format, measuredMs }));
  }

  #record({ format }: Trial, ms: number): void {
    this.#timed.set(format, ms);
  }

  #open(format: RankedFormat, stored: StoredMatrix): Trial {
    return { format, stored, product: this.#lanes.product(stored, format), leastMs: Infinity };
  }

  #meet(rival: RankedFormat): void {
    this.#others.delete(rival);
    const trial = this.#tryOut(rival);
    if (trial === undefined) return;
    this.#inHeap.add(trial.stored);
    const champion = this.#best;
    const isNew = !this.#warm.has(trial.product.kernels);
    const { ratio, noise } = ratioOf(champion, trial, rival.productMs / champion.format.productMs, isNew);
    this.#warm.add(trial.product.kernels);
    const wins = ratio < 1 - Math.max(MARGIN, noise);
    this.#record(trial, (wins ? ratio : Math.max(1, ratio)) * this.#bestMs);
    const [winner, loser] = wins ? [trial, champion] : [champion, trial];
    this.#best = winner;
    loser.product[Symbol.dispose]();
    this.#inHeap.delete(loser.stored);
    loser.stored[Symbol.dispose]();
  }

  /** Undefined if the format does not suit the matrix, or if there is no room. */
  #tryOut(format: RankedFormat): Trial | undefined {
    const stored = ifItFits(() => this.#trials.store(format));
    if (stored === undefined) return undefined;
    try {
      const trial = ifItFits(() => this.#open(format, stored));
      if (trial === undefined) stored[Symbol.dispose]();
      return trial;
    } catch (error) {
      stored[Symbol.dispose]();
      throw error;
    }
  }
}

/** Undefined if it is refused. */
export function ifItFits<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

/** Trials of formats: the matrix is stored in one after another, and each is timed next to the fastest so far. */
import { type Products, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { type MeasuredFormat, trialMs, worthTrying } from '../choice/trials.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { Product, TimingLanes } from './lanes.js';
import { awakeMs, ratioOf, type TimedTurn, WORTH_SHARING, warmMs } from './turns.js';

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
  /** The same, on the threads on which it is timed. */
  readonly used: RankedFormat;
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
 * Small products stay on the caller's thread, since others may sleep (`ALONE_BELOW`). In a loop they do not: if several threads are faster for
 * the first format, all formats have them.
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
  /** Milliseconds of the formats that were tried, and on which threads. */
  readonly #timed = new Map<RankedFormat, number>();
  readonly #used = new Map<RankedFormat, RankedFormat>();
  /** The kernels that were timed, which V8 has optimized since then. */
  readonly #warm = new Set<string>();
  /** Whether small products have several threads. */
  readonly #isShared: boolean;
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
    this.#best = this.#open(format, format, first.stored);
    const begin = performance.now();
    this.#record(this.#best, warmMs(this.#best));
    this.#warm.add(this.#best.product.kernels);
    const spentMs = performance.now() - begin;
    const budget = trials.budgetMs(this.#bestMs);
    this.#share();
    this.#isShared = this.#best.used.threads > 1;
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
    // Threads may share a core for seconds, so there is a second chance.
    if (!this.#isShared) this.#share();
  }

  outcome(): Ranked {
    // Of formats that count as equally fast the one that stays comes first.
    const timed = new Map([[this.#best.format, this.#bestMs], ...this.#timed]);
    const measured = [...timed].map(([format, measuredMs]) => ({ ...this.#used.get(format)!, measuredMs }));
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

  #record({ format, used }: Trial, ms: number): void {
    this.#timed.set(format, ms);
    this.#used.set(format, used);
  }

  #open(format: RankedFormat, used: RankedFormat, stored: StoredMatrix): Trial {
    return { format, used, stored, product: this.#lanes.product(stored, used), leastMs: Infinity };
  }

  /** The best format gets several threads, if they are faster. */
  #share(): void {
    const { format, stored } = this.#best;
    const used = this.#lanes.shared(stored, format);
    const shared = used && ifItFits(() => this.#open(format, used, stored));
    if (shared === undefined) return;
    const wantedMs = WORTH_SHARING * this.#bestMs;
    const ms = awakeMs(shared, wantedMs);
    if (ms >= wantedMs) {
      shared.product[Symbol.dispose]();
      return;
    }
    this.#best.product[Symbol.dispose]();
    this.#best = shared;
    this.#record(shared, ms);
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
      const used = this.#isShared ? this.#lanes.shared(stored, format) : undefined;
      const trial = ifItFits(() => this.#open(format, used ?? format, stored));
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

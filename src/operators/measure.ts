/** Trials of formats: the matrix is stored in one after another, and each is timed next to the fastest so far. */
import { type Products, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { type MeasuredFormat, worthTrying } from '../choice/trials.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { Product, TimingLanes } from './lanes.js';
import { awakeMs, ratioOf, type TimedTurn, WORTH_SHARING, warmMs } from './turns.js';

/** A matrix in the first format of a ranking. */
export interface Ranked {
  readonly stored: StoredMatrix;
  readonly ranking: readonly RankedFormat[];
}

type Store = (format: RankedFormat) => StoredMatrix;

interface Trial extends TimedTurn {
  readonly format: RankedFormat;
  /** The same, on the threads on which it is timed. */
  readonly used: RankedFormat;
  readonly stored: StoredMatrix;
  readonly product: Product;
}

/**
 * The matrix in a faster format, if one is found. Formats are tried as long as that is expected to pay (`choice/trials.ts`), `csr` last. At most two are in
 * the heap at a time: a format that does not fit beside the fastest so far is not tried, and if x and y do not fit, none is.
 *
 * Small products stay on the caller's thread, since others may sleep (`ALONE_BELOW`). In a loop they do not: if several threads are faster for
 * the first format, all formats have them.
 *
 * @param first it is disposed unless it is returned
 * @returns the measured formats come first in the ranking, the fastest one first; the others follow in the given order
 */
export function fastestOf(first: Ranked, products: Products, store: Store, makeLanes: () => TimingLanes): Ranked {
  const [format, ...rest] = first.ranking as [RankedFormat, ...RankedFormat[]];
  // Not even another one of the same speed would be worth it.
  const predicted = [{ ...format, measuredMs: format.productMs }];
  if (rest.length === 0 || worthTrying(predicted, [{ ...format, conversionMs: 0 }], products) === undefined)
    return first;
  const inHeap = new Set([first.stored]);
  try {
    using lanes = ifItFits(makeLanes);
    if (lanes === undefined) return first;
    const contest = new Contest(first, store, lanes, inHeap);
    contest.hold(products);
    return contest.outcome();
  } catch (error) {
    for (const stored of inHeap) stored[Symbol.dispose]();
    throw error;
  }
}

class Contest {
  readonly #first: Ranked;
  readonly #store: Store;
  readonly #lanes: TimingLanes;
  readonly #inHeap: Set<StoredMatrix>;
  readonly #others: Set<RankedFormat>;
  /** Milliseconds of the formats that were tried, and on which threads. */
  readonly #timed = new Map<RankedFormat, number>();
  readonly #used = new Map<RankedFormat, RankedFormat>();
  /** Whether small products have several threads. */
  readonly #isShared: boolean;
  #best: Trial;

  /** @param inHeap the matrices that are stored, to be freed after an error */
  constructor(first: Ranked, store: Store, lanes: TimingLanes, inHeap: Set<StoredMatrix>) {
    this.#first = first;
    this.#store = store;
    this.#lanes = lanes;
    this.#inHeap = inHeap;
    const [format, ...rest] = first.ranking as [RankedFormat, ...RankedFormat[]];
    this.#others = new Set(rest);
    this.#best = this.#open(format, format, first.stored);
    this.#record(this.#best, warmMs(this.#best));
    this.#share();
    this.#isShared = this.#best.used.threads > 1;
  }

  /** Tries formats as long as one is worth it. Then, when V8 has optimized all kernels, the fastest meets `csr`: nothing should be slower than that. */
  hold(products: Products): void {
    const csr = this.#first.ranking.find(({ spec }) => spec === YARDSTICK);
    let compared = csr;
    for (;;) {
      const { format } = this.#best;
      const rest = format === csr || format === compared ? undefined : csr;
      const rival = worthTrying(this.#measured(), [...this.#others], products) ?? rest;
      if (rival === undefined) break;
      if (rival === csr) compared = format;
      this.#meet(rival);
    }
    // Threads may share a core for seconds, so there is a second chance.
    if (!this.#isShared) this.#share();
  }

  outcome(): Ranked {
    const measured = [...this.#timed].map(([format, measuredMs]) => ({ ...this.#used.get(format)!, measuredMs }));
    measured.sort((a, b) => a.measuredMs - b.measuredMs);
    const others = this.#first.ranking.filter((one) => !this.#timed.has(one));
    return { stored: this.#best.stored, ranking: [...measured, ...others] };
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
    const wantedMs = WORTH_SHARING * this.#timed.get(format)!;
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
    const ratio = ratioOf(champion, trial, rival.productMs / champion.format.productMs);
    this.#record(trial, ratio * this.#timed.get(champion.format)!);
    const [winner, loser] = ratio < 1 ? [trial, champion] : [champion, trial];
    this.#best = winner;
    loser.product[Symbol.dispose]();
    this.#inHeap.delete(loser.stored);
    loser.stored[Symbol.dispose]();
  }

  /** Undefined if the format does not suit the matrix, or if there is no room. */
  #tryOut(format: RankedFormat): Trial | undefined {
    const stored = ifItFits(() => this.#store(format));
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
function ifItFits<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

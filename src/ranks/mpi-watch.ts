/**
 * What ranks under MPI tell each other when a wait takes long: a rank tells those that it waits for which call it is in. Whoever hears that while it
 * waits as well compares it with its own calls; if they are not the same, it tells all.
 */
import type { Addon } from '@sparlane/mpi';
import type { SparlaneError } from '../core/errors.js';
import { areDifferent, type Calls, outOfStep, outOfStepError, type Position } from './calls.js';

/** How the calls of two ranks differ. */
interface Difference {
  readonly text: string;
  readonly rank: number;
  readonly other: number;
}

/** Each kind has a number by which it is sent. */
type Message =
  | { readonly from: number; readonly waitsAt: Position }
  | {
      readonly from: number;
      readonly outOfStep: Difference;
    }
  | { readonly from: number; readonly hasEnded: true };

const WAITS = 0;
const OUT_OF_STEP = 1;
const ENDS = 2;

/** Time that other ranks get to throw their errors, before a rank whose error is about all of them ends all. */
const GRACE_MS = 3000;
const NAP_MS = 2;

export class MpiWatch {
  readonly #native: Addon;
  readonly #calls: Calls;
  readonly #rank: number;
  readonly #others: readonly number[];
  /** The latest long waits of other ranks. */
  readonly #waits = new Map<number, Position>();
  readonly #ended = new Set<number>();
  #problem: SparlaneError | undefined;

  constructor(native: Addon, calls: Calls, rank: number, size: number) {
    this.#native = native;
    this.#calls = calls;
    this.#rank = rank;
    this.#others = Array.from({ length: size }, (_, r) => r).filter((r) => r !== rank);
  }

  /** How the ranks came out of step, if they did. */
  get problem(): SparlaneError | undefined {
    return this.#problem;
  }

  /** @throws SparlaneError `backend` if the ranks are out of step */
  check(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }

  /**
   * Goes on with a wait that takes long.
   *
   * @param goOn waits for some 100 ms; returns whether the wait is over
   * @param needed the ranks that are waited for; default: all
   * @throws SparlaneError `backend` if the ranks are out of step
   */
  wait(goOn: () => boolean, needed: readonly number[] = this.#others): void {
    const { position } = this.#calls;
    let untold = needed;
    do {
      // A rank that is late may still have to hear where this one waited before.
      untold = untold.filter((rank) => !this.#tell(rank, WAITS, { from: this.#rank, waitsAt: position }));
      this.#hear();
      this.#compare(position);
      this.check();
    } while (!goOn());
  }

  /** All ranks learn of a problem. The first one counts. */
  breakUp(problem: SparlaneError): void {
    if (this.#problem !== undefined) return;
    const { message: text, detail } = problem;
    this.#spread({ text, rank: Number(detail.rank), other: Number(detail.other) });
  }

  /** Waits until all other ranks end, too, but not for long: each has an error of its own to throw. Of these, rank 0 ends all. */
  awaitEnds(): void {
    for (const rank of this.#others) this.#tell(rank, ENDS, { from: this.#rank, hasEnded: true });
    const end = performance.now() + GRACE_MS;
    const bed = new Int32Array(new SharedArrayBuffer(4));
    const haveAllEnded = () => this.#ended.size === this.#others.length;
    while (performance.now() < end && !(haveAllEnded() && this.#rank === 0)) {
      Atomics.wait(bed, 0, 0, NAP_MS);
      this.#hear();
    }
  }

  /**
   * Keeps a problem and tells all other ranks, also where it was heard from one of them: what a rank has sent may not arrive while that rank does
   * something else, since MPI sends only in its calls.
   */
  #spread(outOfStep: Difference): void {
    this.#problem = outOfStepError(outOfStep.text, outOfStep.rank, outOfStep.other);
    for (const rank of this.#others) this.#tell(rank, OUT_OF_STEP, { from: this.#rank, outOfStep });
  }

  /** @returns whether it was sent */
  #tell(rank: number, kind: number, message: Message): boolean {
    return this.#native.tell(rank, kind, new TextEncoder().encode(JSON.stringify(message)));
  }

  #hear(): void {
    for (let bytes = this.#native.hear(); bytes !== undefined; bytes = this.#native.hear()) {
      const message: Message = JSON.parse(new TextDecoder().decode(bytes));
      if ('waitsAt' in message) this.#waits.set(message.from, message.waitsAt);
      else if ('hasEnded' in message) this.#ended.add(message.from);
      else {
        if (this.#problem === undefined) this.#spread(message.outOfStep);
      }
    }
  }

  /** Compares the calls of ranks that wait for this one with those of this rank. */
  #compare(mine: Position): void {
    for (const [rank, theirs] of this.#waits) {
      const hasPassed = mine.number > theirs.number && this.#calls.turnsOf(theirs.channel) < theirs.turn;
      if (hasPassed || areDifferent(mine, theirs)) this.breakUp(outOfStep(this.#rank, mine, rank, theirs));
    }
  }
}

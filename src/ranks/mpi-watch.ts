/**
 * What ranks under MPI tell each other when a wait takes long: a rank tells those that it waits for which call it is in. Whoever hears that while it
 * waits as well compares it with its own calls; if they are not the same, it tells all. A rank also tells which ranks its wait holds up, so a rank that
 * waits for a message learns if the one that must send it is among them.
 */
import type { Addon } from '@sparlane/mpi';
import type { SparlaneError } from '../core/errors.js';
import {
  areDifferent,
  awaitsMessage,
  type Calls,
  heldForEver,
  isHeld,
  isInMeeting,
  outOfStep,
  outOfStepError,
  type Position,
} from './calls.js';

/** How the calls of two ranks differ. */
interface Difference {
  readonly text: string;
  readonly rank: number;
  readonly other: number;
}

/** The ranks that a turn of an exchange waits for. */
export interface Partners {
  readonly needed: readonly number[];
  /** Those that must come to the same turn before it ends. The messages to others have left. */
  owing(): readonly number[];
}

/** Each of these ranks is needed, and owes its part. */
export function allOf(ranks: readonly number[]): Partners {
  return { needed: ranks, owing: () => ranks };
}

/** A long wait of a rank, as it tells another one that it waits for. */
interface Wait {
  readonly from: number;
  readonly waitsAt: Position;
  /** Whether it cannot end before the other one has made the same call, or sent the message. */
  readonly isOwed: boolean;
  /** Ranks whose waits cannot end before this one does, each with what it waits in. */
  readonly held: readonly (readonly [rank: number, what: string])[];
}

/** Each kind has a number by which it is sent. */
type Message =
  | Wait
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
  readonly #all: Partners;
  /** The latest long waits of other ranks. */
  readonly #waits = new Map<number, Wait>();
  readonly #ended = new Set<number>();
  #problem: SparlaneError | undefined;
  /** Programs have sent so many messages to each rank. */
  readonly sent: number[];

  constructor(native: Addon, calls: Calls, rank: number, size: number) {
    this.#native = native;
    this.#calls = calls;
    this.#rank = rank;
    this.sent = new Array<number>(size).fill(0);
    this.#others = Array.from({ length: size }, (_, r) => r).filter((r) => r !== rank);
    this.#all = allOf(this.#others);
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
   * @param partners of an exchange or a message; default: all ranks. A meeting needs all, also where it consists of exchanges with some
   * @throws SparlaneError `backend` if the ranks are out of step, or wait for each other
   */
  wait(goOn: () => boolean, partners?: Partners): void {
    const { position } = this.#calls;
    const { needed, owing } = (isInMeeting(position) ? undefined : partners) ?? this.#all;
    /** The number of held ranks that each rank was told. */
    const told = new Map<number, number>();
    do {
      this.#hear();
      this.#compare(position);
      const held = this.#held(position);
      if (awaitsMessage(position)) this.#checkHeld(position, needed[0]!, held);
      this.check();
      const late = needed.filter((rank) => told.get(rank) !== held.size);
      const owed = late.length > 0 ? owing() : [];
      for (const rank of late) {
        const wait = { from: this.#rank, waitsAt: position, isOwed: owed.includes(rank), held: [...held] };
        // A rank that is late may still have to hear where this one waited before.
        if (this.#tell(rank, WAITS, wait)) told.set(rank, held.size);
      }
    } while (!goOn());
  }

  /** Finds the ranks whose waits, for this rank or for others of them, cannot end before that of this one does. There are only more of them while it lasts. */
  #held({ number }: Position): Map<number, string> {
    const held = new Map<number, string>();
    for (const [rank, wait] of this.#waits) {
      const { waitsAt: at, isOwed } = wait;
      if (!isOwed || !isHeld({ at, until: at.number }, number, this.sent[rank]!)) continue;
      held.set(rank, at.what);
      for (const [other, what] of wait.held) held.set(other, what);
    }
    return held;
  }

  #checkHeld({ what }: Position, from: number, held: ReadonlyMap<number, string>): void {
    const there = held.get(from);
    if (there !== undefined) this.breakUp(heldForEver(this.#rank, what, from, there));
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
      if ('waitsAt' in message) this.#waits.set(message.from, message);
      else if ('hasEnded' in message) this.#ended.add(message.from);
      else {
        if (this.#problem === undefined) this.#spread(message.outOfStep);
      }
    }
  }

  /** Compares the calls of ranks that wait for this one with those of this rank. */
  #compare(mine: Position): void {
    for (const [rank, { waitsAt: theirs }] of this.#waits) {
      if (awaitsMessage(theirs)) continue;
      const hasPassed = mine.number > theirs.number && this.#calls.turnsOf(theirs.channel) < theirs.turn;
      if (hasPassed || areDifferent(mine, theirs)) this.breakUp(outOfStep(this.#rank, mine, rank, theirs));
    }
  }
}

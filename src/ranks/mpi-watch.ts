/**
 * What ranks under MPI tell each other when a wait takes long: a rank tells those that it waits for which call it is in. Whoever hears that while it
 * waits as well compares it with its own calls; if they are not the same, it tells all. A rank also tells which ranks its wait holds up, so a rank that
 * waits for a message learns if the one that must send it is among them, and so does a rank that waits for one that waits in another group. One watch is for
 * all groups that a rank is in; its ranks are numbered among all.
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
  type Need,
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

/** A rank in a group of ranks. */
export interface WatchedGroup {
  readonly calls: Calls;
  /** Of each rank of the group: its number among all. */
  readonly members: readonly number[];
  /** Programs have sent so many messages to each rank of the group. */
  readonly sent: number[];
}

/** Where a rank waits. */
interface Place {
  /** `Calls.where` of the group in which it waits. */
  readonly group: string;
  readonly what: string;
  /** The numbers of its positions in all its groups. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** A long wait of a rank, as it tells another one that it waits for. */
interface Wait extends Place {
  readonly from: number;
  readonly waitsAt: Position;
  /** The wait ends when the other one has come to the call of this number: the present one, or an earlier one that was started there. */
  readonly until: number;
  /** Whether it cannot end before the other one has made the same call, or sent the message. */
  readonly isOwed: boolean;
  /** Ranks whose waits cannot end before this one does. */
  readonly held: readonly (readonly [rank: number, place: Place])[];
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
  readonly #rank: number;
  readonly #others: readonly number[];
  /** By `Calls.where`. */
  readonly #groups = new Map<string, WatchedGroup>();
  /** The latest long waits of other ranks. */
  readonly #waits = new Map<number, Wait>();
  readonly #ended = new Set<number>();
  #problem: SparlaneError | undefined;

  constructor(native: Addon, rank: number, size: number) {
    this.#native = native;
    this.#rank = rank;
    this.#others = Array.from({ length: size }, (_, r) => r).filter((r) => r !== rank);
  }

  /** This rank is in a group. */
  add(group: WatchedGroup): void {
    this.#groups.set(group.calls.where, group);
  }

  /** This rank is in so many. */
  get groups(): number {
    return this.#groups.size;
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
   * @param partners of an exchange or a message, ranks of the group; default: all of them. A meeting needs all, also where it consists of exchanges with some
   * @param until others must come to the call of this number; default: the present one
   * @throws SparlaneError `backend` if the ranks are out of step, or wait for each other
   */
  wait({ calls, members }: WatchedGroup, goOn: () => boolean, partners?: Partners, until?: number): void {
    const { position } = calls;
    const last = until ?? position.number;
    const amongAll = (ranks: readonly number[]) => ranks.map((rank) => members[rank]!);
    const all = allOf([...members.keys()].filter((rank) => members[rank] !== this.#rank));
    const { needed, owing } = (isInMeeting(position) ? undefined : partners) ?? all;
    const place = this.#placeIn(calls.where, position);
    /** The number of held ranks that each rank was told. */
    const told = new Map<number, number>();
    do {
      this.#hear();
      this.#compare(place, position);
      const held = this.#held(place);
      if (held.size > 0) this.#checkHeld(place, { at: position, until: last }, amongAll(owing()), held);
      this.check();
      const late = amongAll(needed).filter((rank) => told.get(rank) !== held.size);
      const owed = late.length > 0 ? amongAll(owing()) : [];
      for (const rank of late) {
        const isOwed = owed.includes(rank);
        const wait: Wait = { ...place, from: this.#rank, waitsAt: position, until: last, isOwed, held: [...held] };
        // A rank that is late may still have to hear where this one waited before.
        if (this.#tell(rank, WAITS, wait)) told.set(rank, held.size);
      }
    } while (!goOn());
  }

  #placeIn(group: string, { what, number }: Position): Place {
    const numbers = [...this.#groups].map(([where, { calls }]) => [where, calls.elsewhere(what).number] as const);
    return { group, what, numbers: { ...Object.fromEntries(numbers), [group]: number } };
  }

  /** Finds the ranks whose waits, for this rank or for others of them, cannot end before that of this one does. There are only more of them while it lasts. */
  #held(mine: Place): Map<number, Place> {
    const held = new Map<number, Place>();
    for (const [rank, { waitsAt: at, until, isOwed, held: others, group, what, numbers }] of this.#waits) {
      const { members, sent } = this.#groups.get(group)!;
      const toRank = sent[members.indexOf(rank)]!;
      if (!isOwed || !isHeld({ at, until }, mine.numbers[group]!, toRank)) continue;
      held.set(rank, { group, what, numbers });
      for (const [other, place] of others) held.set(other, place);
    }
    held.delete(this.#rank);
    return held;
  }

  /** A rank that must come to this rank's call, or send it a message, does not if its own wait is held up: for a message, or in another group. */
  #checkHeld(
    { group, what }: Place,
    { at, until }: Need,
    owing: readonly number[],
    held: ReadonlyMap<number, Place>,
  ): void {
    for (const rank of owing) {
      const there = held.get(rank);
      if (there === undefined) continue;
      const isBehind = there.group !== group && (there.numbers[group] ?? 0) < until;
      if (awaitsMessage(at) || isBehind) this.breakUp(heldForEver(this.#rank, what, rank, there.what));
    }
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
  #compare({ group, what }: Place, position: Position): void {
    for (const [rank, { waitsAt: theirs, group: theirGroup }] of this.#waits) {
      if (awaitsMessage(theirs)) continue;
      const { calls } = this.#groups.get(theirGroup)!;
      const mine = theirGroup === group ? position : calls.elsewhere(what);
      const hasPassed = mine.number > theirs.number && calls.turnsOf(theirs.channel) < theirs.turn;
      if (hasPassed || areDifferent(mine, theirs)) this.breakUp(outOfStep(this.#rank, mine, rank, theirs));
    }
  }
}

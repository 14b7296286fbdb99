/**
 * What a rank does together with the others, and how far it has come. A call is a meeting, or a turn of an exchange with neighbours. All ranks make
 * the same calls in the same order.
 *
 * While they do, somebody can always go on: of the ranks that wait, one that has made the fewest calls waits for nothing that is still to be done. So
 * ranks that wait for each other for ever do not make the same calls, and one of them waits for another one that has come at least as far: either
 * that one is in a different call of the same number, or it has passed that number without doing its part. It may even be in the same meeting, as a call of
 * another number: meetings that gather and meetings that combine wait for different messages. Whoever waits for long compares both.
 *
 * A message from one rank to another is no call: a rank waits for it between two calls. It never comes if the rank that must send it waits, itself or through
 * others, for the rank that must receive it. So a rank that waits for a message for long finds all ranks that its wait holds up.
 *
 * A reduction that is started is two calls: one that waits for nothing, and a later one that waits until all ranks have made the first.
 *
 * All this is so within each group of ranks that a split has made. A rank that waits in one group is between two calls of every other one, and holds up who
 * waits for it there. If ranks of several groups wait for each other, one of them waits for a rank that its wait holds up, and that waits in another group.
 */
import { SparlaneError } from '../core/errors.js';

/** Ranks meet for these calls. */
export const CALLS = [
  'its end',
  'barrier',
  'broadcast',
  'allgather',
  'alltoall',
  'sum',
  'max',
  'min',
  'long sum',
  'long max',
  'long min',
  'agreement',
  'shape',
  'sum on devices',
  'launch',
  'comparison',
  'split',
  'started sum',
  'started max',
  'started min',
] as const;

export type Call = (typeof CALLS)[number];

/** The channel of meetings; those of exchanges are numbered from 1. */
const MEETINGS = 0;
/** The channel of messages from one rank to another, which are no calls of all ranks. */
const MESSAGES = -1;
/** Where a rank is for a group while it waits in another one. */
const ELSEWHERE = -2;

/** How far a rank has come. */
export interface Position {
  /** Calls so far, with the present one; and a half while a rank waits between two calls: for a message, or in another group. */
  readonly number: number;
  readonly channel: number;
  /** Calls of the channel so far, with the present one; or the number of the message, of all from that rank. */
  readonly turn: number;
  /** The present call in words. */
  readonly what: string;
}

/** The number of exchanges that a history tells, modulo this. */
const COUNTED = 2 ** 20;

/** The calls of one rank in a group of ranks. */
export class Calls {
  /** What a call is followed by in errors: ` in color 1 of split 2`, or nothing where the group is all ranks. Groups of a rank differ in it. */
  readonly where: string;
  #number = 0;
  #channel = MEETINGS;
  /** By channel. */
  readonly #turns: number[] = [0];
  readonly #titles: (readonly [noun: string, of: string])[] = [['meeting', '']];
  readonly #named = new Map<string, number>();
  #meeting = 'start';
  #numbers = 0;
  #exchanges = 0;
  /** A hash of the channels of all exchanges so far. */
  #order = 0;
  /** The message that this rank waits for. */
  #message: Pick<Position, 'turn' | 'what'> | undefined;

  constructor(where = '') {
    this.where = where;
  }

  /** Begins a meeting. @param numbers that are told */
  meet(call: string, numbers: number): void {
    this.#begin(MEETINGS);
    this.#meeting = call;
    this.#numbers = numbers;
  }

  /** Begins a turn of an exchange. */
  exchange(channel: number): void {
    this.#begin(channel);
    this.#exchanges++;
    this.#order = (Math.imul(this.#order, 31) + channel) | 0;
  }

  /** Waits for a message of another rank. @param turn its number, of all from that rank */
  awaitMessage(turn: number, what: string, wait: () => void): void {
    this.#message = { turn, what: `${what}${this.where}` };
    try {
      wait();
    } finally {
      this.#message = undefined;
    }
  }

  #begin(channel: number): void {
    this.#number++;
    this.#channel = channel;
    this.#turns[channel]!++;
  }

  /** A new channel, for an exchange. Its turns are called `product 3 of operator 1`, if `noun` is product. */
  open(noun: string, of: string): number {
    this.#turns.push(0);
    return this.#titles.push([noun, of]) - 1;
  }

  /** A name for one more thing of a kind, the same on all ranks: `operator 2`. */
  name(kind: string): string {
    const number = (this.#named.get(kind) ?? 0) + 1;
    this.#named.set(kind, number);
    return `${kind} ${number}`;
  }

  /** Calls of a channel so far. */
  turnsOf(channel: number): number {
    return this.#turns[channel] ?? 0;
  }

  get number(): number {
    return this.#number;
  }

  get position(): Position {
    if (this.#message !== undefined) return { number: this.#between, channel: MESSAGES, ...this.#message };
    const channel = this.#channel;
    const turn = this.#turns[channel]!;
    const [noun, of] = this.#titles[channel]!;
    const call = channel === MEETINGS ? describeMeeting(this.#meeting, this.#numbers) : `${noun} ${turn} of ${of}`;
    return { number: this.#number, channel, turn, what: `${call}${this.where}` };
  }

  /** The position while this rank waits in another group. @param what it waits in */
  elsewhere(what: string): Position {
    return { number: this.#between, channel: ELSEWHERE, turn: 0, what };
  }

  /** The number of a position after the present call. */
  get #between(): number {
    return this.#number + 0.5;
  }

  /** All exchanges so far as one number, which differs from that of a rank that has made others. */
  get history(): number {
    return (this.#exchanges % COUNTED) * 2 ** 32 + (this.#order >>> 0);
  }
}

/** `sum of 2 numbers` */
export function describeMeeting(call: string, numbers: number): string {
  return numbers === 0 ? call : `${call} of ${numbers} number${numbers === 1 ? '' : 's'}`;
}

/** The number of exchanges in a history, modulo 2²⁰. */
export function exchangesIn(history: number): number {
  return Math.floor(history / 2 ** 32);
}

/** Whether a rank waits in a meeting, which needs all ranks. */
export function isInMeeting({ channel }: Position): boolean {
  return channel === MEETINGS;
}

/** Whether a rank waits for a message. */
export function awaitsMessage({ channel }: Position): boolean {
  return channel === MESSAGES;
}

/** Whether a rank waits in another group. */
export function isElsewhere({ channel }: Position): boolean {
  return channel === ELSEWHERE;
}

/** A rank waits there for another one: for its message, or until that one has come to the call of this number. */
export interface Need {
  readonly at: Position;
  readonly until: number;
}

/** Whether a message is among those sent. Messages are counted modulo 2³². */
export function hasSent(sent: number, turn: number): boolean {
  return ((sent - turn) | 0) >= 0;
}

/**
 * Whether a wait cannot end while the rank that it needs stays where it is.
 *
 * @param number calls of the rank that is needed
 * @param sent messages from that one to the rank that waits
 */
export function isHeld({ at, until }: Need, number: number, sent: number): boolean {
  return awaitsMessage(at) ? !hasSent(sent, at.turn) : number < until;
}

/** The error of a rank that waits for another one, which waits for it or for others that do. */
export function heldForEver(rank: number, what: string, other: number, otherWhat: string): SparlaneError {
  const both = `${what} on rank ${rank} and ${otherWhat} on rank ${other}`;
  return outOfStepError(`ranks: expected no ranks that wait for each other, got ${both}`, rank, other);
}

/** Whether two ranks are in calls of the same number or in the same turn of a channel, but not in the same call. */
export function areDifferent(one: Position, other: Position): boolean {
  const isSameTurn = one.channel === other.channel && one.turn === other.turn;
  return isSameTurn !== (one.number === other.number) || (isSameTurn && one.what !== other.what);
}

/** The error of ranks that do not make the same calls. */
export function outOfStep(rank: number, at: Position, other: number, otherAt: Position): SparlaneError {
  const call = ({ number }: Position) => {
    if (at.number === otherAt.number) return '';
    return Number.isInteger(number) ? ` as call ${number}` : ` after call ${Math.floor(number)}`;
  };
  const [mine, others] = [`${at.what}${call(at)} on rank ${rank}`, `${otherAt.what}${call(otherAt)} on rank ${other}`];
  return outOfStepError(`ranks: expected the same call on all ranks, got ${mine} and ${others}`, rank, other);
}

export function outOfStepError(message: string, rank: number, other: number): SparlaneError {
  return new SparlaneError('backend', message, { rank, other });
}

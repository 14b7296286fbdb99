/**
 * The shared memory of ranks that are threads of one process: whether each of them goes on, where they meet, and what they wait for.
 *
 * Words (Int32), each group on cache lines of its own:
 *   EPOCH    meetings so far; who waits for a meeting sleeps on it
 *   ARRIVED  ranks that have arrived at the present meeting
 *   TROUBLE  the number of ranks that have ended or failed, and of notices; 1 + the first rank that has ended or failed
 *   STATES   one per rank: running, ended, failed
 *   BELLS    one per rank, which sleeps on it until a neighbour has written or read something
 * Then two notices: the failure of the first rank that failed, and how ranks came out of step. Then the positions of ranks that wait for long. Then
 * frames, those that are started, and rooms for bytes: two for each rank, used in turn. A rank is at most one meeting ahead of another one, so what it
 * writes for the next meeting is not what the other one still reads of this one. So are frames that are started. At the end, how many messages each rank has
 * sent to each other one, and how many frames it has started.
 *
 * A group of these ranks has a memory of its own. Failures of ranks, and how they came out of step, are in that of all ranks.
 */
import type { SparlaneError } from '../core/errors.js';
import { outOfStepError } from './calls.js';
import { Notice, type PostedNeed, PostedPosition } from './notice.js';
import { FRAME } from './transport.js';

const LINE = 16;
const EPOCH = 0;
const ARRIVED = LINE;
const TROUBLE = 2 * LINE;
const FIRST_GONE = TROUBLE + 1;
const STATES = 3 * LINE;

/** Bytes of a room: enough that a message of some MB takes few meetings. */
export const ROOM_BYTES = 65_536;

const RUNNING = 0;
const ENDED = 1;
const FAILED = 2;

/** What a starter hands to every rank, and the first rank of a group to the others. */
export interface SharedRanks {
  readonly memory: SharedArrayBuffer;
  readonly size: number;
  /** The name of the channel over which ranks hand buffers to each other. */
  readonly channel: string;
}

/** The bytes where each part begins, and all bytes. */
function placesOf(size: number) {
  const bells = STATES + LINE * Math.ceil(size / LINE);
  const failure = 4 * (bells + LINE * size);
  const outOfStep = failure + Notice.BYTES;
  const positions = outOfStep + Notice.BYTES;
  const frames = positions + size * PostedPosition.BYTES;
  const started = frames + 2 * size * 8 * FRAME;
  const rooms = started + 2 * size * 8 * FRAME;
  const sent = rooms + 2 * size * ROOM_BYTES;
  const turns = sent + 4 * size * size;
  return { bells, failure, outOfStep, positions, frames, started, rooms, sent, turns, end: turns + 4 * size };
}

export function shareRanks(size: number): SharedRanks {
  const memory = new SharedArrayBuffer(placesOf(size).end);
  return { memory, size, channel: `sparlane-ranks-${crypto.randomUUID()}` };
}

/** All ranks, of which some are a group. */
interface Whole {
  readonly control: SharedControl;
  /** The number of each rank of the group among all. */
  readonly members: readonly number[];
}

/** Where a rank sleeps: an index of `words`. */
export interface Bed {
  readonly words: Int32Array;
  readonly index: number;
}

export class SharedControl {
  readonly size: number;
  /** Of each rank: its number among all ranks. */
  readonly members: readonly number[];
  readonly #whole: SharedControl;
  readonly #words: Int32Array;
  readonly #bells: number;
  readonly #failure: Notice;
  readonly #outOfStep: Notice;
  readonly #positions: readonly PostedPosition[];
  readonly #frames: Float64Array;
  readonly #started: Float64Array;
  readonly #turns: Int32Array;
  readonly #rooms: Uint8Array;
  readonly #sent: Int32Array;
  /** Where ranks sleep that have arrived at a meeting. */
  readonly atMeeting: Bed;
  /** Whether a call of this rank has ended by an error. */
  isBroken = false;

  /** @param whole undefined: these are all ranks */
  constructor({ memory, size }: SharedRanks, whole?: Whole) {
    const places = placesOf(size);
    this.size = size;
    this.members = whole?.members ?? Array.from({ length: size }, (_, rank) => rank);
    this.#whole = whole?.control ?? this;
    this.#bells = places.bells;
    this.#words = new Int32Array(memory, 0, places.failure / 4);
    this.atMeeting = { words: this.#words, index: EPOCH };
    this.#failure = new Notice(memory, places.failure);
    this.#outOfStep = new Notice(memory, places.outOfStep);
    this.#positions = Array.from(
      { length: size },
      (_, rank) => new PostedPosition(memory, places.positions + rank * PostedPosition.BYTES),
    );
    this.#frames = new Float64Array(memory, places.frames, 2 * size * FRAME);
    this.#started = new Float64Array(memory, places.started, 2 * size * FRAME);
    this.#turns = new Int32Array(memory, places.turns, size);
    this.#rooms = new Uint8Array(memory, places.rooms);
    this.#sent = new Int32Array(memory, places.sent, size * size);
  }

  /** The control of a group of these ranks. @param members their numbers in this one */
  groupOf(shared: SharedRanks, members: readonly number[]): SharedControl {
    return new SharedControl(shared, { control: this.#whole, members: members.map((rank) => this.members[rank]!) });
  }

  /** The frames of all ranks for the meetings of a parity. */
  frames(parity: number): Float64Array {
    return this.#ofParity(this.#frames, parity);
  }

  /** The frames of all ranks that are started in the turns of a parity. */
  started(parity: number): Float64Array {
    return this.#ofParity(this.#started, parity);
  }

  #ofParity(frames: Float64Array, parity: number): Float64Array {
    const all = this.size * FRAME;
    return frames.subarray(parity * all, (parity + 1) * all);
  }

  /** Counts a frame that a rank has written before, and rings the others. */
  countStarted(rank: number): void {
    Atomics.add(this.#turns, rank, 1);
    for (let other = 0; other < this.size; other++) if (other !== rank) this.ring(other);
  }

  /** Whether a rank has started its frame of a turn. Turns are counted modulo 2³². */
  hasStarted(rank: number, turn: number): boolean {
    return ((Atomics.load(this.#turns, rank) - turn) | 0) >= 0;
  }

  room(parity: number, rank: number): Uint8Array {
    const begin = (parity * this.size + rank) * ROOM_BYTES;
    return this.#rooms.subarray(begin, begin + ROOM_BYTES);
  }

  /** Whether the rank runs; false once it has ended or failed. */
  runs(rank: number): boolean {
    return Atomics.load(this.#words, STATES + rank) === RUNNING;
  }

  end(rank: number): void {
    this.#leave(rank, ENDED);
  }

  /** @param why one line */
  fail(rank: number, why: string): void {
    this.#failure.post(rank, rank, why);
    this.#leave(rank, FAILED);
  }

  #leave(rank: number, state: number): void {
    if (Atomics.compareExchange(this.#words, STATES + rank, RUNNING, state) !== RUNNING) return;
    Atomics.compareExchange(this.#words, FIRST_GONE, 0, rank + 1);
    this.#wakeAll();
  }

  /** A call of this rank ends by an error, so every wait of a rank throws from now on. The first call counts. */
  breakUp({ message, detail }: SparlaneError): void {
    const whole = this.#whole;
    whole.isBroken = true;
    const rank = Number(detail.rank);
    if (whole.#outOfStep.post(rank, Number(detail.other ?? rank), message)) whole.#wakeAll();
  }

  #wakeAll(): void {
    // Whoever finds trouble also finds what was written before.
    Atomics.add(this.#words, TROUBLE, 1);
    Atomics.notify(this.#words, EPOCH);
    for (let r = 0; r < this.size; r++) this.ring(r);
  }

  /** Whether a rank has ended or failed, or the ranks are out of step. */
  get hasTrouble(): boolean {
    return Atomics.load(this.#words, TROUBLE) > 0 || (this.#whole !== this && this.#whole.hasTrouble);
  }

  /** The first failure of a rank. */
  get failure(): SparlaneError | undefined {
    return this.failureWith('');
  }

  /** The first failure of a rank. @param more what follows in the text */
  failureWith(more: string): SparlaneError | undefined {
    const { rank, text } = this.#whole.#failure.read() ?? {};
    return rank === undefined ? undefined : endOf(rank, `: ${text}${more}`);
  }

  /** How the ranks came out of step. */
  get outOfStep(): SparlaneError | undefined {
    const notice = this.#whole.#outOfStep.read();
    return notice && outOfStepError(notice.text, notice.rank, notice.other);
  }

  /**
   * One of some ranks that has ended or failed, or left this group; the first one that did, if it is among them.
   *
   * @returns its number among all ranks
   */
  goneOf(ranks: readonly number[]): number | undefined {
    // Others may have ended because the first one did.
    const first = Atomics.load(this.#words, FIRST_GONE) - 1;
    const gone = ranks.includes(first) ? first : ranks.find((rank) => !this.runs(rank));
    const among = (rank: number) => this.members[rank]!;
    if (gone !== undefined) return among(gone);
    return this.#whole === this ? undefined : this.#whole.goneOf(ranks.map(among));
  }

  /** Tells the others where this rank waits, and for whom. */
  post(rank: number, need: PostedNeed): void {
    this.#positions[rank]!.write(need);
  }

  /** Where a rank has waited for long the last time. */
  posted(rank: number): PostedNeed | undefined {
    return this.#positions[rank]!.read();
  }

  /** Counts a message that was handed over before: whoever finds the count finds the message. */
  countMessage(from: number, to: number): void {
    Atomics.add(this.#sent, from * this.size + to, 1);
    this.ring(to);
  }

  /** Messages from one rank to another so far. */
  sent(from: number, to: number): number {
    return Atomics.load(this.#sent, from * this.size + to);
  }

  get epoch(): number {
    return Atomics.load(this.#words, EPOCH);
  }

  atBell(rank: number): Bed {
    return { words: this.#words, index: this.#bells + LINE * rank };
  }

  /** Arrives at the present meeting. @returns whether all ranks have arrived, so that nobody need wait */
  arrive(): boolean {
    const words = this.#words;
    // The last one to arrive has read what all others published by their arrivals, and publishes it by the epoch.
    if (Atomics.add(words, ARRIVED, 1) < this.size - 1) return false;
    Atomics.store(words, ARRIVED, 0);
    Atomics.add(words, EPOCH, 1);
    Atomics.notify(words, EPOCH);
    return true;
  }

  ring(rank: number): void {
    const bell = this.#bells + LINE * rank;
    Atomics.add(this.#words, bell, 1);
    Atomics.notify(this.#words, bell);
  }
}

/** @param more what follows in the text @param other the rank that waits for it */
export function endOf(rank: number, more = '', other: number = rank): SparlaneError {
  return outOfStepError(`ranks: expected all ranks to go on, got the end of rank ${rank}${more}`, rank, other);
}

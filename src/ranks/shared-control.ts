/**
 * The shared memory of ranks that are threads of one process: whether each of them goes on, and where they meet.
 *
 * Words (Int32), each group on cache lines of its own:
 *   EPOCH    meetings so far; who waits for a meeting sleeps on it
 *   ARRIVED  ranks that have arrived at the present meeting
 *   FAULT    0, or 1 + the rank that failed first; the length of its message; the number of ranks that have ended or failed,
 *            and 1 + the first of them; the message
 *   STATES   one per rank: running, ended, failed
 *   BELLS    one per rank, which sleeps on it until a neighbour has written or read something
 * Then frames, and rooms for bytes: two for each rank, used in turn. A rank is at most one meeting ahead of another one, so what it
 * writes for the next meeting is not what the other one still reads of this one.
 */
import { SparlaneError } from '../core/errors.js';
import { FRAME } from './transport.js';

const LINE = 16;
const EPOCH = 0;
const ARRIVED = LINE;
const FAULT = 2 * LINE;
const MESSAGE_LENGTH = 2 * LINE + 1;
const GONE = 2 * LINE + 2;
const FIRST_GONE = 2 * LINE + 3;
const MESSAGE = 3 * LINE;
const MESSAGE_BYTES = 1024;
const STATES = MESSAGE + MESSAGE_BYTES / 4;

/** Bytes of a room: enough that a message of some MB takes few meetings. */
export const ROOM_BYTES = 65_536;

const RUNNING = 0;
const ENDED = 1;
const FAILED = 2;

/** Time after which a sleeping rank looks for the end of another one by itself. */
const PATIENCE_MS = 100;

/** Time for which a rank that has a core to itself looks before it sleeps: some wake-ups of a thread. */
const SPIN_MS = 0.1;
const LOOKS_PER_CLOCK = 64;

/** Waits without a look after several looks in vain. */
const MOST_UNSEEN = 63;

/** What a starter hands to every rank. */
export interface SharedRanks {
  readonly memory: SharedArrayBuffer;
  readonly size: number;
  /** The name of the channel over which ranks hand buffers to each other. */
  readonly channel: string;
}

export function shareRanks(size: number): SharedRanks {
  const words = STATES + LINE * Math.ceil(size / LINE) + LINE * size;
  const bytes = 4 * words + 2 * size * (8 * FRAME + ROOM_BYTES);
  return { memory: new SharedArrayBuffer(bytes), size, channel: `sparlane-ranks-${crypto.randomUUID()}` };
}

export class SharedControl {
  readonly size: number;
  readonly #words: Int32Array;
  readonly #bells: number;
  readonly #message: Uint8Array;
  readonly #frames: Float64Array;
  readonly #rooms: Uint8Array;
  /** Whether a rank may look for a while before it sleeps. */
  maySpin = false;
  /**
   * Waits without a look: none after a look with success, and after each one in vain twice as many as before. Where other programs have the cores,
   * the rank that is waited for needs this one's: with four busy processes beside two ranks on two cores, solves take half the time.
   */
  #unseen = 0;
  #unseenLeft = 0;
  /** Whether a call has thrown the end of another rank. */
  isBroken = false;

  constructor({ memory, size }: SharedRanks) {
    this.size = size;
    this.#bells = STATES + LINE * Math.ceil(size / LINE);
    const words = this.#bells + LINE * size;
    this.#words = new Int32Array(memory, 0, words);
    this.#message = new Uint8Array(memory, 4 * MESSAGE, MESSAGE_BYTES);
    this.#frames = new Float64Array(memory, 4 * words, 2 * size * FRAME);
    this.#rooms = new Uint8Array(memory, 4 * words + this.#frames.byteLength);
  }

  /** The frames of all ranks for the meetings of a parity. */
  frames(parity: number): Float64Array {
    const all = this.size * FRAME;
    return this.#frames.subarray(parity * all, (parity + 1) * all);
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
    if (Atomics.compareExchange(this.#words, FAULT, 0, -1) === 0) {
      // A message that is cut within a character ends in a replacement character.
      const { written } = new TextEncoder().encodeInto(why, this.#message);
      this.#words[MESSAGE_LENGTH] = written;
      // Publishes the message to whoever finds the fault.
      Atomics.store(this.#words, FAULT, rank + 1);
    }
    this.#leave(rank, FAILED);
  }

  #leave(rank: number, state: number): void {
    if (Atomics.compareExchange(this.#words, STATES + rank, RUNNING, state) !== RUNNING) return;
    Atomics.compareExchange(this.#words, FIRST_GONE, 0, rank + 1);
    Atomics.add(this.#words, GONE, 1);
    Atomics.notify(this.#words, EPOCH);
    for (let r = 0; r < this.size; r++) this.ring(r);
  }

  /** The first failure of a rank. */
  get failure(): SparlaneError | undefined {
    const fault = Atomics.load(this.#words, FAULT);
    if (fault <= 0) return undefined;
    const text = new TextDecoder().decode(this.#message.slice(0, this.#words[MESSAGE_LENGTH]!));
    return endOf(fault - 1, text);
  }

  /** Waits until all ranks have called it. What a rank wrote before is then visible to all. */
  meet(): void {
    const words = this.#words;
    const everyone = Array.from({ length: this.size }, (_, rank) => rank);
    // Whoever meets again after an error must not be counted twice.
    if (Atomics.load(words, GONE) > 0) this.#checkAll(everyone);
    const epoch = Atomics.load(words, EPOCH);
    // The last one to arrive has read what all others published by their arrivals, and publishes it by the epoch.
    if (Atomics.add(words, ARRIVED, 1) === this.size - 1) {
      Atomics.store(words, ARRIVED, 0);
      Atomics.add(words, EPOCH, 1);
      Atomics.notify(words, EPOCH);
      return;
    }
    this.#sleepUntil(EPOCH, everyone, () => Atomics.load(words, EPOCH) !== epoch);
  }

  ring(rank: number): void {
    const bell = this.#bells + LINE * rank;
    Atomics.add(this.#words, bell, 1);
    Atomics.notify(this.#words, bell);
  }

  /** Waits until a condition holds that a neighbour brings about before it rings this rank's bell. */
  await(rank: number, neighbour: number, holds: () => boolean): void {
    this.#sleepUntil(this.#bells + LINE * rank, [neighbour], holds);
  }

  /** @throws SparlaneError `backend` if any rank has failed, or one of `needed` has ended: the condition will never hold */
  #sleepUntil(word: number, needed: readonly number[], holds: () => boolean): void {
    if (this.maySpin && this.#unseenLeft-- <= 0 && this.#looks(holds)) return;
    for (;;) {
      const before = Atomics.load(this.#words, word);
      if (holds()) return;
      this.#checkAll(needed, holds);
      Atomics.wait(this.#words, word, before, PATIENCE_MS);
    }
  }

  /** @throws SparlaneError `backend` if any rank has failed, or one of `needed` has ended without bringing about what holds */
  #checkAll(needed: readonly number[], holds?: () => boolean): void {
    // Others may have ended because the first one did.
    const first = Atomics.load(this.#words, FIRST_GONE) - 1;
    const gone = needed.includes(first) ? first : needed.find((rank) => !this.runs(rank));
    const problem = this.failure ?? (gone === undefined ? undefined : endOf(gone));
    if (problem === undefined || (this.failure === undefined && holds?.())) return;
    this.isBroken = true;
    throw problem;
  }

  #looks(holds: () => boolean): boolean {
    const end = performance.now() + SPIN_MS;
    do {
      for (let look = 0; look < LOOKS_PER_CLOCK; look++) {
        if (!holds()) continue;
        this.#unseen = 0;
        return true;
      }
    } while (performance.now() < end);
    this.#unseen = Math.min(2 * this.#unseen + 1, MOST_UNSEEN);
    this.#unseenLeft = this.#unseen;
    return false;
  }
}

function endOf(rank: number, why?: string): SparlaneError {
  const message = `ranks: expected all ranks to go on, got the end of rank ${rank}${why === undefined ? '' : `: ${why}`}`;
  return new SparlaneError('backend', message, { rank });
}

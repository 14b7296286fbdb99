/**
 * An exchange between ranks that are threads of one process: from each sender to each receiver go two buffers in shared memory, used in turn. The sender
 * packs one while the receiver still reads the other.
 */
import type { SparlaneError } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { type Calls, outOfStep } from './calls.js';
import type { SharedControl } from './shared-control.js';
import type { SharedWaits } from './shared-waits.js';
import type { Exchange } from './transport.js';

/**
 * Words before the elements, those of the sender and of the receiver on lines of their own: the turn written, the numbers of the calls in which the last even
 * and the last odd turn were written; the turn read.
 */
const HEAD_BYTES = 128;
const WRITTEN = 0;
const CALLS = 1;
const READ = 16;

type SharedArrayConstructor = new (buffer: ArrayBufferLike, byteOffset: number) => FloatArray;

/** The two buffers from one rank to another. */
export class Passage {
  /** The memory for `count` elements a turn. */
  static memory(type: FloatArrayConstructor, count: number): SharedArrayBuffer {
    return new SharedArrayBuffer(HEAD_BYTES + 2 * count * type.BYTES_PER_ELEMENT);
  }

  /** The other rank. */
  readonly rank: number;
  readonly #turns: Int32Array;
  readonly #elements: FloatArray;

  constructor(type: FloatArrayConstructor, buffer: SharedArrayBuffer, rank: number) {
    this.rank = rank;
    this.#turns = new Int32Array(buffer, 0, HEAD_BYTES / 4);
    this.#elements = new (type as SharedArrayConstructor)(buffer, HEAD_BYTES);
  }

  buffer(turn: number): FloatArray {
    const count = this.#elements.length / 2;
    return (turn & 1) === 0 ? this.#elements.subarray(0, count) : this.#elements.subarray(count);
  }

  /** Publishes the elements of a turn to the receiver, or the room of a turn to the sender. */
  publish(what: typeof WRITTEN | typeof READ, turn: number): void {
    Atomics.store(this.#turns, what, turn);
  }

  /** Says in which call a turn is written, before it is published. Calls are counted modulo 2³². */
  setCall(turn: number, call: number): void {
    this.#turns[CALLS + (turn & 1)] = call;
  }

  callOf(turn: number): number {
    return this.#turns[CALLS + (turn & 1)]!;
  }

  /** Whether a turn was written or read. Turns are counted modulo 2³². */
  has(what: typeof WRITTEN | typeof READ, turn: number): boolean {
    return ((Atomics.load(this.#turns, what) - turn) | 0) >= 0;
  }
}

interface Incoming {
  readonly passage: Passage;
  readonly into: FloatArray;
}

/** A rank among others of its process. */
export interface RankThread {
  readonly rank: number;
  readonly control: SharedControl;
  readonly calls: Calls;
  readonly waits: SharedWaits;
}

export class ThreadExchange implements Exchange {
  readonly #thread: RankThread;
  readonly #outgoing: readonly Passage[];
  readonly #incoming: readonly Incoming[];
  #turn = 1;

  constructor(thread: RankThread, outgoing: readonly Passage[], incoming: readonly Incoming[]) {
    this.#thread = thread;
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  outgoing(i: number): FloatArray {
    const passage = this.#outgoing[i]!;
    const turn = this.#turn;
    // The buffer was last written two turns ago. While its reader waits in that call, or before it, nothing was read.
    this.#thread.waits.await(passage.rank, () => passage.has(READ, turn - 2), passage.callOf(turn) + 0.5);
    return passage.buffer(turn);
  }

  start(): void {
    const { number } = this.#thread.calls;
    for (const passage of this.#outgoing) {
      passage.setCall(this.#turn, number);
      passage.publish(WRITTEN, this.#turn);
      this.#thread.control.ring(passage.rank);
    }
  }

  finish(): void {
    const turn = this.#turn;
    const call = this.#thread.calls.number | 0;
    this.#turn = (turn + 1) | 0;
    for (const { passage } of this.#incoming) {
      this.#thread.waits.await(passage.rank, () => passage.has(WRITTEN, turn));
      if (passage.callOf(turn) !== call) throw this.#outOfStep(passage.rank, passage.callOf(turn));
    }
    for (const { passage, into } of this.#incoming) {
      into.set(passage.buffer(turn));
      passage.publish(READ, turn);
      this.#thread.control.ring(passage.rank);
    }
  }

  /** The error for elements that another rank has sent in another call. */
  #outOfStep(from: number, number: number): SparlaneError {
    const { rank, calls, control } = this.#thread;
    const { position } = calls;
    const [mine, theirs] = [rank, from].map((place) => control.members[place]!) as [number, number];
    const problem = outOfStep(mine, position, theirs, { ...position, number });
    control.breakUp(problem);
    return problem;
  }

  [Symbol.dispose](): void {}
}

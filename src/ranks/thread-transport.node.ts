/**
 * Ranks that are threads of one process: each has its own heap, and all share the memory of `SharedControl`. An exchange with a neighbour
 * goes through two buffers that the sender made and the receiver was given, used in turn: the sender packs one while the receiver still
 * reads the other. They are handed over by messages, which a rank takes without a turn of its event loop.
 */
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { SparlaneError } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { Calls, hasSent, outOfStep } from './calls.js';
import { ROOM_BYTES, type SharedControl, type SharedRanks } from './shared-control.js';
import { SharedWaits } from './shared-waits.js';
import type { Exchange, Received, Sent, Told, Transport } from './transport.js';

/** A buffer that one rank hands to another one. */
interface Handed {
  readonly exchange: number;
  readonly from: number;
  readonly to: number;
  readonly buffer: SharedArrayBuffer;
}

/** Bytes that one rank sends to another one. */
interface Posted {
  readonly from: number;
  readonly to: number;
  readonly bytes: SharedArrayBuffer;
}

/** A channel keeps what ranks hand to others until this rank looks: at least once in so many meetings. Chosen. */
const LOOK_EVERY = 256;

export class ThreadTransport implements Transport {
  readonly kind = 'threads';
  readonly rank: number;
  readonly size: number;
  readonly neighbours: number;
  readonly place: number;
  readonly calls: Calls = new Calls();
  readonly #control: SharedControl;
  readonly #waits: SharedWaits;
  readonly #channel: BroadcastChannel;
  /** Buffers of exchanges that this rank has not prepared yet. */
  #handed: Handed[] = [];
  /** By rank: bytes that this one has not received yet, and how many of them it has received. */
  readonly #posted: { readonly waiting: Uint8Array[]; received: number }[];
  #meetings = 0;
  #exchanges = 0;

  constructor(control: SharedControl, shared: SharedRanks, rank: number) {
    this.#control = control;
    this.#waits = new SharedWaits(control, rank, this.calls);
    this.#channel = new BroadcastChannel(shared.channel);
    // What arrives while the program awaits something else goes to the event loop.
    this.#channel.onmessage = ({ data }) => this.#keep(data as Handed | Posted);
    this.#channel.unref();
    this.rank = rank;
    this.size = shared.size;
    this.neighbours = shared.size;
    this.place = rank;
    this.#posted = Array.from({ length: shared.size }, () => ({ waiting: [], received: 0 }));
  }

  setCrowded(isCrowded: boolean): void {
    this.#waits.maySpin = !isCrowded;
  }

  gatherFrames(frame: Float64Array, all: Float64Array): void {
    const frames = this.#control.frames(this.#meetings % 2);
    frames.set(frame, this.rank * frame.length);
    this.#meet();
    all.set(frames);
  }

  gatherBytes(mine: Uint8Array, counts: readonly number[], all: Uint8Array): void {
    const longest = Math.max(...counts);
    for (let done = 0; done < longest; done += ROOM_BYTES) {
      const parity = this.#meetings % 2;
      this.#control.room(parity, this.rank).set(mine.subarray(done, done + ROOM_BYTES));
      this.#meet();
      let first = 0;
      counts.forEach((count, rank) => {
        const bytes = Math.min(count - done, ROOM_BYTES);
        if (bytes > 0) all.set(this.#control.room(parity, rank).subarray(0, bytes), first + done);
        first += count;
      });
    }
  }

  broadcast(bytes: Uint8Array, root: number): void {
    const counts = Array.from({ length: this.size }, (_, rank) => (rank === root ? bytes.length : 0));
    const mine = this.rank === root ? bytes : bytes.subarray(0, 0);
    this.gatherBytes(mine, counts, bytes);
  }

  /** Each rank writes its counts into its room, and reads those for itself in the rooms of the others. */
  tellCounts(counts: readonly Told[]): readonly Told[] {
    const parity = this.#meetings % 2;
    const roomOf = (rank: number) => {
      const { buffer, byteOffset } = this.#control.room(parity, rank);
      return new Uint32Array(buffer, byteOffset, this.size);
    };
    const mine = roomOf(this.rank).fill(0);
    for (const { rank, count } of counts) mine[rank] = count;
    this.#meet();
    const all = Array.from({ length: this.size }, (_, rank) => ({ rank, count: roomOf(rank)[this.rank]! }));
    return all.filter(({ count }) => count > 0);
  }

  exchange(type: FloatArrayConstructor, sends: readonly Sent[], receives: readonly Received[]): Exchange {
    const exchange = this.#exchanges++;
    const { rank: from } = this;
    const outgoing = sends.map(({ rank: to, count }) => {
      const buffer = new SharedArrayBuffer(HEAD_BYTES + 2 * count * type.BYTES_PER_ELEMENT);
      this.#channel.postMessage({ exchange, from, to, buffer } satisfies Handed);
      return new Passage(type, buffer, to);
    });
    this.#meet();
    this.#takeHanded();
    const incoming = receives.map(({ rank, into }) => {
      const found = this.#handed.find((handed) => handed.exchange === exchange && handed.from === rank)!;
      return { passage: new Passage(type, found.buffer, rank), into };
    });
    this.#handed = this.#handed.filter((handed) => handed.exchange > exchange);
    return new ThreadExchange(this, this.#control, this.#waits, outgoing, incoming);
  }

  send(to: number, bytes: Uint8Array): void {
    this.#waits.check();
    this.#takeHanded();
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    this.#channel.postMessage({ from: this.rank, to, bytes: shared } satisfies Posted);
    this.#control.countMessage(this.rank, to);
  }

  receive(from: number, what: string): Uint8Array {
    const posted = this.#posted[from]!;
    const turn = posted.received + 1;
    this.calls.awaitMessage(turn, what, () =>
      this.#waits.await(from, () => hasSent(this.#control.sent(from, this.rank), turn)),
    );
    this.#takeHanded();
    posted.received = turn;
    return posted.waiting.shift()!;
  }

  breakUp(problem: SparlaneError): SparlaneError {
    this.#control.breakUp(problem);
    return problem;
  }

  leave(): void {
    this.#control.end(this.rank);
    this.#channel.close();
  }

  #meet(): void {
    this.#meetings++;
    if (this.#meetings % LOOK_EVERY === 0) this.#takeHanded();
    this.#waits.meet();
  }

  #takeHanded(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#channel as unknown as MessagePort) as
        | { readonly message: Handed | Posted }
        | undefined;
      if (received === undefined) return;
      this.#keep(received.message);
    }
  }

  #keep(message: Handed | Posted): void {
    if (message.to !== this.rank) return;
    if ('buffer' in message) this.#handed.push(message);
    else this.#posted[message.from]!.waiting.push(new Uint8Array(message.bytes));
  }
}

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
class Passage {
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

class ThreadExchange implements Exchange {
  readonly #transport: ThreadTransport;
  readonly #control: SharedControl;
  readonly #waits: SharedWaits;
  readonly #outgoing: readonly Passage[];
  readonly #incoming: readonly Incoming[];
  #turn = 1;

  constructor(
    transport: ThreadTransport,
    control: SharedControl,
    waits: SharedWaits,
    outgoing: readonly Passage[],
    incoming: readonly Incoming[],
  ) {
    this.#transport = transport;
    this.#control = control;
    this.#waits = waits;
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  outgoing(i: number): FloatArray {
    const passage = this.#outgoing[i]!;
    const turn = this.#turn;
    // The buffer was last written two turns ago. While its reader waits in that call, or before it, nothing was read.
    this.#waits.await(passage.rank, () => passage.has(READ, turn - 2), passage.callOf(turn) + 0.5);
    return passage.buffer(turn);
  }

  start(): void {
    const { number } = this.#transport.calls;
    for (const passage of this.#outgoing) {
      passage.setCall(this.#turn, number);
      passage.publish(WRITTEN, this.#turn);
      this.#control.ring(passage.rank);
    }
  }

  finish(): void {
    const turn = this.#turn;
    const call = this.#transport.calls.number | 0;
    this.#turn = (turn + 1) | 0;
    for (const { passage } of this.#incoming) {
      this.#waits.await(passage.rank, () => passage.has(WRITTEN, turn));
      if (passage.callOf(turn) !== call) throw this.#outOfStep(passage.rank, passage.callOf(turn));
    }
    for (const { passage, into } of this.#incoming) {
      into.set(passage.buffer(turn));
      passage.publish(READ, turn);
      this.#control.ring(passage.rank);
    }
  }

  /** The error for elements that another rank has sent in another call. */
  #outOfStep(from: number, number: number): SparlaneError {
    const { rank, calls } = this.#transport;
    const { position } = calls;
    return this.#transport.breakUp(outOfStep(rank, position, from, { ...position, number }));
  }

  [Symbol.dispose](): void {}
}

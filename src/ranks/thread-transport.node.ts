/**
 * Ranks that are threads of one process: each has its own heap, and all share the memory of `SharedControl`. The buffers of an exchange are handed over by
 * messages, which a rank takes without a turn of its event loop; so is the memory of a group.
 */
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { SparlaneError } from '../core/errors.js';
import type { FloatArrayConstructor } from '../core/types.js';
import { Calls, hasSent } from './calls.js';
import { ROOM_BYTES, type SharedControl, type SharedRanks, shareRanks } from './shared-control.js';
import { SharedWaits } from './shared-waits.js';
import { Passage, ThreadExchange } from './thread-exchange.js';
import {
  alone,
  type Exchange,
  type RankGroup,
  type Received,
  type Sent,
  type Told,
  type Transport,
} from './transport.js';

/** A buffer that one rank hands to another one: for an exchange or, numbered as these, the memory of a group, with its channel. */
interface Handed {
  readonly exchange: number;
  readonly from: number;
  readonly to: number;
  readonly buffer: SharedArrayBuffer;
  readonly channel?: string;
}

/** Bytes that one rank sends to another one. */
interface Posted {
  readonly from: number;
  readonly to: number;
  readonly bytes: SharedArrayBuffer;
}

/** These ranks are a group of others. */
interface Within {
  readonly waits: SharedWaits;
  readonly where: string;
}

/** A channel keeps what ranks hand to others until this rank looks: at least once in so many meetings. Chosen. */
const LOOK_EVERY = 256;

export class ThreadTransport implements Transport {
  readonly kind = 'threads';
  readonly groupsLeft: number = Number.POSITIVE_INFINITY;
  readonly rank: number;
  readonly size: number;
  readonly neighbours: number;
  readonly place: number;
  readonly members: readonly number[];
  readonly calls: Calls;
  readonly #control: SharedControl;
  readonly #waits: SharedWaits;
  readonly #channel: BroadcastChannel;
  /** Buffers of exchanges that this rank has not prepared yet. */
  #handed: Handed[] = [];
  /** By rank: bytes that this one has not received yet, and how many of them it has received. */
  readonly #posted: { readonly waiting: Uint8Array[]; received: number }[];
  #meetings = 0;
  #started = 0;
  #exchanges = 0;

  constructor(control: SharedControl, shared: SharedRanks, rank: number, within?: Within) {
    this.#control = control;
    this.members = control.members;
    this.calls = new Calls(within?.where);
    this.#waits = new SharedWaits(control, rank, this.calls, within?.waits);
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

  startFrames(frame: Float64Array): void {
    this.#waits.check();
    this.#started = (this.#started + 1) | 0;
    this.#control.started(this.#started & 1).set(frame, this.rank * frame.length);
    this.#control.countStarted(this.rank);
  }

  awaitFrames(all: Float64Array, call: number): void {
    const turn = this.#started;
    for (let rank = 0; rank < this.size; rank++)
      if (rank !== this.rank) this.#waits.await(rank, () => this.#control.hasStarted(rank, turn), call);
    all.set(this.#control.started(turn & 1));
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
      const buffer = Passage.memory(type, count);
      this.#channel.postMessage({ exchange, from, to, buffer } satisfies Handed);
      return new Passage(type, buffer, to);
    });
    const handed = this.#meetFor(exchange);
    const incoming = receives.map(({ rank, into }) => ({
      passage: new Passage(type, handed.get(rank)!.buffer, rank),
      into,
    }));
    const thread = { rank: from, control: this.#control, calls: this.calls, waits: this.#waits };
    return new ThreadExchange(thread, outgoing, incoming);
  }

  /** Returns what other ranks hand to this one for an exchange, by rank, when all have done so. */
  #meetFor(exchange: number): Map<number, Handed> {
    this.#meet();
    this.#takeHanded();
    const handed = this.#handed.filter((one) => one.exchange === exchange);
    this.#handed = this.#handed.filter((one) => one.exchange > exchange);
    return new Map(handed.map((one) => [one.from, one]));
  }

  split(group: RankGroup | undefined): Transport | undefined {
    const exchange = this.#exchanges++;
    const { members, rank = 0, where = '' } = group ?? { members: [] };
    const size = members.length;
    const made = size > 1 && rank === 0 ? shareRanks(size) : undefined;
    if (made !== undefined)
      for (const to of members.slice(1)) {
        const { memory: buffer, channel } = made;
        this.#channel.postMessage({ exchange, from: this.rank, to, buffer, channel } satisfies Handed);
      }
    const handed = this.#meetFor(exchange).get(members[0] ?? -1);
    const shared = made ?? (handed && { memory: handed.buffer, size, channel: handed.channel! });
    const within = { waits: this.#waits, where };
    const transport = shared && new ThreadTransport(this.#control.groupOf(shared, members), shared, rank, within);
    // Ranks hand nothing over in a channel before all have it.
    this.#meet();
    return size === 1 ? alone(this.members[this.rank], where) : transport;
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
    this.#waits.leave();
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

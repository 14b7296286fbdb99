/** Messages from one rank to another: an array with its type, and a tag by which the receiver chooses it. */
import { mismatch, SparlaneError } from '../core/errors.js';
import {
  bytesOf,
  type ElementArray,
  type ElementArrayConstructor,
  nameOfType,
  placeOfType,
  typeOf,
} from './elements.js';
import type { Transport } from './transport.js';

/** Bytes before the elements: the tag and the type, as Int32. The elements are aligned. */
const HEAD_BYTES = 8;

/** The longest message, which MPI counts with its head by 31 bits. */
const MOST_BYTES: number = 2 ** 30;

/** An array that has arrived and was not asked for yet. */
interface Message {
  /** Its place among the types of elements. */
  readonly type: number;
  readonly bytes: Uint8Array;
}

export class Mailbox {
  readonly #transport: Transport;
  /** Messages that wait, by the rank that sent them and by their tags. None of the queues is empty. */
  readonly #waiting: readonly Map<number, Message[]>[];

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#waiting = Array.from({ length: transport.size }, () => new Map<number, Message[]>());
  }

  /** Sends a copy of an array to a rank, which may be this one, and waits for nothing. @throws as `Communicator.send` */
  send(array: ElementArray, to: number, tag: number): void {
    const bytes = bytesOf(array);
    if (bytes.length > MOST_BYTES) throw mismatch('argument', 'array', `at most ${MOST_BYTES} bytes`, bytes.length);
    const message = new Uint8Array(HEAD_BYTES + bytes.length);
    new Int32Array(message.buffer, 0, 2).set([tag, typeOf(array)]);
    message.set(bytes, HEAD_BYTES);
    const { rank } = this.#transport;
    if (to === rank) this.#keep(rank, message);
    else this.#transport.send(to, message);
  }

  /** Takes the next array that a rank has sent with a tag, and waits for it. @throws as `Communicator.receive` */
  receive<A extends ElementArray>(from: number, tag: number, type: ElementArrayConstructor<A>): A {
    const { rank } = this.#transport;
    const waiting = this.#waiting[from]!;
    const what = `message with tag ${tag} from rank ${from}`;
    while (!waiting.has(tag)) {
      if (from === rank)
        throw new SparlaneError('backend', `${what}: expected one that this rank has sent itself, got none`, { rank });
      this.#keep(from, this.#transport.receive(from, what));
    }
    const queue = waiting.get(tag)!;
    const { bytes, type: sent } = queue[0]!;
    const expected = placeOfType(type);
    if (sent !== expected) {
      const text = `${what}: expected ${nameOfType(expected)}, got ${nameOfType(sent)}`;
      throw new SparlaneError('argument', text, { from });
    }
    queue.shift();
    if (queue.length === 0) waiting.delete(tag);
    return new type(bytes.slice().buffer);
  }

  #keep(from: number, { buffer }: Uint8Array): void {
    const [tag, type] = new Int32Array(buffer, 0, 2) as unknown as [number, number];
    const message = { type, bytes: new Uint8Array(buffer, HEAD_BYTES) };
    const waiting = this.#waiting[from]!;
    const queue = waiting.get(tag);
    if (queue === undefined) waiting.set(tag, [message]);
    else queue.push(message);
  }
}

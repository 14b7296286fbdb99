/** What ranks of one process tell each other in shared memory: a notice that is posted once, and positions that are posted again and again. */
import type { Need, Position } from './calls.js';
import { MAX_THREADS } from './transport.js';

/** Words (Int32): 0, or 1 + a rank; another rank; the length of the text; then the text. */
const RANK = 0;
const OTHER = 1;
const LENGTH = 2;
const HEAD_BYTES = 16;
const BEING_WRITTEN = -1;

export class Notice {
  static readonly BYTES = 1024;
  readonly #words: Int32Array;
  readonly #text: Uint8Array;

  constructor(memory: SharedArrayBuffer, at: number) {
    this.#words = new Int32Array(memory, at, HEAD_BYTES / 4);
    this.#text = new Uint8Array(memory, at + HEAD_BYTES, Notice.BYTES - HEAD_BYTES);
  }

  /** @param text one line; the end of a long one is cut off @returns false if another notice was posted before, which stays */
  post(rank: number, other: number, text: string): boolean {
    if (Atomics.compareExchange(this.#words, RANK, 0, BEING_WRITTEN) !== 0) return false;
    this.#words[OTHER] = other;
    this.#words[LENGTH] = new TextEncoder().encodeInto(text, this.#text).written;
    // Publishes the text to whoever finds the rank.
    Atomics.store(this.#words, RANK, rank + 1);
    return true;
  }

  read(): { readonly rank: number; readonly other: number; readonly text: string } | undefined {
    const rank = Atomics.load(this.#words, RANK) - 1;
    if (rank < 0) return undefined;
    return { rank, other: this.#words[OTHER]!, text: decode(this.#text, this.#words[LENGTH]!) };
  }
}

/** Stands for all other ranks where a rank waits for them. */
export const ALL_OTHERS = -1;

/** Stands for no rank of the group where a rank waits in another one. */
export const NOBODY = -2;

/** Says where a rank waits, and for whom. */
export interface PostedNeed extends Need {
  /** The rank waits for this one; `ALL_OTHERS`: for all others. */
  readonly of: number;
  /** Ranks, by their numbers among all, whose waits cannot end before this one does. */
  readonly held: readonly number[];
}

/**
 * Words: how often it was written, twice; the length of the text. Then five f64: number, channel, turn, of, until. Then a byte for each rank: 1 if its wait
 * is held up. Then the text.
 */
const VERSION = 0;
const TEXT_LENGTH = 1;
const NUMBERS_AT = 8;
const NUMBERS = 5;
const HELD_AT = 48;
const TEXT_AT: number = HELD_AT + MAX_THREADS;

export class PostedPosition {
  static readonly BYTES = 512;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #held: Uint8Array;
  readonly #text: Uint8Array;

  constructor(memory: SharedArrayBuffer, at: number) {
    this.#words = new Int32Array(memory, at, 2);
    this.#numbers = new Float64Array(memory, at + NUMBERS_AT, NUMBERS);
    this.#held = new Uint8Array(memory, at + HELD_AT, MAX_THREADS);
    this.#text = new Uint8Array(memory, at + TEXT_AT, PostedPosition.BYTES - TEXT_AT);
  }

  /** By one rank only. */
  write({ at: { number, channel, turn, what }, of, until, held }: PostedNeed): void {
    // Odd while it is written: a reader that finds the same even version before and after has read one position.
    Atomics.add(this.#words, VERSION, 1);
    this.#numbers.set([number, channel, turn, of, until]);
    this.#held.fill(0);
    for (const rank of held) this.#held[rank] = 1;
    this.#words[TEXT_LENGTH] = new TextEncoder().encodeInto(what, this.#text).written;
    Atomics.add(this.#words, VERSION, 1);
  }

  /** @returns undefined before the first one, and while one is written */
  read(): PostedNeed | undefined {
    const version = Atomics.load(this.#words, VERSION);
    if (version === 0 || version % 2 !== 0) return undefined;
    const [number, channel, turn, of, until] = [...this.#numbers] as [number, number, number, number, number];
    const at: Position = { number, channel, turn, what: decode(this.#text, this.#words[TEXT_LENGTH]!) };
    const held = [...this.#held.keys()].filter((rank) => this.#held[rank] === 1);
    return Atomics.load(this.#words, VERSION) === version ? { at, of, until, held } : undefined;
  }
}

/** A text that is cut within a character ends in a replacement character. */
function decode(bytes: Uint8Array, length: number): string {
  return new TextDecoder().decode(bytes.slice(0, length));
}

/**
 * What the threads that read the blocks of a file share: who reads which block, and the entries of the blocks that are read but not yet
 * taken. The reader takes blocks in the order of the file. Threads claim the next block, up to `SLOTS` blocks ahead of it; block k has
 * slot k modulo SLOTS.
 */
import type { EntryChunk } from '../../core/entries.js';
import type { Field } from '../../core/types.js';
import { blockCount, MIN_LINE_BYTES, type TextBlocks } from './blocks.js';

/** Enough that a thread seldom waits while another one is delayed by a slice of the system's clock. */
const SLOTS = 8;

/** Words of the state. */
const CLAIMED = 0;
const TAKEN = 1;
const STOPPED = 2;
/** Threads that may read the file. */
const ACTIVE = 3;
/** This word is 1 while the reader waits for a block, and must be told of the next one. */
const WAITS = 4;
const STATE_WORDS = 5;
/** Words of a slot: the number of its block, from 1, when it is read; entries; their triangles; where its reader stopped. */
const READY = 0;
const USED = 1;
const TRIANGLES = 2;
const REST = 3;
const SLOT_WORDS = 4;

/** The entries of a block. */
export interface ReadBlock {
  readonly entries: EntryChunk;
  /** 1: the lower triangle; 2: the upper one; 3: both. */
  readonly triangles: number;
  /** The begin of the first line that was not read, in the text of the block; −1 if all were. */
  readonly rest: number;
}

export class BlockRing {
  /** For the constructor of another thread. */
  readonly memory: SharedArrayBuffer;
  readonly #blocks: number;
  readonly #state: Int32Array;
  readonly #slots: readonly EntryChunk[];

  /** @param memory of another thread; or whether there will be others: one alone delivers nothing, and needs no slots */
  constructor(blocks: TextBlocks, field: Field, memory: SharedArrayBuffer | boolean) {
    const words = STATE_WORDS + SLOTS * SLOT_WORDS;
    const slots = memory === false ? 0 : SLOTS;
    // So many lines can begin in a block.
    const most = Math.ceil(blocks.bytes / MIN_LINE_BYTES) + 1;
    const entries = slots * most;
    const hasValues = field !== 'pattern';
    const indices = hasValues ? 8 * entries : 0;
    const state = indices + 8 * entries;
    // Memory that is not written to is not provided.
    this.memory = typeof memory === 'object' ? memory : new SharedArrayBuffer(state + 4 * words);
    this.#blocks = blockCount(blocks);
    this.#slots = Array.from({ length: slots }, (_, slot) => ({
      values: hasValues ? new Float64Array(this.memory, 8 * slot * most, most) : undefined,
      rowIdx: new Uint32Array(this.memory, indices + 4 * slot * most, most),
      colIdx: new Uint32Array(this.memory, indices + 4 * (entries + slot * most), most),
      used: 0,
    }));
    this.#state = new Int32Array(this.memory, state, words);
  }

  /** The next block that nobody has claimed; undefined if there is none, or no slot. */
  claim(): number | undefined {
    const state = this.#state;
    for (;;) {
      const block = Atomics.load(state, CLAIMED);
      if (block >= this.#blocks || this.#isStopped || block >= Atomics.load(state, TAKEN) + SLOTS) return undefined;
      if (Atomics.compareExchange(state, CLAIMED, block, block + 1) === block) return block;
    }
  }

  /** As `claim`, on a thread that may block: waits for a slot. */
  claimLater(): number | undefined {
    for (;;) {
      const taken = Atomics.load(this.#state, TAKEN);
      const block = this.claim();
      if (block !== undefined || this.#isStopped || Atomics.load(this.#state, CLAIMED) >= this.#blocks) return block;
      Atomics.wait(this.#state, TAKEN, taken);
    }
  }

  /** The slot of a claimed block. */
  slot(block: number): EntryChunk {
    const slot = this.#slots[block % SLOTS]!;
    slot.used = 0;
    return slot;
  }

  /** The entries are in the slot of the block. */
  deliver(block: number, { entries, triangles, rest }: ReadBlock): void {
    const at = STATE_WORDS + SLOT_WORDS * (block % SLOTS);
    this.#state[at + USED] = entries.used;
    this.#state[at + TRIANGLES] = triangles;
    this.#state[at + REST] = rest;
    // Before this store: the entries and the words above. The reader loads it first.
    Atomics.store(this.#state, at + READY, block + 1);
  }

  /** Undefined if it is not yet read. */
  delivered(block: number): ReadBlock | undefined {
    const at = STATE_WORDS + SLOT_WORDS * (block % SLOTS);
    if (Atomics.load(this.#state, at + READY) !== block + 1) return undefined;
    const entries = this.slot(block);
    entries.used = this.#state[at + USED]!;
    return { entries, triangles: this.#state[at + TRIANGLES]!, rest: this.#state[at + REST]! };
  }

  /** Returns whether the reader must wait for a block: the thread that delivers one then says so. */
  mustWait(block: number): boolean {
    Atomics.store(this.#state, WAITS, 1);
    // `deliver` stores before a thread calls `takeWait`: one of the two sees the other.
    if (this.delivered(block) === undefined) return true;
    Atomics.store(this.#state, WAITS, 0);
    return false;
  }

  /** Returns whether the reader waits: of the threads that ask, one gets true. */
  takeWait(): boolean {
    return Atomics.exchange(this.#state, WAITS, 0) === 1;
  }

  /** All blocks before this one are taken; their slots may be written to. */
  take(blocks: number): void {
    // After the loads from the slots. A thread that sees the number writes there later.
    Atomics.store(this.#state, TAKEN, blocks);
    Atomics.notify(this.#state, TAKEN);
  }

  /** No block is claimed from now on. Who is reading one ends with it. */
  stop(): void {
    Atomics.store(this.#state, STOPPED, 1);
    // So that a thread that is about to wait for this word does not.
    Atomics.store(this.#state, TAKEN, -1);
    Atomics.notify(this.#state, TAKEN);
  }

  /** Before a thread reads the file, which is open if this is true. */
  enter(): boolean {
    Atomics.add(this.#state, ACTIVE, 1);
    // `stop` stores before `isInUse` loads: one of the two sees the other.
    if (!this.#isStopped) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#state, ACTIVE, 1);
  }

  get isInUse(): boolean {
    return Atomics.load(this.#state, ACTIVE) > 0;
  }

  get #isStopped(): boolean {
    return Atomics.load(this.#state, STOPPED) === 1;
  }
}

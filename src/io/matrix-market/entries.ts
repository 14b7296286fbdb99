/**
 * The entries of a file, in file order, before they become a matrix or a vector.
 *
 * A list grows with the entries read, whatever the header claims: up to 2²⁰ entries, 16 MB, are allocated at once, then up to 16 times
 * as many as were read: the system provides memory only as it is written, and few entries are copied. Without a claim, arrays double.
 * Of a file on a disk, all that it has room for are allocated at once.
 * `csrInPlace` makes the matrix in them.
 */
import { type EntryChunk, entryChunk, grownChunk } from '../../core/entries.js';
import type { Field } from '../../core/types.js';

/** Whether an entry is kept, by its row and column from 0. */
export type KeepEntry = (row: number, col: number) => boolean;

/** Takes over the entries of a list, piece by piece, in their order. */
export interface EntrySink {
  /** Where the list puts them. */
  readonly room: EntryChunk;
  /** Takes the entries of the room, and empties it. */
  take(): void;
}

/** Entries that a sink gets at once, at least, except for the last ones: they are still in a cache. */
const TAKEN_ENTRIES: number = 1 << 13;
/** Entries that are read between two sieves. */
const SIEVED_ENTRIES: number = 1 << 18;
const MIN_CAPACITY: number = 1 << 18;
const FREE_CAPACITY: number = 1 << 20;

export class EntryList {
  readonly #field: Field;
  readonly #keeps: KeepEntry | undefined;
  readonly #isCopied: boolean;
  #sink: EntrySink | undefined;
  #all: EntryChunk;
  /** Entries that are allocated at once, if they are claimed. */
  #free: number = FREE_CAPACITY;
  /** Entries that passed the sieve. */
  #kept = 0;
  #dropped = 0;

  /**
   * @param keeps which entries of the file the list has; default: all
   * @param isCopied whether the arrays of the list do not become those of a matrix
   */
  constructor(field: Field, keeps?: KeepEntry, isCopied = false) {
    this.#field = field;
    this.#keeps = keeps;
    this.#isCopied = isCopied;
    this.#all = entryChunk(field, 0);
  }

  /** All entries of the list. Its arrays are replaced when it grows. */
  get all(): EntryChunk {
    return this.#all;
  }

  /** Entries of the list. */
  get length(): number {
    return this.#all.used;
  }

  /** Entries that were read, those that are not kept included. */
  get count(): number {
    return this.length + this.#dropped;
  }

  /** So many may follow as far as the length of the file says. Nothing is copied if the header claims no more. */
  expect(most: number): void {
    if (this.#keeps === undefined) this.#free = Math.max(FREE_CAPACITY, Math.ceil(most));
  }

  /** Gives all entries to a sink: the list, which is empty, stays so. */
  pourInto(sink: EntrySink): void {
    this.#sink = sink;
    this.#all = sink.room;
  }

  /** The entries, with room for at least one more unless `most` is 0. At most `most` entries follow. */
  room(most: number): EntryChunk {
    if (this.#sink !== undefined && this.length >= TAKEN_ENTRIES) this.sieve();
    if (this.#keeps !== undefined && this.length - this.#kept >= SIEVED_ENTRIES) this.sieve();
    const { used, rowIdx } = this.#all;
    if (used < rowIdx.length || most === 0) return this.#all;
    const claim = used + most;
    const grown =
      claim === Number.POSITIVE_INFINITY ? Math.max(MIN_CAPACITY, 2 * used) : Math.max(this.#free, 16 * used);
    this.#all = grownChunk(this.#all, this.#field, Math.min(claim, grown), this.#isCopied);
    return this.#all;
  }

  /** Adds an entry. At most `most` entries follow, this one included. */
  add(row: number, col: number, value: number, most: number): void {
    const chunk = this.room(most);
    const at = chunk.used++;
    chunk.rowIdx[at] = row;
    chunk.colIdx[at] = col;
    if (chunk.values !== undefined) chunk.values[at] = value;
  }

  /** Drops the entries that are not to be kept, or gives them to the sink. Called at the end, too. */
  sieve(): void {
    if (this.#sink !== undefined) {
      this.#dropped += this.length;
      this.#sink.take();
      return;
    }
    const keeps = this.#keeps;
    if (keeps === undefined) return;
    const { rowIdx, colIdx, values, used } = this.#all;
    let kept = this.#kept;
    for (let k = kept; k < used; k++) {
      if (!keeps(rowIdx[k]!, colIdx[k]!)) continue;
      rowIdx[kept] = rowIdx[k]!;
      colIdx[kept] = colIdx[k]!;
      if (values !== undefined) values[kept] = values[k]!;
      kept++;
    }
    this.#dropped += used - kept;
    this.#kept = kept;
    this.#all.used = kept;
  }
}

/**
 * The first entry of a square matrix that is the mirror image of an earlier one, as [earlier, this]. O(size + count).
 *
 * The entries are grouped by the smaller of their two indices (a counting sort, in order of the file); within a group
 * the first entry of each larger index is stored, and an entry of the other triangle is compared with it.
 */
export function firstMirroredPair(entries: EntryChunk, size: number): [number, number] | undefined {
  const { rowIdx, colIdx, used: count } = entries;
  const groupPtr = new Uint32Array(size + 1);
  for (let k = 0; k < count; k++) groupPtr[Math.min(rowIdx[k]!, colIdx[k]!) + 1]!++;
  for (let i = 0; i < size; i++) groupPtr[i + 1]! += groupPtr[i]!;
  const next = groupPtr.slice(0, size);
  const grouped = new Uint32Array(count);
  for (let k = 0; k < count; k++) grouped[next[Math.min(rowIdx[k]!, colIdx[k]!)]!++] = k;

  const NONE = 0xffff_ffff;
  const first = next.fill(NONE);
  let pair: [number, number] | undefined;
  for (let i = 0; i < size; i++) {
    const group = grouped.subarray(groupPtr[i], groupPtr[i + 1]);
    for (const k of group) {
      const larger = Math.max(rowIdx[k]!, colIdx[k]!);
      const earlier = first[larger]!;
      if (earlier === NONE) first[larger] = k;
      else if (rowIdx[earlier]! !== rowIdx[k]! && (pair === undefined || k < pair[1])) pair = [earlier, k];
    }
    for (const k of group) first[Math.max(rowIdx[k]!, colIdx[k]!)] = NONE;
  }
  return pair;
}

/**
 * The entries of a file, in chunks and in file order, before they become a matrix or a vector.
 *
 * A list grows with the entries read, independent of the size in the header. `csrFromEntries` uses its chunks without a
 * copy.
 */
import { type EntryChunk, entryChunk } from '../../core/entries.js';
import type { Field } from '../../core/types.js';

/** Whether an entry is kept, by its row and column from 0. */
export type KeepEntry = (row: number, col: number) => boolean;

/** All chunks except the last have this many entries, so the k-th entry is easy to find. */
const CHUNK_BITS = 18;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;

export class EntryList {
  readonly chunks: EntryChunk[] = [];
  readonly #field: Field;
  readonly #keeps: KeepEntry | undefined;
  /** Entries of the last chunk that are kept. */
  #kept = 0;
  #dropped = 0;

  /** @param keeps which entries of the file the list has; default: all */
  constructor(field: Field, keeps?: KeepEntry) {
    this.#field = field;
    this.#keeps = keeps;
  }

  /** Entries of the list. */
  get length(): number {
    return Math.max(0, this.chunks.length - 1) * CHUNK_ENTRIES + (this.chunks.at(-1)?.used ?? 0);
  }

  /** Entries that were read, those that are not kept included. */
  get count(): number {
    return this.length + this.#dropped;
  }

  /** The chunk for the next entry: the last chunk, or a new one if that is full. At most `most` entries follow. */
  room(most: number): EntryChunk {
    const last = this.chunks.at(-1);
    if (last !== undefined && last.used === last.rowIdx.length) this.sieve();
    if (last !== undefined && (last.used < last.rowIdx.length || most === 0)) return last;
    this.#kept = 0;
    const chunk = entryChunk(this.#field, Math.min(most, CHUNK_ENTRIES));
    this.chunks.push(chunk);
    return chunk;
  }

  /** Drops the entries that are not to be kept. Called at the end, too. */
  sieve(): void {
    const keeps = this.#keeps;
    const chunk = this.chunks.at(-1);
    if (keeps === undefined || chunk === undefined) return;
    const { rowIdx, colIdx, values, used } = chunk;
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
    chunk.used = kept;
  }

  row(k: number): number {
    return this.chunks[k >>> CHUNK_BITS]!.rowIdx[k & (CHUNK_ENTRIES - 1)]!;
  }

  col(k: number): number {
    return this.chunks[k >>> CHUNK_BITS]!.colIdx[k & (CHUNK_ENTRIES - 1)]!;
  }
}

/**
 * The first entry of a square matrix that is the mirror image of an earlier one, as [earlier, this]. O(size + count).
 *
 * The entries are grouped by the smaller of their two indices (a counting sort, in order of the file); within a group
 * the first entry of each larger index is stored, and an entry of the other triangle is compared with it.
 */
export function firstMirroredPair(entries: EntryList, size: number): [number, number] | undefined {
  const count = entries.length;
  const groupPtr = new Uint32Array(size + 1);
  for (let k = 0; k < count; k++) groupPtr[Math.min(entries.row(k), entries.col(k)) + 1]!++;
  for (let i = 0; i < size; i++) groupPtr[i + 1]! += groupPtr[i]!;
  const next = groupPtr.slice(0, size);
  const grouped = new Uint32Array(count);
  for (let k = 0; k < count; k++) grouped[next[Math.min(entries.row(k), entries.col(k))]!++] = k;

  const NONE = 0xffff_ffff;
  const first = next.fill(NONE);
  let pair: [number, number] | undefined;
  for (let i = 0; i < size; i++) {
    const group = grouped.subarray(groupPtr[i], groupPtr[i + 1]);
    for (const k of group) {
      const larger = Math.max(entries.row(k), entries.col(k));
      const earlier = first[larger]!;
      if (earlier === NONE) first[larger] = k;
      else if (entries.row(earlier) !== entries.row(k) && (pair === undefined || k < pair[1])) pair = [earlier, k];
    }
    for (const k of group) first[Math.max(entries.row(k), entries.col(k))] = NONE;
  }
  return pair;
}

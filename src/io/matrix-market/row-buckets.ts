/**
 * Entries in the order of a file → CSR, by way of buckets of consecutive rows (`assembly/text/row-buckets.ts`).
 *
 * While a file is read, an entry goes to the tail of its bucket, which is in a cache, and the mirror image of one that is off the diagonal
 * to that of its own; a tail that is full, to the next free place of three arrays, as long as all entries. Then these chunks are exchanged,
 * until those of a bucket lie together, and each bucket, from the last one, is placed by rows in a cache, and replaces what lay in the
 * arrays from its first entry on: chunks of its own, and of buckets that are done.
 *
 * One module's memory is kept for the next matrix.
 *
 * Memory: 16 bytes an entry, and 12 of one of the largest bucket, where `core/csr-in-place.ts` has 20 and `entries.ts` 28; of a pattern 12.
 */
import { sortColumns, sortRows, summed } from '../../core/canonical.js';
import type { CsrMatrix } from '../../core/csr.js';
import { type EntryChunk, entryChunk } from '../../core/entries.js';
import { discard } from '../../core/scratch.js';
import { trust } from '../../core/trusted.js';
import { mostOf } from './bucket-choice.js';
import type { EntrySink } from './entries.js';
import type { MatrixMarketHeader } from './header.js';

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly FREE: WebAssembly.Global<'i32'>;
  readonly CHUNK: WebAssembly.Global<'i32'>;
  readonly full: WebAssembly.Global<'i32'>;
  readonly mirrored: WebAssembly.Global<'i32'>;
  readonly distribute: (
    ...parameters: [
      ...entries: Addresses,
      ...steps: [from: number, to: number],
      shift: number,
      fills: number,
      tails: number,
      mirrorSign: number,
    ]
  ) => number;
  readonly countRows: (rowIdx: number, entries: number, firstRow: number, counts: number) => void;
  readonly beginRows: (counts: number, rows: number) => void;
  readonly placeEntries: (
    ...parameters: [...from: Addresses, entries: number, firstRow: number, next: number, cols: number, values: number]
  ) => void;
  readonly sortShortRows: (ends: number, rows: number, colIdx: number, values: number) => number;
}

/** Values: 0 of a pattern. */
type Addresses = [rowIdx: number, colIdx: number, values: number];

/** Of a bucket on average: with its rows 0.5 MB. */
const BUCKET_ENTRIES: number = 1 << 15;
/** Their tails, 2 MB, and an open page of each. */
const MAX_BUCKETS = 256;
/** Entries that are given at once. */
const ROOM_ENTRIES: number = 1 << 15;
const PAGE_BYTES = 1 << 16;
/** A memory with more bytes is not kept: 256 buckets of average length have as many. */
const KEPT_BYTES = 1 << 22;
const ENTRY_BYTES = 16;
/** As in `core/csr-in-place.ts`. */
const KEPT_SHARE = 7 / 8;
/**
 * Arrays of mirrored entries of which so much is used are not copied, which would need twice the memory for a while: entries of the diagonal
 * leave the end of them unused, and the system provides no memory for it. A tridiagonal matrix uses 3/4.
 */
const MIRRORED_SHARE = 2 / 3;
/** Both triangles, of `mirrored`. */
const BOTH = 3;

let kept: Exports | undefined;

export class RowBuckets implements EntrySink {
  readonly room: EntryChunk;
  readonly #header: MatrixMarketHeader;
  readonly #exports: Exports;
  /** The bucket of a row is `row >> shift`. */
  readonly #shift: number;
  /** Entries of a chunk. */
  readonly #chunk: number;
  readonly #given: Addresses;
  /** The address of the numbers of entries in tails; behind them, memory is free. */
  readonly #fills: number;
  readonly #tails: readonly Addresses[];
  readonly #tailChunks: readonly EntryChunk[];
  /** Room for all entries: chunks from its begin on. */
  readonly #all: EntryChunk;
  /** The bucket of each chunk. */
  readonly #owners: Int32Array;
  #chunks = 0;
  /** Of the entries that have mirror images. */
  #triangles = 0;

  /** @param module that of `scanner.ts` */
  constructor(module: WebAssembly.Module, header: MatrixMarketHeader) {
    const { rows, field } = header;
    const entries = mostOf(header);
    const exports = kept ?? (new WebAssembly.Instance(module).exports as unknown as Exports);
    kept = undefined;
    const { memory, FREE, CHUNK } = exports;
    const chunk = CHUNK.value;
    const wanted = Math.min(MAX_BUCKETS, entries / BUCKET_ENTRIES);
    let shift = 0;
    while ((rows - 1) >> shift >= wanted) shift++;
    const buckets = ((rows - 1) >> shift) + 1;
    const hasValues = field !== 'pattern';
    const given = Math.ceil(FREE.value / 64) * 64;
    const tails = given + ENTRY_BYTES * ROOM_ENTRIES;
    this.#header = header;
    this.#exports = exports;
    this.#shift = shift;
    this.#chunk = chunk;
    this.#given = addresses(given, ROOM_ENTRIES, hasValues);
    this.#tails = Array.from({ length: buckets }, (_, k) =>
      addresses(tails + ENTRY_BYTES * chunk * k, chunk, hasValues),
    );
    this.#fills = tails + ENTRY_BYTES * chunk * buckets;
    reserve(memory, this.#fills + 4 * buckets);
    new Int32Array(memory.buffer, this.#fills, buckets).fill(0);
    this.room = chunkAt(memory, this.#given, ROOM_ENTRIES);
    this.#tailChunks = this.#tails.map((tail) => chunkAt(memory, tail, chunk));
    this.#all = entryChunk(field, entries);
    this.#owners = new Int32Array(Math.floor(entries / chunk));
  }

  take(): void {
    const { distribute, full, mirrored } = this.#exports;
    const { symmetry } = this.#header;
    const mirrorSign = symmetry === 'general' ? 0 : symmetry === 'symmetric' ? 1 : -1;
    const end = 2 * this.room.used;
    const [tails] = this.#tails[0]!;
    for (let step = 0; step < end; ) {
      step = distribute(...this.#given, step, end, this.#shift, this.#fills, tails, mirrorSign);
      this.#triangles |= mirrored.value;
      if (full.value < 0) continue;
      copy(this.#tailChunks[full.value]!, this.#all, this.#chunks * this.#chunk);
      this.#owners[this.#chunks++] = full.value;
    }
    this.room.used = 0;
  }

  /**
   * Once all entries are taken. Their arrays are used up. Undefined if there may be an entry and its mirror image, which only their order
   * tells from duplicates.
   */
  matrix(): CsrMatrix | undefined {
    const { rows, cols, field, symmetry } = this.#header;
    const all = this.#all;
    const fills = new Int32Array(this.#exports.memory.buffer, this.#fills, this.#tails.length).slice();
    const nnz = fills.reduce((sum, fill) => sum + fill, this.#chunks * this.#chunk);
    const rowPtr = new Uint32Array(rows + 1);
    const placed = all.values === undefined ? new Uint32Array(nnz) : all.colIdx;
    const isSorted = this.#place(this.#arrange(), fills, nnz, rowPtr, placed);
    if (this.#exports.memory.buffer.byteLength <= KEPT_BYTES) kept = this.#exports;
    discard(all.rowIdx.buffer);
    const isKept = nnz >= MIRRORED_SHARE * mostOf(this.#header);
    const colIdx = isKept ? placed.subarray(0, nnz) : placed.slice(0, nnz);
    // The values of a pattern take the room of its rows and columns.
    const room = all.values ?? new Float64Array(all.rowIdx.buffer).fill(1, 0, nnz);
    const values = isKept ? room.subarray(0, nnz) : room.slice(0, nnz);
    const matrix: CsrMatrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
    if (isSorted) return trust(matrix);
    const isStrict = field === 'pattern' ? sortColumns(rowPtr, colIdx) : sortRows(rowPtr, colIdx, values);
    if (isStrict) return trust(matrix);
    return this.#triangles === BOTH ? undefined : trust(summed(matrix, KEPT_SHARE));
  }

  /** Moves the chunks of each bucket together, in their order. Returns the first chunk of each bucket, and the end. */
  #arrange(): Int32Array {
    const buckets = this.#tails.length;
    const owners = this.#owners.subarray(0, this.#chunks);
    const first = new Int32Array(buckets + 1);
    for (const owner of owners) first[owner + 1]!++;
    for (let k = 0; k < buckets; k++) first[k + 1]! += first[k]!;
    const next = first.slice();
    /** Which chunk is to come to a place. */
    const sources = new Int32Array(owners.length);
    owners.forEach((owner, place) => {
      sources[next[owner]!++] = place;
    });
    const all = this.#all;
    const aside = entryChunk(all.values === undefined ? 'pattern' : 'real', this.#chunk);
    for (let begin = 0; begin < sources.length; begin++) {
      if (sources[begin] === begin) continue;
      // A cycle: the chunk of its first place waits until the last place is free.
      copy(slice(all, begin * this.#chunk, this.#chunk), aside, 0);
      let place = begin;
      for (let source = sources[place]!; source !== begin; source = sources[place]!) {
        copy(slice(all, source * this.#chunk, this.#chunk), all, place * this.#chunk);
        sources[place] = place;
        place = source;
      }
      copy(aside, all, place * this.#chunk);
      sources[place] = place;
    }
    return first;
  }

  /** Returns whether all rows are in strict order. */
  #place(first: Int32Array, fills: Int32Array, nnz: number, rowPtr: Uint32Array, colIdx: Uint32Array): boolean {
    const { memory, countRows, beginRows, placeEntries, sortShortRows } = this.#exports;
    const { values } = this.#all;
    const buckets = this.#tails.length;
    const lengthOf = (k: number) => (first[k + 1]! - first[k]!) * this.#chunk + fills[k]!;
    const largest = fills.reduce((most, _, k) => Math.max(most, lengthOf(k)), 0);
    const rows = 2 ** this.#shift;
    const next = Math.ceil((this.#fills + 4 * buckets) / 64) * 64;
    const placed = addresses(next + 4 * Math.ceil(rows / 16) * 16, largest, values !== undefined);
    const [, placedCols, placedValues] = placed;
    reserve(memory, placed[0] + ENTRY_BYTES * largest);
    const ends = new Uint32Array(memory.buffer, next, rows);
    const room = chunkAt(memory, this.#given, ROOM_ENTRIES);
    const result = chunkAt(memory, placed, largest);
    let isSorted = true;
    let end = nnz;
    rowPtr[this.#header.rows] = end;
    for (let k = buckets - 1; k >= 0; k--) {
      const firstRow = k << this.#shift;
      const rowsHere = Math.min(rows, this.#header.rows - firstRow);
      const begin = end - lengthOf(k);
      ends.fill(0);
      const pieces = this.#piecesOf(first[k]!, first[k + 1]!);
      for (const { rowIdx, used } of pieces) {
        room.rowIdx.set(rowIdx);
        countRows(this.#given[0], used, firstRow, next);
      }
      countRows(this.#tails[k]![0], fills[k]!, firstRow, next);
      beginRows(next, rowsHere);
      for (let row = 0; row < rowsHere; row++) rowPtr[firstRow + row] = begin + ends[row]!;
      for (const piece of pieces) {
        copy(piece, room, 0);
        placeEntries(...this.#given, piece.used, firstRow, next, placedCols, placedValues);
      }
      placeEntries(...this.#tails[k]!, fills[k]!, firstRow, next, placedCols, placedValues);
      if (!sortShortRows(next, rowsHere, placedCols, placedValues)) isSorted = false;
      colIdx.set(result.colIdx.subarray(0, end - begin), begin);
      if (result.values !== undefined) values?.set(result.values.subarray(0, end - begin), begin);
      end = begin;
    }
    return isSorted;
  }

  /** The entries of consecutive chunks, as many as the room has place for at once. */
  #piecesOf(first: number, end: number): EntryChunk[] {
    const pieces: EntryChunk[] = [];
    for (let from = first * this.#chunk; from < end * this.#chunk; from += ROOM_ENTRIES)
      pieces.push(slice(this.#all, from, Math.min(ROOM_ENTRIES, end * this.#chunk - from)));
    return pieces;
  }
}

function addresses(rowIdx: number, capacity: number, hasValues: boolean): Addresses {
  const colIdx = rowIdx + 4 * capacity;
  return [rowIdx, colIdx, hasValues ? colIdx + 4 * capacity : 0];
}

function chunkAt({ buffer }: WebAssembly.Memory, [rowIdx, colIdx, values]: Addresses, capacity: number): EntryChunk {
  return {
    rowIdx: new Uint32Array(buffer, rowIdx, capacity),
    colIdx: new Uint32Array(buffer, colIdx, capacity),
    values: values === 0 ? undefined : new Float64Array(buffer, values, capacity),
    used: 0,
  };
}

function slice({ rowIdx, colIdx, values }: EntryChunk, begin: number, count: number): EntryChunk {
  return {
    rowIdx: rowIdx.subarray(begin, begin + count),
    colIdx: colIdx.subarray(begin, begin + count),
    values: values?.subarray(begin, begin + count),
    used: count,
  };
}

/** All of a chunk → its place. */
function copy({ rowIdx, colIdx, values }: EntryChunk, target: EntryChunk, place: number): void {
  target.rowIdx.set(rowIdx, place);
  target.colIdx.set(colIdx, place);
  if (values !== undefined) target.values?.set(values, place);
}

function reserve(memory: WebAssembly.Memory, end: number): void {
  const pages = Math.ceil((end - memory.buffer.byteLength) / PAGE_BYTES);
  if (pages > 0) memory.grow(pages);
}

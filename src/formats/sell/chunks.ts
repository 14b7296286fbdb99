/**
 * The arrangement of rows in chunks of C: their order, and the number of columns of each chunk. Nothing is stored here.
 *
 * Source: Kreutzer et al. 2014, "A Unified Sparse Matrix Data Format for Efficient General Sparse Matrix-Vector
 *   Multiplication on Modern Processors with Wide SIMD Units" (C and σ); Anzt, Tomov & Dongarra 2014 (SELL-P: widths
 *   that are multiples).
 * Differs: rows are sorted only if their given order needs too much padding. Entries that make a chunk much wider than
 *   most of its rows are stored in COO: Bell & Garland's rule for HYB (2008, §3.5), applied to each chunk.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';

export type ChunkHeight = 4 | 8;

export interface Chunks {
  /** C: rows per chunk. */
  readonly chunkHeight: ChunkHeight;
  /** The row of each lane, chunk after chunk; undefined if rows are in order. */
  readonly rowOf: Uint32Array | undefined;
  /** Entries of each row that lie in its chunk: its first ones. The entries after them belong to the rest. */
  readonly rowLength: Uint32Array;
  /** Columns of each chunk. */
  readonly widths: Uint32Array;
  /** Entries in all chunks, padding included; may exceed any memory. */
  readonly storedEntries: number;
}

export interface SliceOptions {
  readonly chunkHeight: ChunkHeight;
  /** σ: rows are sorted by length within windows of this many rows; 1 keeps their order; 0 decides by the padding saved. */
  readonly sortScope: number;
  /** Widths are multiples of this. */
  readonly widthMultiple: number;
  /** Whether entries that make a chunk too wide may be moved to the rest. */
  readonly cut: boolean;
}

/** With σ = 0, rows keep their order unless sorting saves padding of an eighth of the entries. */
const WORTH_SORTING = 1 / 8;

/** Rows per window for a matrix that needs sorting: 2 KiB of y, which stay in L1. */
export const SORT_SCOPE = 256;

/** Each chunk as wide as its longest row, or as most of its rows. */
export function slices(csr: CsrMatrix, options: SliceOptions): Chunks {
  const lengths = rowLengths(csr);
  if (options.sortScope > 1) return slicesOf(lengths, sortedRows(lengths, options.sortScope), csr.nnz, options);
  const inOrder = slicesOf(lengths, undefined, csr.nnz, options);
  const tooMuch = WORTH_SORTING * csr.nnz;
  if (options.sortScope === 1 || paddingOf(inOrder) <= tooMuch) return inOrder;
  const sorted = slicesOf(lengths, sortedRows(lengths, SORT_SCOPE), csr.nnz, options);
  return paddingOf(inOrder) - paddingOf(sorted) > tooMuch ? sorted : inOrder;
}

function paddingOf({ storedEntries, rowLength }: Chunks): number {
  return storedEntries - sum(rowLength);
}

/** Chunks of one width; the entries of a row beyond it belong to the rest. */
export function equalSlices(csr: CsrMatrix, chunkHeight: ChunkHeight, width: number): Chunks {
  const rowLength = rowLengths(csr).map((length) => Math.min(length, width));
  const widths = new Uint32Array(Math.ceil(csr.rows / chunkHeight)).fill(width);
  return { chunkHeight, rowOf: undefined, rowLength, widths, storedEntries: chunkHeight * width * widths.length };
}

export function rowLengths({ rows, rowPtr }: CsrMatrix): Uint32Array {
  const lengths = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) lengths[i] = rowPtr[i + 1]! - rowPtr[i]!;
  return lengths;
}

export function longestRow(csr: CsrMatrix): number {
  return most(rowLengths(csr));
}

/** Longest rows first, rows of equal length in their given order, within each window of `scope` rows. */
export function sortedRows(lengths: Uint32Array, scope: number): Uint32Array {
  const rowOf = new Uint32Array(lengths.length);
  const next = new Uint32Array(COUNTED + 1);
  for (let begin = 0; begin < lengths.length; begin += scope)
    sortWindow(rowOf, lengths, begin, Math.min(begin + scope, lengths.length), next);
  return rowOf;
}

/** Rows shorter than this are sorted by counting; longer ones are few and are sorted by comparison. */
const COUNTED = 255;

function sortWindow(rowOf: Uint32Array, lengths: Uint32Array, begin: number, end: number, next: Uint32Array): void {
  next.fill(0);
  for (let i = begin; i < end; i++) next[Math.min(lengths[i]!, COUNTED)]!++;
  let place = begin;
  for (let length = COUNTED; length >= 0; length--) {
    const count = next[length]!;
    next[length] = place;
    place += count;
  }
  for (let i = begin; i < end; i++) rowOf[next[Math.min(lengths[i]!, COUNTED)]!++] = i;
  const long = rowOf.subarray(begin, next[COUNTED]!);
  if (long.length > 1) long.sort((p, q) => lengths[q]! - lengths[p]!);
}

/** "We assume that the fully-occupied ELL format is roughly three times faster than COO" (§3.5). */
const REST_COST = 3;

/** A row of the rest reads and writes a cache line of y: 128 bytes, about ten entries. */
const REST_ROW_COST = 10;

/** The rest is a second stage with a start-up cost, and makes bits depend on the parts: it must save a sixteenth. */
const MIN_SAVED = 1 / 16;

function slicesOf(
  lengths: Uint32Array,
  rowOf: Uint32Array | undefined,
  nnz: number,
  { chunkHeight, widthMultiple, cut }: SliceOptions,
): Chunks {
  const whole = new Uint32Array(Math.ceil(lengths.length / chunkHeight));
  const cutWidths = new Uint32Array(whole.length);
  const lanes = new Uint32Array(chunkHeight);
  let saved = 0;
  for (let chunk = 0; chunk < whole.length; chunk++) {
    const isEven = loadLanes(lanes, lengths, rowOf, chunk * chunkHeight);
    whole[chunk] = lanes[0]!;
    cutWidths[chunk] = lanes[0]!;
    if (isEven) continue;
    const saving = savedByCut(lanes);
    if (saving <= 0) continue;
    cutWidths[chunk] = typicalOf(lanes);
    saved += saving;
  }
  const widths = cut && saved > MIN_SAVED * nnz ? cutWidths : whole;
  return sized(lengths, rowOf, chunkHeight, roundedUp(widths, widthMultiple));
}

/** Loads the lengths of a chunk's rows, longest first; lanes without a row have length 0. True if all are equal. */
function loadLanes(lanes: Uint32Array, lengths: Uint32Array, rowOf: Uint32Array | undefined, first: number): boolean {
  for (let lane = 0; lane < lanes.length; lane++) {
    const place = first + lane;
    const length = place < lengths.length ? lengths[rowOf === undefined ? place : rowOf[place]!]! : 0;
    let hole = lane;
    for (; hole > 0 && lanes[hole - 1]! < length; hole--) lanes[hole] = lanes[hole - 1]!;
    lanes[hole] = length;
  }
  return lanes[0] === lanes[lanes.length - 1];
}

/** "It is profitable to add a K-th column … if at least one third of the matrix rows contain K (or more) nonzeros." */
function typicalOf(lanes: Uint32Array): number {
  return lanes[Math.ceil(lanes.length / REST_COST) - 1]!;
}

/** The saving, in entries read, of a chunk that is as wide as only its longest third of rows. */
function savedByCut(lanes: Uint32Array): number {
  const width = typicalOf(lanes);
  let saving = lanes.length * (lanes[0]! - width);
  for (let lane = 0; lanes[lane]! > width; lane++) saving -= REST_COST * (lanes[lane]! - width) + REST_ROW_COST;
  return saving;
}

function roundedUp(widths: Uint32Array, multiple: number): Uint32Array {
  if (multiple === 1) return widths;
  return widths.map((width) => Math.ceil(width / multiple) * multiple);
}

/** Chunks of given widths, and the number of entries of each row in them. */
function sized(
  lengths: Uint32Array,
  rowOf: Uint32Array | undefined,
  chunkHeight: ChunkHeight,
  widths: Uint32Array,
): Chunks {
  const rowLength = new Uint32Array(lengths.length);
  for (let place = 0; place < lengths.length; place++) {
    const row = rowOf === undefined ? place : rowOf[place]!;
    rowLength[row] = Math.min(lengths[row]!, widths[Math.floor(place / chunkHeight)]!);
  }
  return { chunkHeight, rowOf, rowLength, widths, storedEntries: chunkHeight * sum(widths) };
}

export function sum(numbers: Uint32Array): number {
  let total = 0;
  for (let i = 0; i < numbers.length; i++) total += numbers[i]!;
  return total;
}

/** The maximum; 0 for an empty array. */
export function most(numbers: Uint32Array): number {
  let greatest = 0;
  for (let i = 0; i < numbers.length; i++) greatest = Math.max(greatest, numbers[i]!);
  return greatest;
}

/** Up to this many stored entries any share of padding is accepted: a small matrix costs little. */
const SMALL = 65_536;

/** @throws SparlaneError `fill-in` if more than `maxFill` entries would be stored per entry of the matrix. */
export function checkFill(name: string, { storedEntries }: Chunks, nnz: number, maxFill: number): void {
  if (storedEntries <= SMALL || storedEntries <= maxFill * nnz) return;
  const factor = Number((storedEntries / nnz).toPrecision(3));
  const expected = `at most ${maxFill} stored entries per entry of the matrix (maxFill)`;
  throw mismatch('fill-in', name, expected, factor, { factor, maxFill, storedEntries, nnz });
}

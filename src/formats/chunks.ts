/**
 * How rows are laid side by side in chunks of C: in which order, and with how many columns. Nothing is laid out here.
 *
 * Source: Kreutzer et al. 2014, "A Unified Sparse Matrix Data Format for Efficient General Sparse Matrix-Vector
 *   Multiplication on Modern Processors with Wide SIMD Units" (C and σ); Anzt, Tomov & Dongarra 2014 (SELL-P: widths
 *   that are multiples).
 * Differs: rows are sorted only where their own order pads too much; and what makes a chunk much wider than most of its
 *   rows is left to COO: Bell & Garland's rule for HYB (2008, §3.5), chunk by chunk.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';

export type ChunkHeight = 4 | 8;

export interface Chunks {
  /** C, rows in a chunk. */
  readonly chunkHeight: ChunkHeight;
  /** The row of each lane, chunk after chunk; undefined where rows are in order. */
  readonly rowOf: Uint32Array | undefined;
  /** Entries of each row that lie in its chunk: its first ones. What a row has beyond them is the rest. */
  readonly rowLength: Uint32Array;
  /** Columns of each chunk. */
  readonly widths: Uint32Array;
  /** Entries in all chunks, padding counted; may be too large for any memory. */
  readonly storedEntries: number;
}

export interface SliceOptions {
  readonly chunkHeight: ChunkHeight;
  /** σ: rows are sorted by length within windows of so many; 1 keeps their order; 0 leaves the choice to the matrix. */
  readonly sortScope: number;
  /** Widths are multiples of this. */
  readonly widthMultiple: number;
  /** Whether what makes a chunk too wide may be left to the rest. */
  readonly cut: boolean;
}

/** Where a matrix may choose, rows keep their order unless sorting saves padding of an eighth of the entries. */
const WORTH_SORTING = 1 / 8;

/** Rows in a window where a matrix has been found to need sorting; 2 KiB of y, so that they stay in L1. */
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

/** Chunks of one width, whatever a row has beyond it. */
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

/** Longest rows first and equal ones as they came, in each window of `scope` rows. */
export function sortedRows(lengths: Uint32Array, scope: number): Uint32Array {
  const rowOf = new Uint32Array(lengths.length);
  const next = new Uint32Array(COUNTED + 1);
  for (let begin = 0; begin < lengths.length; begin += scope)
    sortWindow(rowOf, lengths, begin, Math.min(begin + scope, lengths.length), next);
  return rowOf;
}

/** Rows are sorted by counting; those of this length and more are few, and compared. */
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

/** A row of the rest reads and writes a cache line of y: 128 bytes, as many as ten entries. */
const REST_ROW_COST = 10;

/** The rest is a second stage, with its own start, and makes bits depend on the parts: it has to save a sixteenth. */
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

/** The lengths of a chunk's rows, longest first; lanes that are no row have none. True where all are the same. */
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

/** What it saves, in entries read, to make a chunk no wider than a third of its rows. */
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

/** Chunks of given widths, and what of each row lies in them. */
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

/** 0 where there are none. */
export function most(numbers: Uint32Array): number {
  let greatest = 0;
  for (let i = 0; i < numbers.length; i++) greatest = Math.max(greatest, numbers[i]!);
  return greatest;
}

/** Up to here padding is not absurd, whatever its share: a small matrix costs little. */
const SMALL = 65_536;

/** @throws SparlaneError `fill-in` where more than `maxFill` entries would be stored for each one of the matrix. */
export function checkFill(name: string, { storedEntries }: Chunks, nnz: number, maxFill: number): void {
  if (storedEntries <= SMALL || storedEntries <= maxFill * nnz) return;
  const factor = Number((storedEntries / nnz).toPrecision(3));
  const expected = `at most ${maxFill} entries stored for each one of the matrix (maxFill)`;
  throw mismatch('fill-in', name, expected, factor, { factor, maxFill, storedEntries, nnz });
}

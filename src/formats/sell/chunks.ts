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
import { evenly, type Span } from '../../core/span.js';
import { sum } from '../../core/sum.js';
import { type Counts, summed } from '../layout/pointers.js';
import { ALONE, type ConversionWorkspace } from '../layout/workspace.js';
import { BLOCK_CHUNKS, cutRows, lengthsOfRows, measureChunks, REST_COST, sortWindows } from './chunk-loops.js';

export type ChunkHeight = 4 | 8;

export interface RowChunks {
  /** C: rows per chunk. */
  readonly chunkHeight: ChunkHeight;
  /** The row of each lane, chunk after chunk; undefined if rows are in order. */
  readonly rowOf: Uint32Array | undefined;
  /** Entries of each row that lie in its chunk: its first ones. The entries after them belong to the rest. */
  readonly rowLength: Uint32Array;
  /** Columns of each chunk. */
  readonly widths: Counts;
  /** Entries in all chunks, padding included; may exceed any memory. */
  readonly storedEntries: number;
  /** Entries in all chunks, without padding. */
  readonly inside: number;
  /** The most entries of a row in its chunk. */
  readonly longest: number;
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

/** The rest is a second stage with a start-up cost, and makes bits depend on the parts: it must save a sixteenth. */
const MIN_SAVED = 1 / 16;

/** Says whether it saves enough to cut about so many entries off single rows, whose chunks would else be as wide as these. */
export function paysToCut(rest: number, chunkHeight: number, nnz: number): boolean {
  return (chunkHeight - REST_COST) * rest > MIN_SAVED * nnz;
}

/** Each chunk as wide as its longest row, or as most of its rows. The arrays are those of the workspace. */
export function slices(csr: CsrMatrix, options: SliceOptions, workspace: ConversionWorkspace = ALONE): RowChunks {
  const lengths = rowLengths(csr, workspace);
  const sliced = (sortScope: number) => {
    const rowOf = sortScope === 1 ? undefined : sortedRows(lengths, sortScope, workspace);
    return slicesOf(lengths, rowOf, csr.nnz, options, workspace);
  };
  if (options.sortScope > 1) return sliced(options.sortScope);
  const inOrder = sliced(1);
  const tooMuch = WORTH_SORTING * csr.nnz;
  if (options.sortScope === 1 || paddingOf(inOrder) <= tooMuch) return inOrder;
  const sorted = sliced(SORT_SCOPE);
  return paddingOf(inOrder) - paddingOf(sorted) > tooMuch ? sorted : inOrder;
}

function paddingOf({ storedEntries, inside }: RowChunks): number {
  return storedEntries - inside;
}

function slicesOf(
  lengths: Uint32Array,
  rowOf: Uint32Array | undefined,
  nnz: number,
  { chunkHeight, widthMultiple, cut: mayCut }: SliceOptions,
  workspace: ConversionWorkspace,
): RowChunks {
  const chunks = Math.ceil(lengths.length / chunkHeight);
  const [whole, cut] = [workspace.array(Uint32Array, chunks), workspace.array(Uint32Array, chunks)];
  const span = blocksOf(chunks, chunkHeight);
  const saved = workspace.array(Float64Array, span.units);
  const sizes = { rows: lengths.length, chunks, chunkHeight, widthMultiple };
  const job = { ...sizes, lengths, rowOf: rowOf ?? IN_ORDER, whole, cut, saved };
  workspace.runLoop(measureChunks, job, span);
  const widths = mayCut && sum(saved) > MIN_SAVED * nnz ? cut : whole;
  return sized(lengths, rowOf, chunkHeight, widths, workspace);
}

/** Chunks of one width; the entries of a row beyond it belong to the rest. */
export function equalSlices(
  csr: CsrMatrix,
  chunkHeight: ChunkHeight,
  width: number,
  workspace: ConversionWorkspace = ALONE,
): RowChunks {
  const widths = workspace.array(Uint32Array, Math.ceil(csr.rows / chunkHeight)).fill(width);
  return sized(rowLengths(csr, workspace), undefined, chunkHeight, widths, workspace);
}

/** Chunks of given widths, and the number of entries of each row in them. */
function sized(
  lengths: Uint32Array,
  rowOf: Uint32Array | undefined,
  chunkHeight: ChunkHeight,
  widths: Uint32Array,
  workspace: ConversionWorkspace,
): RowChunks {
  const { runLoop, array } = workspace;
  const span = blocksOf(widths.length, chunkHeight);
  const rowLength = array(Uint32Array, lengths.length);
  const entries = array(Float64Array, span.units);
  const longest = array(Uint32Array, span.units);
  const sizes = { rows: lengths.length, chunks: widths.length, chunkHeight };
  const job = { ...sizes, lengths, rowOf: rowOf ?? IN_ORDER, widths, rowLength, entries, longest };
  runLoop(cutRows, job, span);
  const counts = summed(widths, workspace);
  const storedEntries = chunkHeight * counts.total;
  const [inside, most] = [sum(entries), greatest(longest)];
  return { chunkHeight, rowOf, rowLength, widths: counts, storedEntries, inside, longest: most };
}

const IN_ORDER = new Uint32Array(0);

/** Cost of a row in a pass over row lengths, in entries. */
const LENGTH_WORK = 1 / 2;

/** The blocks of a number of chunks, as units of a loop. */
function blocksOf(chunks: number, chunkHeight: number): Span {
  return evenly(Math.ceil(chunks / BLOCK_CHUNKS), LENGTH_WORK * BLOCK_CHUNKS * chunkHeight);
}

export function rowLengths({ rows, rowPtr }: CsrMatrix, { runLoop, array }: ConversionWorkspace = ALONE): Uint32Array {
  const lengths = array(Uint32Array, rows);
  runLoop(lengthsOfRows, { rowPtr, lengths }, evenly(rows, LENGTH_WORK));
  return lengths;
}

export function longestRow(csr: CsrMatrix, workspace: ConversionWorkspace): number {
  return greatest(rowLengths(csr, workspace));
}

/** Longest rows first, rows of equal length in their given order, within each window of `scope` rows. */
export function sortedRows(
  lengths: Uint32Array,
  scope: number,
  { runLoop, array }: ConversionWorkspace = ALONE,
): Uint32Array {
  const rowOf = array(Uint32Array, lengths.length);
  runLoop(sortWindows, { lengths, scope, rowOf }, evenly(Math.ceil(lengths.length / scope), scope));
  return rowOf;
}

/** The maximum; 0 for an empty array. */
function greatest(numbers: Uint32Array): number {
  let most = 0;
  for (let i = 0; i < numbers.length; i++) most = Math.max(most, numbers[i]!);
  return most;
}

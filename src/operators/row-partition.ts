/**
 * The rows of a matrix, dealt to parts.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §5.6: block rows sorted by length are assigned cyclically to the
 *   GPUs (`cyclic`).
 * Differs: rows instead of block rows. `block`, the default: contiguous ranges of equal work in the order of the matrix.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Span } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { firstUnitFrom, partition } from '../execution/partition.js';
import { byRowLength } from '../reorder/by-length.js';

/** The partition of rows: contiguous blocks of equal work, or cyclic by length. */
export type Distribution = 'block' | 'cyclic';

export interface RowPartition {
  /** Rows of part p: bounds[p] … bounds[p + 1] − 1, as positions in `order` if it is defined. */
  readonly bounds: Uint32Array;
  /** The row at each position. Undefined: the order of the matrix. */
  readonly order: Uint32Array | undefined;
}

/** A range [begin, end). */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Work of a row in addition to its entries, in units of one entry. */
const ROW_WORK = 2;

/** The rows of a matrix, by their work. */
function rowsByWork({ rows, rowPtr }: CsrMatrix): Span {
  return { units: rows, workBefore: (row) => rowPtr[row]! - rowPtr[0]! + ROW_WORK * row };
}

export function partitionRows(matrix: CsrMatrix, parts: number, distribution: Distribution): RowPartition {
  if (distribution === 'cyclic') return partitionCyclically(matrix, parts);
  return { bounds: partition(rowsByWork(matrix), parts), order: undefined };
}

/** Two parts: the first rows, with about `share` of the work, and the other rows. */
export function partitionByShare(matrix: CsrMatrix, share: number): RowPartition {
  const span = rowsByWork(matrix);
  const middle = firstUnitFrom(span, share * span.workBefore(matrix.rows), 0);
  return { bounds: Uint32Array.of(0, middle, matrix.rows), order: undefined };
}

/** Assigns the longest row to the first part, the next one to the second, and so on. */
function partitionCyclically(matrix: CsrMatrix, parts: number): RowPartition {
  const { rowOrder } = byRowLength(matrix);
  const { rows } = matrix;
  const begin = (part: number) => part * Math.floor(rows / parts) + Math.min(part, rows % parts);
  const bounds = Uint32Array.from({ length: parts + 1 }, (_, part) => begin(part));
  const order = new Uint32Array(rows);
  for (let place = 0; place < rows; place++)
    order[bounds[place % parts]! + Math.floor(place / parts)] = rowOrder[place]!;
  return { bounds, order };
}

/** The rows of part `p`, as a matrix with all columns. */
export function rowsOfPart(matrix: CsrMatrix, { bounds, order }: RowPartition, p: number): CsrMatrix {
  const { cols, field, rowPtr, colIdx, values } = matrix;
  const begin = bounds[p]!;
  const rows = bounds[p + 1]! - begin;
  const row = (i: number) => order?.[begin + i] ?? begin + i;
  const ptr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) ptr[i + 1] = ptr[i]! + rowPtr[row(i) + 1]! - rowPtr[row(i)]!;
  const nnz = ptr[rows]!;
  const columns = new Uint32Array(nnz);
  const numbers: FloatArray = values instanceof Float32Array ? new Float32Array(nnz) : new Float64Array(nnz);
  for (let i = 0; i < rows; i++) {
    const [first, last] = [rowPtr[row(i)]!, rowPtr[row(i) + 1]!];
    columns.set(colIdx.subarray(first, last), ptr[i]!);
    numbers.set(values.subarray(first, last), ptr[i]!);
  }
  return { rows, cols, nnz, rowPtr: ptr, colIdx: columns, values: numbers, field, symmetry: 'general' };
}

/** The range from the first to the last column of a matrix's entries. */
export function columnsOf({ rows, rowPtr, colIdx }: CsrMatrix): Range {
  let begin = Number.POSITIVE_INFINITY;
  let end = 0;
  for (let i = 0; i < rows; i++) {
    if (rowPtr[i] === rowPtr[i + 1]) continue;
    begin = Math.min(begin, colIdx[rowPtr[i]!]!);
    end = Math.max(end, colIdx[rowPtr[i + 1]! - 1]! + 1);
  }
  return { begin: Math.min(begin, end), end };
}

/**
 * The rows of a matrix, dealt to parts.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §5.6: block rows sorted by length are assigned cyclically to the
 *   GPUs (`cyclic`).
 * Differs: rows, where the matrix has no blocks. `block`, the default: contiguous ranges of equal work in the order of the matrix.
 */
import type { CsrMatrix } from '../core/csr.js';
import { parseSpec } from '../core/parameters.js';
import type { Span } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { firstUnitFrom, partition } from '../execution/partition.js';
import { findBlockSize } from '../formats/bsr/block-size.js';
import { byAscendingKey } from '../reorder/counting-sort.js';

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

/**
 * Returns the rows of a block row, which parts must not cut: in a part that begins elsewhere the blocks hold entries of two. 1 if the matrix has no
 * blocks.
 *
 * @param format may be `auto`, for each part
 */
export function blockRowsOf(matrix: CsrMatrix, format: string): number {
  // A size that is none is refused where the layout is made.
  const asked = Math.floor(Number(parseSpec('format', format).given.blockSize));
  return asked >= 1 ? asked : findBlockSize(matrix).blockSize;
}

/** Block rows are the units of work. */
interface BlockRows extends Span {
  /** Returns the first row of a block row. */
  rowOf(unit: number): number;
}

/** @param height of a block row; the last one may have fewer rows */
function blockRows({ rows, rowPtr }: CsrMatrix, height: number): BlockRows {
  const rowOf = (unit: number) => Math.min(unit * height, rows);
  const workBefore = (unit: number) => rowPtr[rowOf(unit)]! + ROW_WORK * rowOf(unit);
  return { units: Math.ceil(rows / height), workBefore, rowOf };
}

/** @param height of a block row: its rows are in the same part */
export function partitionRows(
  matrix: CsrMatrix,
  parts: number,
  distribution: Distribution,
  height: number,
): RowPartition {
  const all = blockRows(matrix, height);
  if (distribution === 'cyclic') return partitionCyclically(matrix, all, parts);
  return { bounds: partition(all, parts).map((unit) => all.rowOf(unit)), order: undefined };
}

/** Two parts: the first rows, with about `share` of the work, and the other rows. */
export function partitionByShare(matrix: CsrMatrix, share: number, height: number): RowPartition {
  const all = blockRows(matrix, height);
  const middle = all.rowOf(firstUnitFrom(all, share * all.workBefore(all.units), 0));
  return { bounds: Uint32Array.of(0, middle, matrix.rows), order: undefined };
}

/** Assigns the longest block row to the first part, the next one to the second, and so on. */
function partitionCyclically({ rows, rowPtr }: CsrMatrix, { units, rowOf }: BlockRows, parts: number): RowPartition {
  const length = Uint32Array.from({ length: units }, (_, unit) => rowPtr[rowOf(unit + 1)]! - rowPtr[rowOf(unit)]!);
  const longest = length.reduce((most, own) => Math.max(most, own), 0);
  const byLength = byAscendingKey(length.map((own) => longest - own));
  const order = new Uint32Array(rows);
  const bounds = new Uint32Array(parts + 1);
  let place = 0;
  for (let part = 0; part < parts; part++) {
    for (let k = part; k < units; k += parts) {
      const unit = byLength[k]!;
      for (let row = rowOf(unit); row < rowOf(unit + 1); row++) order[place++] = row;
    }
    bounds[part + 1] = place;
  }
  return { bounds, order };
}

/** The rows of part `p`, as a matrix with all columns. Its entries are copied only if the partition has an order. */
export function rowsOfPart(matrix: CsrMatrix, { bounds, order }: RowPartition, p: number): CsrMatrix {
  const { cols, field, rowPtr, colIdx, values } = matrix;
  const begin = bounds[p]!;
  const rows = bounds[p + 1]! - begin;
  const row = (i: number) => order?.[begin + i] ?? begin + i;
  const ptr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) ptr[i + 1] = ptr[i]! + rowPtr[row(i) + 1]! - rowPtr[row(i)]!;
  const nnz = ptr[rows]!;
  const part = { rows, cols, nnz, rowPtr: ptr, field, symmetry: 'general' } as const;
  if (order === undefined) {
    const [first, last] = [rowPtr[begin]!, rowPtr[begin + rows]!];
    return { ...part, colIdx: colIdx.subarray(first, last), values: values.subarray(first, last) };
  }
  const columns = new Uint32Array(nnz);
  const numbers: FloatArray = values instanceof Float32Array ? new Float32Array(nnz) : new Float64Array(nnz);
  for (let i = 0; i < rows; i++) {
    const [first, last] = [rowPtr[row(i)]!, rowPtr[row(i) + 1]!];
    columns.set(colIdx.subarray(first, last), ptr[i]!);
    numbers.set(values.subarray(first, last), ptr[i]!);
  }
  return { ...part, colIdx: columns, values: numbers };
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

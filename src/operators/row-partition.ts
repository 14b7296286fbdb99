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
 * @param format undefined if it is selected for each part
 */
export function blockRowsOf(matrix: CsrMatrix, format: string | undefined): number {
  const { blockSize } = format === undefined ? {} : parseSpec('format', format).given;
  const asked = Math.floor(Number(blockSize));
  // A size that is none is refused where the layout is made.
  return asked >= 1 ? asked : findBlockSize(matrix).blockSize;
}

/** The block rows of a matrix, by their work. A block row has `height` rows, the last one may have fewer. */
function blockRowsByWork({ rows, rowPtr }: CsrMatrix, height: number): Span {
  const workBefore = (unit: number) => {
    const row = Math.min(unit * height, rows);
    return rowPtr[row]! - rowPtr[0]! + ROW_WORK * row;
  };
  return { units: Math.ceil(rows / height), workBefore };
}

/** @param height of a block row: its rows are in the same part */
export function partitionRows(
  matrix: CsrMatrix,
  parts: number,
  distribution: Distribution,
  height: number,
): RowPartition {
  if (distribution === 'cyclic') return partitionCyclically(matrix, parts, height);
  const bounds = partition(blockRowsByWork(matrix, height), parts);
  return { bounds: bounds.map((unit) => Math.min(unit * height, matrix.rows)), order: undefined };
}

/** Two parts: the first rows, with about `share` of the work, and the other rows. */
export function partitionByShare(matrix: CsrMatrix, share: number, height: number): RowPartition {
  const span = blockRowsByWork(matrix, height);
  const middle = firstUnitFrom(span, share * span.workBefore(span.units), 0);
  return { bounds: Uint32Array.of(0, Math.min(middle * height, matrix.rows), matrix.rows), order: undefined };
}

/** Assigns the longest block row to the first part, the next one to the second, and so on. */
function partitionCyclically({ rows, rowPtr }: CsrMatrix, parts: number, height: number): RowPartition {
  const units = Math.ceil(rows / height);
  const endOf = (unit: number) => Math.min((unit + 1) * height, rows);
  const length = Uint32Array.from({ length: units }, (_, unit) => rowPtr[endOf(unit)]! - rowPtr[unit * height]!);
  const longest = length.reduce((a, b) => Math.max(a, b), 0);
  const byLength = byAscendingKey(length.map((own) => longest - own));
  const order = new Uint32Array(rows);
  const bounds = new Uint32Array(parts + 1);
  let place = 0;
  for (let part = 0; part < parts; part++) {
    for (let k = part; k < units; k += parts) {
      for (let row = byLength[k]! * height; row < endOf(byLength[k]!); row++) order[place++] = row;
    }
    bounds[part + 1] = place;
  }
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

/**
 * What a format is chosen by: figures of a matrix, from one pass over `rowPtr` and a sample of its rows. Those of a sample are
 * estimates; what a format needs to be exact it checks again when it lays the matrix out.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Field, Symmetry } from '../core/types.js';
import { type Sample, sampleRows } from './sample.js';
import { rowLengthStatistics } from './statistics.js';

export interface Features {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly field: Field;
  /** As the source says. */
  readonly symmetry: Symmetry;
  /** Entries of the longest row. */
  readonly longestRow: number;
  /** Of the rows' lengths, in entries². */
  readonly lengthVariance: number;
  /** Share of rows that are not as long as the row before, 0 to 1: how often the end of a row is mispredicted. */
  readonly unsteady: number;
  /** Share of entries whose column follows the one before, 0 to 1: high where there are dense blocks. */
  readonly adjacent: number;
  /** Share of rows with the columns of the row before, empty ones not counted, 0 to 1. */
  readonly repeated: number;
  /** Entries whose cache line of x is neither met before nor next to one that was, per entry: gathers that miss. */
  readonly scattered: number;
  /** Columns that the rows of a window have entries in, without outliers: what a cache must hold of x. */
  readonly reach: number;
  /** Mean of |i − j|. */
  readonly offDiagonal: number;
  /** Diagonals j − i with an entry; `MANY` stands for more. */
  readonly diagonals: number;
  /** Different values; `MANY` stands for more. */
  readonly differentValues: number;
  /**
   * Grows a set of rows from one by its neighbours: the share of the set's entries that stay inside, 0 to 1. High where
   * another order would bring together what is scattered. 0 where it is not looked for: little scattered, or not square.
   */
  readonly clustering: number;
}

/** More than anybody wants to know. */
export const MANY = 257;

/** Features, and the rows from which formats tell what they would be like. */
export interface Examined {
  readonly matrix: CsrMatrix;
  readonly features: Features;
  readonly sample: Sample;
}

export function examine(matrix: CsrMatrix): Examined {
  const { rows, cols, nnz, field, symmetry } = matrix;
  const sample = sampleRows(matrix);
  const places = placesOf(sample);
  const { max, variance } = rowLengthStatistics(matrix);
  const features: Features = {
    ...{ rows, cols, nnz, field, symmetry },
    longestRow: max,
    lengthVariance: variance,
    ...rowsOf(sample),
    ...places,
    diagonals: diagonalsOf(sample),
    differentValues: valuesOf(sample.matrix),
    clustering: rows === cols && places.scattered >= WORTH_GROWING ? clusteringOf(matrix) : 0,
  };
  return { matrix, features, sample };
}

function rowsOf({ matrix: { rows, nnz, rowPtr, colIdx } }: Sample) {
  let unsteady = 0;
  let adjacent = 0;
  let repeated = 0;
  for (let i = 0, before = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    const steady = end - begin === begin - before;
    if (!steady) unsteady++;
    let same = steady && end > begin && i > 0;
    for (let k = begin; k < end; k++) {
      if (k > begin && colIdx[k] === colIdx[k - 1]! + 1) adjacent++;
      if (same && colIdx[k] !== colIdx[k - (end - begin)]) same = false;
    }
    if (same) repeated++;
    before = begin;
  }
  const perRow = 1 / Math.max(rows, 1);
  return { unsteady: unsteady * perRow, adjacent: adjacent / Math.max(nnz, 1), repeated: repeated * perRow };
}

/** Elements of f64 in a cache line, as a power of two. */
const LINE_SHIFT = 3;

function placesOf({ matrix, rowOf, windowPtr }: Sample) {
  const { cols, nnz, rowPtr, colIdx } = matrix;
  // One place before and one behind, so that every line has neighbours.
  const met = new Uint8Array((cols >>> LINE_SHIFT) + 3);
  let isolated = 0;
  let reach = 0;
  let offDiagonal = 0;
  for (let window = 0; window + 1 < windowPtr.length; window++) {
    const begin = rowPtr[windowPtr[window]!]!;
    const end = rowPtr[windowPtr[window + 1]!]!;
    let sum = 0;
    for (let k = begin; k < end; k++) sum += colIdx[k]!;
    const middle = sum / (end - begin);
    let away = 0;
    for (let k = begin; k < end; k++) {
      const col = colIdx[k]!;
      away += Math.abs(col - middle);
      const line = (col >>> LINE_SHIFT) + 1;
      if (met[line] === 0 && met[line - 1] === 0 && met[line + 1] === 0) isolated++;
      met[line] = 1;
    }
    // Of columns spread evenly the mean distance from the middle is a quarter of their range.
    reach += 4 * away;
    for (let i = windowPtr[window]!; i < windowPtr[window + 1]!; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) offDiagonal += Math.abs(colIdx[k]! - rowOf[i]!);
    }
  }
  const perEntry = 1 / Math.max(nnz, 1);
  return {
    scattered: isolated * perEntry,
    reach: Math.min(cols, reach * perEntry),
    offDiagonal: offDiagonal * perEntry,
  };
}

function diagonalsOf({ matrix: { rows, rowPtr, colIdx }, rowOf }: Sample): number {
  const found = new Set<number>();
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) found.add(colIdx[k]! - rowOf[i]!);
    if (found.size >= MANY) return MANY;
  }
  return found.size;
}

/** Values looked at. */
const VALUES = 2048;

function valuesOf({ values, nnz }: CsrMatrix): number {
  const found = new Set<number>();
  const step = Math.max(1, Math.floor(nnz / VALUES));
  for (let k = 0; k < nnz && found.size < MANY; k += step) found.add(values[k]!);
  return found.size;
}

/** Scattered entries from which on it is worth a look whether another order would help. */
const WORTH_GROWING = 0.1;

/** Rows of a grown set: their part of x is 4 KiB. Rows longer than this many entries are not followed: hubs. */
const GROWN = 512;
const HUB = 128;

function clusteringOf({ rows, rowPtr, colIdx }: CsrMatrix): number {
  const inside = new Uint8Array(rows);
  const queue = new Uint32Array(GROWN);
  let count = 0;
  // From the middle on, until the set is full: a component may be small.
  for (let seed = rows >>> 1, next = 0; count < GROWN && seed < rows; seed++) {
    if (inside[seed] === 0) {
      inside[seed] = 1;
      queue[count++] = seed;
    }
    for (; next < count; next++) {
      const row = queue[next]!;
      const end = rowPtr[row + 1]!;
      if (end - rowPtr[row]! > HUB) continue;
      for (let k = rowPtr[row]!; k < end && count < GROWN; k++) {
        const neighbour = colIdx[k]!;
        if (inside[neighbour] === 1) continue;
        inside[neighbour] = 1;
        queue[count++] = neighbour;
      }
    }
  }
  let entries = 0;
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const row = queue[place]!;
    const end = Math.min(rowPtr[row + 1]!, rowPtr[row]! + HUB);
    entries += end - rowPtr[row]!;
    for (let k = rowPtr[row]!; k < end; k++) kept += inside[colIdx[k]!]!;
  }
  return entries === 0 ? 0 : kept / entries;
}

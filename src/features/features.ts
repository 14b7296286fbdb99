/**
 * The features by which a format is chosen, from one pass over `rowPtr` and a sample of the rows. Features of the sample are
 * estimates; a format checks its exact conditions again when it converts the matrix.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Field, Symmetry } from '../core/types.js';
import { type Sample, sampleRows } from './sample.js';
import { type RowLengths, rowLengthStatistics } from './statistics.js';

/** What the choice of a format looks at. */
export interface Features {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly field: Field;
  /** As stated by the source of the matrix. */
  readonly symmetry: Symmetry;
  /** Entries of the longest row. */
  readonly longestRow: number;
  /** Variance of the row lengths, in entries². */
  readonly lengthVariance: number;
  /** Share of rows without entries, 0 to 1; of 2¹⁶ rows if there are more. */
  readonly empty: number;
  /** Share of rows whose length differs from that of the row before, 0 to 1: how often the end of a row is mispredicted. */
  readonly unsteady: number;
  /** Share of entries whose column directly follows that of the entry before, 0 to 1: high for dense blocks. */
  readonly adjacent: number;
  /** Share of entries whose cache line of x is not that of the entry before in the row, nor next to it: gathers that miss if no other row is near. */
  readonly apart: number;
  /** Share of entries whose cache line of x is not that of the entry before in the row, 0 to 1. The first entry of a row counts. */
  readonly newLines: number;
  /** Share of rows with the same columns as the row before, 0 to 1; empty rows are not counted. */
  readonly repeated: number;
  /** Share of entries whose cache line of x was not read before and is not next to one that was: gathers that miss. */
  readonly scattered: number;
  /** Share of entries whose cache line of x, or one next to it, was read so long before that the L2 of a core no longer has it. */
  readonly reread: number;
  /** Range of columns of the rows of a window, without outliers: the part of x that a cache must hold. */
  readonly reach: number;
  /** Mean of |i − j|. */
  readonly offDiagonal: number;
  /** Diagonals j − i with an entry; `MANY` if there are more. */
  readonly diagonals: number;
  /** Different ones of 2048 values; `MANY` if there are more. */
  readonly differentValues: number;
  /**
   * A set of rows is grown from one row by its neighbours; this is the share of the set's entries that stay inside, 0 to 1.
   * High if another order would bring scattered entries together. 0 if not computed: few scattered entries, or not square.
   */
  readonly clustering: number;
}

/** Counting stops at this number. */
export const MANY = 257;

/** Features, and the sampled rows from which formats estimate their layouts. */
export interface Examined {
  readonly matrix: CsrMatrix;
  readonly features: Features;
  readonly sample: Sample;
}

/** @param lengths figures of the row lengths, if they are known */
export function examine(
  matrix: CsrMatrix,
  lengths: Pick<RowLengths, 'max' | 'variance'> = rowLengthStatistics(matrix),
): Examined {
  const { rows, cols, nnz, field, symmetry } = matrix;
  const sample = sampleRows(matrix);
  const places = placesOf(sample);
  const features: Features = {
    ...{ rows, cols, nnz, field, symmetry },
    longestRow: lengths.max,
    lengthVariance: lengths.variance,
    empty: emptyOf(matrix),
    ...rowsOf(sample),
    ...places,
    diagonals: diagonalsOf(sample),
    differentValues: valuesOf(matrix),
    clustering: rows === cols && places.scattered >= WORTH_GROWING ? clusteringOf(matrix) : 0,
  };
  return { matrix, features, sample };
}

/** Elements of f64 in a cache line, which is what features mean by a line; as a power of two. */
const LINE_SHIFT = 3;
export const LINE_ELEMENTS: number = 2 ** LINE_SHIFT;

const lineOf = (col: number) => col >>> LINE_SHIFT;

function rowsOf({ matrix: { rows, nnz, rowPtr, colIdx } }: Sample) {
  let unsteady = 0;
  let adjacent = 0;
  let apart = 0;
  let newLines = 0;
  let repeated = 0;
  for (let i = 0, before = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    const steady = end - begin === begin - before;
    if (!steady) unsteady++;
    let same = steady && end > begin && i > 0;
    for (let k = begin; k < end; k++) {
      if (k > begin && colIdx[k] === colIdx[k - 1]! + 1) adjacent++;
      const distance = k === begin ? Number.POSITIVE_INFINITY : Math.abs(lineOf(colIdx[k]!) - lineOf(colIdx[k - 1]!));
      if (distance > 1) apart++;
      if (distance > 0) newLines++;
      if (same && colIdx[k] !== colIdx[k - (end - begin)]) same = false;
    }
    if (same) repeated++;
    before = begin;
  }
  const perRow = 1 / Math.max(rows, 1);
  const perEntry = 1 / Math.max(nnz, 1);
  return {
    unsteady: unsteady * perRow,
    repeated: repeated * perRow,
    adjacent: adjacent * perEntry,
    apart: apart * perEntry,
    newLines: newLines * perEntry,
  };
}

/** Rows that are looked at for the share of empty ones, at most. */
const COUNTED = 2 ** 16;

function emptyOf({ rows, rowPtr }: CsrMatrix): number {
  const step = Math.ceil(Math.max(rows, 1) / COUNTED);
  let empty = 0;
  for (let i = 0; i < rows; i += step) if (rowPtr[i] === rowPtr[i + 1]) empty++;
  return empty / Math.ceil(Math.max(rows, 1) / step);
}

/** A line of x is expected to have left the L2 of a core after so many further entries. Chosen: with a line for each entry these read 1 MiB of x. */
const REPLACED_AFTER = 2 ** 14;

function placesOf({ matrix, rowOf, windowPtr, lengthPtr }: Sample) {
  const { cols, nnz, rowPtr, colIdx } = matrix;
  // `met` says for each line of x how many entries the sampled rows had in the whole matrix when it was last read, rounded up, or 0 if it never was. It has one place before
  // and one after the lines, so that every line has neighbours.
  const met = new Uint32Array(lineOf(cols) + 3);
  let entry = 0;
  let isolated = 0;
  let reread = 0;
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
    }
    // For evenly spread columns the mean distance from the middle is a quarter of their range; in rows that the sample cuts it is up to a third.
    reach += 4 * away;
    for (let i = windowPtr[window]!; i < windowPtr[window + 1]!; i++) {
      const perSampled = (lengthPtr[i + 1]! - lengthPtr[i]!) / (rowPtr[i + 1]! - rowPtr[i]!);
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        offDiagonal += Math.abs(colIdx[k]! - rowOf[i]!);
        entry += perSampled;
        const line = lineOf(colIdx[k]!) + 1;
        const last = Math.max(met[line - 1]!, met[line]!, met[line + 1]!);
        if (last === 0) isolated++;
        else if (entry - last > REPLACED_AFTER) reread++;
        met[line] = Math.ceil(entry);
      }
    }
  }
  const perEntry = 1 / Math.max(nnz, 1);
  return {
    scattered: isolated * perEntry,
    reread: reread * perEntry,
    reach: Math.min(cols, reach * perEntry),
    offDiagonal: offDiagonal * perEntry,
  };
}

function diagonalsOf({ matrix, rowOf }: Sample): number {
  return Math.min(offsetsOf(matrix, rowOf, MANY).size, MANY);
}

/**
 * The offsets j − i of the diagonals with an entry, in no order. Counting stops after a row with which there are `most`.
 *
 * @param rowOf which row of the whole matrix each row is; undefined if this is the whole
 */
export function offsetsOf(
  { rows, rowPtr, colIdx }: CsrMatrix,
  rowOf?: Uint32Array,
  most: number = Number.POSITIVE_INFINITY,
): Set<number> {
  const found = new Set<number>();
  for (let i = 0; i < rows && found.size < most; i++) {
    const row = rowOf === undefined ? i : rowOf[i]!;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) found.add(colIdx[k]! - row);
  }
  return found;
}

/** The number of sampled values, of the whole matrix: in a window of rows the blocks of a Kronecker product A ⊗ B have the values of few entries. */
const VALUES = 2048;

function valuesOf({ values, nnz }: CsrMatrix): number {
  const found = new Set<number>();
  const count = Math.min(nnz, VALUES);
  for (let k = 0; k < count && found.size < MANY; k++) found.add(values[Math.floor((k * nnz) / count)]!);
  return found.size;
}

/** Least share of scattered entries for which `clustering` is computed. */
const WORTH_GROWING = 0.1;

/** Rows of a grown set: their part of x is 4 KiB. Rows with more entries than this (hubs) are not followed. */
const GROWN = 512;
const HUB = 128;

function clusteringOf({ rows, rowPtr, colIdx }: CsrMatrix): number {
  const inside = new Uint8Array(rows);
  const queue = new Uint32Array(GROWN);
  let count = 0;
  // Seeds from the middle on, until the set is full: a connected component may be small.
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

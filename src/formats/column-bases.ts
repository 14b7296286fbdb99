/**
 * Rows in groups (super-rows, chunks), and columns counted from a base per group: what lies within 2¹⁶ columns is stored in
 * 16 bits instead of 32.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Sample } from './sample.js';

/** Pointers to runs of `size`, the last one shorter. */
export function runs(count: number, size: number): Uint32Array {
  const groupPtr = new Uint32Array(Math.ceil(count / size) + 1);
  for (let group = 1; group < groupPtr.length; group++) groupPtr[group] = Math.min(group * size, count);
  return groupPtr;
}

/** Columns that 16 bits can tell apart. */
export const SPAN: number = 2 ** 16;

/** Which rows, and how much of each, where it is not all rows in order. */
export interface Places {
  /** The row at each place that groups are made of. */
  readonly rowOf?: Uint32Array | undefined;
  /** How many of a row's first entries count. */
  readonly rowLength?: Uint32Array;
}

/** The column that those of each group of rows count from; or the first group that spans too many. */
export function basesOf(
  { cols, rowPtr, colIdx }: CsrMatrix,
  groupPtr: Uint32Array,
  { rowOf, rowLength }: Places = {},
): Uint32Array | number {
  const bases = new Uint32Array(groupPtr.length - 1);
  // Kernels read, and discard, columns of the next group with this one's base: with a base of at most this none is ≥ cols.
  const greatest = Math.max(0, cols - SPAN);
  for (let group = 0; group < bases.length; group++) {
    let least = greatest;
    let most = 0;
    for (let place = groupPtr[group]!; place < groupPtr[group + 1]!; place++) {
      const row = rowOf === undefined ? place : rowOf[place]!;
      const begin = rowPtr[row]!;
      const end = rowLength === undefined ? rowPtr[row + 1]! : begin + rowLength[row]!;
      if (begin === end) continue;
      least = Math.min(least, colIdx[begin]!);
      most = Math.max(most, colIdx[end - 1]!);
    }
    if (most - least >= SPAN) return group;
    bases[group] = least;
  }
  return bases;
}

/** Whether groups of so many rows, in the sample, keep within 16 bits. */
export function isNarrow({ matrix, windowPtr }: Sample, groupRows: number): boolean {
  if (matrix.cols <= SPAN) return true;
  const groupPtr = [0];
  for (let window = 0; window + 1 < windowPtr.length; window++) {
    const end = windowPtr[window + 1]!;
    for (let row = windowPtr[window]!; row < end; row += groupRows) groupPtr.push(Math.min(row + groupRows, end));
  }
  return typeof basesOf(matrix, Uint32Array.from(groupPtr)) === 'object';
}

/** Why 16-bit columns could not be had; `what` names the group that `basesOf` came back with. */
export function tooWide(what: string): string {
  return `index=16: expected at most ${SPAN} columns from first to last, got more in ${what}; kept 32 bits`;
}

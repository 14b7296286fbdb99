/**
 * Rows in groups (super-rows, chunks), and columns counted from a base per group: if a group spans at most 2¹⁶ columns,
 * they are stored in 16 bits instead of 32.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { Sample } from '../../features/sample.js';

/** Pointers to runs of `size`, the last one shorter. */
export function runs(count: number, size: number): Uint32Array {
  const groupPtr = new Uint32Array(Math.ceil(count / size) + 1);
  for (let group = 1; group < groupPtr.length; group++) groupPtr[group] = Math.min(group * size, count);
  return groupPtr;
}

/** The number of columns that 16 bits can distinguish. */
export const SPAN: number = 2 ** 16;

/** The rows, and the part of each, if these are not all rows in order. */
export interface Places {
  /** The row at each place; groups are runs of places. */
  readonly rowOf?: Uint32Array | undefined;
  /** How many of a row's first entries count. */
  readonly rowLength?: Uint32Array;
}

/** The base column of each group of rows; or the number of the first group that spans too many columns. */
export function basesOf(
  { cols, rowPtr, colIdx }: CsrMatrix,
  groupPtr: Uint32Array,
  { rowOf, rowLength }: Places = {},
): Uint32Array | number {
  const bases = new Uint32Array(groupPtr.length - 1);
  // Kernels read, and discard, columns of the next group with this group's base: a base of at most this keeps them < cols.
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

/** Whether groups of `groupRows` rows of the sample fit in 16 bits. */
export function isNarrow({ matrix, windowPtr }: Sample, groupRows: number): boolean {
  if (matrix.cols <= SPAN) return true;
  const groupPtr = [0];
  for (let window = 0; window + 1 < windowPtr.length; window++) {
    const end = windowPtr[window + 1]!;
    for (let row = windowPtr[window]!; row < end; row += groupRows) groupPtr.push(Math.min(row + groupRows, end));
  }
  return typeof basesOf(matrix, Uint32Array.from(groupPtr)) === 'object';
}

/** The reason why 16-bit columns are not possible; `what` names the group that `basesOf` returned. */
export function tooWide(what: string): string {
  return `index=16: expected at most ${SPAN} columns from first to last, got more in ${what}; kept 32 bits`;
}

/**
 * Rows in groups (super-rows, chunks), and columns counted from a base per group: if a group spans at most 2¹⁶ columns,
 * they are stored in 16 bits instead of 32.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { evenly } from '../../core/span.js';
import type { Sample } from '../../features/sample.js';
import { findBases, SPAN } from './column-loops.js';
import { ALONE, type ConversionWorkspace } from './workspace.js';

export { SPAN };

/** Pointers to runs of `size`, the last one shorter. */
export function runs(count: number, size: number): Uint32Array {
  const groupPtr = new Uint32Array(Math.ceil(count / size) + 1);
  for (let group = 1; group < groupPtr.length; group++) groupPtr[group] = Math.min(group * size, count);
  return groupPtr;
}

/** The rows, and the part of each, if these are not all rows in order. */
export interface RowPlaces {
  /** The row at each place; groups are runs of places. */
  readonly rowOf?: Uint32Array | undefined;
  /** How many of a row's first entries count. */
  readonly rowLength?: Uint32Array;
}

const NONE = new Uint32Array(0);

/** Cost of a row, in entries: its first and its last column are read. */
const ROW_WORK = 1;

/**
 * The base column of each group of rows, in the workspace; or the number of the first group that spans too many columns.
 *
 * @param groups pointers to the groups; or the number of rows of all groups but the last
 */
export function basesOf(
  { rows, cols, rowPtr, colIdx }: CsrMatrix,
  groups: Uint32Array | number,
  { rowOf = NONE, rowLength = NONE }: RowPlaces = {},
  { runLoop, array }: ConversionWorkspace = ALONE,
): Uint32Array | number {
  const [groupPtr, groupRows] = typeof groups === 'number' ? [NONE, groups] : [groups, 0];
  const count = groupRows === 0 ? groupPtr.length - 1 : Math.ceil(rows / groupRows);
  const bases = array(Uint32Array, count);
  const tooWide = array(Uint32Array, 1).fill(count);
  // Kernels read, and discard, columns of the next group with this group's base: a base of at most this keeps them < cols.
  const greatest = Math.max(0, cols - SPAN);
  const job = { rows, greatest, groupRows, groupPtr, rowPtr, colIdx, rowOf, rowLength, bases, tooWide };
  runLoop(findBases, job, evenly(count, (ROW_WORK * rows) / Math.max(count, 1)));
  return tooWide[0] === count ? bases : tooWide[0]!;
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

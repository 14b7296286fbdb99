/**
 * A list of the rows that have entries, where many have none: a kernel that computes only those mispredicts no branch because a row is empty.
 * Hypersparse formats (DCSR: Buluç & Gilbert 2008) have such a list instead of row pointers; here the pointers stay, as other products need them.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { Features } from '../../features/features.js';
import type { Sample } from '../../features/sample.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Prospect } from '../format.js';
import type { RunLoop } from './loop.js';
import { changes, predictedBranches, REMEMBERED_BRANCHES, rowEndsOf } from './row-loops.js';

/**
 * Least share of rows without entries for which those that have entries are listed. A 5-point Laplacian of 300² without 10, 30, 60 % of its rows takes
 * 0.96, 0.48, 0.25 of the time on one core, of 1000² without 30, 60 % 0.71, 0.32, and without 15 % on two cores 1.07 (f64, AMD EPYC Zen 5, November 2026).
 */
const WORTH_A_LIST = 1 / 5;

/** Returns whether a list is made if so many rows have no entries. A core remembers where a few of them are. */
function isWorthAList(empty: number, rows: number): boolean {
  return empty > REMEMBERED_BRANCHES && empty > WORTH_A_LIST * rows;
}

type Rows = Pick<CsrMatrix, 'rows' | 'rowPtr'>;

/** Says which rows a kernel computes, and how they end. */
interface ComputedRows {
  /** Lists these rows in ascending order, in the heap; undefined if they are all. */
  readonly list: Uint32Array | undefined;
  /** As in `RowEnds`. */
  readonly predicted: number;
}

/** Returns all rows. */
export function allRows(scope: HeapScope, matrix: Rows, runLoop: RunLoop): ComputedRows {
  return { list: undefined, predicted: rowEndsOf(scope.heap, matrix, runLoop).predicted };
}

/** Returns the rows that have entries, or all if few have none. */
export function listNonEmpty(scope: HeapScope, matrix: Rows, runLoop: RunLoop): ComputedRows {
  const { rows, rowPtr } = matrix;
  const { predicted, empty } = rowEndsOf(scope.heap, matrix, runLoop);
  if (!isWorthAList(empty, rows)) return { list: undefined, predicted };
  const list = scope.array(Uint32Array, rows - empty);
  let same = 0;
  // Without branches: which rows have entries cannot be predicted.
  for (let i = 0, count = 0, tail = -1; i < rows && count < list.length; i++) {
    const length = rowPtr[i + 1]! - rowPtr[i]!;
    list[count] = i;
    const filled = Number(length !== 0);
    count += filled;
    const before = tail;
    tail = filled * (length & 3) + (1 - filled) * before;
    same += filled & Number(tail === before);
  }
  return { list, predicted: predictedBranches(same, list.length) };
}

/** Returns the figures of a product over the rows that would be listed, from a sample; undefined if all rows are computed. */
export function figuresOfList(
  { rows, empty }: Features,
  { matrix }: Sample,
): Pick<Required<Prospect>, 'groups' | 'unsteady'> | undefined {
  if (!isWorthAList(empty * rows, rows)) return undefined;
  const { rowPtr } = matrix;
  const lengths = Uint32Array.from({ length: matrix.rows }, (_, i) => rowPtr[i + 1]! - rowPtr[i]!).filter(Boolean);
  return { groups: Math.round((1 - empty) * rows), unsteady: changes(lengths) / Math.max(lengths.length, 1) };
}

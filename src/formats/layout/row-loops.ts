/** Figures of the rows of a matrix, from its row pointers. */
import type { CsrMatrix } from '../../core/csr.js';
import { evenly } from '../../core/span.js';
import type { Heap } from '../../memory/heap.js';
import { type Loop, type RunLoop, serially } from './loop.js';
import { workspaceFor } from './workspace.js';

/** Cost of a row, in entries. */
const ROW_WORK = 1 / 2;

export const ROW_ENDS_HEADER = {
  rowPtr: 'usize',
  counts: 'usize',
} as const;

type CountRowEnds = {
  readonly rowPtr: Uint32Array;
  /** Of all threads: the number of rows whose tail is as long as that of the row before, and of rows without entries. */
  readonly counts: Uint32Array;
};

/** A tail is what the loop of a row leaves: the length modulo 4. Units: rows. */
export const countRowEnds: Loop<CountRowEnds> = {
  header: ROW_ENDS_HEADER,
  kernel: () => 'rows_ends',
  run({ rowPtr, counts }, begin, end) {
    let same = 0;
    let empty = 0;
    // The bit operation gives the same tails in 32 bits, even if the pointers are wrong.
    let last = rowPtr[begin]!;
    let tail = begin === 0 ? -1 : (last - rowPtr[begin - 1]!) & 3;
    for (let i = begin; i < end; i++) {
      const next = rowPtr[i + 1]!;
      const before = tail;
      tail = (next - last) & 3;
      if (tail === before) same++;
      if (next === last) empty++;
      last = next;
    }
    Atomics.add(counts, 0, same);
    Atomics.add(counts, 1, empty);
  },
};

/** Least share of rows whose tail is as long as that of the row before for which a kernel relies on branch prediction at row ends. */
const STEADY = 0.8;

/**
 * A core remembers so many branches from the last product: row ends, and entries of longer rows, whose loops it remembers, too (`branchesOf`).
 * With branches such matrices are 1.1 to 1.9 × as fast. An Intel Xeon (Emerald Rapids) remembers 4000 rows of 1 to 4 entries, 3000 of 1 to 8 and of 1 to 16,
 * 1500 of 2 to 30 and of 4 to 60, but not 5000, 4000 and 2000; an AMD EPYC Zen 4 remembers 16,000 of 1 to 4 (random rows, f64, one thread, November 2026).
 */
export const REMEMBERED_BRANCHES = 4500;

/** So many entries take the place of one branch, in kernels, too. The number was chosen so that `REMEMBERED_BRANCHES` is right for the rows of all lengths that it was measured on. */
export const ENTRIES_PER_BRANCH: number = 12;

/** No matrix in a heap has so many branches. */
export const ALL_BRANCHES: number = 2 ** 31 - 1;

/** Says how the rows end that a kernel computes one after the other. */
export interface RowEnds {
  /** A core predicts the ends of its rows if they have at most so many branches (`branchesOf`). This is `ALL_BRANCHES` if most rows end as the one before. */
  readonly predicted: number;
  /** Counts the rows that have no entries. */
  readonly empty: number;
}

export function rowEndsOf(
  heap: Heap,
  { rows, rowPtr }: Pick<CsrMatrix, 'rows' | 'rowPtr'>,
  runLoop: RunLoop = serially,
): RowEnds {
  using scope = heap.scope();
  const counts = scope.array(Uint32Array, 2).fill(0);
  runLoop(countRowEnds, { rowPtr, counts }, evenly(rows, ROW_WORK));
  return { predicted: predictedBranches(counts[0]!, rows), empty: counts[1]! };
}

/** Returns how many branches a core predicts if, of so many rows, the tails of `same` are as long as the one before. */
export function predictedBranches(same: number, rows: number): number {
  return same >= STEADY * (rows - 1) ? ALL_BRANCHES : REMEMBERED_BRANCHES;
}

/** Returns how many branches a core must remember to predict so many row ends, between which there are so many entries. */
export function branchesOf(rowEnds: number, entries: number): number {
  return rowEnds + entries / ENTRIES_PER_BRANCH;
}

/** Returns whether one core predicts all row ends of a matrix. @param predicted as in `RowEnds` */
export function areAllPredicted(predicted: number, rows: number, nnz: number): boolean {
  return branchesOf(rows, nnz) <= predicted;
}

/** A block has so many rows: the sum over it has the same bits on every number of threads. Kernels know it. */
export const BLOCK_ROWS = 4096;

export const MEASURE_ROWS_HEADER = {
  rows: 'u32',
  nnz: 'u32',
  rowPtr: 'usize',
  longest: 'usize',
  squares: 'usize',
} as const;

type MeasureRows = {
  readonly rows: number;
  readonly nnz: number;
  readonly rowPtr: Uint32Array;
  /** For each block: the entries of its longest row, and the sum of squared distances from the mean. */
  readonly longest: Uint32Array;
  readonly squares: Float64Array;
};

/** Units: blocks. */
export const measureRows: Loop<MeasureRows> = {
  header: MEASURE_ROWS_HEADER,
  kernel: () => 'rows_measure',
  run({ rows, nnz, rowPtr, longest, squares }, begin, end) {
    const mean = nnz / rows;
    for (let block = begin; block < end; block++) {
      let most = 0;
      let sum = 0;
      const last = Math.min((block + 1) * BLOCK_ROWS, rows);
      for (let i = block * BLOCK_ROWS; i < last; i++) {
        const length = rowPtr[i + 1]! - rowPtr[i]!;
        if (length > most) most = length;
        const distance = length - mean;
        sum += distance * distance;
      }
      longest[block] = most;
      squares[block] = sum;
    }
  },
};

/** Entries of the longest row, and the variance of the row lengths in entries²; 0 without rows. */
export function rowFigures(heap: Heap, matrix: CsrMatrix, runLoop: RunLoop): { max: number; variance: number } {
  const { rows, nnz, rowPtr } = matrix;
  if (rows === 0) return { max: 0, variance: 0 };
  using workspace = workspaceFor(heap, matrix, runLoop);
  const blocks = Math.ceil(rows / BLOCK_ROWS);
  const longest = workspace.array(Uint32Array, blocks);
  const squares = workspace.array(Float64Array, blocks);
  workspace.runLoop(measureRows, { rows, nnz, rowPtr, longest, squares }, evenly(blocks, BLOCK_ROWS * ROW_WORK));
  const variance = squares.reduce((sum, square) => sum + square, 0) / rows;
  return { max: longest.reduce((most, length) => Math.max(most, length), 0), variance };
}

export const PLACE_ROWS_HEADER = {
  rowPtr: 'usize',
  rowIdx: 'usize',
} as const;

type PlaceRows = { readonly rowPtr: Uint32Array; readonly rowIdx: Uint32Array };

/** Writes the row of every entry. Units: rows. */
export const placeRows: Loop<PlaceRows> = {
  header: PLACE_ROWS_HEADER,
  kernel: () => 'rows_place',
  run({ rowPtr, rowIdx }, begin, end) {
    for (let i = begin, k = rowPtr[begin]!; i < end; i++) {
      for (const rowEnd = rowPtr[i + 1]!; k < rowEnd; k++) rowIdx[k] = i;
    }
  },
};

/** Counts the elements that differ from the element before. */
export function changes(numbers: Uint32Array): number {
  let count = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] !== numbers[i - 1]) count++;
  return count;
}

/**
 * The columns that parts of the rows of a matrix reach: `assembly/algebra/windows.ts`. A part of a band reaches few of them, so what it computes
 * by column is short.
 */

import type { TeamContext } from '../backends/team/backend.js';
import type { CompressedRows } from '../core/csr.js';
import { evenly, rowSpan } from '../core/span.js';
import { partition, partsOfProduct, taskOver } from '../execution/partition.js';
import { allColumns, type ColumnWindow, readWindows, WINDOW_WORDS } from '../formats/layout/column-windows.js';
import { WINDOWS_REACH } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { placeHeader } from '../memory/header.js';
import type { HeapScope } from '../memory/heap.js';

export const WINDOW_HEADER = {
  cols: 'u32',
  parts: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** u32, parts + 1, in rows. */
  partPtr: 'usize',
  /** A `Window` for each part. */
  windows: 'usize',
} as const;

/** Parts of the rows, parts + 1 ascending bounds, and the columns of each. */
export interface Cut {
  readonly bounds: Uint32Array;
  readonly windows: readonly ColumnWindow[];
}

/** Parts of equal work, each with all columns. */
export function cutWithAllColumns(matrix: CompressedRows, parts: number): Cut {
  return { bounds: partition(rowSpan(matrix), parts), windows: allColumns(matrix.cols, parts) };
}

/**
 * Parts of equal work, at most `parts`, with the columns that they reach: together at most `most`, unless one part is left. The cut depends
 * on nothing else, above all not on threads.
 *
 * @param matrix in the heap
 */
export function cutByColumns(
  { kernels, team }: TeamContext,
  work: HeapScope,
  matrix: CompressedRows,
  parts: number,
  most: number,
): Cut {
  const { cols, rowPtr, colIdx, nnz } = matrix;
  const bounds = partition(rowSpan(matrix), parts);
  const windows = work.array(Uint32Array, WINDOW_WORDS * parts);
  const partPtr = work.copy(Uint32Array, bounds);
  const header = placeHeader(work, WINDOW_HEADER, { cols, parts, rowPtr, colIdx, values: 0, partPtr, windows });
  const shares = Math.min(parts, partsOfProduct(nnz, team.size));
  const task = taskOver(work, evenly(parts), shares, {
    kernel: kernelIndex(kernels, WINDOWS_REACH),
    header,
    work: nnz,
  });
  team.run(task, 0, 0, 0, 0);
  return coarsened({ bounds, windows: readWindows(windows) }, most);
}

/** Joins neighbouring parts until all windows together have at most `most` columns, or one part is left. */
function coarsened(cut: Cut, most: number): Cut {
  const { bounds, windows } = cut;
  const columns = windows.reduce((sum, { first, end }) => sum + end - first, 0);
  if (columns <= most || windows.length === 1) return cut;
  const joined = windows.flatMap((window, part) => {
    if (part % 2 === 1) return [];
    const next = windows[part + 1] ?? window;
    return { first: Math.min(window.first, next.first), end: Math.max(window.end, next.end) };
  });
  return coarsened({ bounds: bounds.filter((_, k) => k % 2 === 0 || k === windows.length), windows: joined }, most);
}

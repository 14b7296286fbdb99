/** Arrays of entries that kernels read a little past their ends. */
import type { HeapScope } from '../../memory/heap.js';
import { copyWith } from './copy-loop.js';
import { type Keepable, keep } from './keep.js';
import { type RunLoop, serially } from './loop.js';

/** Places behind the last entry of colIdx and values that a kernel may read and discard. */
export const READ_PAST = 4;

/** Columns in the heap, with READ_PAST valid ones behind them. */
export function placeColumns(
  scope: HeapScope,
  colIdx: Uint32Array,
  runLoop: RunLoop = serially,
  keepable?: Keepable,
): Uint32Array {
  const kept = keep(scope, keepable, colIdx, Uint32Array, READ_PAST);
  if (kept !== undefined) return kept;
  const placed = scope.array(Uint32Array, colIdx.length + READ_PAST);
  copyWith(runLoop, colIdx, placed);
  placed.fill(0, colIdx.length);
  return placed;
}

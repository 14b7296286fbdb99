/** The entries of a matrix in blocks of the heap in which `csr` can keep them. */
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import type { CompressedRows } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { copyWith } from '../formats/layout/copy-loop.js';
import { type Keepable, keep } from '../formats/layout/keep.js';
import { placeColumns, READ_PAST } from '../formats/layout/read-past.js';
import type { HeapScope } from '../memory/heap.js';

/** Columns and values in the heap. Arrays that are `keepable` are shared, others copied. */
export function placeEntries(
  context: TeamContext,
  scope: HeapScope,
  { colIdx, values }: Pick<CompressedRows, 'colIdx' | 'values'>,
  keepable?: Keepable,
): Pick<CompressedRows, 'colIdx' | 'values'> {
  const runLoop = runOnTeam(context);
  const { length } = colIdx;
  const type = values instanceof Float64Array ? Float64Array : Float32Array;
  const copyOfValues = () => {
    const copy = scope.array<FloatArray>(type, length + READ_PAST);
    copyWith(runLoop, values, copy);
    return copy;
  };
  const kept = keep<FloatArray>(scope, keepable, values, type, READ_PAST) ?? copyOfValues();
  return {
    colIdx: placeColumns(scope, colIdx, runLoop, keepable).subarray(0, length),
    values: kept.subarray(0, length),
  };
}

/** What each row of a matrix depends on, by the team. Kernels: `assembly/multigrid/dependence.ts`. */
import type { TeamContext } from '../../../backends/team/backend.js';
import type { CompressedRows } from '../../../core/csr.js';
import { rowSpan } from '../../../core/span.js';
import { CHUNK } from '../../../matrices/row-by-row.js';
import type { HeapScope } from '../../../memory/heap.js';
import { runOver } from '../../over-pieces.js';
import type { Strong } from '../strength.js';

export const DEPENDENCE_HEADER = {
  rows: 'u32',
  /** The matrix, in f64. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result: pointers of rows, u32, rows + 1, and columns, u32. */
  strongPtr: 'usize',
  strongIdx: 'usize',
} as const;

/**
 * Finds entries with −a_ij ≥ θ max_k −a_ik, without the diagonal.
 *
 * @param scope gets the result
 * @param matrix canonical, in the heap, in f64
 */
export function dependences(context: TeamContext, scope: HeapScope, matrix: CompressedRows, theta: number): Strong {
  const { rows, rowPtr, colIdx, values } = matrix;
  using work = context.heap.scope();
  const span = rowSpan(matrix, CHUNK);
  const chunkPtr = work.array(Uint32Array, span.units + 1).fill(0);
  const step = { layout: DEPENDENCE_HEADER, alpha: theta };
  const given = { rows, rowPtr, colIdx, values, chunkPtr };
  runOver(context, { ...step, kernel: 'dependence_count', words: { ...given, strongPtr: 0, strongIdx: 0 } }, span);
  for (let chunk = 1; chunk < chunkPtr.length; chunk++) chunkPtr[chunk]! += chunkPtr[chunk - 1]!;
  const ptr = scope.array(Uint32Array, rows + 1);
  ptr[0] = 0;
  const idx = scope.array(Uint32Array, chunkPtr.at(-1)!);
  runOver(context, { ...step, kernel: 'dependence_fill', words: { ...given, strongPtr: ptr, strongIdx: idx } }, span);
  return { ptr, idx };
}

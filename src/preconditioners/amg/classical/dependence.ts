/** What each row of a matrix depends on, by the team. Kernels: `assembly/multigrid/dependence.ts`. */
import type { TeamContext } from '../../../backends/team/backend.js';
import type { CompressedRows } from '../../../core/csr.js';
import type { HeapScope } from '../../../memory/heap.js';
import { countAndFillGraph, type Strong } from '../strength.js';

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
  return countAndFillGraph(context, scope, matrix, (step, result) => {
    const words = { rows, rowPtr, colIdx, values, ...result };
    return { kernel: `dependence_${step}`, layout: DEPENDENCE_HEADER, words, alpha: theta };
  });
}

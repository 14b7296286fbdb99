/** Strong couplings of a matrix, by the team. Kernels: `assembly/multigrid/strength.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import type { CompressedRows } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { addUpChunks, CHUNK_ROWS, chunksOf, countAndFill } from '../../matrices/row-by-row.js';
import type { HeapScope } from '../../memory/heap.js';
import { type KernelStep, runOver } from '../over-pieces.js';

export const CONDENSE_HEADER = {
  /** Rows of the result, which are nodes. */
  rows: 'u32',
  /** Rows of a node. */
  block: 'u32',
  /** A, in f64. */
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  /** u32, one per row of A. */
  cursors: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

export const STRENGTH_HEADER = {
  rows: 'u32',
  /** The matrix of nodes, in f64. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** f64, one per row. */
  diagonal: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result: pointers of rows, u32, rows + 1, and columns, u32. */
  strongPtr: 'usize',
  strongIdx: 'usize',
} as const;

/** Strong couplings of nodes: row i has the nodes idx[ptr[i]] … idx[ptr[i + 1] − 1], itself among them. */
export interface Strong {
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
}

/**
 * Makes the matrix of nodes, whose entries are the Frobenius norms of the blocks of A.
 *
 * @param scope gets the result
 * @param matrix A, canonical, in the heap, in f64; it may have more columns than rows, as a rank's rows have
 */
export function condense(
  context: TeamContext,
  scope: HeapScope,
  { rows: unknowns, cols, rowPtr: aRowPtr, colIdx: aColIdx, values: aValues }: CompressedRows,
  block: number,
): CompressedRows {
  const rows = unknowns / block;
  using work = context.heap.scope();
  const cursors = work.array(Uint32Array, unknowns);
  const given = { rows, block, aRowPtr, aColIdx, aValues, cursors };
  const span = chunksOf(rows, (node) => aRowPtr[node * block]!);
  return countAndFill(
    ...([scope, work, { rows, cols: cols / block, name: 'matrix of nodes' }] as const),
    (chunkPtr) => {
      const words = { ...given, chunkPtr, rowPtr: 0, colIdx: 0, values: 0 };
      runOver(context, { kernel: 'condense_count', layout: CONDENSE_HEADER, words }, span);
    },
    (chunkPtr, { rowPtr, colIdx, values }) => {
      const words = { ...given, chunkPtr, rowPtr, colIdx, values };
      runOver(context, { kernel: 'condense_fill', layout: CONDENSE_HEADER, words }, span);
    },
  );
}

/**
 * Finds entries with a_ij² > θ² |a_ii a_jj|, and the diagonal.
 *
 * @param scope gets the result
 * @param nodes canonical, in the heap, in f64
 * @param diagonal in the heap, one number for each column
 */
export function strongCouplings(
  context: TeamContext,
  scope: HeapScope,
  nodes: CompressedRows,
  diagonal: Float64Array,
  theta: number,
): Strong {
  const { rows, rowPtr, colIdx, values } = nodes;
  return countAndFillGraph(context, scope, nodes, (step, result) => {
    const words = { rows, rowPtr, colIdx, values, diagonal, ...result };
    return { kernel: `strength_${step}`, layout: STRENGTH_HEADER, words, alpha: theta ** 2 };
  });
}

/** The words of a header that a step of a graph writes. */
interface GraphWords {
  readonly chunkPtr: Uint32Array;
  readonly strongPtr: Uint32Array | number;
  readonly strongIdx: Uint32Array | number;
}

/**
 * Makes a graph from some of the entries of a matrix in two steps over chunks of its rows: the first one counts, so that the second one writes where they belong.
 *
 * @param scope gets the graph
 */
export function countAndFillGraph<Word extends string>(
  context: TeamContext,
  scope: HeapScope,
  matrix: CompressedRows,
  stepOf: (step: 'count' | 'fill', result: GraphWords) => KernelStep<Word>,
): Strong {
  using work = context.heap.scope();
  const span = rowSpan(matrix, CHUNK_ROWS);
  const chunkPtr = work.array(Uint32Array, span.units + 1).fill(0);
  runOver(context, stepOf('count', { chunkPtr, strongPtr: 0, strongIdx: 0 }), span);
  const idx = scope.array(Uint32Array, addUpChunks(chunkPtr, 'graph of strong couplings'));
  const ptr = scope.array(Uint32Array, matrix.rows + 1);
  ptr[0] = 0;
  runOver(context, stepOf('fill', { chunkPtr, strongPtr: ptr, strongIdx: idx }), span);
  return { ptr, idx };
}

/** Strong couplings of a matrix, and what smooths a prolongation, by the team. Kernels: `assembly/multigrid/strength.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import type { CompressedRows } from '../../core/csr.js';
import { partsOfProduct, taskOver } from '../../execution/partition.js';
import { kernelIndex } from '../../kernels/module.js';
import { CHUNK, countAndFill } from '../../matrices/row-by-row.js';
import { type HeaderLayout, type HeaderWords, placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';

export const CONDENSE_HEADER = {
  /** Rows of the result: nodes. */
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
  /** The result: u32, rows + 1; u32. */
  strongPtr: 'usize',
  strongIdx: 'usize',
} as const;

export const SMOOTH_HEADER = {
  /** Rows of A, and of the result. */
  rows: 'u32',
  /** Rows of a node. */
  block: 'u32',
  /** A, in f64. */
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  /** Strong couplings of nodes. */
  strongPtr: 'usize',
  strongIdx: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

/** Strong couplings of nodes, each row with its diagonal. */
export interface Strong {
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
}

/** A matrix whose entries are the Frobenius norms of the blocks of A. In `scope`. @param matrix canonical, in the heap, in f64 */
export function condense(
  context: TeamContext,
  scope: HeapScope,
  { rows: unknowns, rowPtr: aRowPtr, colIdx: aColIdx, values: aValues }: CompressedRows,
  block: number,
): CompressedRows {
  const rows = unknowns / block;
  using work = context.heap.scope();
  const cursors = work.array(Uint32Array, unknowns);
  const words = { rows, block, aRowPtr, aColIdx, aValues, cursors, rowPtr: 0, colIdx: 0, values: 0 };
  const step = { layout: CONDENSE_HEADER, rows, entriesBefore: (node: number) => aRowPtr[node * block]! };
  return countAndFill(
    ...([scope, work, { rows, cols: rows, name: 'matrix of nodes' }] as const),
    (chunkPtr) => runChunks(context, work, { ...step, kernel: 'condense_count', words: { ...words, chunkPtr } }),
    (chunkPtr, { rowPtr, colIdx, values }) =>
      runChunks(context, work, {
        ...step,
        kernel: 'condense_fill',
        words: { ...words, chunkPtr, rowPtr, colIdx, values },
      }),
  );
}

/**
 * Entries with a_ij² > θ² |a_ii a_jj|, and the diagonal. In `scope`.
 *
 * @param nodes canonical, in the heap, in f64, as its diagonal
 */
export function strongCouplings(
  context: TeamContext,
  scope: HeapScope,
  nodes: CompressedRows,
  diagonal: Float64Array,
  theta: number,
): Strong {
  const { rows, rowPtr, colIdx, values } = nodes;
  using work = context.heap.scope();
  const chunkPtr = work.array(Uint32Array, Math.ceil(rows / CHUNK) + 1).fill(0);
  const words = { rows, rowPtr, colIdx, values, diagonal, chunkPtr, strongPtr: 0, strongIdx: 0 };
  const step = { layout: STRENGTH_HEADER, rows, entriesBefore: (row: number) => rowPtr[row]!, alpha: theta ** 2 };
  runChunks(context, work, { ...step, kernel: 'strength_count', words });
  for (let chunk = 1; chunk < chunkPtr.length; chunk++) chunkPtr[chunk]! += chunkPtr[chunk - 1]!;
  const ptr = scope.array(Uint32Array, rows + 1);
  ptr[0] = 0;
  const idx = scope.array(Uint32Array, chunkPtr.at(-1)!);
  runChunks(context, work, { ...step, kernel: 'strength_fill', words: { ...words, strongPtr: ptr, strongIdx: idx } });
  return { ptr, idx };
}

/**
 * I − ω D⁻¹ F: F has the entries of A in strong blocks, and its diagonal D those that are in weak ones too. In `scope`.
 *
 * @param matrix A, as of `condense`
 */
export function smoothingMatrix(
  context: TeamContext,
  scope: HeapScope,
  { rows, cols, rowPtr: aRowPtr, colIdx: aColIdx, values: aValues }: CompressedRows,
  block: number,
  { ptr: strongPtr, idx: strongIdx }: Strong,
  omega: number,
): CompressedRows {
  using work = context.heap.scope();
  const words = { rows, block, aRowPtr, aColIdx, aValues, strongPtr, strongIdx, rowPtr: 0, colIdx: 0, values: 0 };
  const step = { layout: SMOOTH_HEADER, rows, entriesBefore: (row: number) => aRowPtr[row]!, alpha: omega };
  return countAndFill(
    ...([scope, work, { rows, cols, name: 'smoothing matrix' }] as const),
    (chunkPtr) => runChunks(context, work, { ...step, kernel: 'smooth_count', words: { ...words, chunkPtr } }),
    (chunkPtr, { rowPtr, colIdx, values }) =>
      runChunks(context, work, {
        ...step,
        kernel: 'smooth_fill',
        words: { ...words, chunkPtr, rowPtr, colIdx, values },
      }),
  );
}

interface ChunkStep<Word extends string> {
  readonly kernel: string;
  readonly layout: HeaderLayout<Word>;
  readonly words: HeaderWords<NoInfer<Word>>;
  readonly rows: number;
  readonly entriesBefore: (row: number) => number;
  readonly alpha?: number;
}

/** Runs a step over chunks of rows. */
function runChunks<const Word extends string>(
  { kernels, team }: TeamContext,
  work: HeapScope,
  { kernel, layout, words, rows, entriesBefore, alpha = 0 }: ChunkStep<Word>,
): void {
  const span = {
    units: Math.ceil(rows / CHUNK),
    workBefore(chunk: number) {
      const row = Math.min(chunk * CHUNK, rows);
      return entriesBefore(row) + row;
    },
  };
  if (span.units === 0) return;
  const header = placeHeader(work, layout, words);
  const parts = Math.min(span.units, partsOfProduct(span.workBefore(span.units), team.size));
  team.run(taskOver(work, span, parts, { kernel: kernelIndex(kernels, kernel), header }), 0, 0, alpha, 0);
}

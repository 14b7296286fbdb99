/**
 * α A + β B and A ⊗ B by the team, from compressed rows of the heap to compressed rows. Kernels: `assembly/algebra/row-pairs.ts`. The bits are
 * those of `addMatrices` and `kroneckerProduct`: they depend on nothing but A and B.
 */

import type { TeamContext } from '../backends/team/backend.js';
import { integer } from '../core/checks.js';
import type { CompressedRows } from '../core/csr.js';
import type { Span } from '../core/span.js';
import { partsOfStep, taskOver } from '../execution/partition.js';
import { type PairStep, pairKernelName } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { type HeaderWords, placeHeader } from '../memory/header.js';
import type { HeapScope } from '../memory/heap.js';
import { CHUNK_ROWS, countAndFill, emptyRows, placedPair } from './row-by-row.js';

export const PAIR_HEADER = {
  rows: 'u32',
  bRows: 'u32',
  bCols: 'u32',
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  bRowPtr: 'usize',
  bColIdx: 'usize',
  bValues: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

/**
 * α A + β B, its arrays in `scope`.
 *
 * @param a canonical, as b, and of the same size
 * @throws SparlaneError `argument` for more than 2³² − 1 entries; `heap` if there is no room
 */
export function addOnTeam(
  context: TeamContext,
  scope: HeapScope,
  a: CompressedRows,
  b: CompressedRows,
  alpha: number,
  beta: number,
): CompressedRows {
  const { rows, cols } = a;
  using work = context.heap.scope();
  const [left, right] = placedPair(work, a, b);
  const span = {
    units: Math.ceil(rows / CHUNK_ROWS),
    workBefore(chunk: number) {
      const row = Math.min(chunk * CHUNK_ROWS, rows);
      return left.rowPtr[row]! + right.rowPtr[row]! + row;
    },
  };
  const run = (step: PairStep, words: Partial<Words>) =>
    runStep(context, work, step, span, { ...wordsOf(left, right), rows, ...words }, alpha, beta);
  return countAndFill(
    scope,
    work,
    { rows, cols, name: 'sum' },
    (chunkPtr) => run('add_count', { chunkPtr }),
    (chunkPtr, { rowPtr, colIdx, values }) => run('add_fill', { chunkPtr, rowPtr, colIdx, values }),
  );
}

/** A ⊗ B, its arrays in `scope`. @throws SparlaneError `argument` for a size or entries beyond 2³² − 1; `heap` if there is no room */
export function kroneckerOnTeam(
  context: TeamContext,
  scope: HeapScope,
  a: CompressedRows,
  b: CompressedRows,
): CompressedRows {
  const rows = integer('rows of the product', a.rows * b.rows);
  const cols = integer('columns of the product', a.cols * b.cols);
  const nnz = integer('entries of the product', a.nnz * b.nnz);
  using work = context.heap.scope();
  const [left, right] = placedPair(work, a, b);
  const result = emptyRows(scope, rows, cols, nnz);
  const span = {
    units: rows,
    workBefore(row: number) {
      const i = Math.floor(row / b.rows);
      if (i >= a.rows) return nnz + rows;
      const entries = left.rowPtr[i + 1]! - left.rowPtr[i]!;
      return left.rowPtr[i]! * b.nnz + entries * right.rowPtr[row - i * b.rows]! + row;
    },
  };
  const { rowPtr, colIdx, values } = result;
  runStep(context, work, 'kronecker_fill', span, { ...wordsOf(left, right), rows, rowPtr, colIdx, values });
  return result;
}

type Words = HeaderWords<keyof typeof PAIR_HEADER>;

function wordsOf(a: CompressedRows, b: CompressedRows): Omit<Words, 'rows'> & { readonly width: number } {
  return {
    ...{ width: a.values.BYTES_PER_ELEMENT, bRows: b.rows, bCols: b.cols },
    ...{ aRowPtr: a.rowPtr, aColIdx: a.colIdx, aValues: a.values },
    ...{ bRowPtr: b.rowPtr, bColIdx: b.colIdx, bValues: b.values },
    ...{ chunkPtr: 0, rowPtr: 0, colIdx: 0, values: 0 },
  };
}

function runStep(
  { kernels, team }: TeamContext,
  work: HeapScope,
  step: PairStep,
  span: Span,
  { width, ...words }: Words & { readonly width: number },
  alpha = 1,
  beta = 1,
): void {
  if (span.units === 0) return;
  const header = placeHeader(work, PAIR_HEADER, words);
  const parts = Math.min(span.units, partsOfStep(span.workBefore(span.units), team.size));
  const kernel = kernelIndex(kernels, pairKernelName(step, width));
  team.run(taskOver(work, span, parts, { kernel, header }), 0, 0, alpha, beta);
}

/**
 * Rows and columns of a matrix by the team: folds, the diagonal, scaling. Kernels: `assembly/algebra/lines.ts`. The bits depend on nothing but
 * the matrix; but for sums by column of large matrices they are those of the functions of `algebra/rows.ts`.
 */

import type { Fold } from '../algebra/rows.js';
import type { TeamContext } from '../backends/team/backend.js';
import type { CompressedRows } from '../core/csr.js';
import { evenly, rowSpan, type Span } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { partsOfStep, taskOver } from '../execution/partition.js';
import { ALONE_BELOW } from '../formats/format.js';
import { COLUMN_CHUNK, placeWindows } from '../formats/layout/column-windows.js';
import { type LineStep, lineKernelName } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { extendHeader, type HeaderWords, placeHeader } from '../memory/header.js';
import type { HeapScope } from '../memory/heap.js';
import { cutByColumns, cutWithAllColumns, WINDOW_HEADER } from './column-windows.js';

const LINE_WORDS = {
  /** SUM, ABSOLUTE or GREATEST; otherwise squares. */
  fold: 'u32',
  /** f64, one per line. Of squares: the greatest value of each line; 0 counts as 1. Of a scaling: the factors; no array: ones. */
  byRow: 'usize',
  byColumn: 'usize',
  /** f64 */
  result: 'usize',
} as const;

export const LINE_HEADER: typeof WINDOW_HEADER & typeof LINE_WORDS = extendHeader(WINDOW_HEADER, LINE_WORDS);

/** As in the kernels. */
const FOLDS: Readonly<Record<Fold, number>> = { sum: 0, one: 1, max: 2, squares: 3 };

/** Entries of a part of a fold by columns, and most parts. */
const PART_ENTRIES = 2 ** 16;
const MAX_PARTS = 64;

/** The parts' sums, of 8 bytes, take at most 4 bytes per entry. */
const SUMS_PER_ENTRY = 1 / 2;

/**
 * result ← one fold for each row. Sums are in the order of the entries.
 *
 * @param matrix in the heap, as `greatest` and `result`
 * @param greatest of each row; `squares` needs it
 */
export function foldRows(
  context: TeamContext,
  matrix: CompressedRows,
  fold: Fold,
  result: Float64Array,
  greatest?: Float64Array,
): void {
  using work = context.heap.scope();
  run(context, work, 'rows', rowSpan(matrix), matrix, { fold: FOLDS[fold], byRow: greatest ?? 0, result });
}

/** result ← one fold for each column. Sums are by parts of the rows, which depend on the matrix only. @param matrix as of `foldRows` */
export function foldColumns(
  context: TeamContext,
  matrix: CompressedRows,
  fold: Fold,
  result: Float64Array,
  greatest?: Float64Array,
): void {
  const { cols, nnz } = matrix;
  using work = context.heap.scope();
  const wanted = nnz < ALONE_BELOW ? 1 : Math.max(1, Math.min(Math.floor(nnz / PART_ENTRIES), MAX_PARTS));
  const { bounds, windows } =
    wanted === 1
      ? cutWithAllColumns(matrix, 1)
      : cutByColumns(context, work, matrix, wanted, Math.max(cols, SUMS_PER_ENTRY * nnz));
  const parts = windows.length;
  const words = {
    ...{ parts, partPtr: work.copy(Uint32Array, bounds), fold: FOLDS[fold], byColumn: greatest ?? 0, result },
    windows: placeWindows(work, windows, Float64Array.BYTES_PER_ELEMENT),
  };
  run(context, work, 'columns', evenly(parts, nnz / parts), matrix, words);
  const reached = windows.reduce((sum, { first, end }) => sum + end - first, 0);
  const chunks = Math.ceil(cols / COLUMN_CHUNK);
  run(context, work, 'join', evenly(chunks, reached / Math.max(chunks, 1)), matrix, words);
}

/** result ← the diagonal; 0 for absent entries. @param matrix canonical and in the heap; `result`: one for each row, of those that have a diagonal entry */
export function diagonalOnTeam(context: TeamContext, matrix: CompressedRows, result: Float64Array): void {
  using work = context.heap.scope();
  run(context, work, 'diagonal', evenly(result.length), matrix, { result });
}

/** result ← values of diag(byRow) A diag(byColumn), all of them in the heap; factors that are undefined are ones. */
export function scaleOnTeam(
  context: TeamContext,
  matrix: CompressedRows,
  byRow: FloatArray | undefined,
  byColumn: FloatArray | undefined,
  result: Float64Array,
): void {
  using work = context.heap.scope();
  run(context, work, 'scale', rowSpan(matrix), matrix, { byRow: byRow ?? 0, byColumn: byColumn ?? 0, result });
}

type Words = HeaderWords<keyof typeof LINE_HEADER>;

const NOTHING = { parts: 0, partPtr: 0, windows: 0, fold: 0, byRow: 0, byColumn: 0 };

function run(
  { kernels, team }: TeamContext,
  work: HeapScope,
  step: LineStep,
  span: Span,
  { cols, rowPtr, colIdx, values }: CompressedRows,
  words: Partial<Words>,
): void {
  if (span.units === 0) return;
  const header = placeHeader(work, LINE_HEADER, { ...NOTHING, cols, rowPtr, colIdx, values, result: 0, ...words });
  const parts = Math.min(span.units, partsOfStep(span.workBefore(span.units), team.size));
  const kernel = kernelIndex(kernels, lineKernelName(step, values.BYTES_PER_ELEMENT));
  team.run(taskOver(work, span, parts, { kernel, header }), 0, 0, 0, 0);
}

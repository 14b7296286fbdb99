/**
 * C = A B by the team, by rows, from compressed rows of the heap to compressed rows of C. Kernels and their steps:
 * `assembly/algebra/spgemm.ts`. The bits of the result are those of `multiplyMatrices`: they depend on nothing but A and B.
 */

import type { TeamContext } from '../backends/team/backend.js';
import type { CompressedRows } from '../core/csr.js';
import { rowSpan, type Span } from '../core/span.js';
import { partsOfStep, taskOver } from '../execution/partition.js';
import type { TeamTask } from '../execution/task.js';
import { type SpgemmStep, spgemmKernelName } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { extendHeader, placeHeader } from '../memory/header.js';
import type { HeapScope } from '../memory/heap.js';
import { CHUNK_ROWS, countAndFill, placedPair } from './row-by-row.js';

/** The rooms of unions (`assembly/algebra/union.ts`). */
export const ROOM_HEADER = {
  cols: 'u32',
  /** Number of rooms, and bytes of each. */
  rooms: 'u32',
  roomBytes: 'u32',
  /** u32, one per room: FRESH, TAKEN or CLEAN. */
  states: 'usize',
  room: 'usize',
} as const;

const SPGEMM_WORDS = {
  rows: 'u32',
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  bRows: 'u32',
  bRowPtr: 'usize',
  bColIdx: 'usize',
  bValues: 'usize',
  /** f64, one per chunk. */
  weights: 'usize',
  /** u32, one per row of B: its pairs, which begin where its entries do. */
  pairs: 'usize',
  /** u32, one per pair: the word, in bytes from the first. */
  words: 'usize',
  /** u64, one per pair. */
  masks: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

export const SPGEMM_HEADER: typeof ROOM_HEADER & typeof SPGEMM_WORDS = extendHeader(ROOM_HEADER, SPGEMM_WORDS);

/** Work of a row beside its products, in products. */
const ROW_WORK = 4;

/**
 * A B in canonical order, with values in f64, its arrays in `scope`. The columns of a row of A or B may be in any order. The arrays
 * are copied into the heap unless they are there.
 *
 * @param b with as many rows as a has columns
 * @throws SparlaneError `argument` for more than 2³² − 1 entries; `heap` if there is no room for C, and beside it for 12 bytes per entry
 *   of B, and for each thread at work 8.2 bytes per column
 */
export function multiplyOnTeam(
  context: TeamContext,
  scope: HeapScope,
  a: CompressedRows,
  b: CompressedRows,
): CompressedRows {
  const { rows } = a;
  const { cols } = b;
  using work = context.heap.scope();
  const inputs = prepare(work, a, b);
  const header = placeHeader(work, SPGEMM_HEADER, { ...NOTHING, ...inputs.words });
  context.team.queue(task(context, work, 'weigh', header, rowSpan(inputs.a, CHUNK_ROWS)), 0, 0, 0, 0);
  context.team.run(task(context, work, 'pack', header, rowSpan(inputs.b, CHUNK_ROWS)), 0, 0, 0, 0);
  const span = spanOf(inputs.words.weights);
  const rooms = placeRooms(
    work,
    bytesOfRoom(cols),
    threadsWithRooms(cols, context.team.size, span.workBefore(span.units)),
  );
  const run = (
    step: SpgemmStep,
    chunkPtr: Uint32Array,
    result: Partial<Pick<CompressedRows, 'rowPtr' | 'colIdx' | 'values'>>,
  ) => {
    const { rowPtr = 0, colIdx = 0, values = 0 } = result;
    const full = { ...inputs.words, ...rooms, chunkPtr, rowPtr, colIdx, values };
    const header = placeHeader(work, SPGEMM_HEADER, full);
    context.team.run(task(context, work, step, header, span, inputs.width, rooms.rooms), 0, 0, 0, 0);
  };
  return countAndFill(
    ...([scope, work, { rows, cols, name: 'product' }] as const),
    (chunkPtr) => run('count', chunkPtr, {}),
    (chunkPtr, result) => run('fill', chunkPtr, result),
  );
}

/** The words of a header that no array has been made for. */
const NOTHING = { rooms: 0, roomBytes: 0, states: 0, room: 0, chunkPtr: 0, rowPtr: 0, colIdx: 0, values: 0 };

/** Returns a step of at most `workers` threads. If there are several threads and one works, that is the caller's, and it has one part. */
function task(
  { kernels, team }: TeamContext,
  work: HeapScope,
  step: SpgemmStep,
  header: number,
  span: Span,
  width = 8,
  workers: number = team.size,
): TeamTask {
  const kernel = kernelIndex(kernels, spgemmKernelName(step, width));
  const parts = workers === 1 && team.size > 1 ? 1 : partsOfStep(span.workBefore(span.units), team.size);
  return taskOver(work, span, Math.max(1, Math.min(span.units, parts)), { kernel, header, workers });
}

/** The arrays that need A and B only. */
function prepare(work: HeapScope, a: CompressedRows, b: CompressedRows) {
  const [left, right] = placedPair(work, a, b);
  const chunks = Math.ceil(a.rows / CHUNK_ROWS);
  const words = {
    ...{ rows: a.rows, cols: b.cols, aRowPtr: left.rowPtr, aColIdx: left.colIdx, aValues: left.values },
    ...{ bRows: b.rows, bRowPtr: right.rowPtr, bColIdx: right.colIdx, bValues: right.values },
    weights: work.array(Float64Array, chunks),
    pairs: work.array(Uint32Array, b.rows),
    words: work.array(Uint32Array, b.nnz),
    masks: work.array(Float64Array, b.nnz),
  };
  return { a: left, b: right, width: left.values.BYTES_PER_ELEMENT, words };
}

/** The words of `ROOM_HEADER`, but for the columns. */
interface Rooms {
  readonly rooms: number;
  readonly roomBytes: number;
  readonly states: Uint32Array;
  readonly room: number;
}

/** The number of threads that have a room: no more than there is work for. @param cost of a room, in the unit of `work`: its columns to clear, or its bytes */
export function threadsWithRooms(cost: number, threads: number, work: number): number {
  return Math.max(1, Math.min(threads, Math.floor(work / Math.max(cost, 1))));
}

export function placeRooms(scope: HeapScope, bytes: number, rooms: number): Rooms {
  const roomBytes = Math.ceil(bytes / 64) * 64;
  const states = scope.array(Uint32Array, rooms).fill(0);
  return { rooms, roomBytes, states, room: scope.alloc(rooms * roomBytes) };
}

/** Bytes of a room: `assembly/algebra/union.ts`. */
export function bytesOfRoom(cols: number): number {
  const words = Math.ceil(cols / 64);
  const tops = Math.ceil(words / 64);
  const roofs = Math.ceil(tops / 64) + 1;
  return 8 * (words + tops + roofs + cols) + 4 * (words + 1);
}

/** The chunks of rows, by products. */
function spanOf(weights: Float64Array): Span {
  const before = new Float64Array(weights.length + 1);
  for (let chunk = 0; chunk < weights.length; chunk++)
    before[chunk + 1] = before[chunk]! + weights[chunk]! + ROW_WORK * CHUNK_ROWS;
  return { units: weights.length, workBefore: (chunk) => before[chunk]! };
}

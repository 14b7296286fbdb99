/**
 * C = A B by the team, by rows, from compressed rows of the heap to compressed rows of C. Kernels and their steps:
 * `assembly/spgemm.ts`. The bits of the result are those of `multiplyMatrices`: they depend on nothing but A and B.
 */
import { integer } from '../../core/checks.js';
import { rowSpan, type Span } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import { partsOfProduct, taskOver } from '../../execution/partition.js';
import type { Task } from '../../execution/task.js';
import { type SpgemmStep, spgemmKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { TeamContext } from './backend.js';
import type { Rows } from './transposition.js';

export const SPGEMM_HEADER = [
  'cols',
  'rooms',
  'roomBytes',
  'states',
  'room',
  'rows',
  'aRowPtr',
  'aColIdx',
  'aValues',
  'bRows',
  'bRowPtr',
  'bColIdx',
  'bValues',
  'weights',
  'pairs',
  'words',
  'masks',
  'chunkPtr',
  'rowPtr',
  'colIdx',
  'values',
] as const;

/** As in the kernels: rows of a chunk. */
const CHUNK = 16;

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
export function multiplyOnTeam(context: TeamContext, scope: HeapScope, a: Rows, b: Rows): Rows {
  const { rows } = a;
  const { cols } = b;
  using work = context.heap.scope();
  const inputs = prepare(work, a, b);
  const header = placeHeader(work, SPGEMM_HEADER, { ...NOTHING, ...inputs.words });
  context.team.queue(task(context, work, 'weigh', header, rowSpan(inputs.a, CHUNK)), 0, 0, 0, 0);
  context.team.run(task(context, work, 'pack', header, rowSpan(inputs.b, CHUNK)), 0, 0, 0, 0);
  const { chunkPtr, weights } = inputs.words;
  const span = spanOf(weights);
  const rooms = placeRooms(work, cols, context.team.size, span.workBefore(span.units));
  const run = (step: SpgemmStep, result: Partial<Record<'rowPtr' | 'colIdx' | 'values', ArrayBufferView>>) => {
    const full = placeHeader(work, SPGEMM_HEADER, { ...NOTHING, ...inputs.words, ...rooms, ...result });
    context.team.run(task(context, work, step, full, span, inputs.width, rooms.rooms), 0, 0, 0, 0);
  };
  run('count', {});
  const nnz = addUp(chunkPtr);
  const [rowPtr, colIdx] = [scope.array(Uint32Array, rows + 1), scope.array(Uint32Array, nnz)];
  const values = scope.array(Float64Array, nnz);
  rowPtr[0] = 0;
  run('fill', { rowPtr, colIdx, values });
  return { rows, cols, nnz, rowPtr, colIdx, values };
}

/** The words of a header that no array has been made for. */
const NOTHING = { rooms: 0, roomBytes: 0, states: 0, room: 0, rowPtr: 0, colIdx: 0, values: 0 };

/** A step of at most `workers` threads. One works on the caller's thread, in one part. */
function task(
  { kernels, team }: TeamContext,
  work: HeapScope,
  step: SpgemmStep,
  header: number,
  span: Span,
  width = 8,
  workers: number = team.size,
): Task {
  const kernel = kernelIndex(kernels, spgemmKernelName(step, width));
  const parts = workers === 1 ? 1 : partsOfProduct(span.workBefore(span.units), team.size);
  return taskOver(work, span, Math.max(1, Math.min(span.units, parts)), { kernel, header, workers });
}

/** The arrays that need A and B only. */
function prepare(work: HeapScope, a: Rows, b: Rows) {
  const [left, right] = placed(work, a, b);
  const chunks = Math.ceil(a.rows / CHUNK);
  const words = {
    ...{ rows: a.rows, cols: b.cols, aRowPtr: left.rowPtr, aColIdx: left.colIdx, aValues: left.values },
    ...{ bRows: b.rows, bRowPtr: right.rowPtr, bColIdx: right.colIdx, bValues: right.values },
    weights: work.array(Float64Array, chunks),
    chunkPtr: work.array(Uint32Array, chunks + 1).fill(0),
    pairs: work.array(Uint32Array, b.rows),
    words: work.array(Uint32Array, b.nnz),
    masks: work.array(Float64Array, b.nnz),
  };
  return { a: left, b: right, width: left.values.BYTES_PER_ELEMENT, words };
}

/** As many rooms as threads, if each has at least as much work as clearing its room. */
function placeRooms(scope: HeapScope, cols: number, threads: number, work: number) {
  const rooms = Math.max(1, Math.min(threads, Math.floor(work / Math.max(cols, 1))));
  const roomBytes = bytesOfRoom(cols);
  const states = scope.array(Uint32Array, rooms).fill(0);
  return { rooms, roomBytes, states, room: scope.alloc(rooms * roomBytes) };
}

/** Turns counts, from element 1 on, into the ends of chunks. Returns the last one. */
function addUp(chunkPtr: Uint32Array): number {
  let nnz = 0;
  for (let chunk = 1; chunk < chunkPtr.length; chunk++) {
    nnz = integer('entries of the product', nnz + chunkPtr[chunk]!);
    chunkPtr[chunk] = nnz;
  }
  return nnz;
}

/** Both matrices in the heap, with values of one type: f64 unless both have f32. */
function placed(work: HeapScope, a: Rows, b: Rows): readonly [Rows, Rows] {
  const type = [a, b].every(({ values }) => values instanceof Float32Array) ? Float32Array : Float64Array;
  const indices = (array: Uint32Array) => (work.heap.owns(array) ? array : work.copy(Uint32Array, array));
  const place = (matrix: Rows): Rows => ({
    ...matrix,
    rowPtr: indices(matrix.rowPtr),
    colIdx: indices(matrix.colIdx),
    values:
      work.heap.owns(matrix.values) && matrix.values instanceof type
        ? matrix.values
        : work.copy<FloatArray>(type, matrix.values),
  });
  const left = place(a);
  return [left, a === b ? left : place(b)];
}

/** Bytes of a room, in whole cache lines: `assembly/union.ts`. */
function bytesOfRoom(cols: number): number {
  const words = Math.ceil(cols / 64);
  const tops = Math.ceil(words / 64);
  const roofs = Math.ceil(tops / 64) + 1;
  return Math.ceil((8 * (words + tops + roofs + cols) + 4 * (words + 1)) / 64) * 64;
}

/** The chunks of rows, by products. */
function spanOf(weights: Float64Array): Span {
  const before = new Float64Array(weights.length + 1);
  for (let chunk = 0; chunk < weights.length; chunk++)
    before[chunk + 1] = before[chunk]! + weights[chunk]! + ROW_WORK * CHUNK;
  return { units: weights.length, workBefore: (chunk) => before[chunk]! };
}

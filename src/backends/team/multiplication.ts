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
  'rows',
  'cols',
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
  'rooms',
  'roomBytes',
  'states',
  'room',
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
 * @throws SparlaneError `argument` for more than 2³² − 1 entries; `heap` if there is no room for C, and beside it for 12 bytes per entry of
 *   B, and for each thread 8.2 bytes per column
 */
export function multiplyOnTeam(context: TeamContext, scope: HeapScope, a: Rows, b: Rows): Rows {
  const { heap, team } = context;
  const { rows } = a;
  const { cols } = b;
  using work = heap.scope();
  const [left, right] = placed(work, a, b);
  const width = left.values.BYTES_PER_ELEMENT;
  const chunks = Math.ceil(rows / CHUNK);
  const weights = work.array(Float64Array, chunks);
  const chunkPtr = work.array(Uint32Array, chunks + 1).fill(0);
  const roomBytes = bytesOfRoom(cols);
  const words = {
    ...{ rows, cols, aRowPtr: left.rowPtr, aColIdx: left.colIdx, aValues: left.values },
    ...{ bRows: b.rows, bRowPtr: right.rowPtr, bColIdx: right.colIdx, bValues: right.values },
    ...{ weights, chunkPtr, rooms: team.size, roomBytes },
    pairs: work.array(Uint32Array, b.rows),
    words: work.array(Uint32Array, b.nnz),
    masks: work.array(Float64Array, b.nnz),
    states: work.array(Uint32Array, team.size).fill(0),
    room: work.alloc(team.size * roomBytes),
  };
  let header = placeHeader(work, SPGEMM_HEADER, { ...words, rowPtr: 0, colIdx: 0, values: 0 });
  const task = (step: SpgemmStep, span: Span): Task => {
    const kernel = kernelIndex(context.kernels, spgemmKernelName(step, width));
    const parts = Math.max(1, Math.min(span.units, partsOfProduct(span.workBefore(span.units), team.size)));
    return taskOver(work, span, parts, { kernel, header });
  };
  team.queue(task('weigh', rowSpan(left, CHUNK)), 0, 0, 0, 0);
  team.run(task('pack', rowSpan(right, CHUNK)), 0, 0, 0, 0);
  const span = spanOf(weights);
  team.run(task('count', span), 0, 0, 0, 0);
  let nnz = 0;
  for (let chunk = 1; chunk <= chunks; chunk++) {
    nnz = integer('entries of the product', nnz + chunkPtr[chunk]!);
    chunkPtr[chunk] = nnz;
  }
  const rowPtr = scope.array(Uint32Array, rows + 1);
  const colIdx = scope.array(Uint32Array, nnz);
  const values = scope.array(Float64Array, nnz);
  rowPtr[0] = 0;
  header = placeHeader(work, SPGEMM_HEADER, { ...words, rowPtr, colIdx, values });
  team.run(task('fill', span), 0, 0, 0, 0);
  return { rows, cols, nnz, rowPtr, colIdx, values };
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

/** Bytes of a room, in whole cache lines: see the kernels. */
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

/**
 * Transposition of a matrix by the team: a counting sort by column, without comparison, from compressed rows of the heap to
 * compressed rows of Aᵀ. Kernels and their steps: `assembly/transpose.ts`. The bits of the result depend on nothing but the matrix.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { evenly, rowSpan } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import { partition, partsOfProduct, taskOver } from '../../execution/partition.js';
import { READ_PAST } from '../../formats/csr.js';
import { type TransposeStep, transposeKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { TeamContext } from './backend.js';

export const TRANSPOSE_HEADER = [
  'cols',
  'nnz',
  'parts',
  'rowPtr',
  'colIdx',
  'values',
  'partPtr',
  'places',
  'chunkPtr',
  'ptr',
  'idx',
  'moved',
  'buckets',
  'bucketPtr',
  'records',
] as const;

/** Compressed rows. The columns of a row may be in any order. */
export type Rows = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz' | 'rowPtr' | 'colIdx' | 'values'>;

/** As in the kernels: columns of a chunk, places of a bucket, and unused places after it. */
const CHUNK = 1024;
const BUCKET = 2 ** 16;
const GAP = 20;

/** Place, row and value of an entry. */
const RECORD_BYTES = 16;

/** Most places per entry: the memory of the counters is at most twice that of the columns. */
const PLACES_PER_ENTRY = 2;

/**
 * Aᵀ in canonical order, its arrays in `scope`, each in a block in which `csr` can keep it. The arrays of A are copied into the heap unless they are there.
 *
 * @throws SparlaneError `heap` if there is no room for Aᵀ, and up to 32 bytes per entry beside it
 */
export function transposeOnTeam(context: TeamContext, scope: HeapScope, matrix: Rows): Rows {
  const { heap, team } = context;
  const { rows, cols, nnz } = matrix;
  const type = matrix.values instanceof Float64Array ? Float64Array : Float32Array;
  const result = {
    ptr: scope.array(Uint32Array, cols + 1),
    idx: scope.array(Uint32Array, nnz + READ_PAST).subarray(0, nnz),
    moved: scope.array<FloatArray>(type, nnz + READ_PAST).subarray(0, nnz),
  };
  using work = heap.scope();
  const inHeap = <T extends Uint32Array | FloatArray>(array: T, copy: () => T) => (heap.owns(array) ? array : copy());
  const rowPtr = inHeap(matrix.rowPtr, () => work.copy(Uint32Array, matrix.rowPtr));
  const colIdx = inHeap(matrix.colIdx, () => work.copy(Uint32Array, matrix.colIdx));
  const values = inHeap<FloatArray>(matrix.values, () => work.copy<FloatArray>(type, matrix.values));
  const wanted = partsOfProduct(nnz, team.size);
  const parts = Math.max(1, Math.min(wanted, Math.floor((PLACES_PER_ENTRY * nnz) / Math.max(cols, 1))));
  const partPtr = work.copy(Uint32Array, partition(rowSpan({ rows, rowPtr }), parts));
  const chunks = Math.ceil(cols / CHUNK);
  const chunkPtr = work.array(Uint32Array, chunks + 1).fill(0);
  const buckets = isScattered({ cols, nnz, colIdx }) ? Math.ceil(nnz / BUCKET) : 0;
  const bucketPtr = work.array(Uint32Array, parts * buckets);
  const places = work.array(Uint32Array, parts * cols);
  const records = work.array(Uint32Array, (RECORD_BYTES / 4) * buckets * (BUCKET + GAP));
  const header = placeHeader(work, TRANSPOSE_HEADER, {
    ...{ cols, nnz, parts, rowPtr, colIdx, values, partPtr, places, chunkPtr, ...result },
    ...{ buckets, bucketPtr, records },
  });
  const run = (step: TransposeStep, units: number): void => {
    const kernel = kernelIndex(context.kernels, transposeKernelName(step, type.BYTES_PER_ELEMENT));
    const shares = Math.max(1, Math.min(units, parts === 1 ? 1 : wanted));
    team.run(taskOver(work, evenly(units), shares, { kernel, header }), 0, 0, 0, 0);
  };
  run('count', parts);
  run('total', chunks);
  for (let chunk = 0; chunk < chunks; chunk++) chunkPtr[chunk + 1]! += chunkPtr[chunk]!;
  run('place', chunks);
  result.ptr[cols] = nnz;
  if (buckets === 0) run('fill', parts);
  else {
    run('buckets', parts);
    beginBuckets(bucketPtr, parts, buckets);
    run('spread', parts);
    run('settle', buckets);
  }
  return { rows: cols, cols: rows, nnz, rowPtr: result.ptr, colIdx: result.idx, values: result.moved };
}

/** Turns the numbers of entries by part and bucket into places, bucket after bucket, in each of them part after part. */
function beginBuckets(bucketPtr: Uint32Array, parts: number, buckets: number): void {
  for (let bucket = 0; bucket < buckets; bucket++) {
    let place = bucket * (BUCKET + GAP);
    for (let part = 0; part < parts; part++) {
      const at = part * buckets + bucket;
      const count = bucketPtr[at]!;
      bucketPtr[at] = place;
      place += count;
    }
  }
}

/** Entries of a sample of consecutive rows, and the number of samples. */
const SAMPLE = 2 ** 16;
const SAMPLES = 2;
/** Columns of a group: a cache line of places has 16. */
const GROUP_SHIFT = 3;
/** Fewest entries of a sample per group of columns for which writing each entry to its place is faster. */
const ENTRIES_PER_GROUP = 16;

/** Whether consecutive rows have few columns, or neighbours of them, in common. A matrix that fits into a cache is not scattered. */
export function isScattered({ cols, nnz, colIdx }: Pick<Rows, 'cols' | 'nnz' | 'colIdx'>): boolean {
  if (nnz < SAMPLES * SAMPLE) return false;
  const seenIn = new Uint8Array((cols >>> GROUP_SHIFT) + 1);
  let groups = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const begin = Math.floor(((nnz - SAMPLE) * (sample + 1)) / (SAMPLES + 1));
    for (let k = begin; k < begin + SAMPLE; k++) {
      const group = colIdx[k]! >>> GROUP_SHIFT;
      if (seenIn[group] !== sample + 1) groups++;
      seenIn[group] = sample + 1;
    }
  }
  return groups * ENTRIES_PER_GROUP > SAMPLES * SAMPLE;
}

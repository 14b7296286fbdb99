/**
 * Transposition of a matrix by the team: a counting sort by column, without comparison, from compressed rows of the heap to
 * compressed rows of Aᵀ. Kernels and their steps: `assembly/algebra/transpose.ts`, `assembly/algebra/transpose-buckets.ts`. The bits of the
 * result depend on nothing but the matrix.
 */

import type { TeamContext } from '../backends/team/backend.js';
import type { CompressedRows } from '../core/csr.js';
import { evenly } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { partsOfProduct, taskOver } from '../execution/partition.js';
import { COLUMN_CHUNK, placeWindows } from '../formats/layout/column-windows.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import { type TransposeStep, transposeKernelName } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { extendHeader, type HeaderWords, placeHeader } from '../memory/header.js';
import type { HeapScope } from '../memory/heap.js';
import { cutByColumns, cutWithAllColumns, WINDOW_HEADER } from './column-windows.js';
import { placedRows } from './row-by-row.js';

const TRANSPOSE_WORDS = {
  nnz: 'u32',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result: u32, cols + 1; u32, nnz; nnz values. */
  ptr: 'usize',
  idx: 'usize',
  moved: 'usize',
  /** Number of buckets; 0 without. */
  buckets: 'u32',
  /** u32, parts × buckets. */
  bucketPtr: 'usize',
  /** 16 bytes for each entry: place and row, u32 each, and value. */
  records: 'usize',
} as const;

export const TRANSPOSE_HEADER: typeof WINDOW_HEADER & typeof TRANSPOSE_WORDS = extendHeader(
  WINDOW_HEADER,
  TRANSPOSE_WORDS,
);

/** A bucket has 2 to this power places. Kernels know it. */
export const BUCKET_SHIFT = 16;
const BUCKET: number = 2 ** BUCKET_SHIFT;
/** So many unused places, five cache lines, follow a bucket: otherwise all buckets would fill up in the same sets of a cache. Kernels know it. */
export const BUCKET_GAP = 20;

/** Place, row and value of an entry. */
const RECORD_BYTES = 16;

/** Most places per entry: their memory is at most twice that of the columns. */
const PLACES_PER_ENTRY = 2;

/**
 * Aᵀ in canonical order, its arrays in `scope`, each in a block in which `csr` can keep it. The arrays of A are copied into the heap unless they are there.
 *
 * @throws SparlaneError `heap` if there is no room for Aᵀ, and up to 32 bytes per entry beside it
 */
export function transposeOnTeam(context: TeamContext, scope: HeapScope, matrix: CompressedRows): CompressedRows {
  const { heap, team } = context;
  const { rows, cols, nnz } = matrix;
  const type = matrix.values instanceof Float64Array ? Float64Array : Float32Array;
  const result = {
    ptr: scope.array(Uint32Array, cols + 1),
    idx: scope.array(Uint32Array, nnz + READ_PAST).subarray(0, nnz),
    moved: scope.array<FloatArray>(type, nnz + READ_PAST).subarray(0, nnz),
  };
  using work = heap.scope();
  const placed = placedRows(work, matrix);
  const { rowPtr, colIdx, values } = placed;
  const wanted = partsOfProduct(nnz, team.size);
  const chunks = Math.ceil(cols / COLUMN_CHUNK);
  const chunkPtr = work.array(Uint32Array, chunks + 1).fill(0);
  const buckets = isScattered({ cols, nnz, colIdx }) ? Math.ceil(nnz / BUCKET) : 0;
  const always = { cols, nnz, rowPtr, colIdx, values, chunkPtr, ...result, buckets };
  const run = (step: TransposeStep, units: number, words: Omit<Words, keyof typeof always>): void => {
    const kernel = kernelIndex(context.kernels, transposeKernelName(step, type.BYTES_PER_ELEMENT));
    const header = placeHeader(work, TRANSPOSE_HEADER, { ...always, ...words });
    team.run(
      taskOver(work, evenly(units), Math.max(1, Math.min(units, wanted)), { kernel, header, work: nnz }),
      0,
      0,
      0,
      0,
    );
  };
  const most = PLACES_PER_ENTRY * nnz;
  const fitting = Math.max(1, Math.min(wanted, Math.floor(most / Math.max(cols, 1))));
  const { bounds, windows } =
    buckets > 0 || wanted === 1
      ? cutWithAllColumns(placed, fitting)
      : cutByColumns(context, work, placed, wanted, most);
  const parts = windows.length;
  const words = {
    parts,
    partPtr: work.copy(Uint32Array, bounds),
    windows: placeWindows(work, windows, Uint32Array.BYTES_PER_ELEMENT),
    bucketPtr: work.array(Uint32Array, parts * buckets),
    records: work.array(Uint32Array, (RECORD_BYTES / 4) * buckets * (BUCKET + BUCKET_GAP)),
  };
  run('count', parts, words);
  if (wanted > 1) {
    run('total', chunks, words);
    for (let chunk = 0; chunk < chunks; chunk++) chunkPtr[chunk + 1]! += chunkPtr[chunk]!;
  }
  run('place', chunks, words);
  result.ptr[cols] = nnz;
  if (buckets === 0) run('fill', parts, words);
  else {
    run('buckets', parts, words);
    beginBuckets(words.bucketPtr, parts, buckets);
    run('spread', parts, words);
    run('settle', buckets, words);
  }
  return { rows: cols, cols: rows, nnz, rowPtr: result.ptr, colIdx: result.idx, values: result.moved };
}

type Words = HeaderWords<keyof typeof TRANSPOSE_HEADER>;

/** Turns the numbers of entries by part and bucket into places, bucket after bucket, in each of them part after part. */
function beginBuckets(bucketPtr: Uint32Array, parts: number, buckets: number): void {
  for (let bucket = 0; bucket < buckets; bucket++) {
    let place = bucket * (BUCKET + BUCKET_GAP);
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
/** A sample looks at each fourth entry, which misses 1 % of the groups that have 16 entries. Chosen. */
const STRIDE = 4;
/** Columns of a group: a cache line of places has 16. */
const GROUP_SHIFT = 3;
/** Fewest entries of a sample per group of columns for which writing each entry to its place is faster. */
const ENTRIES_PER_GROUP = 16;

/** Whether consecutive rows have few columns, or neighbours of them, in common. A matrix that fits into a cache is not scattered. */
export function isScattered({ cols, nnz, colIdx }: Pick<CompressedRows, 'cols' | 'nnz' | 'colIdx'>): boolean {
  if (nnz < SAMPLES * SAMPLE) return false;
  const seenIn = new Uint8Array((cols >>> GROUP_SHIFT) + 1);
  let groups = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const begin = Math.floor(((nnz - SAMPLE) * (sample + 1)) / (SAMPLES + 1));
    for (let k = begin; k < begin + SAMPLE; k += STRIDE) {
      const group = colIdx[k]! >>> GROUP_SHIFT;
      if (seenIn[group] !== sample + 1) groups++;
      seenIn[group] = sample + 1;
    }
  }
  return groups * ENTRIES_PER_GROUP > SAMPLES * SAMPLE;
}

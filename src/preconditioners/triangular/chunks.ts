/**
 * Chunks of rows for triangular solves on several threads: consecutive rows of one stage, or of several small ones, and for each chunk
 * the chunks that it needs. A thread waits for these alone, so stages overlap (`assembly/triangular/ordered.ts`).
 *
 * Source: Park, Smelyanskiy, Sundaram & Dubey, "Sparsifying synchronization for high-performance shared-memory sparse triangular solver",
 *   ISC 2014: waits of tasks for each other, in place of barriers.
 * Differs: tasks are claimed in order, not dealt, and no dependency is left out as implied by others.
 * Cost: O(entries), once.
 */

import type { SolveChunks } from '../../backends/team/ordered.js';
import type { Span } from '../../core/span.js';
import { type Pattern, transposedPattern } from '../../core/transpose.js';
import { partition } from '../../execution/partition.js';
import type { SolveStage, Triangle, TrianglesPattern } from './triangles.js';

/** Lists of numbers, as the columns of rows. */
type Lists = Pattern;

/** Entries that take as long as the rest of a row: 7 ns beside 0.45. (Intel Xeon at 2 cores, one thread, f64, in the cache, November 2026.) */
const ROW_WORK = 16;

/**
 * Least work of a chunk, 1.4 µs. Stages that are too small for two chunks are joined. Half of it is as fast on the 5-point Laplacian of
 * 1000² by levels and 1.1 × as slow on elasticity, whose levels have some 50 rows; four times as much leaves the first on one thread. (The same machine, two
 * threads.)
 */
const CHUNK_WORK = 3 * 2 ** 10;

/** Most chunks of a stage, for each thread: those of the next stage may begin before all of them are done. */
const CHUNKS_PER_THREAD = 2;

/** @param threads that take part; one: a single chunk of all rows */
export function chunksOf(
  { rows, lower, upper }: Pick<TrianglesPattern, 'rows' | 'lower' | 'upper'>,
  stages: readonly SolveStage[],
  threads: number,
): SolveChunks {
  const { bounds, width } = threads === 1 ? { bounds: Uint32Array.of(0, rows), width: 1 } : cut(lower, stages, threads);
  const count = bounds.length - 1;
  if (width === 1) return { bounds, width, before: NO_LISTS, after: NO_LISTS };
  const chunkOf = new Uint32Array(rows);
  for (let c = 0; c < count; c++) chunkOf.fill(c, bounds[c], bounds[c + 1]);
  const below = neighboursOf(bounds, chunkOf, lower);
  // Entries of U whose place in L is empty: the element must not be overwritten before all rows have read it.
  const above = upper === undefined ? undefined : transposed(neighboursOf(bounds, chunkOf, upper), count);
  const before = above === undefined ? below : united(below, above, count);
  return { bounds, width, before, after: transposed(before, count) };
}

const NO_LISTS: Lists = { ptr: new Uint32Array(2), idx: new Uint32Array(0) };

function cut({ ptr }: Triangle, stages: readonly SolveStage[], threads: number): Pick<SolveChunks, 'bounds' | 'width'> {
  const bounds = [0];
  let width = 1;
  const workBefore = (row: number) => ptr[row]! + ROW_WORK * row;
  let isJoining = false;
  for (const { units, rowOf } of stages) {
    const base = workBefore(rowOf(0));
    const span: Span = { units, workBefore: (unit) => workBefore(rowOf(unit)) - base };
    const most = Math.min(units, CHUNKS_PER_THREAD * threads);
    const parts = Math.min(most, Math.floor(span.workBefore(units) / CHUNK_WORK));
    width = Math.max(width, parts);
    if (parts > 1) {
      for (const unit of partition(span, parts).subarray(1)) if (rowOf(unit) > bounds.at(-1)!) bounds.push(rowOf(unit));
    } else if (isJoining) bounds[bounds.length - 1] = rowOf(units);
    else bounds.push(rowOf(units));
    isJoining = parts <= 1;
  }
  return { bounds: Uint32Array.from(bounds.length === 1 ? [0, 0] : bounds), width };
}

/** For each chunk the other ones in which its rows have columns, ascending. */
function neighboursOf(bounds: Uint32Array, chunkOf: Uint32Array, { ptr, idx }: Triangle): Lists {
  const count = bounds.length - 1;
  const found: number[] = [];
  const foundPtr = new Uint32Array(count + 1);
  /** 1 + the last chunk that met each chunk. */
  const metBy = new Uint32Array(count);
  for (let c = 0; c < count; c++) {
    metBy[c] = c + 1;
    for (let k = ptr[bounds[c]!]!, end = ptr[bounds[c + 1]!]!; k < end; k++) {
      const other = chunkOf[idx[k]!]!;
      if (metBy[other] === c + 1) continue;
      metBy[other] = c + 1;
      found.push(other);
    }
    foundPtr[c + 1] = found.length;
  }
  return { ptr: foundPtr, idx: Uint32Array.from(found) };
}

/** List j has i where list i has j. */
function transposed({ ptr, idx }: Lists, count: number): Lists {
  return transposedPattern({ rows: count, cols: count, nnz: idx.length, rowPtr: ptr, colIdx: idx });
}

/** The numbers of either list. */
function united(a: Lists, b: Lists, count: number): Lists {
  const found: number[] = [];
  const foundPtr = new Uint32Array(count + 1);
  for (let c = 0; c < count; c++) {
    const both = new Set([...a.idx.subarray(a.ptr[c], a.ptr[c + 1]), ...b.idx.subarray(b.ptr[c], b.ptr[c + 1])]);
    found.push(...both);
    foundPtr[c + 1] = found.length;
  }
  return { ptr: foundPtr, idx: Uint32Array.from(found) };
}

/**
 * Pointers from counts: the sum of the counts before each place, as starts of rows, chunks or groups. Sums of blocks of
 * counts are formed first, so that threads can write the pointers of different blocks at the same time.
 */
import { evenly, type Span } from '../../core/span.js';
import type { Loop, RunLoop } from './loop.js';
import type { ConversionWorkspace } from './workspace.js';

/** A block has so many counts. Kernels know it. */
export const BLOCK_COUNTS = 1024;

/** Cost of a count, in entries. */
const COUNT_WORK = 1 / 2;

export const SUM_BLOCKS_HEADER = {
  count: 'u32',
  counts: 'usize',
  sums: 'usize',
} as const;

type SumBlocks = { readonly count: number; readonly counts: Uint32Array; readonly sums: Float64Array };

/** Units: blocks. */
export const sumBlocks: Loop<SumBlocks> = {
  header: SUM_BLOCKS_HEADER,
  kernel: () => 'counts_sum',
  run({ count, counts, sums }, begin, end) {
    for (let block = begin; block < end; block++) {
      let sum = 0;
      const last = Math.min((block + 1) * BLOCK_COUNTS, count);
      for (let i = block * BLOCK_COUNTS; i < last; i++) sum += counts[i]!;
      sums[block] = sum;
    }
  },
};

export const WRITE_POINTERS_HEADER = {
  count: 'u32',
  counts: 'usize',
  before: 'usize',
  scale: 'u32',
  ptr: 'usize',
} as const;

type WritePointers = {
  readonly count: number;
  readonly counts: Uint32Array;
  readonly before: Float64Array;
  readonly scale: number;
  readonly ptr: Uint32Array;
};

/** Writes the pointers behind the counts. Units: blocks. */
export const writePointers: Loop<WritePointers> = {
  header: WRITE_POINTERS_HEADER,
  kernel: () => 'counts_place',
  run({ count, counts, before, scale, ptr }, begin, end) {
    for (let block = begin; block < end; block++) {
      let at = scale * before[block]!;
      const last = Math.min((block + 1) * BLOCK_COUNTS, count);
      for (let i = block * BLOCK_COUNTS; i < last; i++) {
        at += scale * counts[i]!;
        ptr[i + 1] = at;
      }
    }
  },
};

/** Counts that are to become pointers. */
export interface Counts {
  readonly counts: Uint32Array;
  /** For each block, the sum of the counts before it. As f64, exact even if too large to store. */
  readonly before: Float64Array;
  /** The sum of all counts. */
  readonly total: number;
}

/** @param counts of the workspace, as the result */
export function summed(counts: Uint32Array, { runLoop, array }: ConversionWorkspace): Counts {
  const span = blocksOf(counts);
  const before = array(Float64Array, span.units);
  runLoop(sumBlocks, { count: counts.length, counts, sums: before }, span);
  let total = 0;
  for (let block = 0; block < before.length; block++) {
    const sum = before[block]!;
    before[block] = total;
    total += sum;
  }
  return { counts, before, total };
}

/** Writes one pointer more than there are counts, each `scale` times the sum of the counts before it. */
export function placePointers(ptr: Uint32Array, { counts, before }: Counts, runLoop: RunLoop, scale = 1): Uint32Array {
  ptr[0] = 0;
  runLoop(writePointers, { count: counts.length, counts, before, scale, ptr }, blocksOf(counts));
  return ptr;
}

function blocksOf(counts: Uint32Array): Span {
  return evenly(Math.ceil(counts.length / BLOCK_COUNTS), BLOCK_COUNTS * COUNT_WORK);
}

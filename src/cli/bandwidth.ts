/**
 * What the memory bus delivers to the threads of an engine: the yardstick that products are measured against, in the same
 * run. The buffer is read in as many parts as a product of its size would be; it is larger than most caches, and written
 * first, since pages never written are all the same page.
 */
import type { Task } from '../execution/control.js';
import { partition, partsFor } from '../execution/partition.js';
import { STREAM_READ } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { ALIGNMENT, type HeapScope } from '../memory/heap.js';
import type { Engine } from '../operators/engine.js';

const BUFFER_BYTES = 128 * 2 ** 20;

/** As many bytes as an entry of f64 CSR: what `partsFor` counts in. */
const BYTES_PER_WORK = 12;

/** Long enough for V8 to replace the baseline code, which happens between two calls only. */
const WARM_UP_MS = 10;
const WARM_UP_LINES = 1024;

export interface ReadStream {
  readonly bytes: number;
  /** Reads the buffer once. */
  readonly read: () => void;
}

/** The buffer lives in the scope. @throws SparlaneError `heap` where it does not fit beside the matrix. */
export function createReadStream({ context }: Engine, scope: HeapScope): ReadStream {
  const { kernels, own, team } = context;
  const kernel = kernelIndex(kernels, STREAM_READ);
  const buffer = scope.array(Float64Array, BUFFER_BYTES / 8).fill(1);
  const header = scope.header([buffer.byteOffset, scope.alloc(ALIGNMENT)]);
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) {
    own[kernel]!(header, 0, 0, 0, WARM_UP_LINES, 0, 0, 0);
  }
  const lines = { units: BUFFER_BYTES / ALIGNMENT, workBefore: (line: number) => line };
  const task: Task = { kernel, header, bounds: partition(lines, partsFor(BUFFER_BYTES / BYTES_PER_WORK, team.size)) };
  return { bytes: BUFFER_BYTES, read: () => team.run(task, 0, 0, 0, 0) };
}

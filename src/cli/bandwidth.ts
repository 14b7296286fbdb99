/**
 * What the memory bus delivers to the threads of an engine: the yardstick that products are measured against, in the same
 * run. Buffers are taken in as many parts as a product of their size would be; they are larger than most caches, and written
 * first, since pages never written are all the same page.
 */

import type { CudaDevice } from '../backends/cuda.js';
import type { Task } from '../execution/control.js';
import { partition, partsFor } from '../execution/partition.js';
import { STREAM_READ, STREAM_TRIAD } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { ALIGNMENT, type HeapScope } from '../memory/heap.js';
import type { Engine } from '../operators/engine.js';
import type { Timed } from './timing.js';

const BUFFER_BYTES = 128 * 2 ** 20;

/** As many bytes as an entry of f64 CSR: what `partsFor` counts in. */
const BYTES_PER_WORK = 12;

/** Long enough for V8 to replace the baseline code, which happens between two calls only. */
const WARM_UP_MS = 10;
const WARM_UP_LINES = 1024;

export interface Stream extends Timed {
  /** Read and written, each once. */
  readonly bytes: number;
}

/** Many times what L2 of any GPU holds. */
const DEVICE_BYTES = 2 ** 30;

/** Elements of the vector that a device gathers from: as long as that of a large matrix, and within L2; and how often. */
const GATHERED = 2 ** 21;
const GATHERS = 2 ** 24;

export interface Gathers extends Timed {
  readonly count: number;
}

/** The GPU that computes alone; where the CPU computes too, its clock and its memory count. */
export function deviceAlone({ backend, device }: Engine): CudaDevice | undefined {
  return backend === 'cuda' ? device : undefined;
}

/** Gathers of f64 at random, where a GPU computes alone; else undefined. They live as long as the device is open. */
export function createGathers(engine: Engine): Gathers | undefined {
  return deviceAlone(engine)?.createGathers(GATHERED, GATHERS);
}

/** Reads a buffer once, on the GPU where it computes alone. It lives in the scope, or as long as the device is open. @throws SparlaneError `heap` where it does not fit beside the matrix. */
export function createReadStream(engine: Engine, scope: HeapScope): Stream {
  const device = deviceAlone(engine);
  if (device !== undefined) return device.createReadStream(DEVICE_BYTES);
  const buffer = scope.array(Float64Array, BUFFER_BYTES / 8).fill(1);
  const header = scope.header([buffer.byteOffset, scope.alloc(ALIGNMENT)]);
  return createStream(engine, STREAM_READ, header, [buffer]);
}

/**
 * The triad y ← α x + z, over buffers of a third of that. What a cache reads of y before it is overwritten is not counted.
 *
 * @throws SparlaneError `heap` where they do not fit
 */
export function createTriadStream(engine: Engine, scope: HeapScope): Stream {
  const third = Math.floor(BUFFER_BYTES / 3 / ALIGNMENT) * ALIGNMENT;
  const [x, y, z] = Array.from({ length: 3 }, () => scope.array(Float64Array, third / 8).fill(1));
  const header = scope.header([z!.byteOffset, 0]);
  return createStream(engine, STREAM_TRIAD, header, [x!, y!, z!]);
}

function createStream(
  { context }: Engine,
  name: string,
  header: number,
  buffers: readonly [Float64Array, ...Float64Array[]],
): Stream {
  const { kernels, own, team } = context;
  const kernel = kernelIndex(kernels, name);
  const [x, y = x] = buffers;
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) {
    own[kernel]!(header, x.byteOffset, y.byteOffset, 0, WARM_UP_LINES, 0, 1, 0);
  }
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const lines = { units: x.byteLength / ALIGNMENT, workBefore: (line: number) => line };
  const task: Task = { kernel, header, bounds: partition(lines, partsFor(bytes / BYTES_PER_WORK, team.size)) };
  return { bytes, run: () => void team.run(task, x.byteOffset, y.byteOffset, 1, 0) };
}

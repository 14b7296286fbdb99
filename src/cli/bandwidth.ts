/**
 * The memory bandwidth of an engine's threads: the baseline of its products, measured in the same run. Buffers are
 * processed in as many parts as a product of their size would be. They are larger than most caches, and written first,
 * since all pages that were never written map to the same physical page.
 */

import type { DeviceBackend } from '../backends/backend.js';
import { evenly } from '../core/span.js';
import type { Engine } from '../engine/engine.js';
import { partsFor, taskOver } from '../execution/partition.js';
import { OPERANDS_BYTES, STREAM_READ, STREAM_TRIAD } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import { OperandBlock } from '../kernels/operands.js';
import { placeHeader } from '../memory/header.js';
import { ALIGNMENT, type HeapScope } from '../memory/heap.js';
import type { Timed } from './timing.js';

export const STREAM_HEADER = {
  buffer: 'usize',
  sink: 'usize',
  /** At least 1; not used by the triad. */
  places: 'u32',
} as const;

/** From how many places a part is read: processors differ in how many they can follow. */
const PLACES = [1, 2, 4, 8] as const;
const TRIALS = 3;

const BUFFER_BYTES = 128 * 2 ** 20;

/** Bytes of an f64 CSR entry, the unit of `partsFor`. */
const BYTES_PER_WORK = 12;

/** Long enough for V8 to replace the baseline code, which happens only between two calls. */
const WARM_UP_MS = 10;
const WARM_UP_LINES = 1024;

export interface Stream extends Timed {
  /** Bytes read and written, each counted once. */
  readonly bytes: number;
}

/** Many times the L2 of any GPU. */
const DEVICE_BYTES = 2 ** 30;

/**
 * Elements of the vector that a device gathers from: as long as that of a large matrix, and within L2; and the number
 * of gathers.
 */
const GATHERED = 2 ** 21;
const GATHERS = 2 ** 24;

export interface Gathers extends Timed {
  readonly count: number;
}

/** The GPU if it computes alone. If the CPU computes too, its clock and its memory count. */
export function deviceAlone({ device, gpus }: Engine): DeviceBackend['space'] | undefined {
  return device === 'cuda' ? gpus[0]!.space : undefined;
}

/** Random gathers of f64, if a GPU computes alone; else undefined. They live as long as the device is open. */
export function createGathers(engine: Engine): Gathers | undefined {
  return deviceAlone(engine)?.createGathers(GATHERED, GATHERS);
}

/**
 * Reads a buffer once, on the GPU if it computes alone. It lives in the scope, or as long as the device is open. The threads read it from
 * as many places as is fastest.
 *
 * @param bytes of a buffer in the heap, a multiple of 64; default 128 MiB, which fits into the last cache of some servers
 * @throws SparlaneError `heap` if it does not fit in addition to the matrix.
 */
export function createReadStream(engine: Engine, scope: HeapScope, bytes: number = BUFFER_BYTES): Stream {
  const device = deviceAlone(engine);
  if (device !== undefined) return device.createReadStream(DEVICE_BYTES);
  return readStreamOf(engine, scope, scope.array(Float64Array, bytes / 8).fill(1));
}

/** The same of a buffer in the heap: whole cache lines that were written before. */
export function readStreamOf(engine: Engine, scope: HeapScope, buffer: Float64Array): Stream {
  const sink = scope.alloc(ALIGNMENT);
  const streams = PLACES.map((places) => {
    const header = placeHeader(scope, STREAM_HEADER, { buffer, sink, places });
    return createStream(engine, scope, STREAM_READ, header, [buffer]);
  });
  // In turn: the threads may sleep at first.
  const least = streams.map(() => Number.POSITIVE_INFINITY);
  for (let trial = 0; trial < TRIALS; trial++)
    for (const [k, { run }] of streams.entries()) least[k] = Math.min(least[k]!, millisecondsOf(run));
  return streams[least.indexOf(Math.min(...least))]!;
}

function millisecondsOf(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

/**
 * The triad y ← α x + z, over buffers of a third of that size. Cache reads of y before it is overwritten are not
 * counted.
 *
 * @throws SparlaneError `heap` if they do not fit
 */
export function createTriadStream(engine: Engine, scope: HeapScope): Stream {
  const third = Math.floor(BUFFER_BYTES / 3 / ALIGNMENT) * ALIGNMENT;
  const [x, y, z] = Array.from({ length: 3 }, () => scope.array(Float64Array, third / 8).fill(1));
  const header = placeHeader(scope, STREAM_HEADER, { buffer: z, sink: 0, places: 1 });
  return createStream(engine, scope, STREAM_TRIAD, header, [x!, y!, z!]);
}

function createStream(
  { context }: Engine,
  outer: HeapScope,
  name: string,
  header: number,
  buffers: readonly [Float64Array, ...Float64Array[]],
): Stream {
  const { kernels, own, team, heap } = context;
  const kernel = kernelIndex(kernels, name);
  const [x, y = x] = buffers;
  {
    using scope = heap.scope();
    const operands = new OperandBlock(heap.memory, scope.alloc(OPERANDS_BYTES));
    operands.write(x.byteOffset, y.byteOffset, 1, 0);
    for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) {
      own[kernel]!(header, operands.address, 0, WARM_UP_LINES);
    }
  }
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const parts = partsFor(bytes / BYTES_PER_WORK, team.size);
  const task = taskOver(outer, evenly(x.byteLength / ALIGNMENT), parts, { kernel, header, work: undefined });
  return { bytes, run: () => void team.run(task, x.byteOffset, y.byteOffset, 1, 0) };
}

/** One NVIDIA device: its memory, and the queue of its operations. */
import type { FloatArray } from '../../core/types.js';
import { runByColumns } from '../../memory/by-columns.js';
import type { Heap } from '../../memory/heap.js';
import {
  type Coefficient,
  isOnBlocks,
  type Recording,
  type ScalarOperation,
  type Space,
  type VectorOperation,
} from '../../memory/space.js';
import type { DeviceInfo, DeviceSpace, TimedOnDevice } from '../backend.js';
import { attempt, type CudaAddon } from './addon.js';
import { DeviceGraph } from './graph.js';
import { CudaPeers } from './peers.js';

/** In the order of their numbers in the addon. */
const OPERATIONS: readonly ScalarOperation[] = ['add', 'subtract', 'multiply', 'divide', 'root'];

/** A number that identifies no vector. */
const NONE = 0;

/** To empty L2, this many times its size is written. */
const FLUSH = 4;

/** Pinned bytes of a memory, from its begin. Pinned memory must stay allocated until it is unpinned. */
const pinned = new Map<WebAssembly.Memory, number>();

export class CudaDevice implements DeviceSpace {
  readonly name = 'cuda';
  readonly heap = undefined;
  readonly addon: CudaAddon;
  readonly info: DeviceInfo;
  readonly place: number;
  readonly peers: CudaPeers;
  readonly context: number;
  readonly #heaps = new Set<Heap>();
  #disposed = false;

  /**
   * @param isUrgent its operations come before those of other queues that wait for room on the device
   * @throws SparlaneError `backend` if the device cannot be opened
   */
  constructor(addon: CudaAddon, place: number, info: DeviceInfo, isUrgent = false) {
    this.addon = addon;
    this.info = info;
    this.place = place;
    this.context = attempt(() => addon.open(place, Number(isUrgent)));
    this.peers = new CudaPeers(addon, this.context, place);
  }

  /** The driver records what is queued. */
  get recordProduct(): Space['recordProduct'] {
    return undefined;
  }

  allocate(bytes: number): number {
    return attempt(() => this.addon.vector(this.context, bytes));
  }

  release(object: number): void {
    // Disposing the device frees all remaining memory.
    if (!this.#disposed) attempt(() => this.addon.release(object));
  }

  slice(block: number, offsetBytes: number, bytes: number): number {
    return attempt(() => this.addon.slice(block, offsetBytes, bytes));
  }

  releaseSlice(slice: number): void {
    this.release(slice);
  }

  clear(block: number, bytes: number): void {
    attempt(() => this.addon.clear(block, bytes));
  }

  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void {
    this.send(block, offsetBytes, source);
    // The heap is pinned, so the driver has made no copy of it.
    if (source.buffer instanceof SharedArrayBuffer) this.synchronize();
  }

  send(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void {
    this.#pinAround(source);
    attempt(() => this.addon.upload(block, offsetBytes, source));
  }

  download(block: number, offsetBytes: number, target: FloatArray): void {
    this.fetch(block, offsetBytes, target);
    this.synchronize();
  }

  fetch(block: number, offsetBytes: number, target: Uint8Array | Uint32Array | FloatArray): void {
    this.#pinAround(target);
    attempt(() => this.addon.download(block, offsetBytes, target));
  }

  bring(
    block: number,
    offsetBytes: number,
    from: Space,
    source: number,
    sourceOffsetBytes: number,
    bytes: number,
  ): void {
    const { heap } = from;
    if (heap === undefined) {
      attempt(() => this.addon.copy(block, offsetBytes, source, sourceOffsetBytes, bytes));
      return;
    }
    this.pin(heap);
    const numbers = heap.view(Uint8Array, source + sourceOffsetBytes, bytes);
    attempt(() => this.addon.upload(block, offsetBytes, numbers));
  }

  reaches(other: Space): boolean {
    return (
      other === this || (other instanceof CudaDevice && attempt(() => this.addon.link(this.context, other.context)))
    );
  }

  after(other: Space): void {
    if (other instanceof CudaDevice) attempt(() => this.addon.after(this.context, other.context));
    else other.synchronize();
  }

  /** The driver refuses what it cannot record. */
  refuseRecording(_what: string): void {}

  run(width: number, length: number, operations: readonly VectorOperation[]): void {
    for (const operation of operations) attempt(() => this.#runOne(width, length, operation));
  }

  #runOne(width: number, length: number, operation: VectorOperation): void {
    if (isOnBlocks(operation)) {
      runByColumns(this, width, length, operation);
      return;
    }
    const { kind, x, y } = operation;
    if (kind === 'dot') this.addon.dot(width, x, y, operation.slot);
    else if (kind === 'multiply') this.addon.multiply(width, operation.d, x, y);
    else if (kind === 'scatter') this.addon.scatter(width, length, y, x, operation.order);
    else if (kind === 'copy') {
      const { xOffset, xStride, yOffset, yStride } = operation;
      this.addon.copyStrided(width, length, y, yOffset, yStride, x, xOffset, xStride);
    } else {
      const { a, b } = operation;
      this.addon.axpby(width, a.slot ?? NONE, a.times, x, b.slot ?? NONE, b.times, y);
    }
  }

  pick(width: number, length: number, y: number, x: number, places: number): void {
    attempt(() => this.addon.pick(width, length, y, x, places));
  }

  addAt(width: number, length: number, y: number, x: number, places: number): void {
    attempt(() => this.addon.addAt(width, length, y, x, places));
  }

  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    const which = OPERATIONS.indexOf(operation);
    attempt(() => this.addon.compute(which, a.slot ?? NONE, a.times, b.slot ?? NONE, b.times, slot));
  }

  /** Runs `queue`, whose operations on vectors and scalars are queued together, as in a recording. */
  collect(queue: () => void): void {
    attempt(() => this.addon.collect(this.context, 1));
    try {
      queue();
    } finally {
      attempt(() => this.addon.collect(this.context, 0));
    }
  }

  record(step: () => void): Recording {
    attempt(() => this.addon.recordBegin(this.context));
    try {
      step();
    } catch (error) {
      this.#discardRecording();
      throw error;
    }
    const graph = attempt(() => this.addon.recordEnd(this.context));
    return new DeviceGraph(this.addon, graph, (object) => this.release(object));
  }

  /** Ends the recording without an error: the error already thrown may be the reason why there is no graph. */
  #discardRecording(): void {
    try {
      this.addon.release(this.addon.recordEnd(this.context));
    } catch {}
  }

  createReadStream(bytes: number): { bytes: number } & TimedOnDevice {
    const zeros = this.#zeros(bytes);
    return { bytes, ...this.#timed(() => attempt(() => this.addon.read(zeros))) };
  }

  createGathers(length: number, count: number): { count: number } & TimedOnDevice {
    const zeros = this.#zeros(length * Float64Array.BYTES_PER_ELEMENT);
    return { count, ...this.#timed(() => attempt(() => this.addon.gather(zeros, count))) };
  }

  #zeros(bytes: number): number {
    const zeros = this.allocate(bytes);
    this.clear(zeros, bytes);
    return zeros;
  }

  #timed(queue: () => void): TimedOnDevice {
    const run = () => {
      queue();
      this.synchronize();
    };
    return { run, clock: (calls) => this.time(queue, calls, false) };
  }

  time(queue: () => void, repetitions: number, cold: boolean): Float64Array {
    const { addon, context } = this;
    const flushBytes = cold ? FLUSH * this.info.l2Bytes : 0;
    return attempt(() =>
      Float64Array.from({ length: repetitions }, () => {
        addon.prepare(context, flushBytes);
        addon.mark(context, 0);
        queue();
        addon.mark(context, 1);
        return addon.elapsed(context);
      }),
    );
  }

  synchronize(): void {
    attempt(() => this.addon.synchronize(this.context));
  }

  memory(): { freeBytes: number; totalBytes: number } {
    return attempt(() => {
      this.addon.trim(this.context);
      return this.addon.memory(this.context);
    });
  }

  /** Pins the heap up to its present size. Copies from and to pinned memory are fast, and queued. */
  pin(heap: Heap): void {
    if (pinned.get(heap.memory) === heap.byteLength && this.#heaps.has(heap)) return;
    attempt(() => this.addon.pin(this.context, heap.view(Uint8Array, 0, heap.byteLength)));
    pinned.set(heap.memory, heap.byteLength);
    this.#heaps.add(heap);
  }

  /** Pins the heap of an array: a copy must not cross the end of pinned memory. */
  #pinAround(array: ArrayBufferView): void {
    if (!(array.buffer instanceof SharedArrayBuffer)) return;
    for (const heap of this.#heaps) if (heap.owns(array)) this.pin(heap);
  }

  /** Waits for all queued operations and frees everything. A second call has no effect. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.synchronize();
    for (const heap of this.#heaps) {
      attempt(() => this.addon.unpin(heap.view(Uint8Array, 0, heap.byteLength)));
      pinned.delete(heap.memory);
    }
    this.#disposed = true;
    attempt(() => this.addon.release(this.context));
  }
}

/**
 * CUDA kernels (`cuda/`) for matrices in the shared heap. A plan copies the arrays of a matrix to the device once,
 * without conversion, and queues its products there. Vectors of the device are used in place. Vectors of the heap are
 * copied to the device and back.
 */
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import { DTYPES, type FloatArray, vectorArray } from '../core/types.js';
import type { Stage, StoredMatrix } from '../formats/format.js';
import type { Heap } from '../memory/heap.js';
import type { Coefficient, Recording, ScalarOperation, Space, VectorOperation } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import type { Plan } from './plan.js';

/** The used functions of the addon; `cuda/index.d.ts` describes them. */
export interface CudaAddon {
  kernels(): string;
  open(device: number): number;
  release(object: number): void;
  synchronize(context: number): void;
  memory(context: number): { freeBytes: number; totalBytes: number };
  trim(context: number): void;
  pin(context: number, memory: Uint8Array): void;
  unpin(memory: Uint8Array): void;
  vector(context: number, bytes: number): number;
  upload(vector: number, offset: number, source: ArrayBufferView): void;
  download(vector: number, offset: number, target: ArrayBufferView): void;
  clear(vector: number): void;
  slice(vector: number, offset: number, bytes: number): number;
  after(context: number, other: number): void;
  link(context: number, other: number): boolean;
  copy(target: number, targetOffset: number, source: number, sourceOffset: number, bytes: number): void;
  scatter(width: number, length: number, y: number, x: number, order: number): void;
  dot(width: number, x: number, y: number, slot: number): void;
  multiply(width: number, d: number, x: number, y: number): void;
  axpby(width: number, a: number, aTimes: number, x: number, b: number, bTimes: number, y: number): void;
  compute(operation: number, a: number, aTimes: number, b: number, bTimes: number, slot: number): void;
  recordBegin(context: number): void;
  recordEnd(context: number): number;
  launch(graph: number): void;
  read(zeros: number): void;
  gather(zeros: number, count: number): void;
  plan(
    context: number,
    kernel: string,
    dtype: number,
    heap: Uint8Array,
    header: number,
    method: string,
    rows: number,
    cols: number,
  ): { plan: number; bytes: number; method: string };
  run(plan: number, x: number, y: number, alpha: number, beta: number): void;
  prepare(context: number, flushBytes: number): void;
  mark(context: number, mark: number): void;
  elapsed(context: number): number;
}

/** A device, as described by the driver. */
export interface CudaDeviceInfo {
  readonly name: string;
  readonly memoryBytes: number;
  readonly l2Bytes: number;
  /** Compute capability: 9 for Hopper. */
  readonly capability: number;
  readonly multiprocessors: number;
}

/** A method of a kernel: `vector?width`, named as in its paper. */
export interface CudaMethod {
  readonly name: string;
  /** Uses atomic adds: the bits of y depend on the order of the threads. */
  readonly atomic: boolean;
}

/** In the order of their numbers in the addon. */
const OPERATIONS: readonly ScalarOperation[] = ['add', 'subtract', 'multiply', 'divide', 'root'];

/** `run` runs once and waits; `clock` returns the milliseconds of `calls` runs, by the clock of the device. */
interface TimedOnDevice {
  readonly run: () => void;
  readonly clock: (calls: number) => Float64Array;
}

/** Pinned bytes of a memory, from its begin. Pinned memory must stay allocated until it is unpinned. */
const pinned = new Map<WebAssembly.Memory, number>();

/** A number that identifies no vector. */
const NONE = 0;

/** To empty L2, this many times its size is written. */
const FLUSH = 4;

/** One device, with its own queue. */
export class CudaDevice implements Space, Disposable {
  readonly name = 'cuda';
  readonly addon: CudaAddon;
  readonly info: CudaDeviceInfo;
  readonly context: number;
  readonly #methods: ReadonlyMap<string, readonly CudaMethod[]>;
  readonly #heaps = new Set<Heap>();
  #disposed = false;

  /** @throws SparlaneError `backend` if the device cannot be opened */
  constructor(addon: CudaAddon, place: number, info: CudaDeviceInfo) {
    this.addon = addon;
    this.info = info;
    this.context = attempt(() => addon.open(place));
    this.#methods = parseMethods(addon.kernels());
  }

  /** The methods of a stage's kernel. The first one is expected to be the fastest. */
  methodsOf(kernel: string): readonly CudaMethod[] {
    return this.#methods.get(baseName(kernel)) ?? [];
  }

  allocate(bytes: number): number {
    return attempt(() => this.addon.vector(this.context, bytes));
  }

  release(object: number): void {
    // Disposing the device frees all remaining memory.
    if (!this.#disposed) attempt(() => this.addon.release(object));
  }

  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void {
    this.send(block, offsetBytes, source);
    // The heap is pinned, so the driver has made no copy of it.
    if (source.buffer instanceof SharedArrayBuffer) this.synchronize();
  }

  /** A queued upload. Numbers in a heap must not change before a wait for the device. */
  send(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void {
    attempt(() => this.addon.upload(block, offsetBytes, source));
  }

  download(block: number, offsetBytes: number, target: FloatArray): void {
    this.fetch(block, offsetBytes, target);
    this.synchronize();
  }

  /** A queued download. The numbers are valid after a wait for the device. */
  fetch(block: number, offsetBytes: number, target: FloatArray): void {
    attempt(() => this.addon.download(block, offsetBytes, target));
  }

  run(width: number, _length: number, operations: readonly VectorOperation[]): void {
    for (const operation of operations) attempt(() => this.#runOne(width, operation));
  }

  #runOne(width: number, operation: VectorOperation): void {
    const { kind, x, y } = operation;
    if (kind === 'dot') this.addon.dot(width, x, y, operation.slot);
    else if (kind === 'multiply') this.addon.multiply(width, operation.d, x, y);
    else {
      const { a, b } = operation;
      this.addon.axpby(width, a.slot ?? NONE, a.times, x, b.slot ?? NONE, b.times, y);
    }
  }

  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    const which = OPERATIONS.indexOf(operation);
    attempt(() => this.addon.compute(which, a.slot ?? NONE, a.times, b.slot ?? NONE, b.times, slot));
  }

  /**
   * Records the operations that `queue` queues, without running them. @throws errors of `queue`; the recording is ended
   */
  record(queue: () => void): DeviceGraph {
    attempt(() => this.addon.recordBegin(this.context));
    try {
      queue();
    } catch (error) {
      this.#discardRecording();
      throw error;
    }
    const graph = attempt(() => this.addon.recordEnd(this.context));
    return new DeviceGraph(this, graph);
  }

  /** Ends the recording without an error: the error already thrown may be the reason why there is no graph. */
  #discardRecording(): void {
    try {
      this.addon.release(this.addon.recordEnd(this.context));
    } catch {}
  }

  /**
   * Timed reads of zeros: the bandwidth of the device's memory. Their memory stays allocated while the device is open.
   */
  createReadStream(bytes: number): { bytes: number } & TimedOnDevice {
    const zeros = this.#zeros(bytes);
    return { bytes, ...this.#timed(() => attempt(() => this.addon.read(zeros))) };
  }

  /** The same for `count` random gathers, a multiple of 16384, from `length` zeros of f64. */
  createGathers(length: number, count: number): { count: number } & TimedOnDevice {
    const zeros = this.#zeros(length * Float64Array.BYTES_PER_ELEMENT);
    return { count, ...this.#timed(() => attempt(() => this.addon.gather(zeros, count))) };
  }

  #zeros(bytes: number): number {
    const zeros = this.allocate(bytes);
    attempt(() => this.addon.clear(zeros));
    return zeros;
  }

  #timed(queue: () => void): TimedOnDevice {
    const run = () => {
      queue();
      this.synchronize();
    };
    return { run, clock: (calls) => this.time(queue, calls, false) };
  }

  /**
   * Milliseconds of the operations that `queue` queues, by the clock of the device.
   *
   * @param cold whether L2 is emptied before each run
   */
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

  /** Waits for all queued operations. */
  synchronize(): void {
    attempt(() => this.addon.synchronize(this.context));
  }

  /** Memory of the whole device, as the driver reports it. Released blocks are first returned to the driver. */
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

  /** Waits for all queued operations and frees everything. A second call has no effect. */
  dispose(): void {
    if (this.#disposed) return;
    this.synchronize();
    for (const heap of this.#heaps) {
      attempt(() => this.addon.unpin(heap.view(Uint8Array, 0, heap.byteLength)));
      pinned.delete(heap.memory);
    }
    this.#disposed = true;
    attempt(() => this.addon.release(this.context));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Products and operations on vectors of the device, recorded once and launched together, any number of times. The time
 * to queue a step of a solver then does not grow with the number of its operations. The graph keeps the memory that it
 * uses, even if its objects are disposed.
 */
export class DeviceGraph implements Recording {
  readonly #device: CudaDevice;
  #graph: number | undefined;

  /** Made by `engine.record`. */
  constructor(device: CudaDevice, graph: number) {
    this.#device = device;
    this.#graph = graph;
  }

  /** Queues all recorded operations, and returns. */
  launch(): void {
    const graph = this.#graph;
    if (graph === undefined) throw mismatch('argument', 'graph', 'one that is in use', 'a disposed graph');
    attempt(() => this.#device.addon.launch(graph));
  }

  /** Waits for all queued operations and frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#graph === undefined) return;
    this.#device.release(this.#graph);
    this.#graph = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

export interface CudaPlanOptions {
  /** A method of one of the matrix's kernels, with parameters: `vector?width=8`. Default: the expected fastest one. */
  method?: string;
}

/** A plan whose products may stay on the device. */
export interface CudaPlan extends Plan {
  /** The methods of its stages, with the chosen parameters. */
  readonly methods: readonly string[];
  readonly space: CudaDevice;
  /** y ← α A x + β y on the device: queued, without a wait. */
  queue(x: Vector, y: Vector, alpha: number, beta: number): void;
  /** The same for blocks of the device's memory. */
  queueBlocks(x: number, y: number, alpha: number, beta: number): void;
  [Symbol.dispose](): void;
  time(x: Vector, y: Vector, repetitions: number, cold: boolean): Float64Array;
}

/** The members of a stored matrix that a plan uses. */
export interface Plannable extends Pick<StoredMatrix, 'rows' | 'cols' | 'dtype'> {
  readonly stages: readonly Pick<Stage, 'kernel' | 'header' | 'adds'>[];
}

/**
 * @throws SparlaneError `argument` for a method that no kernel of the matrix has; `kernel` if the addon has no kernel
 *   for the format; `heap` if the device is full. Nothing stays allocated
 */
export function planCuda(device: CudaDevice, heap: Heap, matrix: Plannable, options: CudaPlanOptions = {}): CudaPlan {
  const start = performance.now();
  const { addon, context } = device;
  const { rows, cols, dtype } = matrix;
  const methods = methodsFor(device, matrix, options.method);
  device.pin(heap);
  const bytes = heap.view(Uint8Array, 0, heap.byteLength);
  return assemble((owned) => {
    const stages = matrix.stages.map(({ kernel, header, adds = false }, place) => {
      const method = methods[place]!;
      const stage = attempt(() =>
        addon.plan(context, kernel, DTYPES.indexOf(dtype), bytes, header, method, rows, cols),
      );
      owned.own({ [Symbol.dispose]: () => device.release(stage.plan) });
      return { ...stage, adds };
    });
    device.synchronize();
    const queue = (x: number, y: number, alpha: number, beta: number) => {
      for (const { plan, adds } of stages) addon.run(plan, x, y, alpha, adds ? 1 : beta);
    };
    return {
      backend: 'cuda',
      threads: 1,
      parts: 1,
      setupMs: performance.now() - start,
      setupBytes: stages.reduce((sum, stage) => sum + stage.bytes, 0),
      space: device,
      methods: stages.map(({ method }) => method),
      run: runFromHeap(device, heap, matrix, owned, queue),
      queue: (x, y, alpha, beta) => attempt(() => queue(x.block, y.block, alpha, beta)),
      queueBlocks: (x, y, alpha, beta) => attempt(() => queue(x, y, alpha, beta)),
      time(x, y, repetitions, cold) {
        return device.time(() => queue(x.block, y.block, 1, 0), repetitions, cold);
      },
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  });
}

/**
 * Products with vectors of the heap, on top of a function that queues products with blocks: x and y are copied to the
 * device, and y back. The first product allocates blocks for them, which `owned` then holds.
 */
export function runFromHeap(
  device: CudaDevice,
  heap: Heap,
  { rows, cols, dtype }: Pick<Plannable, 'rows' | 'cols' | 'dtype'>,
  owned: Owned,
  queue: CudaPlan['queueBlocks'],
): Plan['run'] {
  const vector = (length: number) => owned.own(new Vector(device, vectorArray(dtype), length));
  let staged: readonly [x: Vector, y: Vector] | undefined;
  return (x, y, alpha, beta) => {
    staged ??= [vector(cols), vector(rows)];
    const [from, to] = staged;
    device.pin(heap);
    device.send(from.block, 0, x);
    if (beta !== 0) device.send(to.block, 0, y);
    attempt(() => queue(from.block, to.block, alpha, beta));
    device.download(to.block, 0, y);
  };
}

/** For each stage, the requested method if its kernel has it, else none. */
function methodsFor(device: CudaDevice, { stages }: Plannable, method: string | undefined): string[] {
  if (method === undefined) return stages.map(() => '');
  const name = method.split('?')[0];
  const found = stages.map(({ kernel }) => (device.methodsOf(kernel).some((one) => one.name === name) ? method : ''));
  if (found.some((one) => one !== '')) return found;
  const known = stages.flatMap(({ kernel }) => device.methodsOf(kernel).map((one) => one.name));
  throw mismatch('argument', 'method', known.join(' | ') || 'none', method);
}

/** One line per kernel: its name and its methods, atomic ones with a star. */
function parseMethods(text: string): Map<string, CudaMethod[]> {
  const lines = text.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [kernel = '', ...methods] = line.split(' ');
      return [kernel, methods.map((method) => ({ name: method.replace(/[?*].*$/, ''), atomic: method.includes('*') }))];
    }),
  );
}

/** A kernel's name without the storage of values and columns, which the header contains. */
function baseName(kernel: string): string {
  return kernel.replace(/_(table|pattern)$/, '').replace(/16$/, '');
}

const CODES: readonly string[] = ['argument', 'shape', 'heap', 'kernel', 'backend'] satisfies ErrorCode[];

/** Calls the addon and converts its errors to SparlaneErrors. */
function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof SparlaneError || !(cause instanceof Error)) throw cause;
    const { code } = cause as { code?: string };
    if (code === undefined || !CODES.includes(code)) throw cause;
    throw new SparlaneError(code as ErrorCode, `cuda ${cause.message}`, {}, { cause });
  }
}

/**
 * A backend multiplies stored matrices in one space: `reference`, `team` and `cuda` are siblings. The code above knows only
 * these interfaces.
 */

import type { CompressedRows } from '../core/csr.js';
import type { Dtype, FloatArray } from '../core/types.js';
import type { Examined, Features } from '../features/features.js';
import type { BlockSums, Prospect, StoredMatrix, Verb } from '../formats/format.js';
import type { HeapScope } from '../memory/heap.js';
import type { Space } from '../memory/space.js';
import type { DevicePeers } from './device-peers.js';
import type { Plan } from './plan.js';

/** How a product is divided and computed. */
export interface PlanOptions {
  /** On the CPU: parts of the product, 1 to 1024. Default: 1 for a small product or one thread, else a multiple of the threads. */
  readonly parts?: number;
  /** On a device: a method of one of the matrix's kernels, with parameters: `vector?width=8`. Default: the expected fastest one. */
  readonly method?: string;
  /** For block products: the columns of X and Y that they are planned for. Default: 1. */
  readonly columns?: number;
  /**
   * On a device: whether the inspection may take the time of thousands of products. `csr` then looks for rows that have columns in common, and
   * for windows of columns in which many rows have entries. Default for an operator: `tune` if it is given, else whether `products` is 'many';
   * for a plan: false.
   */
  readonly patient?: boolean;
}

/** A method of a kernel, named as in its paper. */
export interface KernelMethod {
  readonly name: string;
  /** The parameters that it accepts: `width`. */
  readonly parameters: readonly string[];
  /** Uses atomic adds: the bits of y depend on the order of the threads. */
  readonly atomic: boolean;
}

/** A method of a kernel is expected to take `ns` nanoseconds, or at least so many where that shows that another method is faster. */
export interface MethodEstimate {
  /** The name has those parameters that tell the method from others. */
  readonly method: string;
  readonly ns: number;
}

/** The members of a stored matrix that every backend needs. */
export type Plannable = Pick<StoredMatrix, 'rows' | 'cols' | 'dtype' | 'stages'>;

/** Compressed rows of a transpose, and until it is disposed what the backend holds of them. */
export type Transposed = CompressedRows & Disposable;

/** What computes products: a team of threads or a device. */
export interface Backend {
  /** Where its vectors live. */
  readonly space: Space;
  /** Whether formats lay matrices out for a device. */
  readonly onDevice: boolean;
  /** The cost model of its products, for the choice of a format; undefined: that of the CPU. */
  readonly model: DeviceModel | undefined;
  /**
   * @throws SparlaneError `argument` for options that do not fit the matrix; `kernel` if there is no kernel for the format;
   *   `heap` if there is no room. Nothing stays allocated
   */
  plan(stored: StoredMatrix, verb: Verb, options?: PlanOptions): Plan;
  /**
   * Transposes compressed rows of the heap into arrays of `scope`, each in a block in which `csr` can keep it; undefined: it has no room. Without
   * it the team does.
   */
  transpose?(scope: HeapScope, matrix: CompressedRows): Transposed | undefined;
  /** Whether it has a kernel for every stage of a verb. */
  computes(stored: Plannable, verb: Verb): boolean;
}

/** The verb by which a backend multiplies a matrix with blocks; undefined: it has no kernels for them. */
export function blockVerb(backend: Backend, stored: StoredMatrix, sums: BlockSums): Verb | undefined {
  const verbs: readonly Verb[] = sums === 'fast' ? ['spmm_fast', 'spmm'] : ['spmm'];
  return verbs.find((verb) => backend.computes(stored, verb));
}

/** A device takes so many nanoseconds for what kernels do, or kernels do so much of it. All kernels have these costs in common. */
export interface DeviceWork {
  /** To start and end a kernel. */
  readonly start: number;
  readonly byte: number;
  /** Per processed entry. */
  readonly entry: number;
  /** Per row, if rows are computed in an order other than that of y. */
  readonly permutedRow: number;
  /** Per gather from a cache line of x that was not read before. */
  readonly scattered: number;
  /** Per gather of an element that is in L2, but not in L1. */
  readonly far: number;
  /** Per additional kernel. */
  readonly launch: number;
  /** Per batch of columns that its busiest thread reads after the other, or for each doubling of the longest row. */
  readonly batch: number;
  /** If there are rows without entries. */
  readonly empty: number;
  /** If the device is filled: a share of it for a product of fewer bytes. */
  readonly fill: number;
  /** If scattered gathers fill the device: a share of it for fewer. */
  readonly gathers: number;
}

/** What the cost model knows of a device. */
export interface DeviceCosts {
  /** Bandwidth of the upload of a matrix, in GB/s. */
  readonly uploadGbps: number;
  /** Threads that it runs at the same time. */
  readonly threads: number;
  readonly work: DeviceWork;
  /** Each kernel, by its name in `kernelOnDevice`, takes this times as long as its work costs. */
  readonly kernels: Readonly<Record<string, number>>;
  /** Nanoseconds of the conversion per stored entry and row, of layouts that the CPU never chooses. */
  readonly conversionNs: Readonly<Record<string, number>>;
}

/** What the choice of a format asks a device. */
export interface DeviceModel {
  readonly costs: DeviceCosts;
  /** The layouts that formats offer on it. */
  prospectsOf(examined: Examined, dtype: Dtype, options?: { readonly padding?: boolean }): readonly Prospect[];
  /** Nanoseconds for y ← A x; `patient`: as in `PlanOptions`, default true. Undefined for a kernel that was never measured. */
  predictNs(features: Features, prospect: Prospect, dtype: Dtype, patient?: boolean): number | undefined;
}

/** A device, as described by the driver. */
export interface DeviceInfo {
  readonly name: string;
  readonly memoryBytes: number;
  readonly l2Bytes: number;
  /** Compute capability: 9 for Hopper. */
  readonly capability: number;
  readonly multiprocessors: number;
}

/** `run` runs once and waits; `clock` returns the milliseconds of `calls` runs, by the clock of the device. */
export interface TimedOnDevice {
  readonly run: () => void;
  readonly clock: (calls: number) => Float64Array;
}

/** The memory of a device and its queue of operations. */
export interface DeviceSpace extends Space, Disposable {
  readonly info: DeviceInfo;
  /** Its number among the devices of this process. */
  readonly place: number;
  readonly peers: DevicePeers;
  /** As in `Space`, into arrays of any type. */
  fetch(block: number, offsetBytes: number, target: Uint8Array | Uint32Array | FloatArray): void;
  /** Queues y[i] ← x[places[i]] for elements of `width` bytes; `places`: a block of 32-bit numbers. */
  pick(width: number, length: number, y: number, x: number, places: number): void;
  /** Queues y[places[i]] ← y[places[i]] + x[i] likewise, for different places. */
  addAt(width: number, length: number, y: number, x: number, places: number): void;
  /** Memory of the whole device, as the driver reports it. Released blocks are first returned to the driver. */
  memory(): { freeBytes: number; totalBytes: number };
  /**
   * Milliseconds of the operations that `queue` queues, by the clock of the device.
   *
   * @param cold whether its caches are emptied before each run
   */
  time(queue: () => void, repetitions: number, cold: boolean): Float64Array;
  /** Timed reads of zeros: the bandwidth of the device's memory. Their memory stays allocated while the device is open. */
  createReadStream(bytes: number): { bytes: number } & TimedOnDevice;
  /** The same for `count` random gathers, a multiple of 16384, from `length` zeros of f64. */
  createGathers(length: number, count: number): { count: number } & TimedOnDevice;
}

export function isOnDevice(space: Space): space is DeviceSpace {
  return 'time' in space;
}

/** A backend with a device of its own. */
export interface DeviceBackend extends Backend, Disposable {
  readonly space: DeviceSpace;
  /** Of a rank: a second queue of the same device, for what its products compute meanwhile. */
  readonly beside?: DeviceBackend | undefined;
  plan(stored: Plannable, verb: Verb, options?: PlanOptions): Plan & { readonly methods: readonly string[] };
  /** The methods of the kernels of a matrix for a verb, by default `spmv`. The first one of a kernel is expected to be the fastest. */
  methodsOf(stored: Plannable, verb?: Verb): readonly KernelMethod[];
}

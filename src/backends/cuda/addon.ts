/** The functions of the CUDA addon that the library uses; `cuda/index.d.ts` describes them. */
import { type ErrorCode, SparlaneError } from '../../core/errors.js';
import type { KernelId } from '../../formats/format.js';
import type { DeviceInfo, KernelMethod, MethodEstimate } from '../backend.js';

/** A kernel of the addon. The header contains the storage of values, so one kernel serves them all. */
export interface CudaKernel extends Pick<KernelId, 'base' | 'verb'> {
  /** The first one is expected to be the fastest. */
  readonly methods: readonly KernelMethod[];
}

export interface CudaAddon {
  kernels(): readonly CudaKernel[];
  status(): { driver: number; runtime: number; outcome: number; devices: DeviceInfo[]; headers: string };
  open(device: number, urgent: number): number;
  release(object: number): void;
  synchronize(context: number): void;
  memory(context: number): { freeBytes: number; totalBytes: number };
  trim(context: number): void;
  adviseHugePages(memory: Uint8Array, bytes: number): void;
  pin(context: number, memory: Uint8Array): void;
  unpin(memory: Uint8Array): void;
  vector(context: number, bytes: number): number;
  upload(vector: number, offset: number, source: ArrayBufferView): void;
  download(vector: number, offset: number, target: ArrayBufferView): void;
  clear(vector: number, bytes: number): void;
  slice(vector: number, offset: number, bytes: number): number;
  after(context: number, other: number): void;
  link(context: number, other: number): boolean;
  copy(target: number, targetOffset: number, source: number, sourceOffset: number, bytes: number): void;
  scatter(width: number, length: number, y: number, x: number, order: number): void;
  copyStrided(
    width: number,
    length: number,
    y: number,
    yOffset: number,
    yStride: number,
    x: number,
    xOffset: number,
    xStride: number,
  ): void;
  transpose(
    width: number,
    rows: number,
    cols: number,
    nnz: number,
    rowPtr: number,
    colIdx: number,
    values: number,
    ptr: number,
    idx: number,
    moved: number,
  ): void;
  lend(vector: number, offset: number): void;
  dot(width: number, x: number, y: number, slot: number): void;
  multiply(width: number, d: number, x: number, y: number): void;
  axpby(width: number, a: number, aTimes: number, x: number, b: number, bTimes: number, y: number): void;
  compute(operation: number, a: number, aTimes: number, b: number, bTimes: number, slot: number): void;
  collect(context: number, on: number): void;
  recordBegin(context: number): void;
  recordEnd(context: number): number;
  launch(graph: number): void;
  read(zeros: number): void;
  gather(zeros: number, count: number): void;
  plan(
    context: number,
    kernel: KernelId,
    dtype: number,
    heap: Uint8Array,
    header: number,
    method: string,
    rows: number,
    cols: number,
    matrix: number,
    patient: number,
  ): { plan: number; bytes: number; method: string; estimates: readonly MethodEstimate[] };
  run(plan: number, x: number, y: number, alpha: number, beta: number, stride: number): void;
  prepare(context: number, flushBytes: number): void;
  mark(context: number, mark: number): void;
  elapsed(context: number): number;
  identity(device: number): Uint8Array;
  reaches(device: number, identity: Uint8Array): boolean;
  sharedVector(context: number, bytes: number): number;
  offerVector(vector: number): Uint8Array;
  takeVector(context: number, ticket: Uint8Array): number;
  pick(width: number, length: number, y: number, x: number, places: number): void;
  addAt(width: number, length: number, y: number, x: number, places: number): void;
  push(width: number, turns: number, x: number, places: number, ends: Uint32Array, frames: Uint32Array): void;
  take(width: number, turns: number, y: number, length: number, even: number, odd: number): void;
  joinRanks(context: number, frames: Uint32Array, rank: number): void;
}

const CODES: readonly string[] = ['argument', 'shape', 'heap', 'kernel', 'backend'] satisfies ErrorCode[];

/** Calls the addon and converts its errors to SparlaneErrors. */
export function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof SparlaneError || !(cause instanceof Error)) throw cause;
    const { code } = cause as { code?: string };
    if (code === undefined || !CODES.includes(code)) throw cause;
    throw new SparlaneError(code as ErrorCode, `cuda ${cause.message}`, {}, { cause });
  }
}

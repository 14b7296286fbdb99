/**
 * A matrix on a GPU and on the CPU at once: the first rows are the GPU's, the others the team's, so many each that both take as long. How fast
 * either is, is measured with the matrix itself, copies of x and y over the bus included. y is put together where it lies, in
 * the shared heap, which is pinned.
 *
 * For: vectors that must be in the heap, and CPUs that are not much slower than the bus. Vectors that may stay on the GPU are
 * multiplied there in a fraction of the time (`engine.deviceVector`).
 */
import { type CudaDevice, type CudaPlanOptions, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import { firstUnitFrom } from '../execution/partition.js';
import type { StoredMatrix } from '../formats/format.js';
import { DeviceVector } from '../memory/device.js';
import { turn } from './measure.js';
import { divisibleRows, type RowPartition, SplitMatrix } from './split.js';

/** The GPU's share of the work before anything is known. */
const FIRST_SHARE = 0.5;

/** Halves that differ in time by no more are as long. */
const CLOSE = 0.1;

/** Layouts that are tried. A share comes from the times of the one before, in which the copy of x looks like work: each is nearer than that. */
const ROUNDS = 4;

/** A share as small is none: the other one computes alone. */
const MIN_SHARE = 0.01;

/** Turns that a half is timed in. */
const TURNS = 3;

export type HybridOptions = CudaPlanOptions & WasmPlanOptions;

export interface Halves {
  /** Part 0 is the GPU's, part 1 the CPU's. */
  readonly stored: SplitMatrix;
  readonly plan: Plan;
}

/** Milliseconds of a product: of each half alone, and of both at once. */
export interface Times {
  readonly gpuMs: number;
  readonly cpuMs: number;
  readonly bothMs: number;
}

type GpuTime = Pick<Times, 'gpuMs'> & { readonly share: number };

/** The first rows, with about `share` of the work, and the others. */
export function partitionByShare(matrix: CsrMatrix, share: number): RowPartition {
  const divisible = divisibleRows(matrix);
  const middle = firstUnitFrom(divisible, share * divisible.workBefore(matrix.rows), 0);
  return { bounds: Uint32Array.of(0, middle, matrix.rows), order: undefined };
}

/**
 * The GPU's share with which both would take as long, if time were in proportion to work; the same one where they do already; 0 or 1 where
 * one of them should have next to nothing.
 */
export function nextShare(share: number, { gpuMs, cpuMs }: Omit<Times, 'bothMs'>): number {
  if (share === 0 || share === 1 || Math.abs(gpuMs - cpuMs) <= CLOSE * Math.max(gpuMs, cpuMs)) return share;
  const [gpu, cpu] = [share / gpuMs, (1 - share) / cpuMs];
  const next = gpu / (gpu + cpu);
  if (next < MIN_SHARE) return 0;
  return next > 1 - MIN_SHARE ? 1 : next;
}

/**
 * When both take as long, or nothing more is tried: the same share, or 0 or 1 where one of them alone would be faster than both at once, which
 * share a memory and a bus.
 *
 * @param before what the GPU took for another share: what it takes beside its rows can be told from two of them
 */
export function lastShare(share: number, { gpuMs, cpuMs, bothMs }: Times, before?: GpuTime): number {
  if (share === 0 || share === 1) return share;
  const cpuAloneMs = cpuMs / (1 - share);
  const perShareMs = before === undefined ? gpuMs / share : (gpuMs - before.gpuMs) / (share - before.share);
  const gpuAloneMs = gpuMs + (1 - share) * perShareMs;
  if (bothMs <= Math.min(cpuAloneMs, gpuAloneMs)) return share;
  return gpuAloneMs < cpuAloneMs ? 1 : 0;
}

/**
 * @param store lays rows out: those of the GPU (part 0), those of the CPU (part 1)
 * @throws what `store` throws, and as `planCuda`; nothing is left allocated
 */
export function storeHybrid(
  context: WasmContext,
  device: CudaDevice,
  matrix: CsrMatrix,
  store: (rows: CsrMatrix, part: number) => StoredMatrix,
  options: HybridOptions,
): Halves {
  let share = FIRST_SHARE;
  let before: GpuTime | undefined;
  for (let round = 1; ; round++) {
    const stored = new SplitMatrix(matrix, partitionByShare(matrix, share), store);
    let plan: HybridPlan | undefined;
    try {
      plan = planHybrid(context, device, stored, options);
      const times = plan.measure();
      const balanced = round < ROUNDS ? nextShare(share, times) : share;
      const next = balanced === share ? lastShare(share, times, before) : balanced;
      if (next === share) return { stored, plan };
      before = { share, gpuMs: times.gpuMs };
      share = next;
    } catch (error) {
      plan?.[Symbol.dispose]();
      stored[Symbol.dispose]();
      throw error;
    }
    plan[Symbol.dispose]();
    stored[Symbol.dispose]();
  }
}

interface HybridPlan extends Plan, Disposable {
  measure(): Times;
  [Symbol.dispose](): void;
}

type Product = (x: FloatArray, y: FloatArray, alpha: number, beta: number) => void;

function planHybrid(context: WasmContext, device: CudaDevice, stored: SplitMatrix, options: HybridOptions): HybridPlan {
  const start = performance.now();
  const [onGpu, onCpu] = stored.parts as [StoredMatrix, StoredMatrix];
  const cpu = planWasm(context, onCpu, options);
  const gpu = planOnGpu(context, device, stored, options);
  const begin: Product = (x, y, alpha, beta) => {
    if (onGpu.rows > 0) gpu.begin(x, y.subarray(0, onGpu.rows), alpha, beta);
  };
  const rest: Product = (x, y, alpha, beta) => {
    if (onCpu.rows > 0) cpu.run(x, y.subarray(onGpu.rows), alpha, beta);
  };
  const run: Product = (x, y, alpha, beta) => {
    begin(x, y, alpha, beta);
    try {
      rest(x, y, alpha, beta);
    } finally {
      device.synchronize();
    }
  };
  return {
    backend: 'hybrid',
    threads: cpu.threads,
    parts: cpu.parts + 1,
    setupMs: performance.now() - start,
    setupBytes: gpu.setupBytes,
    run,
    measure() {
      using scope = context.heap.scope();
      const type = vectorArray(stored.dtype);
      const x = scope.array<FloatArray>(type, stored.cols).fill(1);
      const y = scope.array<FloatArray>(type, stored.rows);
      const least = (product: () => void) => Math.min(...Array.from({ length: TURNS }, () => turn(product)));
      const gpuMs = least(() => {
        begin(x, y, 1, 0);
        device.synchronize();
      });
      const cpuMs = least(() => rest(x, y, 1, 0));
      return { gpuMs, cpuMs, bothMs: least(() => run(x, y, 1, 0)) };
    },
    [Symbol.dispose]: gpu[Symbol.dispose],
  };
}

/** The product of the first rows: queued with the copies of x and y, and done when the device has been waited for. */
function planOnGpu({ heap }: WasmContext, device: CudaDevice, stored: SplitMatrix, options: HybridOptions) {
  return assemble((owned) => {
    const [part] = stored.parts as [StoredMatrix];
    const columns = stored.columns[0]!;
    const type = vectorArray(stored.dtype);
    const plan = owned.own(planCuda(device, heap, part, options));
    // Padding multiplies what lies outside of its columns.
    const from = owned.own(new DeviceVector(device, type, stored.cols)).fill(0);
    const to = owned.own(new DeviceVector(device, type, part.rows));
    const begin: Product = (x, y, alpha, beta) => {
      device.pin(heap);
      device.send(from.block, columns.begin * type.BYTES_PER_ELEMENT, x.subarray(columns.begin, columns.end));
      if (beta !== 0) device.send(to.block, 0, y);
      plan.queue(from, to, alpha, beta);
      device.fetch(to.block, 0, y);
    };
    return { begin, setupBytes: plan.setupBytes, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  });
}

/**
 * A matrix on a GPU and on the CPU at once. The GPU computes the first rows, the team the other rows. The division is
 * chosen to balance their times. Both times are measured with the matrix itself, including the copies of x and y over
 * the bus. Both write to y in place, in the shared heap, which is pinned.
 *
 * For: vectors that must be in the heap, and CPUs that are not much slower than the bus. If vectors may stay on the GPU
 * (`engine.deviceVector`), a product there takes a fraction of the time.
 */
import { type CudaDevice, type CudaPlanOptions, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import { firstUnitFrom } from '../execution/partition.js';
import type { StoredMatrix } from '../formats/format.js';
import { Vector } from '../memory/vector.js';
import { turn } from './measure.js';
import { divisibleRows, type RowPartition, SplitMatrix } from './split.js';

/** The GPU's share of the work before the first measurement. */
const FIRST_SHARE = 0.5;

/** Relative difference of the times up to which the halves count as balanced. */
const CLOSE = 0.1;

/**
 * Number of divisions that are tried. Each share is computed from the times of the previous one. These times include
 * the copy of x, which is not proportional to the work, so each share is only nearer to the balance than the previous
 * one.
 */
const ROUNDS = 4;

/** A smaller share is rounded to none: the other device computes alone. */
const MIN_SHARE = 0.01;

/** Number of turns in which a half is timed. */
const TURNS = 3;

export type HybridOptions = CudaPlanOptions & WasmPlanOptions;

export interface Halves {
  /** Part 0 is for the GPU, part 1 for the CPU. */
  readonly stored: SplitMatrix;
  readonly plan: Plan;
}

/** Milliseconds of a product: each half alone, and both at once. */
export interface Times {
  readonly gpuMs: number;
  readonly cpuMs: number;
  readonly bothMs: number;
}

type GpuTime = Pick<Times, 'gpuMs'> & { readonly share: number };

/** The first rows, with about `share` of the work, and the other rows. */
export function partitionByShare(matrix: CsrMatrix, share: number): RowPartition {
  const divisible = divisibleRows(matrix);
  const middle = firstUnitFrom(divisible, share * divisible.workBefore(matrix.rows), 0);
  return { bounds: Uint32Array.of(0, middle, matrix.rows), order: undefined };
}

/**
 * The GPU's share that balances both times, assuming time proportional to work. Returns the same share if the times are
 * already balanced, and 0 or 1 if one device would get almost nothing.
 */
export function nextShare(share: number, { gpuMs, cpuMs }: Omit<Times, 'bothMs'>): number {
  if (share === 0 || share === 1 || Math.abs(gpuMs - cpuMs) <= CLOSE * Math.max(gpuMs, cpuMs)) return share;
  const [gpu, cpu] = [share / gpuMs, (1 - share) / cpuMs];
  const next = gpu / (gpu + cpu);
  if (next < MIN_SHARE) return 0;
  return next > 1 - MIN_SHARE ? 1 : next;
}

/**
 * The final share, when the times are balanced or the last division was tried: the same share, or 0 or 1 if one device
 * alone would be faster than both at once. This is possible because both share one memory and one bus.
 *
 * @param before the GPU's time for another share; two times determine the time that does not depend on the rows
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
 * @param store stores rows: those of the GPU (part 0) or those of the CPU (part 1)
 * @throws errors of `store`, and as `planCuda`; nothing stays allocated
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

/** The product of the first rows: queued with the copies of x and y. It is complete after a wait for the device. */
function planOnGpu({ heap }: WasmContext, device: CudaDevice, stored: SplitMatrix, options: HybridOptions) {
  return assemble((owned) => {
    const [part] = stored.parts as [StoredMatrix];
    const columns = stored.columns[0]!;
    const type = vectorArray(stored.dtype);
    const plan = owned.own(planCuda(device, heap, part, options));
    // Padding multiplies elements outside of its columns.
    const from = owned.own(new Vector(device, type, stored.cols)).fill(0);
    const to = owned.own(new Vector(device, type, part.rows));
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

/** WebAssembly kernels over the shared heap, on the caller's thread or on its team. */
import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Dtype, FloatArray } from '../core/types.js';
import { MAX_PARTS } from '../execution/carries.js';
import type { Task } from '../execution/control.js';
import { partition, partsFor } from '../execution/partition.js';
import type { Team } from '../execution/team.js';
import { ALONE_BELOW, CPU_LANES, type Stage, type StoredMatrix } from '../formats/format.js';
import { type Kernel, kernelName } from '../kernels/abi.js';
import { type KernelModule, kernelIndex } from '../kernels/module.js';
import type { Heap } from '../memory/heap.js';
import type { Plan } from './plan.js';
import { warmUp } from './warm-up.js';

export interface WasmContext {
  readonly kernels: KernelModule;
  /** The kernels linked for the caller's thread. */
  readonly own: readonly Kernel[];
  readonly team: Team;
  readonly heap: Heap;
  /** Kernels that have been warmed up, by name. */
  readonly warm: Set<string>;
}

export interface WasmPlanOptions {
  /** Parts of the product, 1 to 1024. Default: 1 for a small product or one thread, else a multiple of the threads. */
  parts?: number;
}

interface PlannedStage {
  readonly task: Task;
  readonly parts: number;
  readonly adds: boolean;
  readonly carries: boolean;
}

export function planWasm(context: WasmContext, matrix: StoredMatrix, options: WasmPlanOptions = {}): Plan {
  const start = performance.now();
  const { team, warm } = context;
  if (options.parts !== undefined) integer('parts', options.parts, 1, MAX_PARTS);
  const stages = matrix.stages.map((stage) => planStage(context, stage, matrix.dtype, options.parts));
  const parts = Math.max(...stages.map((stage) => stage.parts));
  for (const piece of matrix.pieces ?? [matrix]) {
    const names = piece.stages.map(({ kernel }) => kernelName(kernel, piece.dtype));
    if (names.every((name) => warm.has(name))) continue;
    if (warmUp(context, piece)) for (const name of names) warm.add(name);
  }
  return {
    backend: team.size === 1 ? 'wasm' : 'threads',
    threads: parts === 1 ? 1 : team.size,
    parts,
    setupMs: performance.now() - start,
    setupBytes: 0,
    run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void {
      for (const { task, parts, adds, carries } of stages) {
        const carried = team.run(task, x.byteOffset, y.byteOffset, alpha, adds ? 1 : beta);
        if (carries) carried.addTo(y, parts);
      }
    },
  };
}

function planStage(
  { kernels, team }: WasmContext,
  stage: Stage,
  dtype: Dtype,
  given: number | undefined,
): PlannedStage {
  const { header, lanes, adds = false, carries = false } = stage;
  if (lanes !== undefined && lanes.count !== CPU_LANES)
    throw mismatch('argument', lanes.parameter, `${CPU_LANES} on a CPU`, lanes.count);
  const work = stage.workBefore(stage.units);
  const parts = given ?? (work < ALONE_BELOW ? 1 : partsFor(work, team.size, stage.oversubscription));
  const kernel = kernelIndex(kernels, kernelName(stage.kernel, dtype));
  return { task: { kernel, header, bounds: partition(stage, parts) }, parts, adds, carries };
}

/** WebAssembly kernels over the shared heap, on the caller's thread or on its team. */
import { integer } from '../../core/checks.js';
import { mismatch } from '../../core/errors.js';
import type { Dtype } from '../../core/types.js';
import { MAX_PARTS } from '../../execution/carries.js';
import { partition, partsOfProduct, taskOver, threadsFor } from '../../execution/partition.js';
import type { TeamTask } from '../../execution/task.js';
import type { Team } from '../../execution/team.js';
import { CPU_LANES, type Stage, type StoredMatrix, stagesOf, type Verb } from '../../formats/format.js';
import { scatterStages } from '../../formats/layout/scatter.js';
import { type Kernel, kernelName } from '../../kernels/abi.js';
import { type KernelModule, kernelIndex } from '../../kernels/module.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import type { Space } from '../../memory/space.js';
import type { Vector } from '../../memory/vector.js';
import type { Backend, PlanOptions } from '../backend.js';
import type { Plan } from '../plan.js';
import { scatterWindows } from './scatter-windows.js';
import { trialOf } from './trial.js';
import { warmUp } from './warm-up.js';

/** Asks the system for large pages for a heap that is still small. */
export type AdviseHugePages = (heap: Heap) => void;

export interface TeamContext {
  readonly kernels: KernelModule;
  /** The kernels linked for the caller's thread. */
  readonly own: readonly Kernel[];
  readonly team: Team;
  readonly heap: Heap;
  /** Kernels that have been warmed up, by name. */
  readonly warm: Set<string>;
  /** Undefined where nothing can ask. */
  readonly advise?: AdviseHugePages | undefined;
}

interface PlannedStage {
  readonly task: TeamTask;
  readonly workers: number;
  readonly parts: number;
  readonly adds: boolean;
  readonly carries: boolean;
}

/** @param space the heap, in which the team computes on vectors */
export function createTeamBackend(context: TeamContext, space: Space): Backend {
  return {
    space,
    onDevice: false,
    model: undefined,
    plan: (stored, verb, options) => planOnTeam(context, stored, verb, options),
    computes: ({ stages }, verb) => stages[verb] !== undefined,
  };
}

function planOnTeam(context: TeamContext, matrix: StoredMatrix, verb: Verb, options: PlanOptions = {}): Plan {
  if (options.parts !== undefined) integer('parts', options.parts, 1, MAX_PARTS);
  return context.heap.build((scope) => planInScope(context, scope, matrix, verb, options));
}

/** The scope owns the memory of the plan in addition to the matrix. */
function planInScope(
  context: TeamContext,
  scope: HeapScope,
  matrix: StoredMatrix,
  verb: Verb,
  options: PlanOptions,
): Plan {
  const start = performance.now();
  const { team, warm } = context;
  const prepared = prepareStages(context, scope, matrix, verb, options.parts);
  const stages = prepared.stages.map((stage) =>
    planStage(context, scope, stage, matrix.dtype, options, prepared.parts),
  );
  const parts = Math.max(...stages.map((stage) => stage.parts));
  const last = stages.length - 1;
  const [first] = prepared.stages;
  const trial = verb === 'spmv' && last === 0 ? trialOf(matrix, first!.workBefore(first!.units)) : undefined;
  const product = (x: Vector, y: Vector, alpha: number, beta: number): void => {
    for (let k = 0; k <= last; k++) {
      const { task, parts, adds, carries } = stages[k]!;
      // Nobody but the next task needs y, unless the caller must add carries to it, or returns.
      if (!carries && (k < last || team.holds))
        team.queue(task, x.block, y.block, alpha, adds ? 1 : beta, x.columns, x.stride, y.stride);
      else {
        const carried = team.run(task, x.block, y.block, alpha, adds ? 1 : beta, x.columns, x.stride, y.stride);
        if (carries) carried.addTo(y.data, parts);
      }
    }
  };
  for (const piece of matrix.pieces ?? [matrix]) {
    const names = stagesOf(piece, verb).map(({ kernel }) => kernelName(kernel, piece.dtype));
    if (names.every((name) => warm.has(name))) continue;
    if (warmUp(context, piece, verb)) for (const name of names) warm.add(name);
  }
  return {
    backend: team.size === 1 ? 'wasm' : 'threads',
    threads: parts === 1 ? 1 : Math.max(...stages.map(({ workers }) => workers)),
    parts,
    setupMs: performance.now() - start,
    setupBytes: scope.bytes,
    run(x: Vector, y: Vector, alpha: number, beta: number): void {
      // A product that is only queued has no time of its own.
      if (trial === undefined || team.holds) product(x, y, alpha, beta);
      else trial.run(() => product(x, y, alpha, beta));
    },
    [Symbol.dispose]() {
      team.flush();
      scope[Symbol.dispose]();
    },
  };
}

/** The stages of a verb, those that scatter with headers and memory for their parts, whose number is then forced. */
function prepareStages(
  context: TeamContext,
  scope: HeapScope,
  matrix: StoredMatrix,
  verb: Verb,
  given: number | undefined,
): { stages: readonly Stage[]; parts?: number } {
  const stages = stagesOf(matrix, verb);
  if (!stages.some(({ scatters }) => scatters)) return { stages };
  const windows = scatterWindows(context, stages, matrix, given);
  return { stages: scatterStages(scope, stages, matrix, windows, partition), parts: windows.length };
}

/** @param forced the number of parts if the stage scatters, else undefined */
function planStage(
  { kernels, team }: TeamContext,
  scope: HeapScope,
  stage: Stage,
  dtype: Dtype,
  { parts: asked, columns = 1 }: PlanOptions,
  forced: number | undefined,
): PlannedStage {
  const { header, lanes, adds = false, carries = false } = stage;
  if (lanes !== undefined && lanes.count !== CPU_LANES)
    throw mismatch('argument', lanes.parameter, `${CPU_LANES} on a CPU`, lanes.count);
  const work = stage.workBefore(stage.units) * columns;
  const given = forced ?? asked;
  const parts = given ?? partsOfProduct(work, team.size, stage.oversubscription);
  const workers = given === undefined ? threadsFor(work, team.size) : team.size;
  const kernel = kernelIndex(kernels, kernelName(stage.kernel, dtype));
  // Who asks for parts wants threads: they are woken even for little work.
  const task = taskOver(scope, stage, parts, { kernel, header, workers, work: asked === undefined ? work : undefined });
  return { task, workers, parts, adds, carries };
}

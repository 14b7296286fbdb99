/** The numeric factorization of a symmetric matrix: tasks, slice by slice, on the team. */
import type { TeamContext } from '../../backends/team/backend.js';
import { ORDERED_HEADER } from '../../backends/team/ordered.js';
import { sum } from '../../core/sum.js';
import type { FloatArray } from '../../core/types.js';
import { supernodesKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import { type PlacedFactors, placeThreadWork, type SymmetricAnalysis } from './layout.js';

/**
 * Work of the first slice for each thread, in multiplications and additions: some 5 ms. Threads wait for each other at the end of a slice, so that
 * the others are longer: of about so many ms.
 */
const FIRST_SLICE_WORK = 2 ** 26;
const SLICE_MS = 40;

/** How much longer a slice may be than the one before. */
const GROWTH = 4;

/** Less work is done by the caller alone. */
const ALONE_BELOW = 2 ** 20;

/** Words of `state`: two cache lines, with the next ticket first (`assembly/triangular/ordered.ts`). */
const STATE_WORDS = 32;
const NEXT_TICKET = 0;

/** The status of a factorization whose pivots all were usable. */
const NONE = 0xffff_ffff;

export interface Outcome {
  /** The first column whose pivot was not usable, in the order of elimination. */
  readonly failed: number | undefined;
  readonly perturbed: number;
  readonly twoByTwo: number;
}

/**
 * @param values of A, in the order of its rows
 * @param least the least modulus of a pivot, for indefinite matrices
 * @yields the share of the work that is done
 * @throws SparlaneError `heap` if there is no room to work; `backend` or `kernel` if a thread is lost or a kernel traps
 */
export function* factorize(
  context: TeamContext,
  analysis: SymmetricAnalysis,
  placed: PlacedFactors,
  values: FloatArray,
  least: number,
): Generator<number, Outcome> {
  const { heap, kernels, team } = context;
  const { tasks, isIndefinite, stored } = analysis;
  const total = sum(tasks.work);
  const shares = total < ALONE_BELOW ? 1 : Math.min(team.size, tasks.count);
  using scope = heap.scope();
  const isInHeap = heap.owns(values) && values instanceof Float64Array;
  const entries = isInHeap ? values : scope.copy(Float64Array, values);
  const status = scope.copy(Uint32Array, [NONE, 0, 0]);
  const shared = { entries, status, least: scope.copy(Float64Array, [least]) };
  const threads = Array.from({ length: shares }, () => placeThreadWork(scope, analysis, placed, shared));
  const { ptr, idx } = tasks.before;
  const state = scope.array(Uint32Array, STATE_WORDS).fill(0);
  const header = placeHeader(scope, ORDERED_HEADER, {
    ...{
      subject: scope.copy(
        Uint32Array,
        Uint32Array.from(threads, (thread) => thread.header),
      ),
      shares,
    },
    ...{ chunks: tasks.count, bounds: undefined, state },
    ...{ beforePtr: scope.copy(Uint32Array, ptr), before: scope.copy(Uint32Array, idx) },
    ...{ afterPtr: undefined, after: undefined },
    done: scope.array(Uint32Array, tasks.count).fill(0),
  });
  const bounds = scope.copy(
    Uint32Array,
    Uint32Array.from({ length: shares + 1 }, (_, share) => share),
  );
  const kernel = kernelIndex(kernels, supernodesKernelName(isIndefinite ? 'indefinite' : 'cholesky', stored));
  const task = { kernel, header, bounds, workers: shares };
  let done = 0;
  let most = FIRST_SLICE_WORK * shares;
  for (let begin = 0, end = 0; begin < tasks.count && status[0] === NONE; begin = end) {
    for (let work = 0; end < tasks.count && work < most; end++) work += tasks.work[end]!;
    for (const thread of threads) thread.end[0] = end;
    // The slice before is over, so no thread reads them. The turn stays: what earlier slices have done is done.
    state.fill(0);
    state[NEXT_TICKET] = begin;
    const start = performance.now();
    team.run(task, 0, 0, 0, 0);
    most *= Math.min(SLICE_MS / (performance.now() - start), GROWTH);
    for (let k = begin; k < end; k++) done += tasks.work[k]!;
    yield done / total;
  }
  return { failed: status[0] === NONE ? undefined : status[0]!, perturbed: status[1]!, twoByTwo: status[2]! };
}

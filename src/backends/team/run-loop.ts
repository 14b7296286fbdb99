/** Runs the loops of conversions on a team. */
import { PARTS_OF_STEP, partition, partsFor, taskOver } from '../../execution/partition.js';
import { isShared, placeJob, type RunLoop } from '../../formats/layout/loop.js';
import { kernelIndex, loopIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { TeamContext } from './backend.js';

/** A loop of less work, in entries, stays on the caller's thread: it takes about as long as waking a member. */
const LOOP_ALONE_BELOW = 50_000;

/** Least number of parts per thread: loops start in the interpreter, and threads do not leave it at the same time. */
const OVERSUBSCRIPTION = 4;

/** Kernels of loops read none. */
const NO_OPERANDS = 0;

/**
 * A job runs on the team if it is large enough and all its arrays are in the heap, otherwise on the caller's thread. With its arrays
 * in the heap it is run by a kernel, if its loop has one.
 */
export function runOnTeam({ heap, kernels, own, team }: TeamContext): RunLoop {
  return (loop, job, span) => {
    const work = span.workBefore(span.units);
    const isInHeap = isShared(heap, job);
    const kernel = isInHeap ? loop.kernel?.(job) : undefined;
    const isAlone = team.size === 1 || work < LOOP_ALONE_BELOW || !isInHeap;
    if (isAlone && kernel === undefined) return loop.run(job, 0, span.units);
    using scope = heap.scope();
    const header = kernel === undefined ? placeJob(scope, loop, job) : placeHeader(scope, loop.header!, job);
    const index = kernel === undefined ? loopIndex(kernels, loop) : kernelIndex(kernels, kernel);
    if (isAlone) {
      const bounds = partition(span, work < LOOP_ALONE_BELOW ? 1 : PARTS_OF_STEP);
      for (let k = 0; k + 1 < bounds.length; k++) own[index]!(header, NO_OPERANDS, bounds[k]!, bounds[k + 1]!);
      return;
    }
    const parts = partsFor(work, team.size, OVERSUBSCRIPTION);
    team.run(taskOver(scope, span, parts, { kernel: index, header }), 0, 0, 0, 0);
  };
}

/** Runs the loops of conversions on a team. */
import { partsFor, taskOver } from '../../execution/partition.js';
import { isShared, placeJob, type RunLoop } from '../../formats/layout/loop.js';
import { loopIndex } from '../../kernels/module.js';
import type { TeamContext } from './backend.js';

/** A loop of less work, in entries, stays on the caller's thread: it takes about as long as waking a member. */
const ALONE_BELOW = 50_000;

/** Least number of parts per thread: loops start in the interpreter, and threads do not leave it at the same time. */
const OVERSUBSCRIPTION = 4;

/** A job runs on the team if it is large enough and all its arrays are in the heap, otherwise on the caller's thread. */
export function runOnTeam({ heap, kernels, team }: TeamContext): RunLoop {
  return (loop, job, span) => {
    const work = span.workBefore(span.units);
    if (team.size === 1 || work < ALONE_BELOW || !isShared(heap, job)) return loop.run(job, 0, span.units);
    using scope = heap.scope();
    const header = placeJob(scope, loop, job);
    const parts = partsFor(work, team.size, OVERSUBSCRIPTION);
    team.run(taskOver(scope, span, parts, { kernel: loopIndex(kernels, loop), header }), 0, 0, 0, 0);
  };
}

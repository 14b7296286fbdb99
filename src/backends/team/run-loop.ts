/** Runs the loops of conversions on a team. */
import type { Span } from '../../core/span.js';
import { PARTS_OF_STEP, partition, partsFor } from '../../execution/partition.js';
import { fieldsOutside, type Job, type Loop, placeJob, type RunLoop } from '../../formats/layout/loop.js';
import { kernelIndex, loopIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { TeamContext } from './backend.js';
import { inWindows, type Through, WINDOW_WORK } from './windows.js';

/** A loop of less work, in entries, stays on the caller's thread: it takes about as long as waking a member. */
const LOOP_ALONE_BELOW = 50_000;

/** Least number of parts per thread: loops start in the interpreter, and threads do not leave it at the same time. */
const OVERSUBSCRIPTION = 4;

/** Kernels of loops read none. */
const NO_OPERANDS = 0;

/**
 * A job runs on the team if it is large enough and its arrays are in the heap, or can be brought there, otherwise on the caller's thread. With its
 * arrays in the heap it is run by a kernel, if its loop has one.
 *
 * @param windowWork work of a window of entries that are outside the heap, in entries for each thread
 */
export function runOnTeam(context: TeamContext, windowWork: number = WINDOW_WORK): RunLoop {
  const runUnits: Through['runUnits'] = (...units) => runInHeap(context, ...units);
  const runLoop: RunLoop = (loop, job, span) => {
    const outside = fieldsOutside(context.heap, job);
    const hasKernel = loop.kernel !== undefined;
    if (outside.length === 0 && (hasKernel || !isAlone(context.team.size, span))) runUnits(loop, job, span, 0, {});
    else if (!hasKernel || !inWindows(loop, job, span, { context, outside, windowWork, runLoop, runUnits }))
      loop.run(job, 0, span.units);
  };
  return runLoop;
}

function isAlone(threads: number, span: Span): boolean {
  return threads === 1 || span.workBefore(span.units) < LOOP_ALONE_BELOW;
}

/**
 * @param begin the first unit; those of the span are counted from there
 * @param addresses of arrays for a kernel, in the place of those of the job
 */
function runInHeap<J extends Job>(
  { heap, kernels, own, team }: TeamContext,
  loop: Loop<J>,
  job: J,
  span: Span,
  begin: number,
  addresses: Readonly<Record<string, number>>,
): void {
  using scope = heap.scope();
  const kernel = loop.kernel?.(job);
  const header =
    kernel === undefined ? placeJob(scope, loop, job) : placeHeader(scope, loop.header!, { ...job, ...addresses });
  const index = kernel === undefined ? loopIndex(kernels, loop) : kernelIndex(kernels, kernel);
  const work = span.workBefore(span.units);
  if (isAlone(team.size, span)) {
    const bounds = boundsOf(span, begin, work < LOOP_ALONE_BELOW ? 1 : PARTS_OF_STEP);
    for (let k = 0; k + 1 < bounds.length; k++) own[index]!(header, NO_OPERANDS, bounds[k]!, bounds[k + 1]!);
    return;
  }
  const bounds = scope.copy(Uint32Array, boundsOf(span, begin, partsFor(work, team.size, OVERSUBSCRIPTION)));
  team.run({ kernel: index, header, bounds }, 0, 0, 0, 0);
}

function boundsOf(span: Span, begin: number, parts: number): Uint32Array {
  return partition(span, parts).map((unit) => begin + unit);
}

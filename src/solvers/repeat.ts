/** The loop of methods that repeat one step until it changes little: powers of a matrix, PageRank. */
import { callback, integer, within } from '../core/checks.js';
import { checkSignal } from '../core/drain.js';
import { DEFAULT_RTOL } from './arguments.js';
import type { Reason, SolveOptions, Step } from './solution.js';

/** Iterations that repeat a product take these options. */
export interface RepeatOptions extends Pick<SolveOptions, 'onStep' | 'signal'> {
  /** The tolerance of the relative change, or residual: 0 to 1. Default 1e-8. */
  readonly rtol?: number;
  /** Default 1000. */
  readonly maxIterations?: number;
}

type Checked = Pick<SolveOptions, 'onStep' | 'signal'> & { readonly rtol: number; readonly maxIterations: number };

/** How the loop ended. */
export interface Repeated {
  readonly converged: boolean;
  readonly reason: Extract<Reason, 'tolerance' | 'iterations' | 'not-finite' | 'stopped'>;
  readonly iterations: number;
}

/** @throws SparlaneError `argument` */
export function checkRepeat({ rtol = DEFAULT_RTOL, maxIterations = 1000, onStep, signal }: RepeatOptions): Checked {
  const given = checkSignal(signal);
  return {
    ...{ rtol: within('rtol', rtol, 0, 1), maxIterations: integer('maxIterations', maxIterations) },
    ...(onStep !== undefined && { onStep: callback('onStep', onStep) }),
    ...(given !== undefined && { signal: given }),
  };
}

/**
 * @param first the number of the first step
 * @param run a step; it returns the norm to report, and the one that is compared with `rtol`
 */
export function* repeat(
  { rtol, maxIterations, onStep, signal }: Checked,
  first: number,
  run: (iteration: number) => { readonly residualNorm: number; readonly relative: number },
): Generator<Step, Repeated> {
  for (let iteration = first; ; iteration++) {
    const { residualNorm, relative } = run(iteration);
    const step = { iteration, residualNorm };
    const goesOn = onStep?.(step) !== false && !signal?.aborted;
    const reason = reasonOf(relative, rtol, iteration >= maxIterations, goesOn);
    if (reason !== undefined) return { converged: reason === 'tolerance', reason, iterations: iteration };
    yield step;
  }
}

function reasonOf(relative: number, rtol: number, isLast: boolean, goesOn: boolean): Repeated['reason'] | undefined {
  if (!Number.isFinite(relative)) return 'not-finite';
  if (relative <= rtol) return 'tolerance';
  if (isLast) return 'iterations';
  return goesOn ? undefined : 'stopped';
}

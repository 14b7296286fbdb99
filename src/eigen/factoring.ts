/** The steps of factors and preconditioners as those of a search: reported, and ended by an abort. */
import { mapSteps } from '../core/drain.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import type { EigenStep } from './method.js';

/** The steps of a set-up as those of a search that has found nothing yet. */
export function factoring<T>(steps: Generator<SetupStep, T>): Generator<EigenStep, T> {
  return mapSteps(steps, ({ stage }) => ({ stage, iteration: 0, converged: 0 }));
}

/** Who hears of steps, and may stop them. */
export interface Listener<S> {
  /** Tells the caller of a step. */
  readonly report: (step: S) => void;
  /** Whether the caller has asked to stop. */
  readonly isStopped: () => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Reports the steps of a set-up, until the caller asks to stop. @throws as `throwIfStopped` */
export function reported<S, T>(steps: Generator<S, T>, listener: Listener<S>): Generator<S, T> {
  const tell = (step: S) => {
    listener.report(step);
    return step;
  };
  return mapSteps(steps, tell, () => throwIfStopped(listener));
}

/** @throws the reason of the signal; an AbortError if `onProgress` returned false */
export function throwIfStopped({ isStopped, signal }: Omit<Listener<never>, 'report'>): void {
  signal?.throwIfAborted();
  if (isStopped()) AbortSignal.abort().throwIfAborted();
}

/** What `untilStopped` returns where the caller has asked to stop. */
export const STOPPED: unique symbol = Symbol('stopped');

/** Runs steps until the caller asks to stop. @param report is undefined where they are reported elsewhere */
export function* untilStopped<S, T>(
  steps: Generator<S, T>,
  isStopped: () => boolean,
  report?: (step: S) => void,
): Generator<S, T | typeof STOPPED> {
  try {
    for (;;) {
      if (isStopped()) return STOPPED;
      const { done, value } = steps.next();
      if (done) return value;
      report?.(value);
      yield value;
    }
  } finally {
    steps.return(undefined as never);
  }
}

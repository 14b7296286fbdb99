/** The steps of factors and preconditioners as those of a search: reported, and ended by an abort. */
import type { SetupStep } from '../preconditioners/preconditioner.js';
import type { EigenStep } from './method.js';

export function* factoring<T>(steps: Generator<SetupStep, T>): Generator<EigenStep, T> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      yield { stage: value.stage, iteration: 0, converged: 0 };
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** Who hears of steps, and may stop them. */
export interface Listener<S> {
  /** Tells the caller of a step. */
  readonly report: (step: S) => void;
  /** Whether the caller has asked to stop. */
  readonly isStopped: () => boolean;
  readonly signal: AbortSignal | undefined;
}

/** The same steps, of a set-up, before there are pairs. @throws as `throwIfStopped` */
export function* reported<S, T>(steps: Generator<S, T>, listener: Listener<S>): Generator<S, T> {
  try {
    for (;;) {
      throwIfStopped(listener);
      const { done, value } = steps.next();
      if (done) return value;
      listener.report(value);
      yield value;
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** @throws the reason of the signal; an AbortError if `onProgress` returned false */
export function throwIfStopped({ isStopped, signal }: Omit<Listener<never>, 'report'>): void {
  signal?.throwIfAborted();
  if (isStopped()) AbortSignal.abort().throwIfAborted();
}

/** What `untilStopped` returns where the caller has asked to stop. */
export const STOPPED: unique symbol = Symbol('stopped');

/** The same steps, until the caller asks to stop. @param report undefined: they are reported elsewhere */
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

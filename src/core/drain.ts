/** Runs a generator of steps to its end, at once or in slices. */
import { abortSignal, callback } from './checks.js';
import { turn } from './turn.js';

/** @returns what the generator returns */
export function drain<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}

/** A slice is long beside the turn of an event loop, and short for a person. */
const SLICE_MS = 50;

/**
 * The same in slices of 50 ms, between which the event loop turns: timers fire, messages arrive, a signal may abort. An error of
 * `onProgress` ends the solve and rejects.
 *
 * @param onProgress called between two slices with the latest step
 */
export async function drainInSlices<S, T>(steps: Generator<S, T>, onProgress?: (step: S) => unknown): Promise<T> {
  if (onProgress !== undefined) callback('onProgress', onProgress);
  try {
    for (let end = performance.now() + SLICE_MS; ; ) {
      const { done, value } = steps.next();
      if (done) return value;
      if (performance.now() < end) continue;
      onProgress?.(value);
      await turn();
      end = performance.now() + SLICE_MS;
    }
  } finally {
    steps.return(undefined as never);
  }
}

/**
 * The steps of a generator in another form. Where the caller leaves these, the generator ends, too.
 *
 * @param before is called in front of each step, and may throw to end them
 */
export function* mapSteps<S, T, R>(steps: Generator<S, R>, as: (step: S) => T, before?: () => void): Generator<T, R> {
  try {
    for (;;) {
      before?.();
      const { done, value } = steps.next();
      if (done) return value;
      yield as(value);
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** Runs steps until the signal is aborted. @throws the reason of the signal */
export function untilAborted<S, T>(steps: Generator<S, T>, signal: AbortSignal | undefined): Generator<S, T> {
  return mapSteps(
    steps,
    (step) => step,
    () => signal?.throwIfAborted(),
  );
}

/** @throws SparlaneError `argument` */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  return signal === undefined ? undefined : abortSignal('signal', signal);
}

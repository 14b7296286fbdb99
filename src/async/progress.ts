/** Requests that take long: the caller hears of their progress, and may stop them. */
import { abortSignal, callback } from '../core/checks.js';
import type { FunctionRequests } from './function-types.js';
import type { CallOptions, Link } from './link.js';
import type { RequestTypes } from './protocol.js';

interface Watched<S> {
  readonly signal: AbortSignal | undefined;
  readonly onProgress?: ((step: S) => unknown) | undefined;
  readonly transfer?: CallOptions['transfer'];
}

/** @throws SparlaneError `argument`; the reason of a signal that is aborted */
export function checkWatched({ signal, onProgress }: Partial<Omit<Watched<never>, 'transfer'>>): void {
  if (onProgress !== undefined) callback('onProgress', onProgress);
  if (signal !== undefined) abortSignal('signal', signal).throwIfAborted();
}

/** The requests of many steps. */
type Long =
  | Exclude<keyof FunctionRequests, 'series'>
  | 'solve'
  | 'solver'
  | 'run'
  | 'factor'
  | 'refactor'
  | 'factorSolve'
  | 'search';

/**
 * An abort tells the worker to stop the request, which then has its own answer. An error of `onProgress` stops it, too, and is what the promise
 * rejects with.
 *
 * @returns as `Link.call`; the promise rejects with the signal's reason if the request was stopped before it began, or has no answer without an end
 */
export function callWithProgress<K extends Long, S>(
  link: Link,
  kind: K,
  args: RequestTypes[K]['args'],
  { signal, onProgress, transfer = [] }: Watched<S>,
): { readonly handle: number; readonly result: Promise<RequestTypes[K]['result']> } {
  let failure: { readonly reason: unknown } | undefined;
  const stop = () => link.stop(handle);
  const { handle, result } = link.call(kind, args, {
    transfer,
    onProgress(step: S) {
      try {
        if (failure === undefined) onProgress?.(step);
      } catch (reason) {
        failure = { reason };
        stop();
      }
    },
  });
  const answered = async () => {
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const answer = await result;
      if (failure !== undefined) throw failure.reason;
      return answer;
    } catch (error) {
      throw failure === undefined && signal?.aborted && (error as Error).name === 'AbortError' ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };
  return { handle, result: answered() };
}

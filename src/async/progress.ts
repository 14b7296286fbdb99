/** Requests that take long: the caller hears of their progress, and may stop them. */
import type { CallOptions, Link } from './link.js';
import type { Calls } from './protocol.js';

interface Watched<S> {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((step: S) => unknown) | undefined;
  readonly transfer?: CallOptions['transfer'];
}

/**
 * An abort tells the worker to stop the request, which then has its own answer. An error of `onProgress` stops it, too, and is what the promise
 * rejects with.
 *
 * @throws the signal's reason if the request was stopped before it began
 */
export async function callWithProgress<K extends 'solve' | 'run', S>(
  link: Link,
  kind: K,
  args: Calls[K]['args'],
  { signal, onProgress, transfer = [] }: Watched<S>,
): Promise<Calls[K]['result']> {
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
}

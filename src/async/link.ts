/**
 * The caller's half of the protocol: numbered requests, each a promise. If the worker dies, all of them reject.
 *
 * A product costs 20 to 30 µs beyond its kernel in a loop, and 70 to 190 µs after a pause of some ms, in which both threads fall asleep
 * (Chromium 156, 2 cores of an AMD EPYC, November 2026). Answers by `Atomics.waitAsync`, and a worker that waits for a bell in shared
 * memory, took as long.
 */
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Channel, OpenChannel, WorkerLike } from './channel.js';
import {
  type Answer,
  type Kind,
  type Movable,
  type Request,
  type RequestTypes,
  receiveError,
  SHARES,
} from './protocol.js';

/** Requests that are always taken: they free what others hold, or say how busy the worker is. */
const ALWAYS: readonly Kind[] = ['create', 'status', 'release', 'dispose'];

interface Pending {
  /** Whether it takes a place in the queue. */
  readonly isQueued: boolean;
  readonly onProgress: ((step: never) => void) | undefined;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface CallOptions {
  /** Objects that are moved to the worker instead of copied. */
  readonly transfer?: readonly Movable[];
  /** Rejects the promise with its reason, and makes the worker abandon the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called for news of the request. It must not throw. */
  readonly onProgress?: (step: never) => void;
}

export class Link {
  readonly #channel: Channel;
  readonly #onHint: (hint: Hint) => void;
  readonly #queue: number;
  readonly #pending = new Map<number, Pending>();
  /** Those that take a place. */
  #queued = 0;
  #lastId = 0;
  /** The reason why requests are no longer accepted. */
  #closed: unknown;
  #disposal: Promise<void> | undefined;

  /**
   * Owns the worker. A request must follow, because the worker only answers requests.
   *
   * @param queue requests that may be open in addition to those that share the worker
   */
  constructor(
    open: OpenChannel,
    worker: URL | string | WorkerLike | undefined,
    onHint: (hint: Hint) => void,
    queue: number,
  ) {
    this.#onHint = onHint;
    this.#queue = queue;
    this.#channel = open(worker, {
      hear: (answer) => this.#hear(answer),
      lose: (reason) => void this.close(reason),
    });
  }

  /**
   * @returns the promise of the answer, and the number of the request, which is the handle of the created object
   * @throws never; the promise rejects with a SparlaneError of the worker or with code `busy`, or the reason of the signal
   */
  call<K extends Kind>(
    kind: K,
    args: RequestTypes[K]['args'],
    options: CallOptions = {},
  ): { handle: number; result: Promise<RequestTypes[K]['result']> } {
    const { transfer = [], signal, onProgress } = options;
    const id = ++this.#lastId;
    const result = new Promise<RequestTypes[K]['result']>((resolve, reject) => {
      if (this.#closed !== undefined) throw this.#closed;
      signal?.throwIfAborted();
      const isQueued = !ALWAYS.includes(kind);
      if (isQueued && this.#queued === SHARES + this.#queue) throw busy(this.#queue);
      this.#post({ id, kind, args } as Request, [...transfer]);
      if (this.#pending.size === 0) this.#channel.hold(true);
      if (isQueued) this.#queued++;
      this.#pending.set(id, { isQueued, resolve, reject, onProgress });
    });
    return { handle: id, result: signal === undefined ? result : this.#cancelable(id, result, signal) };
  }

  /** Asks the worker to end a request, which then answers as soon as it can. */
  stop(id: number): void {
    if (this.#pending.has(id)) this.#post({ id, kind: 'stop' }, []);
  }

  /** Requests without an answer. */
  get open(): number {
    return this.#queued;
  }

  /** Of these, those that wait because sixteen others are open. */
  get waiting(): number {
    return Math.max(0, this.#queued - SHARES);
  }

  /** Frees an object of the worker. Not awaited: if the worker has ended, its memory is already free. */
  release(handle: number): void {
    this.call('release', { handle }).result.catch(() => {});
  }

  /**
   * Ends the engine, its threads and the worker after all earlier products. Never rejects. A second call has no effect.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#sayGoodbye();
    return this.#disposal;
  }

  /** Ends the worker at once. All open promises reject. Resolves when the worker has stopped. */
  close(reason: unknown): Promise<void> {
    this.#closed ??= reason;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(this.#closed);
    return this.#channel.end();
  }

  async #sayGoodbye(): Promise<void> {
    const { result } = this.call('dispose', {});
    this.#closed ??= mismatch('argument', 'engine', 'one that is in use', 'a disposed engine');
    await result.catch(() => {}); // a worker that died has ended, too
    await this.close(this.#closed);
  }

  #post(request: Request, transfer: Movable[]): void {
    try {
      this.#channel.post(request, transfer);
    } catch (cause) {
      const text = `arguments: expected values that structured clone can copy, got ${cause}`;
      throw new SparlaneError('argument', text, {}, { cause });
    }
  }

  #hear(answer: Answer): void {
    if ('started' in answer) return;
    if ('hint' in answer) {
      this.#onHint(answer.hint);
      return;
    }
    if ('progress' in answer) {
      this.#pending.get(answer.id)?.onProgress?.(answer.progress as never);
      return;
    }
    const pending = this.#settle(answer.id);
    if ('error' in answer) pending?.reject(receiveError(answer.error));
    else pending?.resolve(answer.result as never);
  }

  /** Removes an open request. Without one, the worker does not keep the program alive. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending?.isQueued) this.#queued--;
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#channel.hold(false);
    return pending;
  }

  async #cancelable<T>(id: number, result: Promise<T>, signal: AbortSignal): Promise<T> {
    const cancel = (): void => {
      const pending = this.#settle(id);
      if (pending === undefined) return;
      pending.reject(signal.reason);
      this.#post({ id, kind: 'cancel' }, []);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

function busy(queue: number): SparlaneError {
  const text = `engine: expected at most ${queue} requests to wait (the option queue), got one more`;
  return new SparlaneError('busy', text, { queue });
}

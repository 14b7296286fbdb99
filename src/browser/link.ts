/** The page's half of the protocol: numbered requests, each a promise. If the worker dies, all of them reject. */
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { lifelineEnd, terminate } from '../execution/lifeline.browser.js';
import { type Script, started } from '../execution/script.browser.js';
import type { Step } from '../solvers/solution.js';
import { type Answer, type Calls, type Kind, type Request, receiveError } from './protocol.js';

interface Pending {
  readonly onProgress: ((step: Step) => void) | undefined;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface CallOptions {
  /** Objects that are moved to the worker instead of copied. */
  readonly transfer?: Transferable[];
  /** Rejects the promise with its reason, and makes the worker abandon the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called for news of the request. It must not throw. */
  readonly onProgress?: (step: Step) => void;
}

export class Link {
  readonly #worker: Worker;
  readonly #onHint: (hint: Hint) => void;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ended: Promise<void> = Promise.resolve();
  /** The reason why requests are no longer accepted. */
  #closed: unknown;
  #disposal: Promise<void> | undefined;

  /** Takes ownership of the worker. A request must follow, because the worker only answers requests. */
  constructor(worker: Worker, script: Script, onHint: (hint: Hint) => void) {
    this.#worker = worker;
    this.#onHint = onHint;
    const start = started(worker, script);
    start.catch((error) => this.close(error));
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      const lost = lostWorker(event.message || 'an error without a reason');
      start.then(
        () => this.close(lost),
        () => {},
      );
    };
    worker.onmessageerror = () => void this.close(lostWorker('a message that cannot be read'));
  }

  /**
   * @returns the promise of the answer, and the number of the request, which is the handle of the created object
   * @throws never; the promise rejects with a SparlaneError of the worker, or the reason of the signal
   */
  call<K extends Kind>(
    kind: K,
    args: Calls[K]['args'],
    options: CallOptions = {},
  ): { handle: number; result: Promise<Calls[K]['result']> } {
    const { transfer = [], signal, onProgress } = options;
    const id = ++this.#lastId;
    const result = new Promise<Calls[K]['result']>((resolve, reject) => {
      if (this.#closed !== undefined) throw this.#closed;
      signal?.throwIfAborted();
      this.#post({ id, kind, args } as Request, transfer);
      this.#pending.set(id, { resolve, reject, onProgress });
    });
    return { handle: id, result: signal === undefined ? result : this.#cancelable(id, result, signal) };
  }

  /** Rejects all open requests when that lock is free. A page without https has no locks. */
  watch(lifeline: string | undefined): void {
    if (lifeline === undefined) return;
    this.#ended = lifelineEnd(lifeline);
    void this.#ended.then(() => this.close(lostWorker('its end')));
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
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
    return terminate(this.#worker, this.#ended);
  }

  async #sayGoodbye(): Promise<void> {
    const { result } = this.call('dispose', {});
    this.#closed ??= mismatch('argument', 'engine', 'one that is in use', 'a disposed engine');
    await result.catch(() => {}); // a worker that died has ended, too
    await this.close(this.#closed);
  }

  #post(request: Request, transfer: Transferable[]): void {
    try {
      this.#worker.postMessage(request, transfer);
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
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if ('progress' in answer) {
      pending.onProgress?.(answer.progress);
      return;
    }
    this.#pending.delete(answer.id);
    if ('error' in answer) pending.reject(receiveError(answer.error));
    else pending.resolve(answer.result as never);
  }

  async #cancelable<T>(id: number, result: Promise<T>, signal: AbortSignal): Promise<T> {
    const cancel = (): void => {
      this.#pending.get(id)?.reject(signal.reason);
      if (this.#pending.delete(id)) this.#post({ id, kind: 'cancel' }, []);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

function lostWorker(got: string): SparlaneError {
  return new SparlaneError('backend', `engine's worker: expected it to run, got ${got}`);
}

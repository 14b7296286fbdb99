/**
 * Threads in a page: module workers, created once and kept. The caller is a worker too, because a window must not wait.
 */
import { SparlaneError } from '../core/errors.js';
import { lifelineEnd, terminate } from './lifeline.browser.js';
import type { CreatePool, Orders, Pool } from './pool.js';
import { started, startScript } from './script.browser.js';
import type { Script } from './script.js';

/** The messages of a member: it has started, it has stood down, or a kernel trapped. */
export type MemberMessage =
  | { readonly kind: 'ready'; readonly lifeline: string | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'trapped'; readonly reason: string };

export const createPool: CreatePool = async (threads, url): Promise<Pool> => {
  const script: Script = { option: 'member', url };
  const workers = Array.from({ length: threads }, () => startScript(script, () => startWorker(url)));
  const members = workers.map((worker) => new Member(worker));
  const idle = [...members];
  const close = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.end()));
  };
  try {
    await Promise.all(workers.map((worker) => started(worker, script)));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async enlist(orders: Orders) {
      const member = idle.pop();
      if (member === undefined)
        throw new SparlaneError('backend', `threads: expected an idle one, got ${threads} busy`);
      await member.standBy(orders);
      idle.push(member);
    },
    close,
  };
};

/** Two literal calls, because bundlers search for exactly this expression. */
function startWorker(url: URL | undefined): Worker {
  if (url !== undefined) return new Worker(url, { type: 'module' });
  return new Worker(new URL('./member.browser.js', import.meta.url), { type: 'module' });
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** One worker. At most one promise at a time waits for its return. */
class Member {
  readonly #worker: Worker;
  #waiting: Waiting | undefined;
  /** A worker that has not started has no orders, so its end need not be awaited. */
  #ended: Promise<void> = Promise.resolve();
  #death: SparlaneError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<MemberMessage>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault(); // otherwise it is reported again as an error of the engine's worker
      this.#die(event.message || 'an error without a reason');
    };
    worker.onmessageerror = () => this.#die('a message that cannot be read');
  }

  /** Resolves when the member has stood down. @throws SparlaneError `backend` if it trapped or died */
  standBy(orders: Orders): Promise<void> {
    const back = new Promise<void>((resolve, reject) => {
      if (this.#death === undefined) this.#waiting = { resolve, reject };
      else reject(this.#death);
    });
    this.#worker.postMessage(orders);
    return back;
  }

  /** Ends the worker, even a busy one. Resolves when it has stopped. */
  end(): Promise<void> {
    this.#die('its end');
    return terminate(this.#worker, this.#ended);
  }

  #hear(message: MemberMessage): void {
    if (message.kind === 'trapped') {
      this.#die(message.reason);
      return;
    }
    if (message.kind === 'ready') {
      this.#ended = lifelineEnd(message.lifeline);
      void this.#ended.then(() => this.#die('its end'));
    }
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  #die(reason: string): void {
    this.#death ??= new SparlaneError('backend', `member: expected it to stand by, got ${reason}`);
    this.#waiting?.reject(this.#death);
    this.#waiting = undefined;
  }
}

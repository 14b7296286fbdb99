/**
 * Threads in a page: module workers, made once and kept. The caller is itself a worker, for only there may it wait.
 */
import { SparlaneError } from '../core/errors.js';
import { lifelineEnd, terminate } from './lifeline.browser.js';
import type { CreatePool, Orders, Pool } from './pool.js';
import { type Script, started, startScript } from './script.browser.js';

/** What a member says: that it has started, that it was stood down, that a kernel trapped. */
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

/** Two literal calls: bundlers look for exactly this expression. */
function startWorker(url: URL | undefined): Worker {
  if (url !== undefined) return new Worker(url, { type: 'module' });
  return new Worker(new URL('./member.browser.js', import.meta.url), { type: 'module' });
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** One worker. At most one promise waits for it at a time: that it comes back. */
class Member {
  readonly #worker: Worker;
  #waiting: Waiting | undefined;
  /** One that has not started has no orders, so nobody needs to wait for its end. */
  #ended: Promise<void> = Promise.resolve();
  #death: SparlaneError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<MemberMessage>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault(); // or it would be reported once more as an error of the engine's worker
      this.#die(event.message || 'an error without a reason');
    };
    worker.onmessageerror = () => this.#die('a message that cannot be read');
  }

  /** Resolves when the member was stood down. @throws SparlaneError `backend` where it trapped or died */
  standBy(orders: Orders): Promise<void> {
    const back = new Promise<void>((resolve, reject) => {
      if (this.#death === undefined) this.#waiting = { resolve, reject };
      else reject(this.#death);
    });
    this.#worker.postMessage(orders);
    return back;
  }

  /** Ends the worker, whatever it does; resolves when it runs no more. */
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

/** The way between the caller's thread and the engine's worker. The platforms differ in how a worker starts, and in how its end is noticed. */
import { SparlaneError } from '../core/errors.js';
import type { Answer, Movable, Request } from './protocol.js';

export interface Channel {
  /** @throws a DataCloneError for what structured clone cannot copy */
  post(request: Request, transfer: Movable[]): void;
  /** Whether the worker keeps the program alive: while a request is open. */
  hold(isBusy: boolean): void;
  /** Ends the worker, even a busy one. Resolves when it has stopped. */
  end(): Promise<void>;
}

export interface Listener {
  hear(answer: Answer): void;
  /** The worker did not start, or has ended, or an answer cannot be read. No answer follows. */
  lose(reason: SparlaneError): void;
}

/** A worker that runs the script of `sparlane/worker`: one of the page, or of `node:worker_threads`. */
export interface WorkerLike {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** @throws SparlaneError `backend` if the worker is refused at once; `argument` for a wrong URL */
export type OpenChannel = (worker: URL | string | WorkerLike | undefined, listener: Listener) => Channel;

export function lostWorker(got: string): SparlaneError {
  return new SparlaneError('backend', `engine's worker: expected it to run, got ${got}`);
}

/**
 * The requests of a worker, one at a time. A request is a sequence of steps, and runs for a slice before another one has its turn. Every other
 * slice belongs to the requests that have just come, in their order, and every other one to those that have begun, in turn. So a short
 * request waits for at most one slice of a long one for each request before it, long ones share the time equally, and none
 * starves.
 */
import { turn } from '../core/turn.js';

/** Long beside the turn of an event loop, and short beside the wait for an answer. */
const SLICE_MS = 5;

/** Between two reports of the same request. */
const REPORT_MS = 50;

export interface Job<S, T> {
  readonly steps: Iterator<S, T>;
  /** Gets the latest step, about every 50 ms. */
  readonly onProgress?: (step: S) => void;
  /** Rejects the request if it has not begun. */
  readonly signal?: AbortSignal;
}

interface Entry extends Job<unknown, unknown> {
  hasBegun: boolean;
  /** Time of the next report. */
  reportAt: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class FairQueue {
  readonly #arrived: Entry[] = [];
  readonly #begun: Entry[] = [];
  #isRunning = false;

  /** What the steps return. Rejects with their error, or with the signal's reason before the first step. */
  run<S, T>(job: Job<S, T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const reportAt = performance.now() + REPORT_MS;
      this.#arrived.push({ ...(job as Job<unknown, unknown>), hasBegun: false, reportAt, resolve, reject } as Entry);
      if (!this.#isRunning) void this.#work();
    });
  }

  /** A request of one step. */
  call<T>(step: () => T, signal?: AbortSignal): Promise<T> {
    const steps: Iterator<never, T> = { next: () => ({ done: true, value: step() }) };
    return this.run(signal === undefined ? { steps } : { steps, signal });
  }

  /** Nothing runs any more; what has not ended never settles. */
  close(): void {
    this.#arrived.length = 0;
    this.#begun.length = 0;
  }

  async #work(): Promise<void> {
    this.#isRunning = true;
    let turnAt = performance.now() + SLICE_MS;
    for (let isForArrived = true; ; isForArrived = !isForArrived) {
      const entry = isForArrived
        ? (this.#arrived.shift() ?? this.#begun.shift())
        : (this.#begun.shift() ?? this.#arrived.shift());
      if (entry === undefined) break;
      if (!advance(entry)) this.#begun.push(entry);
      if (performance.now() < turnAt) continue;
      // New requests, and orders to stop, come in here.
      await turn();
      turnAt = performance.now() + SLICE_MS;
    }
    this.#isRunning = false;
  }
}

/** Runs a slice: at least one step. @returns whether none are left */
function advance(entry: Entry): boolean {
  const { steps, signal, onProgress, resolve, reject } = entry;
  const begin = performance.now();
  try {
    if (!entry.hasBegun) signal?.throwIfAborted();
    entry.hasBegun = true;
    for (;;) {
      const { done, value } = steps.next();
      const now = performance.now();
      if (done) resolve(value);
      else if (now >= entry.reportAt) {
        entry.reportAt = now + REPORT_MS;
        onProgress?.(value);
      }
      if (done || now >= begin + SLICE_MS) return done === true;
    }
  } catch (error) {
    reject(error);
    return true;
  }
}

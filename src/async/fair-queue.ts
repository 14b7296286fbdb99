/**
 * The requests of a worker, one at a time. A request is a sequence of steps, and runs for a slice before another one has its turn. Every other
 * slice belongs to the requests that have just come, in their order, and every other one to those that have begun, in turn. So a short
 * request waits for at most one slice of a long one for each request before it, long ones share the time equally, and none
 * starves.
 *
 * At most `SHARES` requests of several steps share: with more of them all would end late, and each would have its vectors in memory meanwhile. The
 * others begin in the order in which they came.
 */
import { turn } from '../core/turn.js';
import { SHARES } from './protocol.js';

/** Long beside the turn of an event loop, and short beside the wait for an answer. */
const SLICE_MS = 5;

/** Between two reports of the same request. */
const REPORT_MS = 50;

export interface QueuedRequest<S, T> {
  readonly steps: Iterator<S, T>;
  /** Gets the latest step, about every 50 ms. */
  readonly onProgress?: (step: S) => void;
  /** Rejects the request, at once, if it has not begun. */
  readonly signal?: AbortSignal;
}

interface Entry extends QueuedRequest<unknown, unknown> {
  /** Whether it has several steps, so that it needs a share. */
  readonly isLong: boolean;
  /** Time of the next report. */
  reportAt: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class FairQueue {
  /** Requests that begin in the next slices. */
  readonly #arrived: Entry[] = [];
  readonly #begun: Entry[] = [];
  /** Long requests without a share. */
  readonly #waiting: Entry[] = [];
  /** Shares in use: long requests that have arrived or begun. */
  #shares = 0;
  #isRunning = false;

  /** What the steps return. Rejects with their error, or with the signal's reason if it aborts before the first step. */
  run<S, T>(job: QueuedRequest<S, T>): Promise<T> {
    return this.#add(job as QueuedRequest<unknown, unknown>, true) as Promise<T>;
  }

  /** A request of one step. */
  call<T>(step: () => T, signal?: AbortSignal): Promise<T> {
    const steps: Iterator<never, T> = { next: () => ({ done: true, value: step() }) };
    return this.#add(signal === undefined ? { steps } : { steps, signal }, false) as Promise<T>;
  }

  /** Nothing runs any more; what has not ended never settles. */
  close(): void {
    for (const entries of [this.#arrived, this.#begun, this.#waiting]) entries.length = 0;
  }

  #add(job: QueuedRequest<unknown, unknown>, isLong: boolean): Promise<unknown> {
    const { signal } = job;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const entry: Entry = { ...job, isLong, reportAt: performance.now() + REPORT_MS, resolve, reject };
      signal?.addEventListener('abort', () => this.#leave(entry), { once: true });
      if (isLong && this.#shares >= SHARES) this.#waiting.push(entry);
      else this.#arrive(entry);
    });
  }

  #arrive(entry: Entry): void {
    if (entry.isLong) this.#shares++;
    this.#arrived.push(entry);
    if (!this.#isRunning) void this.#work();
  }

  /** A request that is aborted; one that has begun ends by its own steps. */
  #leave(entry: Entry): void {
    for (const entries of [this.#waiting, this.#arrived]) {
      const place = entries.indexOf(entry);
      if (place < 0) continue;
      entries.splice(place, 1);
      if (entries === this.#arrived) this.#end(entry);
      entry.reject(entry.signal!.reason);
    }
  }

  /** Gives its share to the first request that waits for one. */
  #end({ isLong }: Entry): void {
    if (!isLong) return;
    this.#shares--;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#arrive(next);
  }

  async #work(): Promise<void> {
    this.#isRunning = true;
    let turnAt = performance.now() + SLICE_MS;
    for (let isForArrived = true; ; isForArrived = !isForArrived) {
      const entry = isForArrived
        ? (this.#arrived.shift() ?? this.#begun.shift())
        : (this.#begun.shift() ?? this.#arrived.shift());
      if (entry === undefined) break;
      if (advance(entry)) this.#end(entry);
      else this.#begun.push(entry);
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
  const { steps, onProgress, resolve, reject } = entry;
  const begin = performance.now();
  try {
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

/**
 * The threads that read blocks of files. A thread has 10 MB, and takes 50 ms before it reads, as long as 30 MB of text; so it stays for the
 * next file for a while, without keeping the process alive.
 */
import { Worker } from 'node:worker_threads';
import type { BlockThread } from '../bytes/disk.js';
import type { BlockMessage } from './block-thread.node.js';

/** How long a thread waits for the next file. */
const IDLE_MS = 5000;
/**
 * Text that a process must have read for a thread to be started: as much may follow. A quarter of the next file counts, too: on the 2-core
 * AMD EPYC, 23 November 2026, a first file of 64 MB takes 0.9 of the time of one thread, one of 39 MB the same (`bench/read.mjs`); the
 * memory of a thread is 0.45 of that of a matrix of 60 MB of text.
 */
const STARTING_BYTES = 1 << 24;
const NEXT_SHARE = 1 / 4;
/** Text for each thread: less is read before a thread that waits is awake, 0.1 ms, and has read a block. Chosen. */
const WAITING_BYTES = 1 << 20;

interface Job {
  hasEnded: boolean;
  readonly changed: () => void;
}

class Helper {
  readonly #worker: Worker;
  /** The oldest first: a thread ends with its file, and is given the next one, before it says so. */
  readonly #jobs: Job[] = [];
  #hasEnded = false;
  #waiting: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./block-script.node.cjs', import.meta.url));
    // One that fails has ended, which is all that a reader must know: it reads the blocks itself.
    const end = (): void => {
      this.#hasEnded = true;
      idle.delete(this);
      while (this.#jobs.length > 0) this.#endJob();
    };
    this.#worker.on('message', this.#hear).on('error', end).on('exit', end);
  }

  start(message: BlockMessage, changed: () => void): BlockThread {
    clearTimeout(this.#waiting);
    const job: Job = { hasEnded: this.#hasEnded, changed };
    this.#jobs.push(job);
    this.#worker.ref();
    this.#worker.postMessage(message);
    return {
      get hasEnded() {
        return job.hasEnded;
      },
      release: () => this.#wait(),
    };
  }

  #wait(): void {
    if (this.#hasEnded) return;
    idle.add(this);
    this.#worker.unref();
    this.#waiting = setTimeout(() => this.#worker.terminate(), IDLE_MS).unref();
  }

  readonly #hear = (message: 'read' | 'left'): void => {
    if (message === 'read') this.#jobs[0]?.changed();
    else this.#endJob();
  };

  #endJob(): void {
    const job = this.#jobs.shift();
    if (job === undefined) return;
    job.hasEnded = true;
    job.changed();
  }
}

const idle = new Set<Helper>();

let readBefore = 0;

/** How many threads pay for so many bytes of text of the next file. */
export function threadsFor(bytes: number): number {
  const started = Math.floor((readBefore + NEXT_SHARE * bytes) / STARTING_BYTES);
  readBefore += bytes;
  return Math.min(Math.max(started, idle.size), Math.floor(bytes / WAITING_BYTES));
}

/** Undefined if this process may not start threads. */
export function startBlockThread(message: BlockMessage, changed: () => void): BlockThread | undefined {
  if (process.permission?.has('worker') === false) return undefined;
  const [helper = new Helper()] = idle;
  idle.delete(helper);
  return helper.start(message, changed);
}

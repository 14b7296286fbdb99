/**
 * The threads that read blocks of files. A thread takes 50 ms before it reads, as long as 30 MB of text take; so it stays for the next
 * file for a while, and does not keep the process alive.
 */
import { Worker } from 'node:worker_threads';
import type { BlockThread } from './bytes/disk.js';
import type { BlockMessage } from './matrix-market/block-thread.node.js';

/** How long a thread waits for the next file. It has some 10 MB. */
const IDLE_MS = 5000;

interface Job {
  readonly thread: { hasEnded: boolean };
  readonly changed: () => void;
}

class Helper {
  readonly #worker: Worker;
  #job: Job | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./matrix-market/block-script.node.cjs', import.meta.url));
    // One that fails has ended, which is all that a reader must know: it reads the blocks itself.
    const end = (): void => {
      idle.delete(this);
      this.#endJob();
    };
    this.#worker.on('message', this.#hear).on('error', end).on('exit', end);
  }

  start(message: BlockMessage, changed: () => void): BlockThread {
    clearTimeout(this.#idle);
    const thread = { hasEnded: false };
    this.#job = { thread, changed };
    this.#worker.ref();
    this.#worker.postMessage(message);
    return thread;
  }

  readonly #hear = (message: 'read' | 'left'): void => {
    if (message === 'read') {
      this.#job?.changed();
      return;
    }
    idle.add(this);
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#worker.terminate(), IDLE_MS).unref();
    this.#endJob();
  };

  #endJob(): void {
    if (this.#job === undefined) return;
    const { thread, changed } = this.#job;
    this.#job = undefined;
    thread.hasEnded = true;
    changed();
  }
}

const idle = new Set<Helper>();

export function idleThreads(): number {
  return idle.size;
}

/** Undefined if this process may not start threads. */
export function startBlockThread(message: BlockMessage, changed: () => void): BlockThread | undefined {
  if (process.permission?.has('worker') === false) return undefined;
  const [helper = new Helper()] = idle;
  idle.delete(helper);
  return helper.start(message, changed);
}

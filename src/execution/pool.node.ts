/**
 * Threads in Node. Piscina starts and ends them, but products do not use it (one round trip through it costs 24–100
 * µs).
 */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { SparlaneError } from '../core/errors.js';
import { IS_NODE } from './member.node.js';
import type { CreatePool, Orders, Pool } from './pool.js';

/** @throws SparlaneError `backend` if Node's permission model forbids threads */
export const createPool: CreatePool = async (threads, member): Promise<Pool> => {
  if (process.permission?.has('worker') === false) {
    const message = 'threads: expected the permission to start them, got a process without --allow-worker';
    throw new SparlaneError('backend', `${message}; threads: 1 needs no permission`);
  }
  const { Piscina } = await import('piscina');
  const piscina = new Piscina({
    filename: (member ?? new URL('./member.node.cjs', import.meta.url)).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
    // With this, an idle thread waits in its event loop. Piscina's default is Atomics.wait, where Deno cannot end it.
    atomics: 'disabled',
  });
  return poolOf(piscina);
};

/**
 * Piscina's threads as the pool of a team. A task keeps the program alive, a thread alone does not. So in Node the task of
 * a member (`member.node.ts`) ends at once, with the number of its thread, and the thread then stands by.
 */
export function poolOf(piscina: Piscina): Pool {
  const pool: Pool = {
    enlist: async (orders: Orders) => {
      const id: number | undefined = await piscina.run(orders);
      if (id !== undefined) await endOf(piscina.threads.find(({ threadId }) => threadId === id));
    },
    close: () => piscina.destroy(),
  };
  // A thread without a task reports its errors here; `endOf` hears of its end.
  piscina.on('error', () => {});
  return IS_NODE ? { ...pool, mayRest: true, hasLost: () => piscina.threads.some(hasEnded) } : pool;
}

/** Rejects when a thread ends. */
function endOf(thread: Worker | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = (code?: number): void => reject(new Error(`worker exited with code: ${code ?? 'unknown'}`));
    if (thread === undefined) end();
    else thread.once('exit', end).once('error', reject);
  });
}

/** For a thread that has ended, Node cannot read the event loop and reports an idle time of −1 ms. */
function hasEnded(thread: Worker): boolean {
  return thread.performance.eventLoopUtilization().idle < 0;
}

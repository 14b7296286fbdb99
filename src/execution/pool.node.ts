/**
 * Threads in Node: Piscina owns their lives, and carries no products (one round trip through it costs 24–100 µs).
 */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { SparlaneError } from '../core/errors.js';
import type { CreatePool, Orders, Pool } from './pool.js';

/** @throws SparlaneError `backend` where Node's permission model forbids threads */
export const createPool: CreatePool = async (threads, member): Promise<Pool> => {
  if (process.permission?.has('worker') === false) {
    const message = 'threads: expected the permission to start them, got a process without --allow-worker';
    throw new SparlaneError('backend', `${message}; one thread needs none`);
  }
  const { Piscina } = await import('piscina');
  const piscina = new Piscina({
    filename: (member ?? new URL('./member.node.js', import.meta.url)).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
    // An idle thread then waits in its event loop. In Atomics.wait, Piscina's default, Deno could not end it.
    atomics: 'disabled',
  });
  return poolOf(piscina);
};

/** Piscina's threads as those of a team. */
export function poolOf(piscina: Piscina): Pool {
  const pool: Pool = {
    enlist: (orders: Orders) => piscina.run(orders),
    close: () => piscina.destroy(),
  };
  return TELLS_ENDS ? { ...pool, hasLost: () => piscina.threads.some(hasEnded) } : pool;
}

/** Bun and Deno do not say how busy a thread is. */
const TELLS_ENDS = process.versions.bun === undefined && process.versions.deno === undefined;

/** Node has no event loop to report on for a thread that has ended, and says that it was idle for −1 ms. */
function hasEnded(thread: Worker): boolean {
  return thread.performance.eventLoopUtilization().idle < 0;
}

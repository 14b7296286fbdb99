/**
 * Threads in Node: Piscina owns their lives, and carries no products (one round trip through it costs 24–100 µs).
 */
import type { CreatePool, Orders, Pool } from './pool.js';

export const createPool: CreatePool = async (threads, worker): Promise<Pool> => {
  const { Piscina } = await import('piscina');
  const piscina = new Piscina({
    filename: (worker ?? new URL('./member.node.js', import.meta.url)).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
  });
  return {
    enlist: (orders: Orders) => piscina.run(orders),
    close: () => piscina.destroy(),
  };
};

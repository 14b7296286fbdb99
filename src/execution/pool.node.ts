/**
 * Threads in Node. Piscina starts and ends them, but products do not use it (one round trip through it costs 24–100
 * µs).
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { SparlaneError } from '../core/errors.js';
import { IS_NODE, type NodeOrders } from './member.node.js';
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
 * a member (`member.node.ts`) ends at once, with the number of its thread, and the thread then stands by. It reads other
 * memories from a port of its own, because its event loop does not turn.
 */
export function poolOf(piscina: Piscina): Pool {
  const close = () => piscina.destroy();
  // A thread without a task reports its errors here; `endOf` hears of its end.
  piscina.on('error', () => {});
  if (!IS_NODE) return { enlist: (orders: Orders) => piscina.run(orders), close };
  const lent: WebAssembly.Memory[] = [];
  const ports: MessagePort[] = [];
  return {
    close,
    async enlist(orders: Orders) {
      const { port1: port, port2: memories } = new MessageChannel();
      ports.push(port);
      for (const memory of lent) port.postMessage(memory);
      const sent: NodeOrders = { ...orders, memories };
      const id: number | undefined = await piscina.run(sent, { transferList: [memories] });
      if (id !== undefined) await endOf(piscina.threads.find(({ threadId }) => threadId === id));
    },
    mayRest: true,
    hasLost: () => piscina.threads.some(hasEnded),
    lend(memory) {
      lent.push(memory);
      for (const port of ports) port.postMessage(memory);
    },
  };
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

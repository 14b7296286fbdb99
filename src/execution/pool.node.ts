/** Threads in Node, Deno and Bun. */
import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { SparlaneError } from '../core/errors.js';
import type { CreatePool, Orders, Pool } from './pool.js';
import { IS_NODE, type NodeOrders } from './stand-by.node.js';

/** @throws SparlaneError `backend` if Node's permission model forbids threads */
export const createPool: CreatePool = async (threads, member): Promise<Pool> => {
  if (process.permission?.has('worker') === false) {
    const message = 'threads: expected the permission to start them, got a process without --allow-worker';
    throw new SparlaneError('backend', `${message}; threads: 1 needs no permission`);
  }
  const script = member ?? new URL('./member.node.cjs', import.meta.url);
  return poolOf(startThreads(threads, script));
};

/** Starts all threads, or none: what the system refuses for one of them is thrown when the others have been told to end. */
function startThreads(count: number, script: URL): Worker[] {
  const threads: Worker[] = [];
  try {
    while (threads.length < count) threads.push(new Worker(script));
  } catch (error) {
    for (const thread of threads) void thread.once('error', () => {}).terminate();
    throw error;
  }
  return threads;
}

/**
 * Threads as the pool of a team. A thread keeps the program alive only until it has answered its orders. In Node it answers at once (`stand-by.node.ts`). It then reads other
 * memories from a port of its own, because its event loop does not turn.
 *
 * @param mayRest whether threads answer at once
 */
export function poolOf(threads: readonly Worker[], mayRest: boolean = IS_NODE): Pool {
  const ends = new Map(threads.map((thread) => [thread, endOf(thread)]));
  const idle = [...threads];
  for (const thread of threads) thread.unref();
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    await Promise.all(threads.map((thread) => thread.terminate()));
  };
  const answered = async (thread: Worker, orders: NodeOrders, ports: readonly MessagePort[] = []) => {
    thread.ref();
    thread.postMessage(orders, ports);
    await Promise.race([once(thread, 'message'), ends.get(thread)]);
    // A thread that is being ended keeps the program alive until it has ended.
    if (!isClosed) thread.unref();
  };
  if (!mayRest) {
    return {
      close,
      async enlist(orders: Orders) {
        const thread = idle.pop()!;
        await answered(thread, orders);
        idle.push(thread);
      },
    };
  }
  const lent: WebAssembly.Memory[] = [];
  const ports: MessagePort[] = [];
  return {
    close,
    async enlist(orders: Orders) {
      const thread = idle.pop()!;
      const { port1: port, port2: memories } = new MessageChannel();
      ports.push(port);
      for (const memory of lent) port.postMessage(memory);
      await answered(thread, { ...orders, memories }, [memories]);
      await ends.get(thread);
    },
    mayRest,
    hasLost: () => threads.some(hasEnded),
    lend(memory) {
      lent.push(memory);
      for (const port of ports) port.postMessage(memory);
    },
  };
}

/** Rejects when a thread ends. */
function endOf(thread: Worker): Promise<never> {
  const end = new Promise<never>((_, reject) => {
    thread.once('error', reject).once('exit', (code) => reject(new Error(`worker exited with code: ${code}`)));
  });
  // A thread without orders may end unheard.
  end.catch(() => {});
  return end;
}

/** For a thread that has ended, Node cannot read the event loop and reports an idle time of −1 ms. */
function hasEnded(thread: Worker): boolean {
  return thread.performance.eventLoopUtilization().idle < 0;
}

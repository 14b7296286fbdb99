/** What Piscina's workers run (`member.node.cts`), or require themselves where it is bundled: the default export is called. */
import { type MessagePort, receiveMessageOnPort, threadId } from 'node:worker_threads';
import { link, serve } from './member.js';
import type { Orders } from './pool.js';

/**
 * Bun and Deno have the same modules. They do not report whether a thread has ended, and Deno cannot end a thread that
 * is asleep in Atomics.wait.
 */
export const IS_NODE: boolean = process.versions.bun === undefined && process.versions.deno === undefined;

/** The orders of a thread of Node. */
export interface NodeOrders extends Orders {
  /** A `MessagePort`, from which the thread reads the team's other memories; undefined on other runtimes. Declarations do not need Node's types. */
  readonly memories?: object;
}

/**
 * Called only by Piscina. In Node the thread stands by after the task, from the next turn of its event
 * loop on, and the task returns the number of the thread; elsewhere the task lasts until the order to stand down.
 */
function start(orders: NodeOrders): number | undefined {
  if (!IS_NODE) {
    serve(orders);
    return undefined;
  }
  const nextMemory = () => receiveMessageOnPort(orders.memories as MessagePort)!.message;
  link(orders, nextMemory);
  setImmediate(() => {
    try {
      serve(orders, nextMemory);
    } catch {
      // The caller finds the fault in the claims, and replaces the threads.
    }
  });
  return threadId;
}

// biome-ignore lint/style/noDefaultExport: Piscina's contract
export default start;

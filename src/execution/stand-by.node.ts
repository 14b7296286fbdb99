/** What a compute thread of Node, Deno or Bun does with its orders (`member.node.ts`). */
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
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

/** A thread answers its orders once: in Node when it begins to stand by, elsewhere when it has stood down. */
export function standBy(orders: NodeOrders): void {
  if (!IS_NODE) {
    serve(orders);
    parentPort!.postMessage('back');
    return;
  }
  const nextMemory = () => receiveMessageOnPort(orders.memories as MessagePort)!.message;
  link(orders, nextMemory);
  parentPort!.postMessage('standing');
  try {
    serve(orders, nextMemory);
  } catch {
    // The caller finds the fault in the claims, and replaces the threads.
  }
}

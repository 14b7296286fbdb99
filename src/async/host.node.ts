/** The host of the engine in a thread of Node: passes messages to a `Host`, and sends its answers back. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort } from 'node:worker_threads';
import { createEngine } from '../engine/create-engine.node.js';
import { MAX_THREADS } from '../engine/start-engine.js';
import { availableCores } from '../execution/cores.node.js';
import { Host } from './host.js';
import type { Request } from './protocol.js';

/**
 * One core is left to the caller's event loop. On two cores, a server with sixteen clients there answered 57 requests a second instead of 48
 * (`examples/server/load.mjs`, AMD EPYC, Node 20, 22 November 2026): a thread that loses its core with a part in hand delays all others.
 */
const THREADS = Math.min(Math.max(1, availableCores() - 1), MAX_THREADS);

/** The number of the request whose code runs: it follows timers and promises. */
const requests = new AsyncLocalStorage<number>();

const host = new Host((answer, transfer) => parentPort?.postMessage(answer, transfer as never), {
  createEngine: (options) => createEngine({ ...options, threads: options.threads ?? THREADS }),
  shared: true,
  holdLifeline: async () => undefined,
  readers: () => import('../io/read.node.js'),
  within: (id, call) => requests.run(id, call),
});

/** Otherwise one such error ends the thread, and with it the engine of all callers. One of the library still does. */
function hearStray(error: unknown): void {
  if (!host.stray(error, requests.getStore())) throw error;
}

process.on('unhandledRejection', hearStray);
process.on('uncaughtException', hearStray);

parentPort?.on('message', (request: Request) => void host.hear(request));

/** The host of the engine in a thread of Node: passes messages to a `Host`, and sends its answers back. */
import { parentPort } from 'node:worker_threads';
import { createEngine } from '../operators/create-engine.node.js';
import { Host } from './host.js';
import type { Request } from './protocol.js';

const host = new Host((answer, transfer) => parentPort?.postMessage(answer, transfer as never), {
  createEngine,
  shared: true,
  holdLifeline: async () => undefined,
  read: async (source, options) => (await import('../io/read.node.js')).read(source, options),
});

parentPort?.on('message', (request: Request) => void host.hear(request));

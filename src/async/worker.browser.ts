/** The script of the worker that hosts a page's engine: passes messages to a `Host`, and sends its answers back. */
import { holdLifeline } from '../execution/lifeline.browser.js';
import { createEngine } from '../operators/create-engine.browser.js';
import { Host } from './host.js';
import type { Answer, Movable, Request } from './protocol.js';

/** The used part of a dedicated worker's scope. TypeScript's `webworker` library conflicts with `dom`. */
declare const self: {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(answer: Answer, transfer: Movable[]): void;
};

const host = new Host((answer, transfer) => self.postMessage(answer, transfer), {
  createEngine,
  shared: crossOriginIsolated,
  holdLifeline,
  read: async (source, options) => (await import('../io/read.js')).read(source, options),
});

self.onmessage = ({ data }) => void host.hear(data);

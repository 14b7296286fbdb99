/**
 * The script of the worker that hosts a page's engine: passes messages to a `Host`, and sends its answers back. Readers and solvers
 * are loaded when they are needed.
 */

import { platformOfPage } from '../engine/platform.browser.js';
import { startEngine } from '../engine/start-engine.js';
import { holdLifeline } from '../execution/lifeline.browser.js';
import { Host } from './host.js';
import type { Answer, Movable, Request } from './protocol.js';

/** The used part of a dedicated worker's scope. TypeScript's `webworker` library conflicts with `dom`. */
declare const self: {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  addEventListener(type: 'error', listen: (event: ErrorEvent) => void): void;
  addEventListener(type: 'unhandledrejection', listen: (event: PromiseRejectionEvent) => void): void;
  postMessage(answer: Answer, transfer: Movable[]): void;
};

const host = new Host((answer, transfer) => self.postMessage(answer, transfer), {
  createEngine: (options) => startEngine(platformOfPage(), options),
  shared: crossOriginIsolated,
  holdLifeline,
  readers: () => import('../io/read.js'),
});

self.onmessage = ({ data }) => void host.hear(data);

// An error that the page hears of ends the engine.
function hearStray(event: Event, error: unknown): void {
  if (host.stray(error, undefined)) event.preventDefault();
}

self.addEventListener('error', (event) => hearStray(event, event.error ?? event.message));
self.addEventListener('unhandledrejection', (event) => hearStray(event, event.reason));

/** The script of the worker that hosts a page's engine: hands what arrives to a `Host`, and sends back what it says. */
import { Host } from './host.js';
import type { Answer, Request } from './protocol.js';

/** The part of a dedicated worker's scope that is used; TypeScript's `webworker` library contradicts `dom`. */
declare const self: {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(answer: Answer, transfer: Transferable[]): void;
};

const host = new Host((answer, transfer = []) => self.postMessage(answer, transfer));

self.onmessage = ({ data }) => void host.hear(data);

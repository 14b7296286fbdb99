/** The script of a page's compute workers: each message is an order to stand by, each answer says how it ended. */
import { serve } from './member.js';
import type { Orders } from './pool.js';

/** The part of a dedicated worker's scope that is used; TypeScript's `webworker` library contradicts `dom`. */
declare const self: { onmessage: ((event: MessageEvent<Orders>) => void) | null; postMessage(data: unknown): void };

self.onmessage = ({ data }) => {
  try {
    serve(data);
    self.postMessage(null);
  } catch (error) {
    self.postMessage(String(error));
  }
};

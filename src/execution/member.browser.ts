/** The script of a page's compute workers: each message is an order to stand by, each answer says how it ended. */
import { holdLifeline } from './lifeline.browser.js';
import { serve } from './member.js';
import type { MemberMessage } from './pool.browser.js';
import type { Orders } from './pool.js';

/** The part of a dedicated worker's scope that is used; TypeScript's `webworker` library contradicts `dom`. */
declare const self: {
  onmessage: ((event: MessageEvent<Orders>) => void) | null;
  postMessage(message: MemberMessage): void;
};

self.onmessage = ({ data }) => {
  try {
    serve(data);
    self.postMessage({ kind: 'back' });
  } catch (error) {
    self.postMessage({ kind: 'trapped', reason: String(error) });
  }
};

// Before the first order: while a member stands by, its event loop does not turn.
void holdLifeline().then((lifeline) => self.postMessage({ kind: 'ready', lifeline }));

/** The script of a page's compute workers. Each message is an order to stand by; each answer reports how it ended. */
import { holdLifeline } from './lifeline.browser.js';
import { serve } from './member.js';
import type { MemberMessage } from './pool.browser.js';
import type { Orders } from './pool.js';

/** The used part of a dedicated worker's scope. TypeScript's `webworker` library conflicts with `dom`. */
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

// Before the first order, because the event loop of a member that stands by does not run.
void holdLifeline().then((lifeline) => self.postMessage({ kind: 'ready', lifeline }));

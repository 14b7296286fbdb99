/** The engine's worker in a page. */
import { lifelineEnd, terminate } from '../execution/lifeline.browser.js';
import { started, startScript } from '../execution/script.browser.js';
import type { Script } from '../execution/script.js';
import { type Channel, type Listener, lostWorker, type OpenChannel } from './channel.js';
import { absolute } from './place.browser.js';
import type { Answer } from './protocol.js';

export const openChannel: OpenChannel = (given, listener) => {
  const url = given === undefined || given instanceof Worker ? undefined : absolute('worker', given as URL | string);
  const script: Script = { option: 'worker', url };
  const worker = given instanceof Worker ? given : startScript(script, () => startWorker(url));
  return listen(worker, script, listener);
};

/** Two literal calls, because bundlers search for exactly this expression. */
function startWorker(url: string | undefined): Worker {
  if (url !== undefined) return new Worker(url, { type: 'module' });
  return new Worker(new URL('./worker.browser.js', import.meta.url), { type: 'module' });
}

function listen(worker: Worker, script: Script, { hear, lose }: Listener): Channel {
  /** Resolves when the lock of the worker is free. A page without https has no locks. */
  let ended: Promise<void> = Promise.resolve();
  const start = started(worker, script);
  start.catch(lose);
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (!('started' in data)) hear(data);
    else if (data.lifeline !== undefined) {
      ended = lifelineEnd(data.lifeline);
      void ended.then(() => lose(lostWorker('its end')));
    }
  };
  worker.onerror = (event) => {
    event.preventDefault();
    const lost = lostWorker(event.message || 'an error without a reason');
    start.then(
      () => lose(lost),
      () => {},
    );
  };
  worker.onmessageerror = () => lose(lostWorker('a message that cannot be read'));
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    hold: () => {},
    end: () => terminate(worker, ended),
  };
}

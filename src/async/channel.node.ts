/** The engine's worker in Node: a thread, which shares the memory of the vectors with the caller. */
import { Worker } from 'node:worker_threads';
import { absoluteUrl } from '../core/checks.js';
import { notStarted, type Script, START_MS } from '../execution/script.js';
import { type Channel, type Listener, lostWorker, type OpenChannel } from './channel.js';
import type { Answer } from './protocol.js';

export const openChannel: OpenChannel = (given, listener) => {
  if (given instanceof Worker) return listen(given, { option: 'worker', url: undefined }, listener);
  const url = given === undefined ? undefined : absoluteUrl('worker', given as URL | string);
  const script: Script = { option: 'worker', url };
  try {
    return listen(new Worker(url ?? new URL('./worker.node.cjs', import.meta.url)), script, listener);
  } catch (cause) {
    throw notStarted(script, String(cause));
  }
};

function listen(worker: Worker, script: Script, { hear, lose }: Listener): Channel {
  let hasStarted = false;
  const fail = (got: string): void => {
    clearTimeout(timer);
    lose(hasStarted ? lostWorker(got) : notStarted(script, got));
  };
  const timer = setTimeout(fail, START_MS, `silence for ${START_MS} ms`);
  worker.on('message', (answer: Answer) => {
    hasStarted = true;
    clearTimeout(timer);
    if (!('started' in answer)) hear(answer);
  });
  worker.on('error', (error) => fail(String(error)));
  worker.on('messageerror', () => fail('a message that cannot be read'));
  worker.on('exit', () => fail('its end'));
  return {
    post: (request, transfer) => worker.postMessage(request, transfer as never),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: async () => {
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}

/**
 * Threads in a page: module workers, made once and kept. The caller is itself a worker, for only there may it wait.
 */
import { SparlaneError } from '../core/errors.js';
import type { CreatePool, Orders, Pool } from './pool.js';

export const createPool: CreatePool = async (threads, script): Promise<Pool> => {
  const idle = Array.from({ length: threads }, () => startWorker(script));
  const all = [...idle];
  const abandoned: (() => void)[] = [];
  return {
    async enlist(orders: Orders) {
      const worker = idle.pop();
      if (worker === undefined)
        throw new SparlaneError('backend', `threads: expected an idle one, got ${threads} busy`);
      await new Promise<void>((resolve, reject) => {
        const died = (reason: string) =>
          reject(new SparlaneError('backend', `worker: expected it to stand by, got ${reason}`));
        worker.onmessage = ({ data }: MessageEvent<string | null>) => (data === null ? resolve() : died(data));
        worker.onerror = (event) => died(event.message || 'an error while loading its script');
        abandoned.push(() => died('its end'));
        worker.postMessage(orders);
      });
      idle.push(worker);
    },
    async close() {
      for (const worker of all) worker.terminate();
      for (const abandon of abandoned.splice(0)) abandon();
    },
  };
};

/** Two literal calls: bundlers look for exactly this expression. */
function startWorker(script: URL | undefined): Worker {
  if (script !== undefined) return new Worker(script, { type: 'module' });
  return new Worker(new URL('./member.browser.js', import.meta.url), { type: 'module' });
}

/** `sparlane/async` in Node: the engine is in a thread of `node:worker_threads`, which ends with the program. */
import { absoluteUrl } from '../core/checks.js';
import { openChannel } from './channel.node.js';
import type { AsyncEngine } from './engine.js';
import { type AsyncEngineOptions, createAsyncEngineOn } from './start.js';

export * from './index.common.js';

/**
 * Starts a thread, and an engine in it. An idle engine does not keep the process alive.
 *
 * @throws SparlaneError `backend` if threads do not start, and as `createEngine`; the signal's reason on abort
 */
export function createAsyncEngine(options: AsyncEngineOptions = {}): Promise<AsyncEngine> {
  const absolute = (option: string, url: URL | string) => absoluteUrl(option, url).href;
  return createAsyncEngineOn({ openChannel, absolute, locate: String }, options);
}

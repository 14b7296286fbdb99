/**
 * `sparlane/async` in a page. With cross-origin isolation (the headers `Cross-Origin-Opener-Policy: same-origin` and
 * `Cross-Origin-Embedder-Policy: require-corp`) the engine uses all cores, and page and threads share the memory of its
 * vectors. Without it, one thread computes, vectors are copied, and a hint says so. Nothing else changes.
 */
import { openChannel } from './channel.browser.js';
import type { AsyncEngine } from './engine.js';
import { absolute } from './place.browser.js';
import { type AsyncEngineOptions, createAsyncEngineOn } from './start.js';

export * from './index.common.js';

/**
 * Starts a worker, and an engine in it.
 *
 * @throws SparlaneError `backend` if workers do not start, and as `createEngine`; the signal's reason on abort
 */
export function createAsyncEngine(options: AsyncEngineOptions = {}): Promise<AsyncEngine> {
  return createAsyncEngineOn({ openChannel, absolute, locate: (file) => absolute('file', file) }, options);
}

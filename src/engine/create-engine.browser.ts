/** The synchronous engine, as in Node, with the parts that are specific to browsers. */
import type { Engine } from './engine.js';
import { platformOfPage } from './platform.browser.js';
import { type EngineOptions, startEngine } from './start-engine.js';

/**
 * Creates an engine in this scope. In a window, or in a page that is not cross-origin isolated, it uses only the
 * caller's thread. A hint says so, except with `threads: 1`.
 *
 * @throws as `startEngine`
 */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return startEngine(platformOfPage(), options);
}

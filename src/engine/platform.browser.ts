/** The parts of an engine that are specific to browsers. */
import { createPool } from '../execution/pool.browser.js';
import { compileKernels } from '../kernels/compile.browser.js';
import type { Platform } from './start-engine.js';

/**
 * Longer than a product and the messages of the next one, so that threads do not sleep between the products of a page: these take 47 to 61 µs beyond
 * their kernel in 9 of 10 rounds, with the default of 0.15 ms 53 to 99 µs, with 0.03 ms 97 to 265 µs. (5-point 300², two threads on two cores of an
 * AMD EPYC, Chromium 156, 22 November 2026; rounds of 500 products, in turn.)
 */
const SPIN_MS = 1;

/** Of this scope. In a window, or in a page that is not cross-origin isolated, it has only the caller's thread. */
export function platformOfPage(): Platform {
  const cores = globalThis.navigator?.hardwareConcurrency || 1;
  const singleThreaded = whyOneThread();
  const platform: Platform = { compileKernels, createPool, cores, spinMs: SPIN_MS };
  return singleThreaded === undefined ? platform : { ...platform, singleThreaded };
}

function whyOneThread(): Platform['singleThreaded'] {
  if (!mayWait()) {
    const message =
      'a window cannot wait for threads; create the engine in a worker, or with createAsyncEngine of sparlane/async';
    return { name: 'single-threaded', message };
  }
  if (!globalThis.crossOriginIsolated) {
    const message =
      'the page is not cross-origin isolated; serve it and its workers with the headers ' +
      'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
    return { name: 'not-isolated', message };
  }
  if (typeof Worker !== 'undefined') return undefined;
  return { name: 'single-threaded', message: 'this browser has no workers inside workers' };
}

/**
 * Tests for Atomics.wait with a wait that ends at once, because the word is not 1. Without isolation only WebAssembly
 * can create shared memory.
 */
function mayWait(): boolean {
  try {
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    Atomics.wait(new Int32Array(buffer), 0, 1);
    return true;
  } catch {
    return false;
  }
}

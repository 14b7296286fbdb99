/** The parts of an engine that are specific to browsers. */
import { createPool } from '../execution/pool.browser.js';
import { compileKernels } from '../kernels/compile.browser.js';
import type { Platform } from './start-engine.js';

/** Of this scope. In a window, or in a page that is not cross-origin isolated, it has only the caller's thread. */
export function platformOfPage(): Platform {
  const cores = navigator.hardwareConcurrency || 1;
  const singleThreaded = whyOneThread();
  const platform: Platform = { compileKernels, createPool, cores };
  return singleThreaded === undefined ? platform : { ...platform, singleThreaded };
}

function whyOneThread(): Platform['singleThreaded'] {
  if (!mayWait()) {
    const message =
      'a window cannot wait for threads; create the engine in a worker, or with createAsyncEngine of sparlane/async';
    return { name: 'single-threaded', message };
  }
  if (!crossOriginIsolated) {
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

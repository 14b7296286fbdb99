/**
 * `sparlane/async` in files of another origin, such as those of a CDN, for a page without a bundler: `dist/cdn/async.js`. A browser starts no worker
 * from a script of another origin, but a module of the page's own origin may import it, if its server allows every origin (CORS).
 */
import { type AsyncEngine, type AsyncEngineOptions, createAsyncEngine as createWith } from './index.browser.js';

export * from './index.browser.js';

/** Creates an engine as `createAsyncEngine` of `sparlane/async` does. A content security policy must allow `blob:` in `worker-src`. */
export function createAsyncEngine(options: AsyncEngineOptions = {}): Promise<AsyncEngine> {
  return createWith({ worker: importing('worker.browser.js'), member: importing('member.browser.js'), ...options });
}

/** Returns the URL of a module that imports a script beside the bundle of this file. */
function importing(script: string): string {
  const text = `import ${JSON.stringify(new URL(script, import.meta.url))};`;
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

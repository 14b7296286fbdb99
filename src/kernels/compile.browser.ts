/** Loads the kernels with `fetch`. Bundlers search for the literal `new URL(…, import.meta.url)`. */
import { SparlaneError } from '../core/errors.js';
import { watchPolicy } from '../core/policy.browser.js';
import type { KernelBinary } from './abi.js';

/**
 * The URL where a bundler puts the kernels. Evaluated only if needed: some bundles have no `import.meta.url`, and the
 * option `wasm` then gives the URL.
 */
const URLS: Record<KernelBinary, () => URL> = {
  simd: () => new URL('./kernels.simd.wasm', import.meta.url),
  'relaxed-simd': () => new URL('./kernels.relaxed-simd.wasm', import.meta.url),
};

/** @throws SparlaneError `kernel` if the kernels cannot be loaded */
export async function compileKernels(binary: KernelBinary, given?: URL): Promise<WebAssembly.Module> {
  let url: URL | undefined;
  let type: string | null = null;
  const listening = new AbortController();
  const cure = watchPolicy(
    ({ blockedURI }) => blockedURI === 'wasm-eval' || blockedURI === url?.href,
    listening.signal,
  );
  try {
    url = given ?? URLS[binary]();
    const response = await fetch(url);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    type = response.headers.get('content-type');
    // Not compileStreaming, which requires the content type application/wasm from the server.
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const got = type === null ? reason : `${type} (${reason})`;
    const from = url === undefined ? '' : ` from ${url.href}`;
    const advice = (await cure()) ?? 'pass their URL as the option `wasm`';
    throw new SparlaneError(
      'kernel',
      `wasm: expected the WebAssembly kernels, got ${got}${from}; ${advice}`,
      {},
      { cause },
    );
  } finally {
    listening.abort();
  }
}

/** The kernels by `fetch`. The literal `new URL(…, import.meta.url)` is what bundlers look for. */
import { mismatch } from '../core/errors.js';
import type { KernelBinary } from './abi.js';

const URLS: Record<KernelBinary, URL> = {
  simd: new URL('./kernels.simd.wasm', import.meta.url),
  'relaxed-simd': new URL('./kernels.relaxed-simd.wasm', import.meta.url),
};

export async function compileKernels(binary: KernelBinary, url: URL = URLS[binary]): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw mismatch('kernel', url.href, 'the WebAssembly kernels', `HTTP status ${response.status}`);
  // Not compileStreaming: it refuses servers that send another type than application/wasm.
  return WebAssembly.compile(await response.arrayBuffer());
}

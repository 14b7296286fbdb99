/** Loads the kernels from the files of the build. The URLs are right for a module in any folder of `dist`, and so for a bundle, too. */
import { readFile } from 'node:fs/promises';
import type { KernelBinary } from './abi.js';

const URLS: Record<KernelBinary, URL> = {
  simd: new URL('../kernels/kernels.simd.wasm', import.meta.url),
  'relaxed-simd': new URL('../kernels/kernels.relaxed-simd.wasm', import.meta.url),
};

export async function compileKernels(binary: KernelBinary, url: URL = URLS[binary]): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(url));
}

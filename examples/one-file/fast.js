/** The synchronous engine, with the kernels inside this file. */
import { createEngine } from 'sparlane';
import kernels from 'sparlane/kernels.simd.wasm';

/** Returns an engine on the caller's thread. */
export async function startEngine() {
  const wasm = await WebAssembly.compile(kernels);
  return createEngine({ threads: 1, wasm, binary: 'simd' });
}

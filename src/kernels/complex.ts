/** The module of the complex kernels (`assembly/complex/`), which is loaded only for engines that are asked for it. */
import { bytesOfBase64 } from '../core/base64.js';
import type { KernelBinary } from './abi.js';
import { RELAXED_SIMD_WASM, SIMD_WASM } from './complex.wasm.js';

export function compileComplex(binary: KernelBinary): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytesOfBase64(binary === 'simd' ? SIMD_WASM : RELAXED_SIMD_WASM));
}

/** Selects one of the two binaries of the kernels. */
import { relaxedSimd, simd } from 'wasm-feature-detect';
import { oneOf } from '../core/checks.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { KernelBinary } from './abi.js';

/**
 * The requested binary, or the better one that this process validates.
 *
 * @throws SparlaneError `argument` for an unknown binary; `backend` if the process cannot run it
 */
export async function probeBinary(asked?: KernelBinary): Promise<KernelBinary> {
  if (asked !== undefined) oneOf('binary', asked, ['simd', 'relaxed-simd']);
  if (typeof WebAssembly === 'undefined') {
    const got = 'one without: it is switched off, perhaps by --jitless';
    throw new SparlaneError('backend', `WebAssembly: expected a process that supports it, got ${got}`);
  }
  if (asked !== 'simd' && (await relaxedSimd())) return 'relaxed-simd';
  if (asked === 'relaxed-simd') throw mismatch('backend', 'binary', 'one that this process runs: simd', asked);
  if (await simd()) return 'simd';
  throw mismatch('backend', 'WebAssembly', 'an engine with 128-bit SIMD', 'one without');
}

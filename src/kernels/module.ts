/** The kernels' module: which of the two binaries this machine runs, checked and linked to a memory. */
import { relaxedSimd, simd } from 'wasm-feature-detect';
import { oneOf } from '../core/checks.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Kernel, KernelBinary } from './abi.js';

/** Compiled once; threads share its machine code, so it is optimized once for all of them. */
export interface KernelModule {
  readonly module: WebAssembly.Module;
  readonly binary: KernelBinary;
  /** Exported functions in order: a kernel's place in this list is its name in commands to other threads. */
  readonly names: readonly string[];
}

/**
 * The binary asked for, else the better one of those that this process validates.
 *
 * @throws SparlaneError `argument` for an unknown one, `backend` where the process does not run it
 */
export async function probeBinary(asked?: KernelBinary): Promise<KernelBinary> {
  if (asked !== undefined) oneOf('binary', asked, ['simd', 'relaxed-simd']);
  if (typeof WebAssembly === 'undefined') {
    const got = 'none: it is switched off, perhaps by --jitless';
    throw new SparlaneError('backend', `WebAssembly: expected a process that has it, got ${got}`);
  }
  if (asked !== 'simd' && (await relaxedSimd())) return 'relaxed-simd';
  if (asked === 'relaxed-simd') throw mismatch('backend', 'binary', 'one that this process runs: simd', asked);
  if (await simd()) return 'simd';
  throw mismatch('backend', 'WebAssembly', 'an engine with 128-bit SIMD', 'one without');
}

/** @throws SparlaneError `kernel` where a module is not ours. */
export function describeModule(module: WebAssembly.Module, binary: KernelBinary): KernelModule {
  const imports = WebAssembly.Module.imports(module).map((entry) => `${entry.module}.${entry.name}`);
  if (imports.join() !== 'env.memory')
    throw mismatch('kernel', 'wasm', 'a module that imports env.memory', imports.join());
  return { module, binary, names: functionNames(module) };
}

/** The kernels of a module over a memory, in the order of `names`. Synchronous: the module is compiled already. */
export function linkKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel[] {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return functionNames(module).map((name) => exports[name] as Kernel);
}

/** The place of a kernel. @throws SparlaneError `kernel` where the module has none of that name. */
export function kernelIndex(kernels: KernelModule, name: string): number {
  const index = kernels.names.indexOf(name);
  if (index < 0) throw new SparlaneError('kernel', `kernel: expected ${kernels.names.join(' | ')}, got ${name}`);
  return index;
}

function functionNames(module: WebAssembly.Module): string[] {
  return WebAssembly.Module.exports(module).flatMap(({ kind, name }) => (kind === 'function' ? [name] : []));
}

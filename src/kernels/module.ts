/** The module of the kernels: checks it and links it to a memory. */
import { mismatch, SparlaneError } from '../core/errors.js';
import { type Job, type Loop, readJob } from '../formats/layout/loop.js';
import { LOOPS } from '../formats/layout/loops.js';
import type { Kernel, KernelBinary } from './abi.js';
import { copyKernel } from './copy.js';

/** Compiled once. Threads share its machine code, so it is optimized once for all of them. */
export interface KernelModule {
  /** That of the library's kernels, and others that an engine was asked for. */
  readonly modules: readonly WebAssembly.Module[];
  readonly binary: KernelBinary;
  /** Exported functions in order. Commands to other threads identify a kernel by its index in this list. */
  readonly names: readonly string[];
}

/** @throws SparlaneError `kernel` if a module is not one of this library. */
export function describeModules(modules: readonly WebAssembly.Module[], binary: KernelBinary): KernelModule {
  for (const module of modules) {
    const imports = WebAssembly.Module.imports(module).map((entry) => `${entry.module}.${entry.name}`);
    if (imports.join() !== 'env.memory')
      throw mismatch('kernel', 'wasm', 'a module that imports env.memory', imports.join());
  }
  return { modules, binary, names: modules.flatMap(functionNames) };
}

/**
 * All functions that a team runs over a memory: the kernels of the modules in the order of `names`, then the loops of
 * conversions, whose header is their job, and the copy from another memory. Synchronous, because the modules are compiled.
 *
 * @param memoryOf returns the other memories of the team by their numbers; not needed where there are none
 */
export function linkKernels(
  modules: readonly WebAssembly.Module[],
  memory: WebAssembly.Memory,
  memoryOf: (place: number) => WebAssembly.Memory = () => memory,
): Kernel[] {
  const kernels = modules.flatMap((module) => {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    return functionNames(module).map((name) => exports[name] as Kernel);
  });
  const loops = LOOPS.map(
    (loop): Kernel =>
      (job, _operands, begin, end) =>
        loop.run(readJob(memory, job, loop), begin, end),
  );
  return [...kernels, ...loops, copyKernel(memory, memoryOf)];
}

/** The index of the copy from another memory among the functions of `linkKernels`. */
export function copyIndex({ names }: KernelModule): number {
  return names.length + LOOPS.length;
}

/** The index of a loop among the functions of `linkKernels`. */
export function loopIndex<J extends Job>({ names }: KernelModule, loop: Loop<J>): number {
  return names.length + LOOPS.indexOf(loop);
}

/** The index of a kernel. @throws SparlaneError `kernel` if the module has no kernel of that name. */
export function kernelIndex({ names }: KernelModule, name: string): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  const [layout] = name.split('_');
  const similar = names.filter((known) => known.startsWith(`${layout}_`));
  const expected =
    similar.length > 0 ? similar.join(' | ') : `a kernel of another layout than ${layout}, which has none`;
  throw new SparlaneError('kernel', `kernel: got '${name}', expected ${expected}`);
}

function functionNames(module: WebAssembly.Module): string[] {
  return WebAssembly.Module.exports(module).flatMap(({ kind, name }) => (kind === 'function' ? [name] : []));
}

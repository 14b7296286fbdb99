/**
 * Has V8 optimize a kernel before its first product. V8 starts WebAssembly in a baseline tier and replaces a function
 * only between two calls. So a kernel called once over a large matrix would run to its end in the baseline tier, at
 * half the speed or less.
 *
 * To prevent this, a small matrix of all row lengths up to 19 is multiplied repeatedly. V8's optimizer starts after
 * about 1.5 ms and is done at 2.5 ms (AMD EPYC Zen 4, Node 20.20, November 2026). Threads share the machine code.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import { SparlaneError } from '../core/errors.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import { CARRIES_BYTES } from '../execution/carries.js';
import type { StoredMatrix } from '../formats/format.js';
import { storeMatrix } from '../formats/registry.js';
import { kernelName } from '../kernels/abi.js';
import { kernelIndex } from '../kernels/module.js';
import type { WasmContext } from './wasm.js';

const WARM_UP_MS = 5;
const SIZE = 64;
const LENGTHS = 20;

/**
 * Has V8 optimize the kernels of a matrix's stages, and takes as long as each kernel needs.
 *
 * @returns whether the heap had room for the warm-up; otherwise kernels start in the baseline tier
 */
export function warmUp(context: WasmContext, stored: StoredMatrix): boolean {
  return withRoom(() => warmUpInHeap(context, stored));
}

/** Calls `run` repeatedly, until V8 has optimized its kernel. */
export function repeatUntilOptimized(run: () => void): void {
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) {
    for (let turn = 0; turn < 16; turn++) run();
  }
}

/** Returns whether the heap had room for `attempt`. */
export function withRoom(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'heap') return false;
    throw error;
  }
}

function warmUpInHeap({ heap, kernels, own }: WasmContext, { spec, dtype }: StoredMatrix): void {
  heap.build((scope) => {
    using matrix = storeMatrix(heap, rowsOfAllLengths(), spec, dtype);
    const x = scope.array<FloatArray>(vectorArray(dtype), SIZE).fill(1);
    const y = scope.array<FloatArray>(vectorArray(dtype), SIZE);
    const carry = scope.alloc(CARRIES_BYTES);
    for (const { kernel, header, units } of matrix.stages) {
      const run = own[kernelIndex(kernels, kernelName(kernel, dtype))]!;
      repeatUntilOptimized(() => run(header, x.byteOffset, y.byteOffset, 0, units, carry, 1, 0));
    }
    scope[Symbol.dispose]();
  });
}

/** Symmetric, and all ones, so every format accepts it. */
function rowsOfAllLengths(): CsrMatrix {
  const builder = new CsrBuilder(SIZE, SIZE);
  for (let row = 0; row < SIZE; row++) {
    for (let col = 0; col < SIZE; col++) {
      if (Math.min(row, col) < Math.max(row, col) % LENGTHS) builder.add(row, col, 1);
    }
  }
  return builder.build();
}

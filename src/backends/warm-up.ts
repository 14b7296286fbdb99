/**
 * Gets a kernel optimized before its first product. V8 starts WebAssembly in a baseline tier and replaces a function only
 * between two calls, so a kernel called once over a large matrix would run there to its end, at half the speed or less.
 *
 * A small matrix of all row lengths up to 19 is multiplied again and again instead. V8's optimizer starts after some
 * 1.5 ms of that and is done at 2.5 ms (AMD EPYC Zen 4, Node 20.20, November 2026); threads share the machine code.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import { storeMatrix } from '../formats/registry.js';
import type { Kernel } from '../kernels/abi.js';
import type { Heap } from '../memory/heap.js';

const WARM_UP_MS = 5;
const SIZE = 64;
const LENGTHS = 20;

export function warmUp(heap: Heap, kernel: Kernel, spec: string, dtype: Dtype): void {
  heap.build((scope) => {
    const matrix = storeMatrix(heap, rowsOfAllLengths(), spec, dtype);
    const x = scope.array<FloatArray>(vectorArray(dtype), SIZE);
    const y = scope.array<FloatArray>(vectorArray(dtype), SIZE);
    x.fill(1);
    for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) {
      for (let turn = 0; turn < 16; turn++) {
        kernel(matrix.header, x.byteOffset, y.byteOffset, 0, matrix.units, 0, 1, 0);
      }
    }
    matrix[Symbol.dispose]();
    scope[Symbol.dispose]();
  });
}

function rowsOfAllLengths(): CsrMatrix {
  const builder = new CsrBuilder(SIZE, SIZE);
  for (let row = 0; row < SIZE; row++) for (let col = 0; col < row % LENGTHS; col++) builder.add(row, col, 1);
  return builder.build();
}

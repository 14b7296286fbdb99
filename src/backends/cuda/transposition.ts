/**
 * Transposition of a matrix by the device: a stable sort of its entries by column (`cuda/transpose.cu`), between arrays of the heap. The
 * result is that of the team, bit for bit.
 */

import type { CompressedRows } from '../../core/csr.js';
import { assemble, Owned } from '../../core/owned.js';
import type { FloatArray } from '../../core/types.js';
import { READ_PAST } from '../../formats/layout/read-past.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Transposed } from '../backend.js';
import { attempt } from './addon.js';
import type { CudaDevice } from './device.js';

/**
 * Aᵀ in canonical order, its arrays in `scope`, each in a block in which `csr` can keep it. Until the result is disposed the device holds them
 * too, and plans of a layout that keeps them need no copy.
 *
 * @throws SparlaneError `heap` if there is no room for Aᵀ, or on the device for A, Aᵀ and some 16 bytes per entry
 */
export function transposeOnDevice(device: CudaDevice, scope: HeapScope, matrix: CompressedRows): Transposed {
  const { rows, cols, nnz, rowPtr, colIdx, values } = matrix;
  const { addon } = device;
  const { heap } = scope;
  const type = values instanceof Float64Array ? Float64Array : Float32Array;
  // If the device has no room, the team has that of these arrays.
  using arrays = heap.scope();
  const ptr = arrays.array(Uint32Array, cols + 1);
  const idx = arrays.array(Uint32Array, nnz + READ_PAST);
  const moved = arrays.array<FloatArray>(type, nnz + READ_PAST);
  const results = [ptr, idx, moved];
  device.pin(heap);
  return assemble((held) => {
    using inputs = new Owned();
    const from = [rowPtr, colIdx, values].map((array) => blockLike(device, inputs, array));
    const to = results.map((array) => blockLike(device, held, array));
    for (const [i, array] of [rowPtr, colIdx, values].entries()) device.send(from[i]!, 0, array);
    for (const [i, block] of to.entries()) device.clear(block, results[i]!.byteLength);
    attempt(() => {
      const [a, b, c] = from as [number, number, number];
      const [d, e, f] = to as [number, number, number];
      addon.transpose(type.BYTES_PER_ELEMENT, rows, cols, nnz, a, b, c, d, e, f);
    });
    for (const [i, array] of results.entries()) device.fetch(to[i]!, 0, array);
    device.synchronize();
    for (const [i, array] of results.entries()) {
      attempt(() => addon.lend(to[i]!, array.byteOffset));
      scope.share(array);
    }
    return {
      ...{ rows: cols, cols: rows, nnz },
      ...{ rowPtr: ptr, colIdx: idx.subarray(0, nnz), values: moved.subarray(0, nnz) },
      [Symbol.dispose]: () => held[Symbol.dispose](),
    };
  });
}

/** A block of the device for a copy of the array. */
function blockLike(device: CudaDevice, owner: Owned, { byteLength }: ArrayBufferView): number {
  const block = device.allocate(byteLength);
  owner.own({ [Symbol.dispose]: () => device.release(block) });
  return block;
}

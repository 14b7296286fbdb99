/** What a spec leaves open is as suits the one who computes. */
import { expect, it } from 'vitest';
import { gpuSizes } from '#dist/formats/csrk-sizes.js';
import { storeMatrix } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';

const heap = new Heap();
const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
const { superRowSize, superSuperRowSize } = gpuSizes('ampere', matrix.nnz / matrix.rows);

it.each([
  ['csr5?sigma=4', 'csr5?sigma=4', 'csr5?omega=32&sigma=4'],
  ['pkt', 'pkt', 'pkt?lanes=128'],
  ['components', 'components', 'components?sliceRows=512'],
  ['csrk?k=3', 'csrk?k=3', `csrk?k=3&superRowSize=${superRowSize}&superSuperRowSize=${superSuperRowSize}`],
  ['csr5?omega=4&sigma=4', 'csr5?omega=4&sigma=4', 'csr5?omega=4&sigma=4'],
  ['pkt?lanes=4', 'pkt?lanes=4', 'pkt?lanes=4'],
  ['sell?index=16', 'sell?index=16', 'sell?index=16'],
])('%s is %s on a CPU, %s on a device', (asked, onCpu, onDevice) => {
  for (const [expected, options] of [
    [onCpu, {}],
    [onDevice, { onDevice: true }],
  ] as const) {
    using stored = storeMatrix(heap, matrix, asked, 'f64', options);
    expect(stored.spec).toBe(expected);
    // The spec says it all: it means the same on both.
    for (const elsewhere of [true, false]) {
      using again = storeMatrix(heap, matrix, stored.spec, 'f64', { onDevice: elsewhere });
      expect(again.storedEntries).toBe(stored.storedEntries);
    }
  }
});

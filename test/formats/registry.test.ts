/** Parameters missing in a spec get defaults that suit the backend. */
import { expect, it } from 'vitest';
import { gpuSizes } from '#dist/formats/csrk/sizes.js';
import { FORMATS } from '#dist/formats/registry.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';

const heap = new Heap();
const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
const { superRowSize, superSuperRowSize } = gpuSizes('hopper', matrix.nnz / matrix.rows);

it.each([
  ['csr5?sigma=4', 'csr5?sigma=4', 'csr5?omega=32&sigma=4'],
  ['pkt', 'pkt', 'pkt?lanes=128'],
  ['components', 'components', 'components?sliceRows=512'],
  ['csrk?k=3', 'csrk?k=3', `csrk?k=3&superRowSize=${superRowSize}&superSuperRowSize=${superSuperRowSize}`],
  ['csr5?omega=4&sigma=4', 'csr5?omega=4&sigma=4', 'csr5?omega=4&sigma=4'],
  ['pkt?lanes=4', 'pkt?lanes=4', 'pkt?lanes=4'],
  ['sell?index=16', 'sell?index=16', 'sell?index=16'],
])('%s is %s on a CPU, %s on a device', (asked, onCpu, onDevice) => {
  using forCpu = storeMatrix(heap, matrix, asked, 'f64');
  expect(forCpu.spec).toBe(onCpu);
  using forDevice = storeMatrix(heap, matrix, asked, 'f64', { onDevice: true });
  expect(forDevice.spec).toBe(onDevice);
  // The spec means the same when it is parsed again.
  using again = storeMatrix(heap, matrix, onDevice, 'f64');
  expect(again.spec).toBe(onDevice);
  expect(again.storedEntries).toBe(forDevice.storedEntries);
});

it('a name without a format is an error that lists those that there are', () => {
  const names = FORMATS.map(({ name }) => name).join(' | ');
  for (const name of ['cst', 'constructor'])
    expect(() => storeMatrix(heap, matrix, name, 'f64')).toThrow(`format: expected ${names}, got '${name}'`);
});

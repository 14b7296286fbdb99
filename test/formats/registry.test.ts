/** Parameters missing in a spec get defaults that suit the backend. */
import { expect, it } from 'vitest';
import { gpuSizes } from '#dist/formats/csrk/sizes.js';
import { FORMAT_NAMES } from '#dist/formats/names.js';
import { PARAMETER_DOCS } from '#dist/formats/parameter-docs.js';
import { FORMATS, storeMatrix } from '#dist/formats/registry.js';
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

it('the names of the formats are listed in order', () => {
  expect(FORMAT_NAMES).toEqual(FORMATS.map(({ name }) => name));
});

it('every parameter of a format is explained once', () => {
  for (const { name, parameters } of FORMATS) {
    const docs = PARAMETER_DOCS[name] ?? {};
    for (const [key, { doc }] of Object.entries(parameters))
      expect([name, key, doc ?? docs[key]]).not.toContain(undefined);
    for (const key of Object.keys(docs)) expect([name, key, parameters[key] && !parameters[key].doc]).toContain(true);
  }
});

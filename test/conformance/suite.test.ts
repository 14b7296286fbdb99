import { expect, test } from 'vitest';
import { specsOf } from '#dist/conformance/suite.js';
import { csrMatrix } from '#dist/core/csr.js';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { createEngine } from '#dist/index.node.js';
import { createFakeEngine } from '../backends/fake-device.js';

test('a CPU has every layout; a device those whose kernels it has', async () => {
  expect(specsOf(await createEngine({ threads: 1 }))).toEqual(FORMAT_SPECS);
  const matrix = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] });
  const onDevice = await createFakeEngine(matrix, { coldMs: 1, warmMs: 1, readMs: 1, gatherMs: 1 });
  const { bytesInUse } = onDevice.heap;
  // The fake device has kernels of CSR and DIA only.
  expect(new Set(specsOf(onDevice).map((spec) => spec.replace(/\?.*/, '')))).toEqual(new Set(['csr', 'dia']));
  expect(onDevice.heap.bytesInUse).toBe(bytesInUse);
});

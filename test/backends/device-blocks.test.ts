/** Blocks of vectors on a device that is none: who computes them, with which plans. The kernels: `sparlane selftest --device cuda`. */
import { expect, test } from 'vitest';
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import { checkDeviceBlocks } from '#dist/conformance/device-block-checks.js';
import { Findings } from '#dist/conformance/findings.js';
import { sampleVector } from '#dist/conformance/matrices.js';
import { Engine } from '#dist/engine/engine.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { fakeCsrDevice } from './fake-csr.js';

const matrix = gallery('rowlengths', { rows: 40, cols: 30, distribution: 'lognormal', mean: 3 });

async function openFake(spoil?: (y: Float64Array) => unknown) {
  const fake = fakeCsrDevice(spoil);
  const { context } = await createEngine({ threads: 1, tuning: 'built-in' });
  const hints: string[] = [];
  const gpus = [createCudaBackend(fake.device, context.heap)];
  return {
    fake,
    hints,
    engine: new Engine({ context, gpus, device: 'cuda', onHint: ({ name }) => hints.push(name) }),
  };
}

test.each(['csr', 'csrk'])(
  '%s: every column is a product; with a kernel for blocks in one plan for all widths',
  async (format) => {
    const { fake, hints, engine } = await openFake();
    using operator = engine.operator(matrix, { format });
    const before = fake.objects();
    for (const columns of [2, 3, 17]) {
      using x = engine.vector(sampleVector(30 * columns, 'integer', 1), { columns });
      using y = engine.vector(sampleVector(40 * columns, 'integer', 2), { columns });
      const old = y.toArray();
      operator.apply(x, y, -2, 0.5);
      using column = engine.vector(30);
      using single = engine.vector(40);
      for (let j = 0; j < columns; j++) {
        x.copyColumnTo(j, column);
        single.set(old.filter((_, k) => k % columns === j));
        operator.apply(column, single, -2, 0.5);
        expect(y.toArray().filter((_, k) => k % columns === j)).toEqual(single.toArray());
      }
    }
    const isBlock = format === 'csr';
    expect(hints).toEqual(isBlock ? [] : ['fell-back']);
    // One plan, or vectors for eight columns of each block.
    expect(fake.objects() - before).toBe(isBlock ? 1 : 16);
    operator.dispose();
    expect(fake.objects()).toBe(0);
  },
);

test.each(['csr', 'csrk'])('%s: a step with blocks is recorded if they have been multiplied before', async (format) => {
  const { engine } = await openFake();
  using operator = engine.operator(matrix, { format });
  using x = engine.vector(sampleVector(60, 'integer', 1), { columns: 2 });
  using y = engine.vector(40, { columns: 2 });
  expect(() => engine.record(() => operator.apply(x, y))).toThrow('an allocation is recorded');
  operator.apply(x, y);
  const expected = y.toArray();
  using step = engine.record(() => operator.apply(x, y));
  y.fill(0);
  step.launch();
  expect(y.toArray()).toEqual(expected);
});

test('a recorded product has as many copies of columns as the product before', async () => {
  const { engine } = await openFake();
  using operator = engine.operator(matrix, { format: 'csrk' });
  using two = engine.vector(sampleVector(60, 'integer', 1), { columns: 2 });
  operator.apply(two, engine.vector(40, { columns: 2 }));
  using x = engine.vector(sampleVector(150, 'integer', 1), { columns: 5 });
  using y = engine.vector(40, { columns: 5 });
  using step = engine.record(() => operator.apply(x, y));
  step.launch();
  const recorded = y.toArray();
  operator.apply(x, y.fill(0));
  expect(recorded).toEqual(y.toArray());
});

function check(engine: Engine, stored: StoredMatrix): Findings {
  const findings = new Findings();
  for (const kind of ['real', 'integer'] as const) checkDeviceBlocks(findings, engine, stored, matrix, kind, false);
  return findings;
}

test('the checks of blocks accept right products, and notice wrong ones and writes around Y', async () => {
  const { engine } = await openFake();
  using stored = storeMatrix(engine.heap, matrix, 'csr', 'f64');
  const right = check(engine, stored);
  expect([right.failed, right.failures[0]]).toEqual([0, undefined]);
  expect(right.checks).toBeGreaterThan(100);
  const spoilers: readonly ((y: Float64Array) => unknown)[] = [
    (y) => {
      y[y.length - 3]! += 1;
    },
    (y) => y.fill(0),
    (y) => new Uint8Array(y.buffer).fill(0, y.byteOffset + y.byteLength),
    (y) => new Uint8Array(y.buffer).fill(0, 0, y.byteOffset),
  ];
  for (const spoil of spoilers) {
    const { engine: wrong } = await openFake(spoil);
    using other = storeMatrix(wrong.heap, matrix, 'csr', 'f64');
    expect(check(wrong, other).failed).toBeGreaterThan(0);
  }
});

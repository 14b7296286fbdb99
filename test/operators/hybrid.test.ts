/** How rows are divided between a GPU and the CPU, without a GPU. Products: `sparlane selftest --device cuda`. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { sampleVector } from '#dist/conformance/matrices.js';
import { Engine } from '#dist/engine/engine.js';
import { toCsr } from '#dist/formats/format.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { byRows } from '#dist/operators/by-rows.js';
import { lastShare, nextShare } from '#dist/operators/hybrid.js';
import type { MatrixOperator } from '#dist/operators/matrix-operator.js';
import { partitionByShare } from '#dist/operators/row-partition.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { smallMatrix } from '../gallery/arbitrary.js';

const cpu = await createEngine({ threads: 1 });
afterAll(() => cpu.dispose());

test('at every share the halves are the matrix, each in its own format', () => {
  const property = fc.property(
    smallMatrix({ max: 24 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (matrix, share) => {
      const formats = ['csr5?omega=32', 'csr'];
      const halves: MatrixOperator[] = [];
      using whole = byRows(cpu.space, matrix, partitionByShare(matrix, share, 1), (rows, p) => {
        halves.push(cpu.operator(rows, { format: formats[p]!, device: 'reference' }));
        return halves[p]!;
      });
      expect(toCsr(whole.matrix)).toMatchObject({ rowPtr: matrix.rowPtr, colIdx: matrix.colIdx });
      expect(halves.map(({ rows }) => rows).reduce((a, b) => a + b)).toBe(matrix.rows);
      if (share === 0) expect(halves[0]!.rows).toBe(0);
      if (share === 1) expect(halves[1]!.nnz).toBe(0);
    },
  );
  fc.assert(property, { numRuns: 60 });
});

/**
 * A GPU that copies x in `copyMs` and computes all rows in `gpuMs` more; a CPU that computes them in `cpuMs`. At once
 * both take `slower` times as long.
 */
function balance(copyMs: number, gpuMs: number, cpuMs: number, slower = 1): number {
  const timesAt = (share: number) => {
    const times = { gpuMs: copyMs + gpuMs * share, cpuMs: cpuMs * (1 - share) };
    return { ...times, bothMs: slower * Math.max(times.gpuMs, times.cpuMs) };
  };
  let share = 0.5;
  let before: { share: number; gpuMs: number } | undefined;
  for (let round = 1; round < 4; round++) {
    const times = timesAt(share);
    const next = nextShare(share, times);
    if (next === share) break;
    before = { share, gpuMs: times.gpuMs };
    share = next;
  }
  return lastShare(share, timesAt(share), before);
}

describe('the share', () => {
  test('is kept if both take the same time', () => expect(nextShare(0.3, { gpuMs: 1, cpuMs: 1.05 })).toBe(0.3));

  test('approaches the one at which both take the same time', () => {
    expect(balance(0, 1, 1)).toBe(0.5);
    expect(balance(0, 1, 4)).toBeCloseTo(0.8, 1);
    // 0.5 + s = 4 (1 − s)
    expect(balance(0.5, 1, 4)).toBeCloseTo(0.7, 1);
    expect(balance(0, 4, 1)).toBeCloseTo(0.2, 1);
  });

  test('is all if the CPU is far too slow, none if the copy alone takes longer than the CPU', () => {
    expect(balance(0, 1, 1000)).toBe(1);
    expect(balance(2, 1, 1)).toBe(0);
  });

  test('is all or none if one alone is faster than both, which slow each other down', () => {
    // 0.6 + 0.3 s = 8 (1 − s) at 0.89: both take 0.87, and more when they share a bus; the GPU alone 0.9.
    expect(balance(0.6, 0.3, 8, 1.2)).toBe(1);
    expect(balance(0.9, 1, 1, 1.2)).toBe(0);
    expect(balance(0, 1, 2, 1.2)).toBeCloseTo(0.67, 1);
  });
});

describe('a product on both, with a fake device', () => {
  const formats = ['csr', 'auto'];
  const cases = [
    'laplace2d5?nx=300&ny=200',
    'circuit?n=30000&hubs=2&hubLength=9000',
    'dense?rows=1&cols=9',
    'dense?rows=0&cols=3',
  ];
  test.each(cases.flatMap((name) => formats.map((format) => [name, format])))('%s, %s', async (source, format) => {
    const { name, given } = parseGalleryUrl(`gallery:${source}`);
    const matrix = gallery(name, given);
    const { device, objects } = fakeCsrDevice();
    const { context } = await createEngine({ threads: 2, tuning: 'built-in' });
    const gpus = [createCudaBackend(device, context.heap)];
    await using engine = new Engine({ context, gpus, device: 'hybrid', onHint: () => {} });
    const bytesBefore = engine.heap.bytesInUse;
    {
      // The choice of auto for the GPU must be one of the two fakes.
      const asked = format === 'auto' ? { products: 1 } : { format };
      using operator = engine.operator(matrix, asked);
      expect(operator.plan.backend).toMatch(/^cuda \+ (threads|wasm)$/);
      const x = sampleVector(matrix.cols, 'real', 1);
      const before = sampleVector(matrix.rows, 'real', 2);
      using y = engine.vector(matrix.rows);
      for (const [alpha, beta] of [
        [1, 0],
        [-2, 0.5],
      ] as const) {
        const expected = expectedProduct(matrix, 'f64', x, before, alpha, beta);
        operator.apply(x, y.set(before), alpha, beta);
        expect(compareProduct(expected, y.data).firstWrong).toBe(-1);
      }
      using onDevice = engine.vector(matrix.cols, { device: 'cuda' });
      using other = engine.vector(matrix.rows, { device: 'cuda' });
      expect(() => operator.apply(onDevice, other)).toThrow(/^x: expected a vector of the heap/);
    }
    expect(engine.heap.bytesInUse).toBe(bytesBefore);
    expect(objects()).toBe(0);
  });
});

test('an engine for both needs a device, and takes one', async () => {
  const message = /^device: expected a CUDA device, got none/;
  await expect(createEngine({ device: 'hybrid', threads: 1 })).rejects.toThrow(message);
  await expect(createEngine({ device: 'hybrid', gpus: 2 })).rejects.toThrow(
    /^gpus: expected an integer from 1 to 1, got 2/,
  );
  await using engine = await createEngine({ threads: 1 });
  const { bytesInUse } = engine.heap;
  const matrix = { rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] };
  expect(() => engine.operator(matrix, { device: 'hybrid' })).toThrow(/engine: expected one with device: 'cuda'/);
  expect(() => engine.operator(matrix, { device: 'hybrid', allowPermutation: true })).toThrow(/^allowPermutation/);
  expect(engine.heap.bytesInUse).toBe(bytesInUse);
});

/**
 * The rows of a matrix dealt to parts: on the CPU, and on devices that are none. On GPUs: `sparlane selftest --device
 * cuda`.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { sampleVector } from '#dist/conformance/matrices.js';
import { findBlockSize } from '#dist/formats/bsr/block-size.js';
import { toCsr } from '#dist/formats/format.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { byRows } from '#dist/operators/by-rows.js';
import { blockRowsOf, columnsOf, partitionRows, rowsOfPart } from '#dist/operators/row-partition.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevices } from '../backends/fake-csr.js';
import { smallMatrix } from '../gallery/arbitrary.js';

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

describe.each(['block', 'cyclic'] as const)('%s', (distribution) => {
  test('the parts together are the matrix: every entry, and the product', () => {
    const few = fc.integer({ min: 1, max: 5 });
    const property = fc.property(smallMatrix({ max: 24 }), few, few, (matrix, parts, height) => {
      const { bytesInUse } = engine.heap;
      const partition = partitionRows(matrix, parts, distribution, height);
      const { bounds, order } = partition;
      for (let p = 0; p < parts; p++) {
        const rows = rowsOfPart(matrix, partition, p);
        const { begin, end } = columnsOf(rows);
        expect(rows.colIdx.every((col) => col >= begin && col < end)).toBe(true);
        // Block rows are whole, and in place.
        for (let i = bounds[p]!; i < bounds[p + 1]!; i++) {
          const first = i - ((order?.[i] ?? i) % height);
          expect(first).toBeGreaterThanOrEqual(bounds[p]!);
          expect(order?.[first] ?? first).toBe((order?.[i] ?? i) - (i - first));
        }
      }
      {
        using whole = byRows(engine.space, matrix, partition, (rows) => engine.operator(rows, { format: 'csr' }));
        expect(whole.nnz).toBe(matrix.nnz);
        expect(whole.format).toBe('csr');
        expect(toCsr(whole.matrix)).toMatchObject({ rowPtr: matrix.rowPtr, colIdx: matrix.colIdx });
        const x = sampleVector(matrix.cols, 'real', 1);
        const before = sampleVector(matrix.rows, 'real', 2);
        const y = Float64Array.from(before);
        whole.apply(Float64Array.from(x), y, -2, 0.5);
        expect(compareProduct(expectedProduct(matrix, 'f64', x, before, -2, 0.5), y).firstWrong).toBe(-1);
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('a format that refuses a part leaves nothing behind', () => {
    const arrow = gallery('circuit', { n: 4000, hubs: 1, hubLength: 4000 });
    const { bytesInUse } = engine.heap;
    const partition = partitionRows(arrow, 2, distribution, 1);
    const make = () => byRows(engine.space, arrow, partition, (rows) => engine.operator(rows, { format: 'dia' }));
    expect(make).toThrow(/dia/);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each([true, false])('on three devices that are none (linked: %s), vectors on the first', async (linked) => {
    const devices = fakeCsrDevices(3, linked);
    await using several = await engineOn(...devices.map(({ device }) => device));
    const matrix = gallery('circuit', { n: 3000, hubs: 2, hubLength: 900 });
    const numbers = sampleVector(matrix.cols, 'real', 1);
    {
      using operator = several.operator(matrix, { format: 'csr', distribution });
      expect(operator.plan).toMatchObject({ backend: 'cuda', parts: 3, methods: [''] });
      using x = several.vector(numbers);
      using y = several.vector(matrix.rows);
      const before = sampleVector(matrix.rows, 'real', 2);
      for (const [alpha, beta] of [
        [1, 0],
        [-2, 0.5],
      ] as const) {
        operator.apply(x, y.set(before), alpha, beta);
        const expected = expectedProduct(matrix, 'f64', numbers, before, alpha, beta);
        expect(compareProduct(expected, y.toArray()).firstWrong).toBe(-1);
      }
    }
    expect(devices[0]!.objects()).toBe(0);
  });
});

test('cyclic takes rows by length: the longest to the first part, the next to the second', () => {
  const lower = gallery('dense', { rows: 1, cols: 1 });
  const matrix = {
    ...lower,
    rows: 4,
    cols: 4,
    nnz: 10,
    rowPtr: Uint32Array.of(0, 1, 3, 6, 10),
    colIdx: Uint32Array.of(0, 0, 1, 0, 1, 2, 0, 1, 2, 3),
  };
  const { bounds, order } = partitionRows({ ...matrix, values: new Float64Array(10).fill(1) }, 2, 'cyclic', 1);
  expect([...bounds]).toEqual([0, 2, 4]);
  expect([...order!]).toEqual([3, 1, 2, 0]);
});

test('the parts of a matrix of blocks have its blocks', () => {
  const matrix = gallery('circuit', { n: 500, hubs: 2, hubLength: 90, block: 6 });
  expect(blockRowsOf(matrix, 'csr')).toBe(6);
  expect(blockRowsOf(matrix, 'bsr?blockSize=12')).toBe(12);
  const height = blockRowsOf(matrix, 'auto');
  expect(height).toBe(6);
  for (const distribution of ['block', 'cyclic'] as const) {
    const partition = partitionRows(matrix, 3, distribution, height);
    for (let p = 0; p < 3; p++)
      expect(findBlockSize(rowsOfPart(matrix, partition, p))).toMatchObject({ blockSize: 6, fill: 1 });
  }
});

test('blocks have equal work', () => {
  const matrix = gallery('rmat', { scale: 12 });
  const { bounds } = partitionRows(matrix, 4, 'block', 1);
  const work = [0, 1, 2, 3].map(
    (p) => matrix.rowPtr[bounds[p + 1]!]! - matrix.rowPtr[bounds[p]!]! + 2 * (bounds[p + 1]! - bounds[p]!),
  );
  expect(Math.max(...work) / Math.min(...work)).toBeLessThan(1.1);
});

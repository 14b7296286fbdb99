/**
 * The rows of a matrix partitioned over several GPUs, without a GPU: every row has one place. For products: `sparlane
 * selftest --device cuda`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { partitionRows, SplitMatrix } from '#dist/operators/split.js';
import { smallMatrix } from '../gallery/arbitrary.js';

const heap = new Heap();

describe.each(['block', 'cyclic'] as const)('%s', (distribution) => {
  test('the parts together are the matrix, with every entry', () => {
    const property = fc.property(smallMatrix({ max: 24 }), fc.integer({ min: 1, max: 5 }), (matrix, parts) => {
      const { bytesInUse } = heap;
      const rowPartition = partitionRows(matrix, parts, distribution);
      {
        using split = new SplitMatrix(matrix, rowPartition, (rows) => storeMatrix(heap, rows, 'csr', 'f64'));
        expect(split.parts.length).toBe(parts);
        expect(toCsr(split)).toMatchObject({ rowPtr: matrix.rowPtr, colIdx: matrix.colIdx });
        expect(split.parts.reduce((sum, part) => sum + part.rows, 0)).toBe(matrix.rows);
        for (const [p, { begin, end }] of split.columns.entries()) {
          split.parts[p]!.forEachEntry((_, col) => expect(col >= begin && col < end).toBe(true));
        }
      }
      expect(heap.bytesInUse).toBe(bytesInUse);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('a format that refuses a part leaves nothing behind', () => {
    const arrow = gallery('circuit', { n: 4000, hubs: 1, hubLength: 4000 });
    const { bytesInUse } = heap;
    const make = () =>
      new SplitMatrix(arrow, partitionRows(arrow, 2, distribution), (rows) => storeMatrix(heap, rows, 'dia', 'f64'));
    expect(make).toThrow(/dia/);
    expect(heap.bytesInUse).toBe(bytesInUse);
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
  const { bounds, order } = partitionRows({ ...matrix, values: new Float64Array(10).fill(1) }, 2, 'cyclic');
  expect([...bounds]).toEqual([0, 2, 4]);
  expect([...order!]).toEqual([3, 1, 2, 0]);
});

test('blocks have equal work', () => {
  const matrix = gallery('rmat', { scale: 12 });
  const { bounds } = partitionRows(matrix, 4, 'block');
  const work = [0, 1, 2, 3].map(
    (p) => matrix.rowPtr[bounds[p + 1]!]! - matrix.rowPtr[bounds[p]!]! + 2 * (bounds[p + 1]! - bounds[p]!),
  );
  expect(Math.max(...work) / Math.min(...work)).toBeLessThan(1.1);
});

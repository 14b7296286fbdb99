/** DIA by hand, at its edges, and what it refuses. The rest is in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import { csrMatrix } from '#dist/core/csr.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { StoredDia } from '#dist/formats/dia.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';

const heap = new Heap();

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('has five diagonals, eight rows of each in one chunk', () => {
    using stored = storeMatrix(heap, workedExample(), 'dia', 'f64') as StoredDia;
    expect(stored.offsets).toEqual(Int32Array.of(-3, -2, -1, 0, 2));
    const rows = (...values: number[]) => [...values, 0, 0, 0, 0];
    expect([...stored.values]).toEqual(
      [rows(0, 0, 0, 40), rows(0, 0, 0, 50), rows(0, 0, 0, 60), rows(10, 0, 30, 0), rows(20, 0, 0, 0)].flat(),
    );
    expect(stored).toMatchObject({ units: 1, nnz: 6, storedEntries: 40, multipliesPadding: true });
  });

  it('has a header of sizes and addresses, and costs its arrays and the vectors', () => {
    using stored = storeMatrix(heap, workedExample(), 'dia', 'mixed') as StoredDia;
    const { offsets, values } = stored;
    expect([...heap.view(Uint32Array, stored.header, 5)]).toEqual([4, 3, 5, offsets.byteOffset, values.byteOffset]);
    expect(stored.cost()).toEqual({ bytes: 40 * 4 + 5 * 4 + 7 * 8, flops: 12 });
  });
});

it('begins a new chunk with row 8', () => {
  using stored = storeMatrix(heap, gallery('laplace1d3', { nx: 9 }), 'dia', 'f64') as StoredDia;
  expect(stored.units).toBe(2);
  expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 32, 64]);
  expect([...stored.values.subarray(24)].filter((value) => value !== 0)).toEqual([-1, 2]);
});

it('tells zeros that are entries from padding, those that rounding made too', () => {
  const matrix = csrMatrix({ rows: 2, cols: 3, rowPtr: [0, 3, 4], colIdx: [0, 1, 2, 1], values: [0, -0, 1e-60, 5] });
  using f64 = storeMatrix(heap, matrix, 'dia', 'f64');
  expect([...toCsr(f64).values]).toEqual([0, -0, 1e-60, 5]);
  using f32 = storeMatrix(heap, matrix, 'dia', 'f32');
  expect([...toCsr(f32).values]).toEqual([0, -0, 0, 5]);
});

it('refuses what would be mostly padding, with the factor and the limit', () => {
  const bytes = heap.bytesInUse;
  const matrix = gallery('rgg', { n: 3000 });
  const refused = () => storeMatrix(heap, matrix, 'dia', 'f64');
  expect(refused).toThrowError(/^dia: expected at most maxFill = 3 stored values per entry, got \d+ on \d+ diagonals$/);
  expect(refused).toThrowError(expect.objectContaining({ code: 'fill-in' }));
  expect(heap.bytesInUse).toBe(bytes);
  using allowed = storeMatrix(heap, gallery('rgg', { n: 300 }), 'dia?maxFill=100000', 'f64');
  expect(allowed.spec).toBe('dia?maxFill=100000');
  expect(() => storeMatrix(heap, matrix, 'dia?maxFill=0.5', 'f64')).toThrowError(SparlaneError);
});

it('gives its memory back', () => {
  const bytes = heap.bytesInUse;
  storeMatrix(heap, workedExample(), 'dia', 'f64')[Symbol.dispose]();
  expect(heap.bytesInUse).toBe(bytes);
});

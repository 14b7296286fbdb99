/** ELL by hand; the requirements of every format are in `test/conformance`. */
import { afterEach, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { StoredChunks } from '#dist/formats/sell/stored-chunks.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';

const heap = new Heap();
afterEach(() => expect(heap.bytesInUse).toBe(0));

function store(spec: string, matrix: CsrMatrix = workedExample()): StoredChunks {
  return storeMatrix(heap, matrix, spec, 'f64') as StoredChunks;
}

it('stores the worked example as drawn in the header of the format', () => {
  using stored = store('ell');
  const none = [0, 0, 0, 0];
  expect([...stored.colIdx]).toEqual([0, 0, 2, 0, ...none, 2, 0, 2, 1, ...none, 2, 0, 2, 2, ...none]);
  expect([...stored.values]).toEqual([10, 0, 30, 40, ...none, 20, 0, 0, 50, ...none, 0, 0, 0, 60, ...none]);
  expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 24));
  expect(stored.rowLength).toEqual(Uint8Array.of(2, 0, 1, 3));
  expect([stored.spec, ...kernelsOf(stored), stored.nnz, stored.storedEntries]).toEqual(['ell', 'sell_spmv', 6, 24]);
  expect(stored.cost()).toEqual({ bytes: 24 * 12 + 2 * 4 + 7 * 8, flops: 12 });
});

it('has slices of one width, for any row lengths', () => {
  using stored = store('ell', gallery('laplace2d5', { nx: 5, ny: 4 }));
  expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 40, 80, 120));
});

it.each([
  ['no rows', 0, 3],
  ['no columns', 3, 0],
  ['no entries', 9, 9],
])('has slices without columns for a matrix with %s', (_, rows, cols) => {
  using stored = store('ell', new CsrBuilder(rows, cols).build());
  expect([...stored.chunkPtr]).toEqual(new Array(Math.ceil(rows / 8) + 1).fill(0));
  expect(stored.storedEntries).toBe(0);
});

it('refuses an arrow matrix with the factor and the limit, without trying', () => {
  const n = 1_000_000;
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    builder.add(0, i, 1);
    if (i > 0) builder.add(i, i, 1);
  }
  const arrow = builder.build();
  expect(() => store('ell', arrow)).toThrowError(SparlaneError);
  expect(() => store('ell', arrow)).toThrowError(
    'ell: expected at most 3 stored entries per entry of the matrix (maxFill), got 500000',
  );
  try {
    store('ell', arrow);
  } catch (error) {
    const { code, detail } = error as SparlaneError;
    expect(code).toBe('fill-in');
    expect(detail).toEqual({ factor: 500_000, maxFill: 3, storedEntries: n * n, nnz: 2 * n - 1 });
  }
});

it('accepts the padding of a small matrix', () => {
  const builder = new CsrBuilder(200, 200);
  for (let j = 0; j < 200; j++) builder.add(0, j, 1);
  using stored = store('ell', builder.build());
  expect(stored.storedEntries).toBe(200 * 200);
});

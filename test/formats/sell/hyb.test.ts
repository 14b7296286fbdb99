/** HYB by hand: where a row is cut, and how both pieces are stored. The rest is in `test/conformance`. */
import { afterEach, describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { typicalLength } from '#dist/formats/sell/hyb.js';
import type { StoredChunks } from '#dist/formats/sell/stored-chunks.js';
import type { StoredHyb } from '#dist/formats/sell/stored-hyb.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';

const heap = new Heap();
afterEach(() => expect(heap.bytesInUse).toBe(0));

function store(spec: string, matrix: CsrMatrix = workedExample()): StoredHyb {
  return storeMatrix(heap, matrix, spec, 'f64') as StoredHyb;
}

function ofLengths(lengths: readonly number[]): CsrMatrix {
  const builder = new CsrBuilder(lengths.length, 100);
  lengths.forEach((length, row) => {
    for (let col = 0; col < length; col++) builder.add(row, col, 1);
  });
  return builder.build();
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('is laid out as the header of the format draws it', () => {
    using stored = store('hyb');
    const { chunks, rest } = stored;
    const none = [0, 0, 0, 0];
    expect([...chunks.colIdx]).toEqual([0, 0, 2, 0, ...none, 2, 0, 2, 1, ...none]);
    expect([...chunks.values]).toEqual([10, 0, 30, 40, ...none, 20, 0, 0, 50, ...none]);
    expect([rest.rowIdx, rest.colIdx, rest.values]).toEqual([
      Uint32Array.of(3),
      Uint32Array.of(2),
      Float64Array.of(60),
    ]);
    expect([stored.spec, stored.nnz, stored.storedEntries]).toEqual(['hyb', 6, 17]);
  });

  it('costs both pieces, x and y once', () => {
    using stored = store('hyb');
    expect(stored.cost()).toEqual({ bytes: 16 * 12 + 2 * 4 + (4 + 4 + 8) + 7 * 8, flops: 12 });
  });

  it('shares the codes of its values', () => {
    using stored = store('hyb?values=table&index=16');
    const { chunks, rest } = stored;
    expect([stored.spec, ...kernelsOf(stored)]).toEqual([
      'hyb?index=16&values=table',
      'sell16_table_spmv',
      'coo_table_spmv',
    ]);
    expect(rest.table).toEqual(chunks.table);
    expect(rest.values).toEqual(Uint8Array.of(5));
    expect(stored.pieces.map(({ spec }) => spec)).toEqual([stored.spec, 'coo?values=table']);
  });

  it('with K = 1', () => {
    using stored = store('hyb?width=1');
    expect(stored.chunks.nnz).toBe(3);
    expect(stored.rest.colIdx).toEqual(Uint32Array.of(2, 1, 2));
    expect(stored.spec).toBe('hyb?width=1');
  });
});

describe('K', () => {
  it.each([
    [[], 0],
    [[0, 0, 0], 0],
    [[7], 7],
    [[1, 1, 9], 9],
    [[1, 1, 1, 9], 1],
    [[2, 2, 5, 5, 5, 90], 5],
    [[0, 0, 0, 0, 3, 3], 3],
    [[0, 0, 0, 0, 0, 3, 3], 0],
  ])('of rows of lengths %j is %d: a third of the rows have as many entries', (lengths, width) => {
    expect(typicalLength(ofLengths(lengths))).toBe(width);
  });

  it('is not more than the longest row has', () => {
    using stored = storeMatrix(heap, workedExample(), 'hyb?width=9', 'f64') as StoredChunks;
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 24));
  });
});

it('has one stage where no row is longer than K, as on stencils', () => {
  using stored = storeMatrix(heap, gallery('laplace2d5', { nx: 9, ny: 9 }), 'hyb', 'f64');
  expect(kernelsOf(stored)).toEqual(['sell_spmv']);
  expect(stored.bitsDependOn ?? 'nothing').toBe('nothing');
});

it('has ELL without columns where most rows are empty', () => {
  using stored = store('hyb', ofLengths([0, 0, 0, 0, 0, 0, 0, 0, 0, 4]));
  expect([...stored.chunks.chunkPtr]).toEqual([0, 0, 0]);
  expect(stored.rest.nnz).toBe(4);
});

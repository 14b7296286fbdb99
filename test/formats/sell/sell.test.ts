/** SELL-C-σ by hand: chunks, their order and widths, hub rows. The rest is in `test/conformance`. */
import { afterEach, describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { SparlaneError } from '#dist/core/errors.js';
import { examine } from '#dist/features/features.js';
import { toCsr } from '#dist/formats/format.js';
import { sortedRows } from '#dist/formats/sell/chunks.js';
import { sell } from '#dist/formats/sell/sell.js';
import type { StoredChunks } from '#dist/formats/sell/stored-chunks.js';
import type { StoredHyb } from '#dist/formats/sell/stored-hyb.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';

const heap = new Heap();
afterEach(() => expect(heap.bytesInUse).toBe(0));

function store(spec: string, matrix: CsrMatrix = workedExample()): StoredChunks {
  return storeMatrix(heap, matrix, spec, 'f64') as StoredChunks;
}

/**
 * Rows of these lengths, from column 0 on; a value encodes its position: row + 1 before the decimal point, the column
 * after it.
 */
function ofLengths(lengths: readonly number[], cols = Math.max(...lengths)): CsrMatrix {
  const builder = new CsrBuilder(lengths.length, cols);
  lengths.forEach((length, row) => {
    for (let col = 0; col < length; col++) builder.add(row, col, row + 1 + col / 1000);
  });
  return builder.build();
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('is laid out as the header of the format draws it', () => {
    using stored = store('sell?chunkHeight=4&sortScope=4');
    expect(stored.rowOf).toEqual(Uint32Array.of(3, 0, 2, 1));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 0, 2, 0, 1, 2, 2, 0, 2, 2, 2, 0));
    expect(stored.values).toEqual(Float64Array.of(40, 10, 30, 0, 50, 20, 0, 0, 60, 0, 0, 0));
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 12));
    expect(stored.rowLength).toEqual(Uint8Array.of(2, 0, 1, 3));
    const { spec, nnz, storedEntries, units, multipliesPadding } = stored;
    expect({ spec, kernels: kernelsOf(stored), nnz, storedEntries, units, multipliesPadding }).toEqual({
      spec: 'sell?chunkHeight=4&sortScope=4',
      kernels: ['sell_spmv'],
      nnz: 6,
      storedEntries: 12,
      units: 1,
      multipliesPadding: true,
    });
  });

  it('keeps its order with σ = 1', () => {
    using stored = store('sell?chunkHeight=4&sortScope=1');
    expect(stored.rowOf).toBeUndefined();
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 0, 2, 0, 2, 0, 2, 1, 2, 0, 2, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 0, 30, 40, 20, 0, 0, 50, 0, 0, 0, 60));
  });

  it('has lanes that are no row with C = 8', () => {
    using stored = store('sell?sortScope=1');
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 24));
    expect([...stored.values.subarray(8, 16)]).toEqual([20, 0, 0, 50, 0, 0, 0, 0]);
    expect([...stored.colIdx.subarray(8, 16)]).toEqual([2, 0, 2, 1, 0, 0, 0, 0]);
  });

  it('has a header of sizes and addresses', () => {
    using stored = store('sell?chunkHeight=4&sortScope=4&index=16&values=table');
    const words = [...heap.view(Uint32Array, stored.header, 10)];
    const arrays = [stored.chunkPtr, stored.colIdx, stored.values, stored.table, stored.rowOf!, stored.chunkBase!];
    expect(words).toEqual([4, 3, 6, 4, ...arrays.map((array) => array.byteOffset)]);
  });

  it('costs every array that a kernel reads, and 12 operations', () => {
    using stored = store('sell?chunkHeight=4&sortScope=4');
    const bytes = 12 * (4 + 8) + 4 * 2 + 4 * 4 + 8 * (3 + 4);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
    expect(stored.bytes).toBe(bytes - 8 * (3 + 4) + 4 + 4 * 10); // rowLength and the header, without x and y
  });

  it('pads with a code for 0 behind the other values', () => {
    using stored = store('sell?chunkHeight=4&sortScope=4&values=table');
    expect(stored.table).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60, 0));
    expect(stored.values).toEqual(Uint8Array.of(3, 0, 2, 6, 4, 1, 6, 6, 5, 6, 6, 6));
  });

  it('has chunks that are multiples of four columns wide, as SELL-P', () => {
    using stored = store('sell?chunkHeight=4&sortScope=1&widthMultiple=4');
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 16));
    expect(toCsr(stored).colIdx).toEqual(workedExample().colIdx);
  });
});

it('tells padding from zeros that are entries', () => {
  const builder = new CsrBuilder(2, 3);
  builder.add(0, 0, 0);
  builder.add(1, 0, 1);
  builder.add(1, 1, 0);
  builder.add(1, 2, -0);
  using stored = store('sell', builder.build());
  const back = toCsr(stored);
  expect([...back.rowPtr]).toEqual([0, 1, 4]);
  expect([...back.values]).toEqual([0, 1, 0, -0]);
});

describe('order', () => {
  it('is by length, longest first, within windows; equal rows stay as they came', () => {
    expect(sortedRows(Uint32Array.of(1, 3, 2, 3, 0, 9, 1, 1), 4)).toEqual(Uint32Array.of(1, 3, 2, 0, 5, 6, 7, 4));
  });

  it('holds for rows too long to be counted', () => {
    const lengths = Uint32Array.of(255, 300, 2, 70_000, 300, 255, 256, 254);
    expect(sortedRows(lengths, 1000)).toEqual(Uint32Array.of(3, 1, 4, 6, 0, 5, 7, 2));
  });

  it('is kept by default if it pads little, and named if it is not', () => {
    using stencil = store('sell', gallery('laplace2d5', { nx: 40, ny: 40 }));
    expect([stencil.spec, stencil.rowOf]).toEqual(['sell', undefined]);
    using road = store('sell', gallery('road', { nx: 40, ny: 40 }));
    expect(road.spec).toBe('sell?sortScope=256');
    expect(road.storedEntries / road.nnz).toBeLessThan(1.05);
  });
});

describe('hub rows', () => {
  const lengths = [5, 5, 5, 500, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5];

  it('are cut to the width of the others, the rest is stored as COO', () => {
    using stored = storeMatrix(heap, ofLengths(lengths), 'sell', 'f64') as StoredHyb;
    expect(stored.chunks.chunkPtr).toEqual(Uint32Array.of(0, 40, 80));
    expect(stored.rest.nnz).toBe(495);
    expect(stored.rest.rowIdx.every((row) => row === 3)).toBe(true);
    expect(stored.rest.colIdx[0]).toBe(5);
    expect(kernelsOf(stored)).toEqual(['sell_spmv', 'coo_spmv']);
    expect(stored.stages.spmv.map(({ adds = false }) => adds)).toEqual([false, true]);
    expect(stored.bitsDependOn).toBe('parts');
  });

  it('are kept where that is asked for', () => {
    using stored = store('sell?hubs=keep&sortScope=1', ofLengths(lengths));
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 4000, 4040));
    expect([stored.stages.spmv.length, stored.spec]).toEqual([1, 'sell?sortScope=1&hubs=keep']);
  });

  it('are kept where they pad little of the matrix', () => {
    const few = new Array<number>(4000).fill(5);
    few[17] = 50;
    using stored = store('sell', ofLengths(few));
    expect(stored.stages.spmv.length).toBe(1);
  });

  it('do not make a circuit or a power-law graph larger than an eighth of it', () => {
    const circuit = gallery('circuit', { n: 20_000, hubLength: 10_000 });
    for (const matrix of [circuit, gallery('rmat', { scale: 14 })]) {
      using stored = storeMatrix(heap, matrix, 'sell', 'f64');
      expect(stored.storedEntries / stored.nnz).toBeLessThan(1.125);
    }
  });
});

describe('invalid requests', () => {
  const wide = () => ofLengths([1, 1], 1);

  it('16-bit columns of a chunk that spans more: 32 bits, and a warning', () => {
    const builder = new CsrBuilder(2, 70_000);
    builder.add(0, 0, 1);
    builder.add(1, 65_536, 1);
    using stored = store('sell?index=16', builder.build());
    expect([stored.spec, ...kernelsOf(stored)]).toEqual(['sell', 'sell_spmv']);
    expect(stored.warnings).toEqual([
      'index=16: expected at most 65536 columns from first to last, got more in chunk 0; kept 32 bits',
    ]);
  });

  it('16-bit columns count from the first of a chunk', () => {
    const builder = new CsrBuilder(9, 140_000);
    for (let row = 0; row < 9; row++) builder.add(row, 70_000 + row, 1);
    using stored = store('sell?index=16', builder.build());
    expect([stored.spec, ...kernelsOf(stored)]).toEqual(['sell?index=16', 'sell16_spmv']);
    expect(stored.chunkBase).toEqual(Uint32Array.of(70_000, 70_008));
    expect(stored.colIdx).toEqual(Uint16Array.of(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0));
  });

  it.each([
    [255, 'sell?values=table', 'sell_table', 256],
    [256, 'sell', 'sell', 0],
  ])('a table of %d values and 0', (count, spec, kernel, tableLength) => {
    const builder = new CsrBuilder(1, count);
    for (let col = 0; col < count; col++) builder.add(0, col, col + 1);
    using stored = store('sell?values=table&hubs=keep&sortScope=1', builder.build());
    expect(kernelsOf(stored)).toEqual([`${kernel}_spmv`]);
    expect(stored.spec.includes('table')).toBe(spec.includes('table'));
    expect(stored.table.length).toBe(tableLength);
    expect(stored.warnings.length).toBe(tableLength === 0 ? 1 : 0);
  });

  it('padding that makes a matrix absurdly large is refused, with the factor and the limit', () => {
    const matrix = gallery('laplace1d3', { nx: 10_000 });
    const attempt = () => store('sell?widthMultiple=64', matrix);
    expect(attempt).toThrowError(SparlaneError);
    expect(attempt).toThrowError('sell: expected at most 3 stored entries per entry of the matrix (maxFill), got 21.3');
    using stored = store('sell?widthMultiple=64&maxFill=22', matrix);
    expect(stored.storedEntries).toBe(640_000);
  });

  it('is checked', () => {
    expect(() => store('sell?chunkHeight=16', wide())).toThrowError("sell chunkHeight: expected 4 | 8, got '16'");
    expect(() => store('sell?sortScope=-1', wide())).toThrowError('sell sortScope: expected an integer from 0');
    expect(() => store('sell?values=pattern', wide())).toThrowError('sell values: expected full | table');
  });
});

it('leaves nothing in the heap when it does not fit', () => {
  const small = new Heap({ maximumBytes: 65_536 });
  const bytes = small.bytesFree;
  const hubs = ofLengths([5, 5, 6000, 5, 5, 5, 5, 5]);
  expect(() => storeMatrix(small, hubs, 'sell', 'f64')).toThrowError(/^heap: expected a free block/);
  expect(small.bytesFree).toBe(bytes);
});

describe('prospects', () => {
  const specsFor = (lengths: readonly number[], onDevice = false) =>
    sell.prospects!(examine(ofLengths(lengths)), 'f64', onDevice).map(({ spec }) => spec);

  it('state the stored entries of the widest chunk, whose width the longest third of its rows determines where entries are cut', () => {
    const indivisible = (...long: number[]) => {
      const lengths = Array.from({ length: 800 }, (_, i) => (long.includes(i) ? 3000 : 3));
      const found = sell.prospects!(examine(ofLengths(lengths)), 'f64', false);
      const of = (spec: string) => found.find((prospect) => prospect.spec === spec)?.indivisible;
      return [of('sell'), of('sell?chunkHeight=4')];
    };
    expect(indivisible()).toEqual([24, 12]);
    expect(indivisible(401)).toEqual([24, 12]);
    expect(indivisible(401, 402)).toEqual([24, 12_000]);
    expect(indivisible(401, 402, 403)).toEqual([24_000, 12_000]);
    // Nothing is cut for a row that a rest would save too little of.
    const lengths = Array.from({ length: 4000 }, (_, i) => (i === 401 ? 300 : 30));
    expect(sell.prospects!(examine(ofLengths(lengths)), 'f64', false)[0]!.indivisible).toBe(8 * 300);
  });

  const some = Array.from({ length: 400 }, (_, row) => 2 + ((row * 7) % 4));

  it('are rows sorted and rows in their order, where sorting saves padding', () => {
    expect(specsFor(some)).toEqual(
      expect.arrayContaining(['sell', 'sell?sortScope=1', 'sell?chunkHeight=4&sortScope=1']),
    );
    expect(specsFor(some, true).filter((spec) => spec.includes('sortScope'))).toEqual([]);
  });

  it('are rows in their order alone, where they are equally long', () => {
    expect(specsFor(new Array(400).fill(3)).filter((spec) => spec.includes('sortScope'))).toEqual([]);
  });

  it('are sorted rows alone, where others would be padded to more than twice the entries', () => {
    const uneven = Array.from({ length: 400 }, (_, row) => (row % 3 === 0 ? 12 : 1));
    expect(specsFor(uneven).filter((spec) => spec.startsWith('sell?sortScope'))).toEqual([]);
  });
});

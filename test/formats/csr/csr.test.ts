/** CSR by hand; the requirements of every format are in `test/conformance`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sampleVector, withRealValues, workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { Dtype } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import type { StoredCsr } from '#dist/formats/csr/csr.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';
import { runParts } from '../run-parts.js';

const heap = new Heap();
afterEach(() => expect(heap.bytesInUse).toBe(0));

/** The word of a way says how many branches a part may have in which rows end in branches. Its lowest bit says whether rows are read from two places. */
const ALL = 2 ** 31 - 1;
const FEW = 4500;

function store(dtype: Dtype, spec = 'csr'): StoredCsr {
  return storeMatrix(heap, workedExample(), spec, dtype) as StoredCsr;
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('is laid out as the header of the format draws it', () => {
    using stored = store('f64');
    expect(stored.rowPtr).toEqual(Uint32Array.of(0, 2, 2, 3, 6));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 2, 0, 1, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
    const { spec, dtype, rows, cols, nnz, storedEntries, units } = stored;
    expect({ spec, kernels: kernelsOf(stored), dtype, rows, cols, nnz, storedEntries, units }).toEqual({
      spec: 'csr',
      kernels: ['csr_spmv'],
      dtype: 'f64',
      rows: 4,
      cols: 3,
      nnz: 6,
      storedEntries: 6,
      units: 4,
    });
  });

  it('has a header of sizes, the way of products, and addresses', () => {
    using stored = store('f64');
    const words = heap.view(Uint32Array, stored.header, 8);
    const { rowPtr, colIdx, values } = stored;
    expect([...words]).toEqual([4, 3, 6, 2 * FEW + 1, rowPtr.byteOffset, colIdx.byteOffset, values.byteOffset, 0]);
  });

  it('begins every array and the header on a cache line of its own', () => {
    using stored = store('mixed');
    const addresses = [
      stored.header,
      ...[stored.rowPtr, stored.colIdx, stored.values].map((array) => array.byteOffset),
    ];
    expect(new Set(addresses).size).toBe(4);
    expect(addresses.filter((address) => address % 64 !== 0)).toEqual([]);
  });

  it.each(['f32', 'mixed'] as const)('stores f32 values for %s', (dtype) => {
    using stored = store(dtype);
    expect(stored.values).toEqual(Float32Array.of(10, 20, 30, 40, 50, 60));
  });

  it('counts a row as work in addition to its entries, so that empty rows are partitioned too', () => {
    using stored = store('f64');
    expect([0, 1, 2, 3, 4].map((unit) => stored.workBefore(unit))).toEqual([0, 3, 4, 6, 10]);
  });

  // rowPtr 5 · 4, colIdx 6 · 4, and then values, x and y: 6, 3 and 4 elements.
  it.each([
    ['f64', 44 + 8 * 6 + 8 * 7],
    ['mixed', 44 + 4 * 6 + 8 * 7],
    ['f32', 44 + 4 * 6 + 4 * 7],
  ] as const)('costs in %s %d bytes and 12 operations', (dtype, bytes) => {
    using stored = store(dtype);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
  });

  it('reports its bytes in the heap', () => {
    using stored = store('f64');
    // The heap holds rowPtr, six entries and four that kernels may read past them, and ten header words.
    expect(stored.bytes).toBe(5 * 4 + 10 * 12 + 10 * 4);
  });

  it('round trip', () => {
    using stored = store('f64');
    const { field: _, ...arrays } = workedExample();
    expect(toCsr(stored)).toMatchObject(arrays);
  });
});

it('copies the arrays that it is made of', () => {
  const matrix = workedExample();
  using stored = storeMatrix(heap, matrix, 'csr', 'f64') as StoredCsr;
  matrix.values.fill(0);
  matrix.colIdx.fill(0);
  expect(stored.values[5]).toBe(60);
  expect(stored.colIdx[5]).toBe(2);
});

it('has zeros after its last entry, where kernels may read', () => {
  using stored = store('f64');
  const past = (array: ArrayBufferView) => array.byteOffset + array.byteLength;
  expect(heap.view(Uint32Array, past(stored.colIdx), 4)).toEqual(Uint32Array.of(0, 0, 0, 0));
  expect(heap.view(Float64Array, past(stored.values), 4)).toEqual(Float64Array.of(0, 0, 0, 0));
});

it.each([
  ['has branches and two places where short rows are as long as the row before', 'laplace1d3', { nx: 50_000 }, ALL, 2],
  ['has branches if the processor remembers all rows', 'rmat', { scale: 6, edgeFactor: 32 }, FEW, 1],
  ['has branches in parts of few rows otherwise', 'rmat', { scale: 15, edgeFactor: 16 }, FEW, 1],
  ['reads short rows from two places while x is near', 'delaunay', { n: 100_000 }, FEW, 2],
  ['reads short rows from one place where x is far', 'delaunay', { n: 150_000 }, FEW, 1],
])('%s', (_, name, parameters, branches, places) => {
  using stored = storeMatrix(heap, gallery(name, parameters), 'csr', 'f64') as StoredCsr;
  const way = heap.view(Uint32Array, stored.header, 4)[3]!;
  expect([way >>> 1, (way & 1) + 1]).toEqual([branches, places]);
  // In one part, the first two have branches.
  expect(stored.rows + stored.nnz / 12 <= way >>> 1).toBe(branches === ALL || stored.rows === 64);
});

it('accepts no parameters of other formats', () => {
  expect(() => store('f64', 'csr?k=2')).toThrowError(SparlaneError);
  expect(() => store('f64', 'csr?k=2')).toThrowError("csr: expected only the parameters partition, values, got 'k'");
});

it('leaves nothing in the heap when it does not fit', () => {
  const small = new Heap({ maximumBytes: 65_536 });
  const bytes = small.bytesFree;
  const rows = 10_000;
  const matrix = { ...workedExample(), rows, rowPtr: new Uint32Array(rows + 1).fill(6, 1) };
  const used = small.alloc(40_000);
  expect(() => storeMatrix(small, matrix, 'csr', 'f64')).toThrowError(
    /^heap: expected a free block of 40004 bytes, got/,
  );
  small.free(used);
  expect(small.bytesFree).toBe(bytes);
});

describe('partition=merge', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
  });
  afterAll(() => engine.dispose());

  /** Rows 0 … 2 and 4 … 7 of two entries, row 3 of forty; the entries are 1, 2, 3 … in order. */
  function oneFullRow(): CsrMatrix {
    const builder = new CsrBuilder(8, 40);
    let value = 0;
    for (let row = 0; row < 8; row++)
      for (let col = 0; col < (row === 3 ? 40 : 2); col++) builder.add(row, col, ++value);
    return builder.build();
  }
  const storeIn = ({ heap }: Engine, matrix: CsrMatrix) =>
    storeMatrix(heap, matrix, 'csr?partition=merge', 'f64') as StoredCsr;

  /** first + (first + 1) + … + last */
  const sumOf = (first: number, last: number) => ((first + last) * (last - first + 1)) / 2;

  it('has the arrays of CSR, and a unit for every entry and every end of a row', () => {
    using stored = storeIn(engine, workedExample());
    using csr = store('f64');
    expect([stored.rowPtr, stored.colIdx, stored.values]).toEqual([csr.rowPtr, csr.colIdx, csr.values]);
    const { spec, units, carries, bitsDependOn } = stored;
    expect({ spec, kernels: kernelsOf(stored), units, carries, bitsDependOn }).toEqual({
      spec: 'csr?partition=merge',
      kernels: ['csr_merge_spmv'],
      units: 10,
      carries: true,
      bitsDependOn: 'parts',
    });
    expect([stored.workBefore(0), stored.workBefore(7), stored.workBefore(10)]).toEqual([0, 7, 10]);
  });

  it('a full row among short ones is shared: sums in slots, y from the part that it ends in', () => {
    using stored = storeIn(engine, oneFullRow());
    using x = engine.vector(40).fill(1);
    using y = engine.vector(8).fill(100);
    // Steps 0 … 8: rows 0, 1, 2; 9 … 48: the entries of row 3; 49: its end; 50 … 61: rows 4 … 7.
    const bounds = [0, 15, 31, 46, 62];
    const slots = runParts(engine, { stored, bounds, x: x.data, y: y.data, alpha: 2, beta: 1 });
    expect(slots).toEqual([
      { row: 3, sum: 2 * sumOf(7, 12) },
      { row: 3, sum: 2 * sumOf(13, 28) },
      { row: 3, sum: 2 * sumOf(29, 43) },
      undefined,
    ]);
    const rows = [3, 7, 11, sumOf(44, 46), 47 + 48, 49 + 50, 51 + 52, 53 + 54];
    expect([...y.data]).toEqual(rows.map((sum) => 100 + 2 * sum));
  });

  it('a cut between the last entry of a row and its end leaves the whole sum to a slot', () => {
    using stored = storeIn(engine, oneFullRow());
    using x = engine.vector(40).fill(1);
    using y = engine.vector(8).fill(Number.NaN);
    const slots = runParts(engine, { stored, bounds: [0, 49, 62], x: x.data, y: y.data });
    expect(slots).toEqual([{ row: 3, sum: sumOf(7, 46) }, undefined]);
    expect(y.data[3]).toBe(0);
  });

  it('a cut behind the end of a row leaves nothing', () => {
    using stored = storeIn(engine, oneFullRow());
    using x = engine.vector(40).fill(1);
    using y = engine.vector(8);
    const slots = runParts(engine, { stored, bounds: [0, 9, 50, 62], x: x.data, y: y.data });
    expect(slots).toEqual([undefined, undefined, undefined]);
    expect(y.data[3]).toBe(sumOf(7, 46));
  });

  it('gives the right y in seven parts, of which five meet in one row', () => {
    using operator = engine.operator(oneFullRow(), { format: 'csr?partition=merge', parts: 7 });
    using x = engine.vector(40).fill(1);
    using y = engine.vector(8).fill(Number.NaN);
    operator.apply(x, y);
    expect([...y.data]).toEqual([3, 7, 11, sumOf(7, 46), 95, 99, 103, 107]);
  });

  it('the bits depend on the number of parts only, not on threads or turns', async () => {
    await using alone = await createEngine({ threads: 1 });
    const matrix = withRealValues(gallery('rowlengths', { rows: 300, cols: 200, distribution: 'powerlaw', mean: 20 }));
    const product = (on: Engine, parts: number) => {
      using stored = storeIn(on, matrix);
      using x = on.vector(sampleVector(matrix.cols, 'real', 1));
      using y = on.vector(matrix.rows);
      using plan = on.cpu.plan(stored, 'spmv', { parts });
      plan.run(x, y, 1, 0);
      return y.data.slice();
    };
    for (const parts of [2, 5, 16]) {
      const first = product(engine, parts);
      for (let turn = 0; turn < 10; turn++) expect(product(engine, parts)).toEqual(first);
      expect(product(alone, parts)).toEqual(first);
    }
  });
});

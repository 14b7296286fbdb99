/** COO by hand: lines of 16 entries, rows that parts share, and entries added to another product. */
import { describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Dtype } from '#dist/core/types.js';
import { StoredCoo } from '#dist/formats/coo/coo.js';
import { type StoredMatrix, toCsr } from '#dist/formats/format.js';
import { encodeValues } from '#dist/formats/layout/values.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';
import { runParts } from '../run-parts.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec = 'coo', matrix: CsrMatrix = workedExample(), dtype: Dtype = 'f64'): StoredCoo {
  return storeMatrix(engine.heap, matrix, spec, dtype) as StoredCoo;
}

/** Rows of given lengths; the entries are 1, 2, 3 … in order. */
function ofLengths(...lengths: number[]): CsrMatrix {
  const builder = new CsrBuilder(lengths.length, Math.max(1, ...lengths));
  let value = 0;
  for (const [row, length] of lengths.entries()) for (let col = 0; col < length; col++) builder.add(row, col, ++value);
  return builder.build();
}

/** first + (first + 1) + … + last */
const sumOf = (first: number, last: number) => ((first + last) * (last - first + 1)) / 2;

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('is laid out as the header of the format draws it', () => {
    using stored = store();
    expect(stored.rowIdx).toEqual(Uint32Array.of(0, 0, 2, 3, 3, 3));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 2, 0, 1, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
    const { spec, rows, cols, nnz, storedEntries, units, bitsDependOn } = stored;
    const { carries, adds } = stored.stages.spmv[0]!;
    expect({
      spec,
      kernels: kernelsOf(stored),
      rows,
      cols,
      nnz,
      storedEntries,
      units,
      carries,
      adds,
      bitsDependOn,
    }).toEqual({
      spec: 'coo',
      kernels: ['coo_spmv'],
      rows: 4,
      cols: 3,
      nnz: 6,
      storedEntries: 6,
      units: 1,
      carries: true,
      adds: false,
      bitsDependOn: 'parts',
    });
  });

  it('has a header of sizes, steadiness, addresses, and whether it adds', () => {
    using stored = store();
    const { rowIdx, colIdx, values } = stored;
    const addresses = [rowIdx, colIdx, values].map((array) => array.byteOffset);
    expect([...engine.heap.view(Uint32Array, stored.header, 9)]).toEqual([4, 3, 6, 1, ...addresses, 0, 0]);
  });

  it('has zeros of a nonexistent row after its last entry, where kernels may read', () => {
    using stored = store();
    const past = (array: ArrayBufferView) => array.byteOffset + array.byteLength;
    expect(engine.heap.view(Uint32Array, past(stored.rowIdx), 4)).toEqual(Uint32Array.of(4, 4, 4, 4));
    expect(engine.heap.view(Uint32Array, past(stored.colIdx), 4)).toEqual(Uint32Array.of(0, 0, 0, 0));
    expect(engine.heap.view(Float64Array, past(stored.values), 4)).toEqual(Float64Array.of(0, 0, 0, 0));
  });

  // rowIdx and colIdx 6 · 4 each, and then values, x and y: 6, 3 and 4 elements.
  it.each([
    ['f64', 48 + 8 * 6 + 8 * 7],
    ['mixed', 48 + 4 * 6 + 8 * 7],
    ['f32', 48 + 4 * 6 + 4 * 7],
  ] as const)('costs in %s %d bytes and 12 operations', (dtype, bytes) => {
    using stored = store('coo', workedExample(), dtype);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
  });

  it('costs a byte per value and its table where values are codes', () => {
    using stored = store('coo?values=table');
    expect(kernelsOf(stored)).toEqual(['coo_table_spmv']);
    expect(stored.cost()).toEqual({ bytes: 48 + 6 + 6 * 8 + 8 * 7, flops: 12 });
  });

  it('round trip', () => {
    using stored = store();
    const { field: _, ...arrays } = workedExample();
    expect(toCsr(stored)).toMatchObject(arrays);
  });
});

describe('lines of 16 entries', () => {
  it.each([
    [0, 1],
    [1, 1],
    [15, 1],
    [16, 1],
    [17, 2],
    [31, 2],
    [32, 2],
    [33, 3],
  ])('%d entries are %d, and cut anywhere give the right y', (nnz, units) => {
    const matrix = ofLengths(...new Array(Math.floor(nnz / 3)).fill(3), nnz % 3, 0);
    using stored = store('coo', matrix);
    expect(stored.units).toBe(units);
    expect(stored.workBefore(units)).toBe(16 * units);
    using x = engine.vector(matrix.cols).fill(1);
    using y = engine.vector(matrix.rows);
    for (let parts = 1; parts <= units + 2; parts++) {
      y.fill(Number.NaN);
      using plan = engine.cpu.plan(stored, 'spmv', { parts });
      plan.run(x, y, 1, 0);
      expect([...y.data]).toEqual(rowSums(matrix));
    }
  });

  it('a row over seven parts leaves its sums in six slots, and y to the part that it ends in', () => {
    using stored = store('coo', ofLengths(100));
    using x = engine.vector(100).fill(1);
    using y = engine.vector(1).fill(1000);
    const bounds = [0, 1, 2, 3, 4, 5, 6, 7];
    const slots = runParts(engine, { stored, bounds, x: x.data, y: y.data, alpha: 2, beta: 3 });
    const ofLine = (line: number) => ({ row: 0, sum: 2 * sumOf(16 * line + 1, 16 * line + 16) });
    expect(slots).toEqual([...[0, 1, 2, 3, 4, 5].map(ofLine), undefined]);
    expect(y.data[0]).toBe(2 * sumOf(97, 100) + 3 * 1000);
  });

  it('rows that end with a line leave nothing', () => {
    using stored = store('coo', ofLengths(16, 4, 12));
    using x = engine.vector(16).fill(1);
    using y = engine.vector(3).fill(Number.NaN);
    const slots = runParts(engine, { stored, bounds: [0, 1, 2], x: x.data, y: y.data });
    expect(slots).toEqual([undefined, undefined]);
    expect([...y.data]).toEqual([sumOf(1, 16), sumOf(17, 20), sumOf(21, 32)]);
  });

  it('a part without units leaves y alone, and nothing in its slot', () => {
    using stored = store('coo', ofLengths(20));
    using x = engine.vector(20).fill(1);
    using y = engine.vector(1).fill(7);
    const slots = runParts(engine, { stored, bounds: [0, 0, 1, 1], x: x.data, y: y.data });
    expect(slots).toEqual([undefined, { row: 0, sum: sumOf(1, 16) }, undefined]);
    expect(y.data[0]).toBe(7);
  });
});

describe('rows without entries', () => {
  const matrix = ofLengths(0, 16, 0, 0, 16, 0, 7, 0, 0);
  const sums = rowSums(matrix);

  /** y after some of the lines, from y = 1 and with β = 5. */
  function yOf(first: number, end: number): number[] {
    using stored = store('coo', matrix);
    using x = engine.vector(16).fill(1);
    using y = engine.vector(9).fill(1);
    runParts(engine, { stored, bounds: [first, end], x: x.data, y: y.data, beta: 5 });
    return [...y.data];
  }

  it('are βy, and belong to the part that the row before them ends in; the first ones to the first part', () => {
    const all = sums.map((sum) => sum + 5);
    expect(yOf(0, 1)).toEqual([...all.slice(0, 4), 1, 1, 1, 1, 1]);
    expect(yOf(1, 2)).toEqual([1, 1, 1, 1, ...all.slice(4, 6), 1, 1, 1]);
    expect(yOf(2, 3)).toEqual([1, 1, 1, 1, 1, 1, ...all.slice(6)]);
  });

  it('are written where there are no entries at all', () => {
    using stored = store('coo', ofLengths(0, 0, 0));
    using x = engine.vector(1).fill(Number.NaN);
    using y = engine.vector(3).fill(4);
    using plan = engine.cpu.plan(stored, 'spmv');
    plan.run(x, y, 1, 0.5);
    expect([...y.data]).toEqual([2, 2, 2]);
  });
});

describe('oversubscription', () => {
  const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });

  it.each([
    ['coo', 32],
    ['coo?oversubscription=8', 16],
  ])('%s makes %d parts for two threads', (spec, parts) => {
    using operator = engine.operator(matrix, { format: spec });
    expect(operator.matrix.spec).toBe(spec);
    expect(operator.plan.parts).toBe(parts);
    using y = engine.vector(matrix.rows).fill(Number.NaN);
    using x = engine.vector(matrix.cols).fill(1);
    operator.apply(x, y);
    expect([...y.data]).toEqual(rowSums(matrix));
  });

  it.each(['0', '65', '1.5'])('is not %s', (omega) => {
    expect(() => store(`coo?oversubscription=${omega}`)).toThrowError(
      `coo oversubscription: expected an integer from 1 to 64, got '${omega}'`,
    );
  });
});

describe('adds=atomic', () => {
  it('by row has the arrays of coo, and a stage before it that scales y', () => {
    using stored = store('coo?adds=atomic');
    using carried = store();
    expect([stored.rowIdx, stored.colIdx, stored.values]).toEqual([carried.rowIdx, carried.colIdx, carried.values]);
    expect(stored.cost()).toEqual(carried.cost());
    expect(stored.spec).toBe('coo?adds=atomic');
    expect(stored.bitsDependOn).toBe('chance');
    expect(kernelsOf(stored)).toEqual(['y_scale', 'coo_atomic_spmv']);
    expect(stored.stages.spmv.map(({ units, adds, carries }) => ({ units, adds, carries }))).toEqual([
      { units: 1, adds: undefined, carries: undefined },
      { units: 1, adds: true, carries: false },
    ]);
  });

  it('by column is sorted by column, rows ascending, and ends in a nonexistent column', () => {
    using stored = store('coo?adds=atomic&order=column');
    expect(stored.spec).toBe('coo?adds=atomic&order=column');
    expect(stored.rowIdx).toEqual(Uint32Array.of(0, 3, 3, 0, 2, 3));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 0, 1, 2, 2, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 40, 50, 20, 30, 60));
    const past = stored.colIdx.byteOffset + stored.colIdx.byteLength;
    expect(engine.heap.view(Uint32Array, past, 4)).toEqual(Uint32Array.of(3, 3, 3, 3));
    const { field: _, ...arrays } = workedExample();
    expect(toCsr(stored)).toMatchObject(arrays);
  });

  it('by column sorts codes with their entries', () => {
    using stored = store('coo?adds=atomic&order=column&values=table');
    expect(kernelsOf(stored)[1]).toBe('coo_atomic_table_spmv');
    expect(Array.from(stored.values, (code) => stored.table[code])).toEqual([10, 40, 50, 20, 30, 60]);
  });

  // One row: by column every entry is an add to the same element, by row every part is.
  it.each(['row', 'column'])('loses no add by %s if two threads add to one element', (order) => {
    const matrix = ofLengths(200_000);
    using operator = engine.operator(matrix, { format: `coo?adds=atomic&order=${order}`, parts: 64 });
    using x = engine.vector(matrix.cols).fill(1);
    using y = engine.vector(matrix.rows);
    const ranks = new Set<number>();
    for (let turn = 0; turn < 200 && (turn < 20 || ranks.size < 2); turn++) {
      y.fill(Number.NaN);
      operator.apply(x, y);
      expect([...y.data]).toEqual(rowSums(matrix));
      for (let part = 0; part < 64; part++) ranks.add(engine.team.rankOf(part));
    }
    expect(ranks.size).toBe(2);
  });

  it('is what order=column is for', () => {
    expect(() => store('coo?order=column')).toThrowError(
      "coo order: expected 'row' with adds=carried: only the sum of a row can be carried, got 'column'",
    );
    expect(() => store('coo?adds=some')).toThrowError("coo adds: expected carried | atomic, got 'some'");
  });
});

describe('added to a product of another format', () => {
  // Row by row: entries in both, in none, in the first only, in the second only.
  const first = ofLengths(3, 0, 20, 0, 5);
  const second = ofLengths(40, 0, 0, 6, 20);

  /** What HYB will be: the stages of both, and one matrix. */
  function both(): StoredMatrix {
    const { heap } = engine;
    const wide = { ...first, cols: second.cols };
    const csr = storeMatrix(heap, wide, 'csr', 'f64');
    const values = encodeValues(second, 'f64', 'auto');
    const coo = heap.build((scope) => new StoredCoo(scope, second, 'f64', { spec: 'coo', values, adds: true }));
    const dispose = () => {
      csr[Symbol.dispose]();
      coo[Symbol.dispose]();
    };
    const { spec, dtype, rows, cols, nnz, storedEntries, bytes } = coo;
    const stages = { spmv: [...csr.stages.spmv, ...coo.stages.spmv] };
    const forEachEntry = coo.forEachEntry.bind(coo);
    const cost = coo.cost.bind(coo);
    const sizes = { dtype, rows, cols, nnz, storedEntries, bytes };
    return { spec, stages, ...sizes, forEachEntry, cost, [Symbol.dispose]: dispose };
  }

  it.each([1, 2, 3, 5, 9])('in %d parts: βy once, and rows of the other alone are left alone', (parts) => {
    using stored = both();
    expect(stored.stages.spmv.map(({ adds }) => adds ?? false)).toEqual([false, true]);
    using x = engine.vector(second.cols).fill(1);
    using y = engine.vector(second.rows).fill(10);
    using plan = engine.cpu.plan(stored, 'spmv', { parts });
    plan.run(x, y, 2, -1);
    const sums = rowSums(first);
    expect([...y.data]).toEqual(rowSums(second).map((sum, i) => 2 * (sum + sums[i]!) - 10));
  });
});

it('frees its memory if it does not fit', () => {
  const small = new Heap({ maximumBytes: 65_536 });
  const bytes = small.bytesFree;
  expect(() => storeMatrix(small, ofLengths(5000), 'coo', 'f64')).toThrowError(/^heap: expected a free block of/);
  expect(small.bytesFree).toBe(bytes);
});

function rowSums({ rows, rowPtr, values }: CsrMatrix): number[] {
  const sums = new Array<number>(rows).fill(0);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sums[i]! += values[k]!;
  return sums;
}

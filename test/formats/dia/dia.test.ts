/** DIA by hand; the requirements of every format are in `test/conformance`. */
import { afterEach, describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { SparlaneError } from '#dist/core/errors.js';
import type { Dtype } from '#dist/core/types.js';
import { examine } from '#dist/features/features.js';
import type { StoredDia } from '#dist/formats/dia/dia.js';
import { prospects } from '#dist/formats/dia/prospects.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';

const heap = new Heap();
afterEach(() => expect(heap.bytesInUse).toBe(0));

function store(dtype: Dtype = 'f64', matrix: CsrMatrix = workedExample(), spec = 'dia'): StoredDia {
  return storeMatrix(heap, matrix, spec, dtype) as StoredDia;
}

function matrixOf(rows: number, cols: number, entries: readonly (readonly [number, number, number])[]): CsrMatrix {
  const builder = new CsrBuilder(rows, cols);
  for (const [row, col, value] of entries) builder.add(row, col, value);
  return builder.build();
}

function refusal(attempt: () => unknown): SparlaneError {
  try {
    attempt();
  } catch (error) {
    return error as SparlaneError;
  }
  throw new Error('accepted');
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('is laid out as the header of the format draws it, in chunks of 8 rows', () => {
    using stored = store();
    expect(stored.offsets).toEqual(Int32Array.of(-3, -2, -1, 0, 2));
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 5));
    const diagonals = [
      [0, 0, 0, 40],
      [0, 0, 0, 50],
      [0, 0, 0, 60],
      [10, 0, 30, 0],
      [20, 0, 0, 0],
    ];
    expect(stored.data).toEqual(Float64Array.from(diagonals.flatMap((rows) => [...rows, 0, 0, 0, 0])));
    expect(stored.zeros).toEqual(new Uint32Array(0));
    const { spec, units, nnz, storedEntries, multipliesPadding } = stored;
    expect({ spec, kernels: kernelsOf(stored), units, nnz, storedEntries, multipliesPadding }).toEqual({
      spec: 'dia',
      kernels: ['dia_spmv'],
      units: 1,
      nnz: 6,
      storedEntries: 40,
      multipliesPadding: true,
    });
  });

  it.each([
    ['f64', 8, Float64Array],
    ['mixed', 8, Float32Array],
    ['f32', 16, Float32Array],
  ] as const)('in %s has chunks of %d rows', (dtype, chunkHeight, type) => {
    using stored = store(dtype);
    expect(stored.chunkHeight).toBe(chunkHeight);
    expect(stored.data).toBeInstanceOf(type);
    expect(stored.data.length).toBe(5 * chunkHeight);
  });

  it('has a header of sizes, the chunks inside and addresses', () => {
    using stored = store();
    const addresses = [stored.offsets, stored.chunkPtr, stored.data].map((array) => array.byteOffset);
    expect([...heap.view(Uint32Array, stored.header, 8)]).toEqual([4, 3, 5, 1, 1, ...addresses]);
  });

  it('costs its arrays, x and y', () => {
    using stored = store('mixed');
    expect(stored.cost()).toEqual({ bytes: 4 * 5 + 4 * 2 + 4 * 40 + 8 * 7, flops: 12 });
  });
});

describe('chunks', () => {
  it('store a diagonal from where it enters the matrix to where it leaves it', () => {
    // Offset −9 has its first entry in row 9, of chunk 1; offset 20 its last in row 3, of chunk 0.
    const on = (offset: number) => (i: number) => [i, i + offset, 1] as const;
    const rows = Array.from({ length: 24 }, (_, i) => i);
    const entries = [-9, 0, 20].flatMap((offset) => rows.map(on(offset)).filter(([, j]) => j >= 0 && j < 24));
    using stored = store('f64', matrixOf(24, 24, entries));
    expect(stored.offsets).toEqual(Int32Array.of(-9, 0, 20));
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 2, 4, 6));
    expect([0, 1, 2, 3].map((unit) => stored.workBefore(unit))).toEqual([0, 24, 48, 72]);
  });

  it('are inside if every diagonal is, in all of their rows', () => {
    using stored = store('f64', gallery('laplace1d3', { nx: 41 }));
    // Row 0 has no column −1, and the last chunk has one row.
    expect([...heap.view(Uint32Array, stored.header, 5)]).toEqual([41, 41, 3, 1, 5]);
    using square = store('f64', gallery('laplace1d3', { nx: 40 }));
    expect([...heap.view(Uint32Array, square.header, 5)]).toEqual([40, 40, 3, 1, 4]);
    using wide = store('f64', matrixOf(16, 100, [[3, 40, 1]]));
    expect([...heap.view(Uint32Array, wide.header, 5)]).toEqual([16, 100, 1, 0, 2]);
    using without = store('f64', matrixOf(20, 0, []));
    expect([...heap.view(Uint32Array, without.header, 5)]).toEqual([20, 0, 0, 0, 2]);
  });
});

describe('values=table', () => {
  /** 7 chunks of 8 rows: the first, five inside, of which the third differs, and the last. */
  const line = gallery('laplace1d3', { nx: 56 });
  const other = { ...line, values: line.values.map((value, k) => (k === 3 * 26 ? value + 1 : value)) };

  it('stores chunks with the same entries once', () => {
    using stored = store('f64', other, 'dia?values=table');
    expect(stored.spec).toBe('dia?values=table');
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 3, 3, 6, 3, 3, 9, 12));
    expect(stored.data.length).toBe(4 * 3 * 8);
    const { storedEntries, warnings } = stored;
    expect({ storedEntries, kernels: kernelsOf(stored), warnings }).toEqual({
      storedEntries: 7 * 3 * 8,
      kernels: ['dia_spmv'],
      warnings: [],
    });
    expect(toCsr(stored).values).toEqual(other.values);
    expect(stored.cost().bytes).toBe(4 * 3 + 4 * 8 + 8 * 4 * 3 * 8 + 8 * 112);
  });

  it('does not share the last chunk if it is not complete', () => {
    const diagonal = Array.from({ length: 28 }, (_, i) => [i, i, 1] as const);
    using stored = store('f64', matrixOf(28, 28, diagonal), 'dia?values=table');
    expect(stored.chunkPtr).toEqual(Uint32Array.of(0, 0, 0, 1, 2));
  });

  it('distinguishes zeros that are entries from padding, and from zeros of the other sign', () => {
    const zeroAt = (k: number, zero: number) => other.values.map((value, at) => (at === k ? zero : value));
    for (const zero of [0, -0]) {
      const values = zeroAt(3 * 34, zero);
      using stored = store('f64', { ...other, values }, 'dia?values=table');
      expect(stored.zeros.length).toBe(1);
      const back = toCsr(stored);
      expect(back.colIdx).toEqual(other.colIdx);
      expect(back.values.every((value, k) => Object.is(value, values[k]))).toBe(true);
    }
    using all = store('f64', { ...line, values: new Float64Array(line.nnz) }, 'dia?values=table');
    expect(all.zeros.length).toBe(23 + 24 + 23);
    expect(toCsr(all).colIdx).toEqual(line.colIdx);
  });

  it('stores in full what does not repeat, with a warning', () => {
    using stored = store('f64', workedExample(), 'dia?values=table');
    expect(stored.spec).toBe('dia');
    expect(stored.warnings).toEqual([
      'values=table: expected chunks with the same entries, got 1 different ones; stored in full',
    ]);
  });
});

describe('zeros that are entries', () => {
  const zeros: [number, number, number][] = [
    [0, 0, 0],
    [0, 1, 7],
    [9, 9, -0],
    [9, 10, 0],
    [11, 11, 1e-50],
  ];

  it('are distinguished from padding by a list of their places, row by row', () => {
    using stored = store('f64', matrixOf(12, 12, zeros));
    // Two diagonals of 8 rows in each chunk; rows 0, 9 and 9.
    expect(stored.zeros).toEqual(Uint32Array.of(0, 17, 25));
    expect(toCsr(stored).values).toEqual(Float64Array.of(0, 7, -0, 0, 1e-50));
  });

  it('may become so by rounding', () => {
    using stored = store('mixed', matrixOf(12, 12, zeros));
    expect(stored.zeros).toEqual(Uint32Array.of(0, 17, 25, 19));
    expect(toCsr(stored).colIdx).toEqual(Uint32Array.of(0, 1, 9, 10, 11));
  });
});

describe('fill-in', () => {
  it('is refused with the factor and the limit', () => {
    const matrix = gallery('rmat', { scale: 10 });
    const error = refusal(() => store('f64', matrix));
    expect(error.code).toBe('fill-in');
    expect(error.message).toMatch(
      /^dia: expected at most 3 stored entries per entry of the matrix \(maxFill\), got \d+/,
    );
    const { factor, maxFill, storedEntries, nnz } = error.detail;
    expect(maxFill).toBe(3);
    expect(factor).toBeCloseTo((storedEntries as number) / (nnz as number), 0);
    expect(heap.bytesInUse).toBe(0);
  });

  it('is accepted up to maxFill, and in small matrices', () => {
    using asked = store('f64', gallery('rmat', { scale: 10 }), 'dia?maxFill=1000');
    expect(asked.spec).toBe('dia?maxFill=1000');
    using small = store('f64', gallery('rmat', { scale: 6 }));
    expect(small.storedEntries / small.nnz).toBeGreaterThan(3);
  });
});

it('counts every diagonal of a small matrix for a choice, which a sample would miss', () => {
  const size = 7000;
  const band = Array.from({ length: size }, (_, i) => [i, i, 2] as const);
  const matrix = matrixOf(size, size, [...band, [3, size - 1000, 1], [size - 2500, 10, 1]]);
  using stored = store('f64', matrix);
  const [prospect] = prospects(examine(matrix), 'f64', false);
  expect(stored.offsets).toHaveLength(3);
  expect(prospect!.entries / stored.storedEntries).toBeCloseTo(1, 1);
});

it('refuses more diagonals than an offset can name', () => {
  const matrix = { ...matrixOf(0, 0, []), cols: 2 ** 31 + 1 };
  expect(refusal(() => store('f64', matrix)).code).toBe('shape');
});

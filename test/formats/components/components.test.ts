/** Components by hand: Jindal §3, pieces of fixed width; the requirements of every format are in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { sampleVector, withRealValues, workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Dtype } from '#dist/core/types.js';
import type { StoredComponents } from '#dist/formats/components/components.js';
import { WIDTHS } from '#dist/formats/components/loops.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { kernelsOf } from '../kernels-of.js';
import { runParts } from '../run-parts.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix = workedExample(), dtype: Dtype = 'f64'): StoredComponents {
  return storeMatrix(engine.heap, matrix, spec, dtype) as StoredComponents;
}

/** Rows of given lengths in columns 0, 1, 2 …; the entries are 1, 2, 3 … in order. */
function ofLengths(...lengths: number[]): CsrMatrix {
  const builder = new CsrBuilder(lengths.length, Math.max(1, ...lengths));
  let value = 0;
  for (const [row, length] of lengths.entries()) for (let col = 0; col < length; col++) builder.add(row, col, ++value);
  return builder.build();
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('with two rows per slice is laid out as the header of the format draws it', () => {
    using stored = store('components?sliceRows=2');
    expect(stored.rowIdx).toEqual(Uint16Array.of(0, 1, 0, 1));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 0, 1, 2, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 40, 50, 30, 60));
    expect(stored.entryPtr).toEqual(Uint32Array.of(0, 2, 6));
    expect(stored.piecePtr).toEqual(Uint32Array.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 4));
    const { spec, rows, cols, nnz, storedEntries, units } = stored;
    expect({ spec, kernels: kernelsOf(stored), rows, cols, nnz, storedEntries, units }).toEqual({
      spec: 'components?sliceRows=2',
      kernels: ['components_spmv'],
      rows: 4,
      cols: 3,
      nnz: 6,
      storedEntries: 6,
      units: 2,
    });
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 4, 10]);
  });

  it('in one slice has the pieces of width 2 of all rows before those of width 1', () => {
    using stored = store('components');
    expect(stored.rowIdx).toEqual(Uint16Array.of(0, 3, 2, 3));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 40, 50, 30, 60));
    expect(stored.piecePtr).toEqual(Uint32Array.of(0, 0, 0, 0, 0, 2, 4));
  });

  it('has a header of sizes and addresses', () => {
    using stored = store('components?sliceRows=2');
    const { entryPtr, piecePtr, rowIdx, colIdx, values } = stored;
    const addresses = [entryPtr, piecePtr, rowIdx, colIdx, values].map((array) => array.byteOffset);
    expect([...engine.heap.view(Uint32Array, stored.header, 10)]).toEqual([4, 3, 6, 2, ...addresses, 0]);
  });

  // entryPtr 3 · 4, piecePtr 13 · 4, rowIdx 4 · 2, colIdx 6 · 4, and then values, x and y: 6, 3 and 4 elements.
  it.each([
    ['f64', 96 + 8 * 6 + 8 * 7],
    ['mixed', 96 + 4 * 6 + 8 * 7],
    ['f32', 96 + 4 * 6 + 4 * 7],
  ] as const)('costs in %s %d bytes and 12 operations', (dtype, bytes) => {
    using stored = store('components?sliceRows=2', workedExample(), dtype);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
  });

  it.each(['components?sliceRows=1', 'components?sliceRows=3', 'components?values=table'])(
    'comes back as it went in: %s',
    (spec) => {
      using stored = store(spec);
      const { field: _, ...arrays } = workedExample();
      expect(toCsr(stored)).toMatchObject(arrays);
    },
  );
});

describe('pieces', () => {
  it('are the bits of a length below 32', () => {
    for (let length = 0; length < 32; length++) {
      using stored = store('components', ofLengths(length));
      const counts = WIDTHS.map((_, component) => stored.piecePtr[component + 1]! - stored.piecePtr[component]!);
      expect(counts).toEqual(WIDTHS.map((width) => (length & width ? 1 : 0)));
      // One row: whatever its pieces, its entries stay in order.
      expect(stored.values).toEqual(Float64Array.from({ length }, (_, k) => k + 1));
    }
  });

  it('of 32 entries are as many as a row fills, one after the other', () => {
    using stored = store('components', ofLengths(95, 0, 64, 31, 33));
    expect([...stored.piecePtr]).toEqual([0, 5, 7, 9, 11, 13, 16]);
    expect([...stored.rowIdx]).toEqual([0, 0, 2, 2, 4, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 4]);
    // The last two pieces: entry 31 of row 3 and entry 33 of row 4.
    expect([...stored.colIdx.subarray(-2)]).toEqual([30, 32]);
    expect([...stored.values.subarray(-2)]).toEqual([95 + 64 + 31, 95 + 64 + 31 + 33]);
  });

  it('of all numbers and widths are summed right, in every dtype', () => {
    const matrix = ofLengths(...Array.from({ length: 100 }, (_, i) => (i * 37) % 101));
    const ones = { ...matrix, values: matrix.values.map((value) => 1 + (value % 5)) };
    for (const dtype of ['f64', 'f32', 'mixed'] as const) {
      for (const spec of ['components', 'components?values=table', 'components?sliceRows=7']) {
        const findings = new Findings();
        using stored = store(spec, ones, dtype);
        checkStored(findings, engine, stored, ones, 'threads', 'integer');
        expect(findings.failures).toEqual([]);
      }
    }
  });
});

describe('slices', () => {
  it('write their own rows, empty ones too, and no others', () => {
    using stored = store('components?sliceRows=3', ofLengths(3, 0, 40, 0, 0, 0, 1, 2));
    expect(stored.units).toBe(3);
    using x = engine.vector(40).fill(0);
    using y = engine.vector(8);
    const yOf = (slice: number) => {
      y.fill(1);
      runParts(engine, { stored, bounds: [slice, slice + 1], x: x.data, y: y.data, beta: 5 });
      return [...y.data];
    };
    expect(yOf(0)).toEqual([5, 5, 5, 1, 1, 1, 1, 1]);
    expect(yOf(1)).toEqual([1, 1, 1, 5, 5, 5, 1, 1]);
    expect(yOf(2)).toEqual([1, 1, 1, 1, 1, 1, 5, 5]);
  });

  it('do not change a bit, for any size', () => {
    const matrix = withRealValues(gallery('rowlengths', { rows: 300, cols: 200, distribution: 'powerlaw', mean: 20 }));
    const product = (sliceRows: number) => {
      using stored = store(`components?sliceRows=${sliceRows}`, matrix);
      using x = engine.vector(sampleVector(matrix.cols, 'real', 1));
      using y = engine.vector(sampleVector(matrix.rows, 'real', 2));
      using plan = engine.cpu.plan(stored, 'spmv', { parts: 3 });
      plan.run(x, y, 0.7, -0.3);
      return y.data.slice();
    };
    const first = product(1);
    for (const sliceRows of [2, 7, 64, 299, 300, 65_536]) expect(product(sliceRows)).toEqual(first);
  });

  it('may have as many rows as 16 bits count', () => {
    const matrix = gallery('laplace1d3', { nx: 65_537 });
    using stored = store('components?sliceRows=65536', matrix);
    expect(stored.units).toBe(2);
    // The last piece of the first slice, and the only one of the second slice's last component that has any.
    expect(stored.rowIdx[stored.piecePtr[WIDTHS.length]! - 1]).toBe(65_535);
    expect(stored.rowIdx.at(-1)).toBe(0);
    const findings = new Findings();
    checkStored(findings, engine, stored, matrix, 'threads', 'integer');
    expect(findings.failures).toEqual([]);
  });

  it.each(['0', '65537', '1.5', 'all'])('have no %s rows', (sliceRows) => {
    expect(() => store(`components?sliceRows=${sliceRows}`)).toThrowError(
      'components sliceRows: expected an integer from 1 to 65536',
    );
  });
});

it('frees its memory if it does not fit', () => {
  const small = new Heap({ maximumBytes: 65_536 });
  const bytes = small.bytesFree;
  expect(() => storeMatrix(small, ofLengths(6000), 'components', 'f64')).toThrowError(
    /^heap: expected a free block of/,
  );
  expect(small.bytesFree).toBe(bytes);
});

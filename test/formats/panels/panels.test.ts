/** Panels by hand: tiles of pieces in order of columns; the requirements of every format are in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { sampleVector, withRealValues, workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Dtype } from '#dist/core/types.js';
import { examine } from '#dist/features/features.js';
import { toCsr } from '#dist/formats/format.js';
import { COMPONENTS } from '#dist/formats/layout/pieces.js';
import type { StoredPanels } from '#dist/formats/panels/panels.js';
import { prospects, sliceRowsOf } from '#dist/formats/panels/prospects.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { kernelsOf } from '../kernels-of.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix = workedExample(), dtype: Dtype = 'f64'): StoredPanels {
  return storeMatrix(engine.heap, matrix, spec, dtype) as StoredPanels;
}

/** Rows of given columns; the entries are 1, 2, 3 … in order. */
function ofColumns(cols: number, ...rows: readonly number[][]): CsrMatrix {
  const builder = new CsrBuilder(rows.length, cols);
  let value = 0;
  for (const [row, columns] of rows.entries()) for (const col of columns) builder.add(row, col, ++value);
  return builder.build();
}

const upTo = (length: number, from = 0) => Array.from({ length }, (_, k) => from + k);

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('with two rows per slice and two columns per panel is laid out as the header of the format draws it', () => {
    using stored = store('panels?sliceRows=2&panelCols=2');
    expect(stored.rowIdx).toEqual(Uint16Array.of(0, 0, 1, 0, 1));
    expect(stored.colIdx).toEqual(Uint16Array.of(0, 0, 0, 1, 0, 0));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 40, 50, 30, 60));
    expect(stored.entryPtr).toEqual(Uint32Array.of(0, 1, 2, 4, 6));
    const pieces = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2];
    let sum = 0;
    expect([...stored.piecePtr]).toEqual([0, ...pieces.map((count) => (sum += count))]);
    const { spec, rows, cols, nnz, storedEntries, units, panels } = stored;
    expect({ spec, kernels: kernelsOf(stored), rows, cols, nnz, storedEntries, units, panels }).toEqual({
      spec: 'panels?sliceRows=2&panelCols=2',
      kernels: ['panels_spmv'],
      rows: 4,
      cols: 3,
      nnz: 6,
      storedEntries: 6,
      units: 2,
      panels: 2,
    });
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 4, 10]);
  });

  it('has a header of sizes and addresses', () => {
    using stored = store('panels?sliceRows=2&panelCols=2');
    const { entryPtr, piecePtr, rowIdx, colIdx, values } = stored;
    const addresses = [entryPtr, piecePtr, rowIdx, colIdx, values].map((array) => array.byteOffset);
    expect([...engine.heap.view(Uint32Array, stored.header, 12)]).toEqual([4, 3, 6, 2, 2, 2, ...addresses, 0]);
  });

  // entryPtr 5 · 4, piecePtr 25 · 4, rowIdx 5 · 2, colIdx 6 · 2, and then values, x and y: 6, 3 and 4 elements.
  it.each([
    ['f64', 142 + 8 * 6 + 8 * 7],
    ['mixed', 142 + 4 * 6 + 8 * 7],
    ['f32', 142 + 4 * 6 + 4 * 7],
  ] as const)('costs in %s %d bytes and 12 operations', (dtype, bytes) => {
    using stored = store('panels?sliceRows=2&panelCols=2', workedExample(), dtype);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
  });

  it.each(['panels', 'panels?sliceRows=1&panelCols=1', 'panels?sliceRows=3&panelCols=2', 'panels?values=table'])(
    'comes back as it went in: %s',
    (spec) => {
      using stored = store(spec);
      const { field: _, ...arrays } = workedExample();
      expect(toCsr(stored)).toMatchObject(arrays);
    },
  );
});

describe('the entries of a tile', () => {
  it('are a run of a multiple of 32, and pieces', () => {
    using stored = store('panels?sliceRows=2', ofColumns(200, upTo(99), upTo(33)));
    const counts = upTo(COMPONENTS).map((c) => stored.piecePtr[c + 1]! - stored.piecePtr[c]!);
    expect(counts).toEqual([4, 0, 0, 0, 1, 2]);
    // Runs of 96 and 32 entries, a piece of two, and two of one: the one of the second row is of an earlier column.
    expect([...stored.rowIdx]).toEqual([0, 3, 1, 1, 0, 1, 0]);
    expect([...stored.colIdx.subarray(128)]).toEqual([96, 97, 32, 98]);
  });

  it('are in order of columns where a row has one, by 32 columns', () => {
    using stored = store('panels?sliceRows=4', ofColumns(200, [150], [40], [], [33]));
    expect([...stored.rowIdx]).toEqual([1, 3, 0]);
    expect([...stored.colIdx]).toEqual([40, 33, 150]);
    expect([...stored.values]).toEqual([2, 3, 1]);
  });

  it('of all lengths are summed right, in every dtype', () => {
    const lengths = upTo(100).map((i) => (i * 37) % 101);
    const matrix = ofColumns(120, ...lengths.map((length, i) => upTo(length, i % 19)));
    const ones = { ...matrix, values: matrix.values.map((value) => 1 + (value % 5)) };
    for (const dtype of ['f64', 'f32', 'mixed'] as const) {
      for (const spec of ['panels', 'panels?values=table', 'panels?sliceRows=7&panelCols=41']) {
        const findings = new Findings();
        using stored = store(spec, ones, dtype);
        checkStored(findings, engine, stored, ones, 'threads', 'integer');
        expect(findings.failures).toEqual([]);
      }
    }
  });
});

it('slices do not change a bit, for any size', () => {
  const matrix = withRealValues(gallery('rowlengths', { rows: 300, cols: 200, distribution: 'powerlaw', mean: 20 }));
  const product = (sliceRows: number) => {
    using stored = store(`panels?sliceRows=${sliceRows}&panelCols=30`, matrix);
    using x = engine.vector(sampleVector(matrix.cols, 'real', 1));
    using y = engine.vector(sampleVector(matrix.rows, 'real', 2));
    using plan = engine.cpu.plan(stored, 'spmv', { parts: 3 });
    plan.run(x, y, 0.7, -0.3);
    return y.data.slice();
  };
  const first = product(1);
  for (const sliceRows of [2, 7, 64, 299, 300, 65_536]) expect(product(sliceRows)).toEqual(first);
});

it('rows and columns beyond 16 bits are in other tiles', () => {
  const cols = 3 * 2 ** 16;
  const matrix = ofColumns(cols, ...upTo(70_000).map((i) => [(i * 7919) % 65_536, 65_536 + ((i * 31) % 131_072)]));
  using stored = store('panels?sliceRows=65536', matrix);
  expect([stored.units, stored.panels]).toEqual([2, 12]);
  const findings = new Findings();
  checkStored(
    findings,
    engine,
    stored,
    { ...matrix, values: matrix.values.map((value) => value % 7) },
    'threads',
    'integer',
  );
  const { field: _, ...arrays } = matrix;
  expect(toCsr(stored)).toMatchObject(arrays);
});

describe('prospects', () => {
  /** Rows of a hundred entries, anywhere in as many columns. */
  const scattered = (cols: number) =>
    ofColumns(
      cols,
      ...upTo(4000).map((i) => upTo(100).map((k) => Math.floor(((k + ((i * 0.618_034) % 1)) * cols) / 100))),
    );

  const prospectsOf = (matrix: CsrMatrix, dtype: Dtype, onDevice = false) =>
    prospects(examine(matrix), dtype, onDevice);

  it('save waiting for x where it is larger than half the L2, on the CPU', () => {
    const wide = scattered(100_000);
    expect(prospectsOf(wide, 'f64')[0]!.scattered).toBeLessThan(0.7);
    expect(prospectsOf(wide, 'f32')).toMatchObject([{ scattered: 1 }]);
    expect(prospectsOf(wide, 'f64', true)).toEqual([]);
    expect(prospectsOf(scattered(60_000), 'f64')).toMatchObject([{ scattered: 1 }]);
    expect(prospectsOf(gallery('laplace2d5', { nx: 500, ny: 500 }), 'f64')).toMatchObject([{ scattered: 1 }]);
  });

  it('estimate the layout', () => {
    const wide = scattered(150_000);
    using stored = store('panels', wide);
    const [prospect] = prospectsOf(wide, 'f64');
    expect(prospect).toMatchObject({ spec: 'panels', kernel: 'panels', entries: 400_000, groups: stored.units });
    expect(prospect!.bytes / stored.cost().bytes).toBeCloseTo(1, 1);
    expect(prospect!.steps! / stored.rowIdx.length).toBeCloseTo(1, 1);
    // A slice is computed by one thread: its entries and rows.
    expect(prospect!.indivisible).toBe((400_000 + 4000) / stored.units);
  });

  it('name the heaviest slice', () => {
    const rows = upTo(2000).map((i) => upTo(i < 100 ? 90 : 3).map((k) => (k * 1111 + i * 37) % 100_000));
    const first = ofColumns(100_000, ...rows.map((row) => [...new Set(row)].sort((a, b) => a - b)));
    const sliceRows = sliceRowsOf(first);
    const [prospect] = prospectsOf(first, 'f64');
    expect(prospect!.indivisible).toBe(first.rowPtr[sliceRows]! + sliceRows);
  });

  it('count a line of x once for all entries of a slice, and need one entry for two lines', () => {
    const { scattered: share } = prospectsOf(scattered(500_000), 'f64')[0]!;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.7);
    expect(prospectsOf(scattered(3_000_000), 'f64')).toEqual([]);
  });
});

it.each([
  [{ rows: 0, cols: 0, nnz: 0 }, 1],
  [{ rows: 50, cols: 1_000_000, nnz: 20_000_000 }, 4],
  [{ rows: 1_000_000, cols: 1_000_000, nnz: 6_000_000 }, 62_500],
  [{ rows: 9_000_000, cols: 9_000_000, nnz: 90_000_000 }, 65_536],
  // One entry for each cache line of x: no more than four slices.
  [{ rows: 200_000, cols: 3_000_000, nnz: 400_000 }, 50_000],
])('a matrix of %o has %i rows per slice', (sizes, sliceRows) => {
  expect(sliceRowsOf(sizes)).toBe(sliceRows);
});

/** The features by which a format is chosen, and the prospects that formats state before conversion. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { conformanceMatrices } from '#dist/conformance/matrices.js';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import type { Dtype } from '#dist/core/types.js';
import { examine, MANY } from '#dist/features/features.js';
import { sampleRows } from '#dist/features/sample.js';
import { isRefusal, layoutName, type Prospect, type StoredMatrix } from '#dist/formats/format.js';
import { prospectsOf } from '#dist/formats/registry.js';
import { storeMatrix } from '#dist/formats/store.js';
import { promoteBlocks } from '#dist/gallery/promote.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';
import { smallMatrix } from '../gallery/arbitrary.js';
import { fewOrAll } from '../soak.js';

function make(source: string): CsrMatrix {
  const { name, given } = parseGalleryUrl(source);
  return gallery(name, given);
}

describe('a sample', () => {
  test('of a small matrix is the matrix', () => {
    fc.assert(
      fc.property(smallMatrix(), (matrix) => {
        const sample = sampleRows(matrix);
        expect(sample.matrix.rowPtr).toEqual(matrix.rowPtr);
        expect(sample.matrix.colIdx).toEqual(matrix.colIdx);
        expect(sample.matrix.values).toEqual(matrix.values);
        expect(sample.rowScale).toBe(matrix.rows === 0 ? 0 : 1);
      }),
    );
  });

  it.each([
    'gallery:laplace2d5?nx=400&ny=400',
    'gallery:rmat?scale=15&edgeFactor=16',
    'gallery:dense?rows=900&cols=900',
    'gallery:rowlengths?rows=40000&cols=900000&distribution=lognormal&mean=200',
    'gallery:circuit?n=90000&hubLength=45000',
  ])('of %s has a bound, and holds rows of it in windows', (source) => {
    const matrix = make(source);
    const { matrix: sampled, rowOf, lengthPtr, windowPtr, rowScale } = sampleRows(matrix);
    expect(sampled.nnz).toBeLessThanOrEqual(2 ** 16);
    expect(rowScale).toBeCloseTo(matrix.rows / sampled.rows);
    expect(windowPtr[0]).toBe(0);
    expect(windowPtr.at(-1)).toBe(sampled.rows);
    for (const first of windowPtr.subarray(0, -1)) expect(rowOf[first]! % 8).toBe(0);
    for (let i = 0; i < sampled.rows; i++) {
      const row = rowOf[i]!;
      if (i > 0) expect(row).toBeGreaterThan(rowOf[i - 1]!);
      const length = sampled.rowPtr[i + 1]! - sampled.rowPtr[i]!;
      const begin = matrix.rowPtr[row]!;
      expect(length).toBe(Math.min(512, matrix.rowPtr[row + 1]! - begin));
      // A row that is cut is there in four runs, the first one at its begin, the last one at its end.
      const left = matrix.rowPtr[row + 1]! - begin - length;
      const entryAt = (place: number) => begin + place + Math.floor((left * Math.floor(place / 128)) / 3);
      const expected = Uint32Array.from({ length }, (_, place) => matrix.colIdx[entryAt(place)]!);
      if (length > 0) expect(expected.at(-1)).toBe(matrix.colIdx[matrix.rowPtr[row + 1]! - 1]!);
      expect(sampled.colIdx.slice(sampled.rowPtr[i]!, sampled.rowPtr[i + 1]!)).toEqual(expected);
      expect(lengthPtr[i + 1]! - lengthPtr[i]!).toBe(matrix.rowPtr[row + 1]! - begin);
    }
  });
});

describe('features', () => {
  const featuresOf = (source: string) => examine(make(source)).features;

  test('of a stencil', () => {
    const features = featuresOf('gallery:laplace2d5?nx=300&ny=200');
    expect(features).toMatchObject({ rows: 60_000, nnz: 299_000, longestRow: 5, diagonals: 5, symmetry: 'symmetric' });
    expect(features.differentValues).toBeLessThanOrEqual(2);
    expect(features.unsteady).toBeLessThan(0.05);
    expect(features.scattered).toBeLessThan(0.02);
    expect(features.clustering).toBe(0);
  });

  test('of blocks: neighbours have the same columns', () => {
    const features = featuresOf('gallery:laplace2d5?nx=60&ny=60&block=4&values=real');
    expect(features.repeated).toBeCloseTo(0.75);
    expect(features.adjacent).toBeGreaterThan(0.75);
    expect(features.differentValues).toBe(MANY);
  });

  test('a Kronecker product A ⊗ B has as many values as its factors have products', () => {
    expect(examine(promoteBlocks(make('gallery:rgg?n=4000&values=real'), 16)).features.differentValues).toBe(MANY);
  });

  test('a transport problem: a row reads far columns, which its neighbours read too', () => {
    const n = 400;
    const rowPtr = Uint32Array.from({ length: 2 * n + 1 }, (_, i) => i * n);
    const columnOf = (i: number, j: number) => (i < n ? i * n + j : j * n + i - n);
    const colIdx = Uint32Array.from({ length: 2 * n * n }, (_, k) => columnOf(Math.floor(k / n), k % n));
    const { features } = examine(csrMatrix({ rows: 2 * n, cols: n * n, rowPtr, colIdx, values: colIdx.map(() => 1) }));
    expect(features.apart).toBeGreaterThan(0.5);
    expect(features.scattered).toBeLessThan(0.1);
  });

  test('the lines of x that rows read: one for eight adjacent entries, one for each entry that is far from the one before', () => {
    const everyEighth = csrMatrix({
      ...{ rows: 3, cols: 160, rowPtr: Uint32Array.of(0, 20, 20, 40) },
      colIdx: Uint32Array.from({ length: 40 }, (_, k) => 8 * (k % 20)),
      values: new Float64Array(40).fill(1),
    });
    expect(examine(everyEighth).features.newLines).toBe(1);
    expect(featuresOf('gallery:dense?rows=10&cols=80').newLines).toBeCloseTo(1 / 8);
  });

  test('a line that was read long before is read again: long rows with columns in common', () => {
    const rowsOf = (length: number) => {
      const rowPtr = Uint32Array.from({ length: 33 }, (_, i) => i * length);
      const colIdx = Uint32Array.from({ length: 32 * length }, (_, k) => 24 * (k % length));
      return csrMatrix({ rows: 32, cols: 100 * length, rowPtr, colIdx, values: new Float64Array(colIdx.length) });
    };
    const { reach, ...short } = examine(rowsOf(1000)).features;
    expect(short).toMatchObject({ scattered: 1 / 32, reread: 0 });
    const long = examine(rowsOf(20_000)).features;
    expect(long).toMatchObject({ scattered: 1 / 32, reread: 31 / 32 });
    // The whole range of columns, up to a third more, as rows are cut to runs.
    for (const ratio of [reach / 24_000, long.reach / 480_000]) {
      expect(ratio).toBeGreaterThan(0.95);
      expect(ratio).toBeLessThan(1.4);
    }
  });

  test('a mesh in a random order is scattered but clusters; random columns do not', () => {
    const mesh = featuresOf('gallery:rgg?n=40000');
    expect(mesh.scattered).toBeGreaterThan(0.15);
    expect(mesh.clustering).toBeGreaterThan(0.8);
    expect(featuresOf('gallery:rgg?n=40000&order=grid').scattered).toBeLessThan(0.02);
    const random = featuresOf('gallery:rowlengths?rows=60000&cols=60000');
    expect(random.scattered).toBeGreaterThan(0.15);
    expect(random.clustering).toBeLessThan(0.3);
  });

  test('the longest row and the variance are those of all rows', () => {
    const matrix = make('gallery:circuit?n=90000&hubLength=45000');
    const lengths = Array.from({ length: matrix.rows }, (_, i) => matrix.rowPtr[i + 1]! - matrix.rowPtr[i]!);
    const mean = matrix.nnz / matrix.rows;
    const variance = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / matrix.rows;
    const { longestRow, lengthVariance } = examine(matrix).features;
    expect(longestRow).toBe(Math.max(...lengths));
    expect(lengthVariance / variance).toBeCloseTo(1);
  });

  test('the share of empty rows is exact up to 2¹⁶ rows, and never above 1', () => {
    const shareOf = (rowPtr: Uint32Array) => {
      const nnz = rowPtr.at(-1)!;
      const given = { rows: rowPtr.length - 1, cols: 1, rowPtr, colIdx: new Uint32Array(nnz) };
      return examine(csrMatrix({ ...given, values: new Float64Array(nnz).fill(1) })).features.empty;
    };
    expect(shareOf(Uint32Array.of(0, 1, 1, 2, 2, 2, 3))).toBe(0.5);
    expect(shareOf(new Uint32Array(2 ** 16 + 2))).toBe(1);
    expect(shareOf(Uint32Array.of(0))).toBe(0);
  });

  test('are finite for every matrix, empty ones too', () => {
    for (const { name, matrix } of conformanceMatrices()) {
      for (const [key, value] of Object.entries(examine(matrix).features)) {
        if (typeof value === 'number') expect([name, key, Number.isFinite(value)]).toEqual([name, key, true]);
      }
    }
  });
});

describe('prospects', () => {
  let heap: Heap;
  beforeAll(() => {
    heap = new Heap();
  });
  afterAll(() => expect(heap.bytesInUse).toBe(0));

  /** The result of a prospect; undefined if the format refuses the matrix at conversion. */
  function stored(matrix: CsrMatrix, { spec }: Prospect, dtype: Dtype, onDevice = false): StoredMatrix | undefined {
    try {
      return storeMatrix(heap, matrix, spec, dtype, { onDevice });
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  const SOURCES = [
    'gallery:laplace2d5?nx=300&ny=300',
    'gallery:laplace3d27?nx=24&ny=24&nz=24&values=real',
    'gallery:laplace2d5?nx=40&ny=40&block=7',
    'gallery:debruijn?order=15',
    'gallery:rmat?scale=14&edgeFactor=16',
    'gallery:rgg?n=40000',
    'gallery:rgg?n=40000&order=grid&values=ones',
    'gallery:road?nx=200&ny=200',
    'gallery:rowlengths?rows=60000&cols=60000&distribution=geometric&mean=7&values=integer',
    'gallery:circuit?n=90000&hubLength=45000',
    'gallery:dense?rows=300&cols=300',
    'gallery:qcd?nx=4&ny=4&nz=4&nt=4',
  ];

  it.each(SOURCES)('of %s come true: kernel, bytes, entries', (source) => {
    const matrix = make(source);
    const examined = examine(matrix);
    const combinations = [
      ['f64', false],
      ['f32', true],
      ['f32', false],
      ['f64', true],
    ] as const;
    for (const [dtype, onDevice] of combinations.slice(0, fewOrAll(2, 4))) {
      const prospects = prospectsOf(examined, dtype, { onDevice });
      expect(prospects.map(({ spec }) => spec)).toContain('csr');
      expect(new Set(prospects.map(({ spec }) => spec)).size).toBe(prospects.length);
      for (const prospect of prospects) {
        using real = stored(matrix, prospect, dtype, onDevice);
        expect([prospect.spec, real !== undefined]).toEqual([prospect.spec, true]);
        expect(real!.stages.spmv.map(({ kernel }) => layoutName(kernel).replace(/^bsr\d+$/, 'bsr'))).toContain(
          // The cost model tells chunks of 4 rows from chunks of 8, shared chunks from others, and sizes of blocks.
          prospect.kernel.replace(/Four|(?<=^dia)_table|(?<=^bsr)(2|_unrolled|_wide)/, ''),
        );
        const said = prospect.bytes / real!.cost().bytes;
        expect(Math.abs(Math.log(said)), `${prospect.spec} ${dtype}: ${said}`).toBeLessThan(Math.log(1.12));
      }
    }
  });

  test('of every small matrix name layouts that exist', () => {
    for (const { matrix } of conformanceMatrices()) {
      for (const prospect of prospectsOf(examine(matrix), 'f64', { onDevice: true })) {
        using real = stored(matrix, prospect, 'f64', true);
        if (prospect.spec === 'csr') expect(real).toBeDefined();
        for (const figure of [prospect.bytes, prospect.entries, prospect.steps ?? 0, prospect.indivisible ?? 0]) {
          expect(figure).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });
});

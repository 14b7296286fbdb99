/** Entries that become rows by buckets give the matrix that they give otherwise, bit by bit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { csrFromEntries, type EntryChunk, entryChunk } from '#dist/core/entries.js';
import { staysInCache, wantsBuckets } from '#dist/io/matrix-market/bucket-choice.js';
import type { MatrixMarketHeader } from '#dist/io/matrix-market/header.js';
import { RowBuckets } from '#dist/io/matrix-market/row-buckets.js';
import { lineScanner } from '#dist/io/matrix-market/scanner.js';
import { fewOrAll } from '../../soak.js';

const { module } = (await lineScanner())!.parts;

/** Numbers from 0 to 1, always the same. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Place = (k: number, draw: () => number) => readonly [row: number, col: number];

function entriesOf(field: MatrixMarketHeader['field'], count: number, place: Place): EntryChunk {
  const draw = uniform(7);
  const entries = entryChunk(field, count);
  for (let k = 0; k < count; k++) {
    [entries.rowIdx[k], entries.colIdx[k]] = place(k, draw);
    if (entries.values !== undefined) entries.values[k] = draw() - 0.5;
  }
  entries.used = count;
  return entries;
}

interface Case {
  readonly rows: number;
  readonly cols: number;
  readonly field: MatrixMarketHeader['field'];
  readonly symmetry?: MatrixMarketHeader['symmetry'];
}

/** By buckets; entries are given to them in pieces of these lengths, in turn. */
function byBuckets({ symmetry = 'general', ...shape }: Case, entries: EntryChunk, pieces: number[]) {
  const header: MatrixMarketHeader = { ...shape, symmetry, file: 'x.mtx', format: 'coordinate', entries: entries.used };
  const buckets = new RowBuckets(module, header);
  const { room } = buckets;
  for (let from = 0, piece = 0; from < entries.used; piece++) {
    const to = Math.min(entries.used, from + Math.min(pieces[piece % pieces.length]!, room.rowIdx.length));
    room.rowIdx.set(entries.rowIdx.subarray(from, to));
    room.colIdx.set(entries.colIdx.subarray(from, to));
    if (entries.values !== undefined) room.values!.set(entries.values.subarray(from, to));
    room.used = to - from;
    buckets.take();
    from = to;
  }
  return buckets.matrix();
}

function expectBits(got: CsrMatrix, expected: CsrMatrix): void {
  expect(got.nnz).toBe(expected.nnz);
  for (const key of ['rowPtr', 'colIdx', 'values'] as const) {
    const [a, b] = [got[key], expected[key]];
    expect(a.length).toBe(b.length);
    expect(
      Buffer.compare(
        Buffer.from(a.buffer, a.byteOffset, a.byteLength),
        Buffer.from(b.buffer, b.byteOffset, b.byteLength),
      ),
    ).toBe(0);
  }
}

/** Makes a matrix in both ways; the second one uses the entries up. */
function expectSame(shape: Case, entries: EntryChunk, pieces: number[]): void {
  const got = byBuckets(shape, entries, pieces)!;
  expectBits(got, csrFromEntries({ symmetry: 'general', ...shape }, [entries]));
}

/** One triangle of a square matrix. */
function triangle(place: Place, isUpper: boolean): Place {
  return (k, draw) => {
    const [row, col] = place(k, draw);
    return row > col === isUpper ? [col, row] : [row, col];
  };
}

const COUNT = 300_001;
const KINDS: Record<string, [rows: number, cols: number, place: Place]> = {
  'in random order': [30_000, 40_000, (_, draw) => [Math.floor(30_000 * draw()), Math.floor(40_000 * draw())]],
  'by columns': [40_000, 40_000, (k, draw) => [Math.min(39_999, Math.floor(k / 8 + 500 * draw())), Math.floor(k / 8)]],
  'by rows': [40_000, 9, (k) => [Math.floor(k / 8), k % 8]],
  'by rows, from the last one': [40_000, 9, (k) => [39_999 - Math.floor(k / 8), k % 8]],
  'with many of each': [2000, 50, (_, draw) => [Math.floor(2000 * draw()), Math.floor(50 * draw())]],
  'most of them in one row': [9000, 1e6, (k, draw) => [draw() < 0.7 ? 4321 : k % 9000, Math.floor(1e6 * draw())]],
  'of three rows': [3, 1e6, (_, draw) => [Math.floor(3 * draw()), Math.floor(1e6 * draw())]],
  'of one row': [1, 1e6, (_, draw) => [0, Math.floor(1e6 * draw())]],
};

describe('entries', () => {
  it.each(Object.entries(KINDS))('%s', (_, [rows, cols, place]) => {
    for (const field of ['real', 'pattern'] as const)
      expectSame({ rows, cols, field }, entriesOf(field, COUNT, place), [1, 20_000, 8192, 40_000]);
  });

  it.each(Object.entries(KINDS))('of a triangle, with their mirror images: %s', (_, [rows, cols, place]) => {
    const size = Math.max(rows, cols);
    for (const [field, symmetry, isUpper] of [
      ['real', 'symmetric', false],
      ['real', 'skew-symmetric', true],
      ['pattern', 'symmetric', true],
    ] as const) {
      const entries = entriesOf(field, COUNT, triangle(place, isUpper));
      expectSame({ rows: size, cols: size, field, symmetry }, entries, [1, 20_000, 8192, 40_000]);
    }
  });

  it('of both triangles, with their mirror images, if none is one of another entry', () => {
    // Row 3 of the lower triangle, and column 3 of the upper one.
    const place: Place = (k) => (k % 2 === 0 ? [3 * (k + 1), 3 * k] : [3 * k, 3 * (k + 2)]);
    const entries = entriesOf('real', 200_000, place);
    expectSame({ rows: 700_000, cols: 700_000, field: 'real', symmetry: 'symmetric' }, entries, [9000]);
  });

  it('are none if one may be the mirror image of another one', () => {
    const place: Place = (k) => [k + 1, k];
    const entries = entriesOf('real', 200_000, place);
    const shape: Case = { rows: 200_001, cols: 200_001, field: 'real', symmetry: 'symmetric' };
    [entries.rowIdx[150_000], entries.colIdx[150_000]] = [7, 8];
    expect(byBuckets(shape, entries, [9000])).toBeUndefined();
    [entries.rowIdx[150_000], entries.colIdx[150_000]] = [8, 7];
    expectSame(shape, entries, [9000]);
  });

  it('that are nearly all on the diagonal leave no longer arrays', () => {
    const entries = entriesOf('real', 200_000, (k) => [k, k % 5 === 0 ? 0 : k]);
    const shape: Case = { rows: 200_000, cols: 200_000, field: 'real', symmetry: 'symmetric' };
    const { nnz, values } = byBuckets(shape, entries, [9000])!;
    expect(nnz).toBe(240_000 - 1);
    expect(values.buffer.byteLength).toBe(8 * nnz);
    expectSame(shape, entries, [9000]);
  });

  it('of any number, in rows of any length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.constantFrom('real', 'integer', 'pattern'),
        fc.integer({ min: 1, max: 3000 }),
        (rows, cols, count, field, piece) => {
          const place: Place = (_, draw) => [Math.floor(rows * draw()), Math.floor(cols * draw())];
          expectSame({ rows, cols, field }, entriesOf(field, count, place), [piece]);
          const size = Math.max(rows, cols);
          const symmetry = field === 'pattern' || count % 2 === 0 ? 'symmetric' : 'skew-symmetric';
          const entries = entriesOf(field, count, triangle(place, count % 3 === 0));
          expectSame({ rows: size, cols: size, field, symmetry }, entries, [piece]);
        },
      ),
      { numRuns: fewOrAll(60, 300) },
    );
  });

  it('of a triangle near its diagonal stay in a cache, others do not', () => {
    const header: MatrixMarketHeader = {
      ...{ file: 'x.mtx', format: 'coordinate', field: 'real', symmetry: 'symmetric' },
      ...{ rows: 200_000, cols: 200_000, entries: 1e6 },
    };
    const band = entriesOf('real', 1000, (k) => [Math.floor(k / 4) + 200 * (k % 4), Math.floor(k / 4)]);
    const far = entriesOf('real', 1000, (k) => [k === 999 ? 50_000 : k, k]);
    expect(staysInCache(header, band)).toBe(true);
    expect(staysInCache({ ...header, symmetry: 'general' }, band)).toBe(false);
    expect(staysInCache({ ...header, field: 'pattern' }, band)).toBe(false);
    expect(staysInCache(header, far)).toBe(false);
  });

  it('that are few or beyond signed integers, with their mirror images, do not go to buckets', () => {
    const header: MatrixMarketHeader = {
      ...{ file: 'x.mtx', format: 'coordinate', field: 'real', symmetry: 'general' },
      ...{ rows: 1e6, cols: 1e6, entries: 1e6 },
    };
    expect(wantsBuckets(header)).toBe(true);
    expect(wantsBuckets({ ...header, symmetry: 'symmetric', entries: 2 ** 30 - 1 })).toBe(true);
    const others = [
      { entries: 100 },
      { symmetry: 'symmetric', entries: 2 ** 30 },
      { rows: 2 ** 31 },
      { cols: 2 ** 31 },
      { format: 'array' },
    ];
    for (const other of others) expect(wantsBuckets({ ...header, ...other } as MatrixMarketHeader)).toBe(false);
  });
});

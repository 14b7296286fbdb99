/** Entries that become rows by buckets give the matrix that they give otherwise, bit by bit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csrFromEntries, type EntryChunk, entryChunk } from '#dist/core/entries.js';
import type { Header } from '#dist/io/matrix-market/header.js';
import { RowBuckets, wantsBuckets } from '#dist/io/matrix-market/row-buckets.js';
import { lineScanner } from '#dist/io/matrix-market/scanner.js';

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

function entriesOf(field: Header['field'], count: number, place: Place): EntryChunk {
  const draw = uniform(7);
  const entries = entryChunk(field, count);
  for (let k = 0; k < count; k++) {
    [entries.rowIdx[k], entries.colIdx[k]] = place(k, draw);
    if (entries.values !== undefined) entries.values[k] = draw() - 0.5;
  }
  entries.used = count;
  return entries;
}

/** Both ways; entries are given to the buckets in pieces of these lengths, in turn. */
function expectSame(rows: number, cols: number, field: Header['field'], entries: EntryChunk, pieces: number[]): void {
  const shape = { rows, cols, field, symmetry: 'general' } as const;
  const buckets = new RowBuckets(module, { ...shape, file: 'x.mtx', format: 'coordinate', entries: entries.used });
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
  const got = buckets.matrix();
  const expected = csrFromEntries(shape, [entries]);
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
      expectSame(rows, cols, field, entriesOf(field, COUNT, place), [1, 20_000, 8192, 40_000]);
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
          expectSame(rows, cols, field, entriesOf(field, count, place), [piece]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('that are few, mirrored or beyond signed integers do not go to buckets', () => {
    const header: Header = {
      ...{ file: 'x.mtx', format: 'coordinate', field: 'real', symmetry: 'general' },
      ...{ rows: 1e6, cols: 1e6, entries: 1e6 },
    };
    expect(wantsBuckets(header)).toBe(true);
    const others = [
      { entries: 100 },
      { symmetry: 'symmetric' },
      { rows: 2 ** 31 },
      { cols: 2 ** 31 },
      { format: 'array' },
    ];
    for (const other of others) expect(wantsBuckets({ ...header, ...other } as Header)).toBe(false);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csrInPlace } from '#dist/core/csr-in-place.js';
import { csrFromEntries, type EntryChunk, entryChunk } from '#dist/core/entries.js';
import { trusted } from '#dist/core/trusted.js';
import { fewOrAll } from '../soak.js';

const chunk = (
  rowIdx: Uint32Array,
  colIdx: Uint32Array,
  values: Float64Array | undefined,
  used: number,
): EntryChunk => ({
  rowIdx: rowIdx.slice(),
  colIdx: colIdx.slice(),
  values: values?.slice(),
  used,
});

/** Entries drawn by a seed, in the order that is asked for. */
function entries(seed: number, count: number, rows: number, cols: number, order: 'any' | 'rows' | 'columns') {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const all = Array.from({ length: count }, () => [draw(rows), draw(cols)] as const);
  if (order === 'rows') all.sort((a, b) => a[0] - b[0]);
  if (order === 'columns') all.sort((a, b) => a[1] - b[1]);
  // Of these magnitudes, sums differ in other orders.
  const values = Float64Array.from(all, (_, k) => (k + 1) * 10 ** (k % 17));
  return { rowIdx: Uint32Array.from(all, ([row]) => row), colIdx: Uint32Array.from(all, ([, col]) => col), values };
}

it('gives the bits of csrFromEntries, whatever the order, with duplicates, over several blocks', () => {
  const order = fc.constantFrom('any', 'rows', 'columns');
  const symmetry = fc.constantFrom('general', 'symmetric');
  const count = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(65_535, 65_536, 65_537, 200_000));
  const size = fc.constantFrom(1, 7, 3000);
  fc.assert(
    fc.property(
      ...[fc.nat(), count, size, size, order, symmetry, fc.boolean()],
      (seed, length, rows, cols, inOrder, kind, isPattern) => {
        const drawn = entries(seed, length, rows, kind === 'general' ? cols : rows, inOrder);
        const field = isPattern ? ('pattern' as const) : ('real' as const);
        const shape = { rows, cols: kind === 'general' ? cols : rows, field, symmetry: kind };
        const given = () => chunk(drawn.rowIdx, drawn.colIdx, isPattern ? undefined : drawn.values, length);
        expect(csrInPlace(shape, given())).toEqual(csrFromEntries(shape, [given()]));
      },
    ),
    { numRuns: fewOrAll(20, 60) },
  );
});

it('gives a pattern the values where its rows and columns were', () => {
  for (const order of ['any', 'columns', 'rows'] as const) {
    const drawn = entries(3, 5000, 700, 900, order);
    const given = entryChunk('pattern', 6000);
    given.rowIdx.set(drawn.rowIdx);
    given.colIdx.set(drawn.colIdx);
    given.used = 5000;
    const shape = { rows: 700, cols: 900, field: 'pattern' as const, symmetry: 'general' as const };
    const expected = csrFromEntries(shape, [chunk(drawn.rowIdx, drawn.colIdx, undefined, 5000)]);
    const matrix = csrInPlace(shape, given);
    expect(matrix).toEqual(expected);
    expect([trusted(matrix), trusted(expected)]).toEqual([matrix, expected]);
  }
});

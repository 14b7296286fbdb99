/** Tests which rows are in the sample for facts of a matrix that are needed only roughly. */
import { expect, test } from 'vitest';
import { stretches } from '#dist/core/stretches.js';

/** Of a part of a matrix, in the numbering of the whole one. */
function rowsIn(rows: number, all = rows, firstRow = 0): number[] {
  return stretches(rows, all, firstRow).flatMap(([begin, end]) =>
    Array.from({ length: end - begin }, (_, k) => firstRow + begin + k),
  );
}

test.each([0, 1, 59, 60, 61, 9999, 10_000])('of %d rows, all are looked at', (rows) => {
  expect(rowsIn(rows)).toEqual(Array.from({ length: rows }, (_, row) => row));
});

test('of many rows, about 10,000 are looked at, evenly distributed', () => {
  const rows = rowsIn(1_234_567);
  expect(Math.abs(rows.length - 10_000)).toBeLessThan(100);
  expect(rows.reduce((sum, row) => sum + row, 0) / rows.length / 1_234_567).toBeCloseTo(0.5, 2);
});

test('parts of a matrix have together the rows of the whole one', () => {
  const all = 123_457;
  const firsts = [0, 7, 1000, 40_011, 40_012, 99_999, all];
  const ofParts = firsts.slice(1).flatMap((end, part) => rowsIn(end - firsts[part]!, all, firsts[part]));
  expect(ofParts).toEqual(rowsIn(all));
});

test('a stretch has rows of each of the unknowns of a node', () => {
  const rows = rowsIn(600_000);
  for (const unknowns of [2, 3, 5, 6]) {
    for (let unknown = 0; unknown < unknowns; unknown++) {
      const share = rows.filter((row) => row % unknowns === unknown).length / rows.length;
      expect(share).toBeCloseTo(1 / unknowns, 2);
    }
  }
});

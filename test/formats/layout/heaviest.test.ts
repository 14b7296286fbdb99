/** The heaviest group of rows, and long rows. */
import { expect, test } from 'vitest';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { heaviestGroup, rowsLongerThan } from '#dist/formats/layout/heaviest.js';

test('it counts entries and rows of groups from the first row on; the last group may have fewer rows', () => {
  const builder = new CsrBuilder(10, 9);
  for (const [row, length] of [0, 1, 5, 0, 2, 2, 0, 0, 0, 9].entries()) {
    for (let col = 0; col < length; col++) builder.add(row, col, 1);
  }
  const matrix = builder.build();
  expect([1, 3, 4, 10, 100].map((size) => heaviestGroup(matrix, size))).toEqual([10, 10, 11, 29, 29]);
  expect(heaviestGroup(new CsrBuilder(0, 3).build(), 4)).toBe(0);
  expect(rowsLongerThan(matrix, 1)).toEqual([2, 4, 5, 9]);
  expect(rowsLongerThan(matrix, 5, 9)).toEqual([9]);
  expect(rowsLongerThan(matrix, 9, 9)).toEqual([]);
});

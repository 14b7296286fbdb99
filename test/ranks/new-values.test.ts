import { expect, test } from 'vitest';
import { csrMatrix } from '#dist/index.node.js';
import { divideRows } from '#dist/ranks/division.js';
import { withNewValues } from '#dist/ranks/new-values.js';

const X = 0;
/** A rank owns columns 2 and 3. Its rows have ghosts before and behind these, on one side alone, and nowhere. */
const rows = [
  [1, X, 2, 3, 4, X],
  [X, X, 5, X, X, X],
  [X, 6, X, X, X, X],
  [X, X, X, 7, X, 8],
  [X, X, X, X, X, X],
];
const matrix = csrMatrix({
  ...{ rows: 5, cols: 6 },
  rowIdx: rows.flatMap((row, i) => row.flatMap((value) => (value === X ? [] : i))),
  colIdx: rows.flatMap((row) => row.flatMap((value, j) => (value === X ? [] : j))),
  values: rows.flat().filter((value) => value !== X),
});

test.each([
  ['with ghosts in some rows', matrix],
  ['without', csrMatrix({ rows: 2, cols: 6, rowPtr: [0, 1, 2], colIdx: [2, 3], values: [1, 2] })],
])('values go to the parts of rows %s', (_, whole) => {
  const columns = Float64Array.of(0, 2, 4, 6);
  const { own, ghost, boundaryRows, ghosts } = divideRows(whole, 1, columns);
  const parts = { own, ghost, boundaryRows, ghosts, firstCol: 2 };
  const doubled = withNewValues(
    parts,
    whole.values.map((value) => 2 * value),
  );
  expect(doubled.own.values).toEqual(own.values.map((value) => 2 * value));
  expect(doubled.ghost.values).toEqual(ghost.values.map((value) => 2 * value));
  expect(() => withNewValues(parts, [1])).toThrow(`values: expected one for each of ${whole.nnz} entries of this rank`);
});

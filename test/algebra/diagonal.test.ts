/** Where the diagonal of a matrix is. */
import { expect, test } from 'vitest';
import { diagonalFrom, diagonalPlaces, NO_ENTRY } from '#dist/algebra/diagonal.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';

/** Rows with these columns; an entry's value is its place. */
function matrixOf(cols: number, rows: readonly (readonly number[])[]) {
  const builder = new CsrBuilder(rows.length, cols);
  let place = 0;
  for (const [row, columns] of rows.entries()) for (const col of columns) builder.add(row, col, place++);
  return builder.build();
}

test('it is found at any place of a row, also after rows that have it at another place, or have none', () => {
  const matrix = matrixOf(6, [[0, 1], [0, 1, 2], [], [0, 1, 2], [0, 1, 2, 3, 4], [5]]);
  const places = [0, 3, NO_ENTRY, NO_ENTRY, 12, 13];
  expect([...diagonalPlaces(matrix)]).toEqual(places);
  expect([...diagonalFrom(matrix)]).toEqual(places.map((place) => (place === NO_ENTRY ? 0 : place)));
});

test('it has one entry for each row that also is a column', () => {
  const [wide, tall] = [matrixOf(5, [[4], [1, 3]]), matrixOf(2, [[0], [0], [1], [0, 1]])];
  expect([...diagonalPlaces(wide)]).toEqual([NO_ENTRY, 1]);
  expect([...diagonalPlaces(tall)]).toEqual([0, NO_ENTRY]);
});

test('rows of a part have it in the columns of their numbers in the whole matrix', () => {
  const part = matrixOf(4, [
    [0, 2],
    [1, 3],
    [0, 1],
  ]);
  expect([...diagonalPlaces(part, 2)]).toEqual([1, 3]);
  expect([...diagonalFrom(part, 2)]).toEqual([1, 3]);
  expect(diagonalPlaces(part, 4)).toHaveLength(0);
  expect(diagonalPlaces(part, 9)).toHaveLength(0);
});

import { expect, test } from 'vitest';
import { equalsTranspose, firstAsymmetry, likenessOfTranspose } from '#dist/core/symmetry.js';
import { CsrBuilder, gallery } from '#dist/index.node.js';

const of = (...entries: [number, number, number][]) => {
  const builder = new CsrBuilder(3, 3);
  for (const entry of entries) builder.add(...entry);
  return builder.build();
};

test('a Laplacian is symmetric, a matrix that is not square is not', () => {
  for (const what of ['pattern', 'values'] as const) {
    expect(equalsTranspose(gallery('laplace2d5', { nx: 7, ny: 5 }), what)).toBe(true);
    expect(equalsTranspose(gallery('dense', { rows: 3, cols: 2 }), what)).toBe(false);
    expect(equalsTranspose(of(), what)).toBe(true);
  }
});

test('values count only if asked for', () => {
  const skewed = of([0, 1, 2], [1, 0, 3]);
  expect(equalsTranspose(skewed, 'pattern')).toBe(true);
  expect(equalsTranspose(skewed, 'values')).toBe(false);
  expect(equalsTranspose(of([0, 1, 2], [1, 0, 2], [2, 2, 1]), 'values')).toBe(true);
  expect(equalsTranspose(of([0, 0, Number.NaN]), 'values')).toBe(false);
});

test.each([
  ['only above the diagonal', of([0, 1, 2])],
  ['only below it', of([1, 0, 2])],
  ['one more below it', of([0, 1, 2], [1, 0, 2], [2, 0, 3])],
  ['one more before an image', of([1, 0, 3], [1, 2, 2], [2, 1, 2])],
  ['one more behind an image', of([0, 2, 2], [2, 0, 2], [2, 1, 3])],
  ['a cycle', of([0, 1, 2], [1, 2, 2], [2, 0, 2])],
])('%s: not symmetric', (_, matrix) => {
  expect(equalsTranspose(matrix, 'pattern')).toBe(false);
});

test('numbers that differ by rounding are like those across the diagonal, by the scale of both rows', () => {
  const pair = (off: number, other: number, large = 1) => of([0, 1, off], [1, 0, other], [0, 0, large], [1, 1, large]);
  expect(likenessOfTranspose(pair(0.5, 0.5))).toBe('exact');
  expect(likenessOfTranspose(pair(0.5, 0.5 + 1e-12))).toBe('rounded');
  expect(likenessOfTranspose(pair(0.5, 0.5 + 1e-9))).toBe('none');
  // A small entry beside large ones.
  expect(likenessOfTranspose(pair(1e-13, -1e-13))).toBe('rounded');
  expect(likenessOfTranspose(of([0, 1, 1e-13], [1, 0, -1e-13], [0, 0, 1e-4], [1, 1, 1]))).toBe('none');
});

test('NaN is like nothing, infinity like itself', () => {
  const nan = of([0, 1, Number.NaN], [1, 0, Number.NaN], [0, 0, 1], [1, 1, 1]);
  expect(likenessOfTranspose(nan)).toBe('none');
  expect(firstAsymmetry(nan, nan.values)).toBe(1);
  const infinite = Number.POSITIVE_INFINITY;
  expect(likenessOfTranspose(of([0, 1, infinite], [1, 0, infinite]))).toBe('exact');
});

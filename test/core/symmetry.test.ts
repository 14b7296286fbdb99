import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalsTranspose, firstAsymmetry, likenessOfTranspose, symmetrizingSigns } from '#dist/core/symmetry.js';
import { CsrBuilder, complexMatrix, gallery, realEquivalent } from '#dist/index.node.js';

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

test('signs of columns make a saddle point with −Bᵀ symmetric, and the real equivalent of a complex symmetric matrix', () => {
  const saddle = of([0, 0, 2], [0, 2, 3], [1, 1, 5], [1, 2, 7], [2, 0, -3], [2, 1, -7]);
  expect(symmetrizingSigns(saddle, saddle.values)).toEqual(Int8Array.of(1, 1, -1));
  const pairs = [1, 2, 3, 4, 3, 4, 0, 5];
  const complex = complexMatrix({ rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1], values: pairs });
  const real = realEquivalent(complex);
  expect(symmetrizingSigns(real, real.values)).toEqual(Int8Array.of(1, -1, 1, -1));
});

test('no signs make these symmetric', () => {
  // Three pairs of opposite numbers in a cycle.
  const cycle = of([0, 1, 1], [1, 0, -1], [1, 2, 1], [2, 1, -1], [0, 2, 1], [2, 0, -1]);
  const modulus = of([0, 1, 1], [1, 0, -2]);
  const unknown = of([0, 1, Number.NaN], [1, 0, Number.NaN]);
  for (const matrix of [cycle, modulus, unknown]) expect(symmetrizingSigns(matrix, matrix.values)).toBeUndefined();
});

test('numbers as small as rounding errors, and pairs of zeros, say nothing of signs', () => {
  const small = of(
    [0, 0, 1],
    [1, 1, 1],
    [2, 2, 1],
    [0, 1, 1e-13],
    [1, 0, -2e-13],
    [0, 2, 0],
    [2, 0, -0],
    [1, 2, 3],
    [2, 1, -3],
  );
  expect(symmetrizingSigns(small, small.values)).toEqual(Int8Array.of(1, 1, -1));
});

test('signs of random matrices are found, whichever they were', () => {
  const n = 30;
  const index = fc.nat({ max: n - 1 });
  const entries = fc.array(fc.tuple(index, index, fc.integer({ min: -9, max: 9 })), { maxLength: 3 * n });
  const signs = fc.array(fc.constantFrom(1, -1), { minLength: n, maxLength: n });
  fc.assert(
    fc.property(entries, signs, (chosen, given) => {
      const builder = new CsrBuilder(n, n);
      for (const [i, j, value] of chosen) {
        builder.add(i, j, value * given[j]!);
        if (i !== j) builder.add(j, i, value * given[i]!);
      }
      const matrix = builder.build();
      const found = symmetrizingSigns(matrix, matrix.values)!;
      expect(found.every((sign) => sign === 1 || sign === -1)).toBe(true);
      const values = matrix.values.map((value, k) => value * found[matrix.colIdx[k]!]!);
      expect(equalsTranspose({ ...matrix, values }, 'values')).toBe(true);
    }),
  );
});

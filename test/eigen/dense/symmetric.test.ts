/** All eigenvalues of small dense symmetric matrices. */
import { describe, expect, test } from 'vitest';
import { symmetricEigen, symmetricEnds } from '#dist/eigen/dense/symmetric.js';
import { randomStream, unit } from '#dist/gallery/draw.js';

function symmetric(size: number, seed: number): Float64Array {
  const random = randomStream(seed, 'values');
  const A = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) A[i * size + j] = A[j * size + i] = unit(random) - 0.5;
  return A;
}

/** Checks A X = X Λ, Xᵀ X = I and the order, to a few units of rounding times the size. */
function check(A: Float64Array, size: number): Float64Array {
  const before = A.slice();
  const { values, vectors } = symmetricEigen(A, size);
  expect(A).toEqual(before);
  const scale = A.reduce((greatest, value) => Math.max(greatest, Math.abs(value)), 0);
  const bound = 10 * Math.max(size, 1) * Number.EPSILON;
  let [residual, product] = [0, 0];
  for (let j = 0; j < size; j++) {
    if (j > 0) expect(values[j]).toBeGreaterThanOrEqual(values[j - 1]!);
    for (let i = 0; i < size; i++) {
      let [sum, dot] = [-values[j]! * vectors[i * size + j]!, i === j ? -1 : 0];
      for (let k = 0; k < size; k++) {
        sum += A[i * size + k]! * vectors[k * size + j]!;
        dot += vectors[k * size + i]! * vectors[k * size + j]!;
      }
      residual = Math.max(residual, Math.abs(sum));
      product = Math.max(product, Math.abs(dot));
    }
  }
  expect(residual).toBeLessThanOrEqual(bound * scale);
  expect(product).toBeLessThanOrEqual(bound);
  return values;
}

const tridiagonal = (size: number) =>
  Float64Array.from({ length: size * size }, (_, k) => {
    const distance = Math.abs(Math.floor(k / size) - (k % size));
    return distance === 0 ? 2 : distance === 1 ? -1 : 0;
  });

test.each([1, 4, 30])('symmetricEnds has the values and the last rows of the vectors, of size %d', (size) => {
  const A = symmetric(size, 3);
  const before = A.slice();
  const { values, vectors } = symmetricEigen(A, size);
  const count = Math.min(4, size);
  const ends = symmetricEnds(A, size, count);
  expect(A).toEqual(before);
  for (const [j, value] of ends.values.entries()) {
    expect(value).toBeCloseTo(values[j]!, 14);
    const sign = Math.sign(ends.vectors[j]! * vectors[(size - count) * size + j]!);
    for (let i = 0; i < count; i++)
      expect(sign * ends.vectors[i * size + j]!).toBeCloseTo(vectors[(size - count + i) * size + j]!, 11);
  }
});

describe('symmetricEigen', () => {
  test.each([0, 1, 2, 3, 5, 17, 60, 100])('random of size %d', (size) => {
    check(symmetric(size, size + 1), size);
  });

  test('known values: 2 − 2 cos(jπ / (n + 1))', () => {
    const values = check(tridiagonal(50), 50);
    for (const [j, value] of values.entries())
      expect(value).toBeCloseTo(2 - 2 * Math.cos(((j + 1) * Math.PI) / 51), 13);
  });

  test('zeros, ones, the identity, a diagonal', () => {
    expect(check(new Float64Array(16), 4)).toEqual(new Float64Array(4));
    const ones = check(new Float64Array(400).fill(1), 20);
    expect(ones[19]).toBeCloseTo(20, 12);
    for (const value of ones.subarray(0, 19)) expect(Math.abs(value)).toBeLessThan(1e-13);
    expect(check(Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), 3)).toEqual(Float64Array.of(1, 1, 1));
    expect(check(Float64Array.of(3, 0, 0, 0, -7, 0, 0, 0, 1), 3)).toEqual(Float64Array.of(-7, 1, 3));
  });

  test('pairs ±λ, a zero diagonal', () => {
    const size = 12;
    const A = new Float64Array(size * size);
    for (let i = 0; i + 1 < size; i++) A[i * size + i + 1] = A[(i + 1) * size + i] = 1;
    const values = check(A, size);
    for (let j = 0; j < size; j++) expect(values[j]! + values[size - 1 - j]!).toBeCloseTo(0, 13);
  });

  test.each([1e300, 1e-300, 1e-320])('elements of about %d', (scale) => {
    const A = Float64Array.of(2, 1, 0, 1, 3, 1, 0, 1, 4).map((value) => value * scale);
    const { values } = symmetricEigen(A, 3);
    const plain = symmetricEigen(Float64Array.of(2, 1, 0, 1, 3, 1, 0, 1, 4), 3);
    for (const [j, value] of values.entries()) expect(value / scale / plain.values[j]!).toBeCloseTo(1, 3);
  });

  test('arrowheads with clusters, as of a restart', () => {
    const size = 30;
    const A = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      A[i * size + i] = i < 20 ? 1 + 1e-14 * i : 5 + i;
      if (i < 20) A[i * size + 20] = A[20 * size + i] = 1e-9 * (i + 1);
      if (i >= 20 && i + 1 < size) A[i * size + i + 1] = A[(i + 1) * size + i] = 0.3;
    }
    check(A, size);
  });
});

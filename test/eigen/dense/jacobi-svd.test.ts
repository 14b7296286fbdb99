/** `jacobiSvd` finds the singular values of small dense matrices, with their vectors. */
import { expect, test } from 'vitest';
import { jacobiSvd } from '#dist/eigen/dense/jacobi-svd.js';

function random(rows: number, cols: number): Float64Array {
  let state = 7 * rows + cols;
  return Float64Array.from({ length: rows * cols }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** a is rows × count, row-major. */
function expectOrthonormal(a: Float64Array, rows: number, count: number): void {
  for (let i = 0; i < count; i++)
    for (let j = 0; j < count; j++) {
      let sum = 0;
      for (let q = 0; q < rows; q++) sum += a[q * count + i]! * a[q * count + j]!;
      expect(Math.abs(sum - (i === j ? 1 : 0))).toBeLessThan(1e-13);
    }
}

function expectFactors(matrix: Float64Array, rows: number, cols: number): Float64Array {
  const before = matrix.slice();
  const { values, U, V } = jacobiSvd(matrix, rows, cols);
  expect(matrix).toEqual(before);
  const count = Math.min(rows, cols);
  expect([values.length, U.length, V.length]).toEqual([count, rows * count, cols * count]);
  expectOrthonormal(U, rows, count);
  expectOrthonormal(V, cols, count);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++) {
      let sum = 0;
      for (let q = 0; q < count; q++) sum += U[i * count + q]! * values[q]! * V[j * count + q]!;
      expect(Math.abs(sum - matrix[i * cols + j]!)).toBeLessThanOrEqual(1e-14 * count * (values[0] ?? 0));
    }
  return values;
}

test.each([
  [1, 1],
  [5, 5],
  [9, 4],
  [4, 9],
  [40, 40],
  [0, 3],
  [3, 0],
])('a random matrix, %d × %d', (rows, cols) => {
  expectFactors(random(rows, cols), rows, cols);
});

test('known values', () => {
  expect([...expectFactors(Float64Array.of(3, 0, 0, 0, 4, 0), 2, 3)]).toEqual([4, 3]);
  const [first, second] = expectFactors(Float64Array.of(1, 1, 0, 1), 2, 2);
  expect(first).toBeCloseTo((1 + Math.sqrt(5)) / 2, 14);
  expect(second).toBeCloseTo((Math.sqrt(5) - 1) / 2, 14);
});

test('rank-deficient, equal and zero values', () => {
  const ones = expectFactors(new Float64Array(35).fill(1), 7, 5);
  expect(ones[0]).toBeCloseTo(Math.sqrt(35), 13);
  expect(ones[1]).toBeLessThan(1e-14);
  expect([...expectFactors(new Float64Array(12), 3, 4)]).toEqual([0, 0, 0]);
  const identity = Float64Array.from({ length: 36 }, (_, at) => (at % 7 === 0 ? 2 : 0));
  expect([...expectFactors(identity, 6, 6)]).toEqual(new Array(6).fill(2));
});

test('small values are exact beside large ones; scales do not overflow or vanish', () => {
  const graded = Float64Array.of(1, 0, 0, 1e-12, 1e-12, 0, 0, 1e-24, 1e-24);
  const values = jacobiSvd(graded, 3, 3).values;
  for (const value of [values[0]!, values[1]! / 1e-12, values[2]! / 1e-24]) expect(value).toBeCloseTo(1, 10);
  for (const scale of [1e300, 1e-300]) {
    const scaled = jacobiSvd(
      random(6, 4).map((value) => value * scale),
      6,
      4,
    ).values;
    const plain = jacobiSvd(random(6, 4), 6, 4).values;
    scaled.forEach((value, j) => {
      expect(value / scale / plain[j]!).toBeCloseTo(1, 12);
    });
  }
});

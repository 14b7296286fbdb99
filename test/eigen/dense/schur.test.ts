/** The real Schur form of small matrices, its order and its vectors. */
import { describe, expect, test } from 'vitest';
import { blocksOf, reorderSchur, type SchurBlock } from '#dist/eigen/dense/reorder.js';
import { realSchur, type Schur } from '#dist/eigen/dense/schur.js';
import { schurVector } from '#dist/eigen/dense/schur-vectors.js';
import { randomStream, unit } from '#dist/gallery/draw.js';

function dense(size: number, at: (i: number, j: number) => number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, k) => at(Math.floor(k / size), k % size));
}

function random(size: number, seed: number): Float64Array {
  const stream = randomStream(seed, 'values');
  return dense(size, () => unit(stream) - 0.5);
}

function product(a: Float64Array, b: Float64Array, n: number): Float64Array {
  return dense(n, (i, j) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a[i * n + k]! * b[k * n + j]!;
    return sum;
  });
}

const transposed = (a: Float64Array, n: number) => dense(n, (i, j) => a[j * n + i]!);
const largest = (a: Float64Array) => a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const difference = (a: Float64Array, b: Float64Array) => a.map((value, k) => value - b[k]!);
const EYE = (n: number) => dense(n, (i, j) => Number(i === j));

/** The coefficients of the polynomial with these roots, highest power first, are in the first row. */
function companion(roots: readonly number[]): Float64Array {
  const coefficients = [1, ...roots.map(() => 0)];
  for (const root of roots) for (let k = roots.length; k > 0; k--) coefficients[k]! -= root * coefficients[k - 1]!;
  return dense(roots.length, (i, j) => (i === 0 ? -coefficients[j + 1]! : Number(i === j + 1)));
}

const grcar = (n: number) => dense(n, (i, j) => (j === i - 1 ? -1 : Number(j >= i && j <= i + 3)));
const frank = (n: number) => dense(n, (i, j) => (j >= i - 1 ? n - Math.max(i, j) : 0));
const jordan = (n: number, value: number) => dense(n, (i, j) => (i === j ? value : Number(j === i + 1)));
const cycle = (n: number) => dense(n, (i, j) => Number(j === (i + 1) % n));

const MATRICES: readonly [string, number, Float64Array][] = [
  ['nothing', 0, new Float64Array(0)],
  ['one number', 1, Float64Array.of(-3)],
  ['zeros', 5, new Float64Array(25)],
  ['a rotation', 2, Float64Array.of(0.6, -0.8, 0.8, 0.6)],
  ['real eigenvalues in a block', 2, Float64Array.of(1, 2, 3, 4)],
  ['almost equal real eigenvalues', 2, Float64Array.of(1, 1, 1e-17, 1)],
  ['a cycle, which has no shift by itself', 7, cycle(7)],
  ['a companion matrix', 6, companion([1, 2, 3, 4, 5, 6])],
  ['a defective companion matrix', 6, companion([1, 1, 1, 2, 2, 2])],
  ['a Jordan block', 12, jordan(12, 0.5)],
  ['a nilpotent Jordan block', 30, jordan(30, 0)],
  ['its transpose', 30, transposed(jordan(30, 0), 30)],
  ['Frank', 12, frank(12)],
  ['Grcar', 40, grcar(40)],
  ['random', 60, random(60, 1)],
  ['large numbers', 20, random(20, 2).map((value) => 1e300 * value)],
  ['small numbers', 20, random(20, 3).map((value) => 1e-300 * value)],
  ['graded', 15, dense(15, (i, j) => (1 + Math.sin(3 * i + 5 * j * j)) * 10 ** -(i + j))],
  ['skew', 20, difference(random(20, 4), transposed(random(20, 4), 20))],
];

/** Checks the Schur form of A, whatever its order. @param units how many units of rounding per row the errors may have */
function check(a: Float64Array, schur: Schur, units = 10): void {
  const { T, Z, size } = schur;
  const unitRoundoff = units * Math.max(size, 1) * Number.EPSILON;
  expect(largest(difference(product(transposed(Z, size), Z, size), EYE(size)))).toBeLessThanOrEqual(unitRoundoff);
  // Sums of products of large numbers would overflow.
  const scale = largest(a) || 1;
  const [A, form] = [a.map((value) => value / scale), T.map((value) => value / scale)];
  expect(largest(difference(product(A, Z, size), product(Z, form, size)))).toBeLessThanOrEqual(unitRoundoff);
  const starts = new Set(blocksOf(schur).map(({ at }) => at));
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) if (j < i - 1 || starts.has(i)) expect(T[i * size + j]).toBe(0);
  for (const { at, width } of blocksOf(schur).filter((block) => block.width === 2)) {
    expect(at + width).toBeLessThanOrEqual(size);
    const place = at * size + at;
    expect(T[place]).toBe(T[place + size + 1]);
    expect((T[place + 1]! / scale) * (T[place + size]! / scale)).toBeLessThan(0);
  }
}

function eigenvalues(schur: Schur): [number, number][] {
  return blocksOf(schur).flatMap(({ width, real, imaginary }): [number, number][] =>
    width === 1
      ? [[real, 0]]
      : [
          [real, imaginary],
          [real, -imaginary],
        ],
  );
}

const descending = (one: SchurBlock, other: SchurBlock) => other.real - one.real;

/** Their eigenvalues are not known to more than roots of rounding errors. */
const DEFECTIVE = ['a defective companion matrix', 'a Jordan block', 'a nilpotent Jordan block', 'its transpose'];

describe.each(MATRICES)('%s', (name, size, a) => {
  test('A Z = Z T, with an orthogonal Z and standard blocks', () => {
    const before = a.slice();
    check(a, realSchur(a, size));
    expect(a).toEqual(before);
  });

  test('in another order', () => {
    const schur = realSchur(a, size);
    const before = eigenvalues(schur).map(([real]) => real);
    reorderSchur(schur, descending);
    check(a, schur, 40);
    const after = eigenvalues(schur).map(([real]) => real);
    if (DEFECTIVE.includes(name)) return;
    const tolerance = Math.max(1e-6 * largest(a), Number.MIN_VALUE);
    before
      .sort((x, y) => y - x)
      .forEach((value, k) => void expect(Math.abs(after[k]! - value)).toBeLessThan(tolerance));
  });

  test('vectors', () => {
    const schur = realSchur(a, size);
    const scale = largest(a) || 1;
    for (const block of blocksOf(schur)) {
      const { real, imaginary } = schurVector(schur, block);
      expect(Math.hypot(...real, ...imaginary)).toBeCloseTo(1, 12);
      for (let i = 0; i < size; i++) {
        let [re, im] = [0, 0];
        for (let j = 0; j < size; j++) {
          const element = schur.T[i * size + j]! / scale;
          re += element * real[j]!;
          im += element * imaginary[j]!;
        }
        const [p, w] = [block.real / scale, block.imaginary / scale];
        re -= p * real[i]! - w * imaginary[i]!;
        im -= p * imaginary[i]! + w * real[i]!;
        expect(Math.hypot(re, im)).toBeLessThan(20 * size * Number.EPSILON);
      }
    }
  });
});

describe('known eigenvalues', () => {
  test('those of a cycle are the roots of one', () => {
    const found = eigenvalues(realSchur(cycle(7), 7));
    for (let k = 0; k < 7; k++) {
      const angle = (2 * Math.PI * k) / 7;
      const distances = found.map(([x, y]) => Math.hypot(x - Math.cos(angle), y - Math.sin(angle)));
      expect(Math.min(...distances)).toBeLessThan(1e-14);
    }
  });

  test('those of a companion matrix are its roots', () => {
    const found = eigenvalues(realSchur(companion([1, 2, 3, 4, 5, 6]), 6)).sort(([x], [y]) => x - y);
    found.forEach(([real, imaginary], k) => {
      expect(real).toBeCloseTo(k + 1, 9);
      expect(imaginary).toBe(0);
    });
  });

  test('the greatest of Frank, and its product 1', () => {
    const found = eigenvalues(realSchur(frank(12), 12)).map(([real]) => real);
    expect(Math.max(...found)).toBeCloseTo(32.22889150157, 9);
    expect(found.reduce((product, value) => product * value, 1)).toBeCloseTo(1, 6);
  });

  test('pairs are moved whole', () => {
    const schur = realSchur(grcar(20), 20);
    reorderSchur(schur, (one, other) => Math.hypot(one.real, one.imaginary) - Math.hypot(other.real, other.imaginary));
    check(grcar(20), schur, 40);
    const sizes = blocksOf(schur).map(({ real, imaginary }) => Math.hypot(real, imaginary));
    expect(blocksOf(schur).filter(({ width }) => width === 2).length).toBeGreaterThan(5);
    for (let k = 1; k < sizes.length; k++) expect(sizes[k]! - sizes[k - 1]!).toBeGreaterThan(-1e-10);
  });
});

test('numbers that are not finite are an error', () => {
  expect(() => realSchur(Float64Array.of(1, Number.NaN, 0, 1), 2)).toThrow(/^matrix: expected finite numbers/);
  expect(() => realSchur(Float64Array.of(1, 0, Number.POSITIVE_INFINITY, 1), 2)).toThrow(/finite/);
});

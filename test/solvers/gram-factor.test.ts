/** The factors of small Gram matrices. */
import { expect, test } from 'vitest';
import { GramFactor } from '#dist/solvers/gram-factor.js';

/** Xᵀ X, for columns of X. */
function gramOf(columns: readonly (readonly number[])[]): Float64Array {
  const k = columns.length;
  return Float64Array.from({ length: k * k }, (_, at) => {
    const [a, b] = [columns[Math.floor(at / k)]!, columns[at % k]!];
    return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  });
}

function product(a: Float64Array, b: Float64Array, k: number): Float64Array {
  return Float64Array.from({ length: k * k }, (_, at) => {
    let sum = 0;
    for (let t = 0; t < k; t++) sum += a[Math.floor(at / k) * k + t]! * b[t * k + (at % k)]!;
    return sum;
  });
}

const transposed = (a: Float64Array, k: number) => a.map((_, at) => a[(at % k) * k + Math.floor(at / k)]!);

const INDEPENDENT = [
  [3, 1, 0, 0],
  [1, 1, 1, 0],
  [0, -2, 5, 1],
];
/** The second is twice the first, the fourth is zero. */
const DEPENDENT = [
  [3, 1, 0, 0],
  [6, 2, 0, 0],
  [0, -2e-6, 5e-6, 1e-6],
  [0, 0, 0, 0],
];

test('a regular matrix is solved', () => {
  const gram = gramOf(INDEPENDENT);
  const factor = new GramFactor(gram, 3, 1e-12);
  expect([factor.rank, factor.isIndefinite]).toEqual([3, false]);
  const right = Float64Array.of(1, 2, 3, -1, 0, 4, 2, 2, 2);
  product(gram, factor.solve(right), 3).forEach((value, k) => void expect(value).toBeCloseTo(right[k]!, 12));
});

test('dependent columns are left out, small ones are not', () => {
  const gram = gramOf(DEPENDENT);
  const factor = new GramFactor(gram, 4, 1e-12);
  expect([factor.rank, factor.isIndefinite]).toEqual([2, false]);
  const root = factor.inverseRoot();
  const identity = product(product(transposed(root, 4), gram, 4), root, 4);
  identity.forEach((value, at) => void expect(value).toBeCloseTo(at === 0 || at === 5 ? 1 : 0, 12));
  // In the range of G, the solution is exact.
  const right = product(
    gram,
    Float64Array.from({ length: 16 }, (_, k) => (k * 7) % 5),
    4,
  );
  product(gram, factor.solve(right), 4).forEach((value, k) => void expect(value).toBeCloseTo(right[k]!, 9));
});

test('only the columns that may be used', () => {
  const factor = new GramFactor(gramOf(INDEPENDENT), 3, 1e-12, (column) => column !== 1);
  expect(factor.rank).toBe(2);
  expect([...factor.inverseRoot().slice(3, 6)]).toEqual([0, 0, 0]);
});

test('an indefinite matrix is told from a singular one', () => {
  expect(new GramFactor(Float64Array.of(1, 2, 2, 1), 2, 1e-12).isIndefinite).toBe(true);
  expect(new GramFactor(Float64Array.of(0, 0, 0, -1e-30), 2, 1e-12).isIndefinite).toBe(true);
  expect(new GramFactor(Float64Array.of(1, 1, 1, 1 - 1e-15), 2, 1e-12).isIndefinite).toBe(false);
  const zero = new GramFactor(new Float64Array(4), 2, 1e-12);
  expect([zero.rank, zero.isIndefinite, ...zero.solve(Float64Array.of(1, 2, 3, 4))]).toEqual([0, false, 0, 0, 0, 0]);
});

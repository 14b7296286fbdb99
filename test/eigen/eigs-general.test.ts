/** eigsGeneral: eigenvalues of matrices that are not symmetric. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '#dist/eigen/dense/reorder.js';
import { realSchur } from '#dist/eigen/dense/schur.js';
import type { EigsGeneralOptions } from '#dist/eigen/general/eigs-general.js';
import type { Engine } from '#dist/engine/engine.js';
import { below, randomStream, unit } from '#dist/gallery/draw.js';
import {
  addMatrices,
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  eigsGeneral,
  functionOperator,
  gallery,
  kroneckerProduct,
  type SparlaneError,
  transposeMatrix,
} from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';
import { SPACES, useSums } from '../solvers/engines.js';

/** A complex number. */
type Value = readonly [real: number, imaginary: number];

function matrixOf(n: number, ...entries: readonly (readonly [i: number, j: number, value: number])[]): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (const [i, j, value] of entries) builder.add(i, j, value);
  return builder.build();
}

function tridiagonal(n: number, below: number, on: number, above: number): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    if (i > 0) builder.add(i, i - 1, below);
    builder.add(i, i, on);
    if (i + 1 < n) builder.add(i, i + 1, above);
  }
  return builder.build();
}

/** b + 2 √(a c) cos(j π / (n + 1)) of a Toeplitz matrix; complex if a c < 0. */
function toeplitzValues(n: number, below: number, on: number, above: number): Value[] {
  const root = 2 * Math.sqrt(Math.abs(below * above));
  return Array.from({ length: n }, (_, j): Value => {
    const part = root * Math.cos(((j + 1) * Math.PI) / (n + 1));
    return below * above > 0 ? [on + part, 0] : [on, part];
  });
}

const identity = (n: number) => tridiagonal(n, 0, 1, 0);
/** A ⊗ I + I ⊗ B */
const kroneckerSum = (a: CsrMatrix, b: CsrMatrix) =>
  addMatrices(kroneckerProduct(a, identity(b.rows)), kroneckerProduct(identity(a.rows), b));
const sums = (a: readonly Value[], b: readonly Value[]) =>
  a.flatMap(([p, q]) => b.map(([r, s]): Value => [p + r, q + s]));

/** Rotations by angles that differ, times radii: the eigenvalues are r e^{± i φ}. */
function rotations(n: number): { readonly matrix: CsrMatrix; readonly values: Value[] } {
  const builder = new CsrBuilder(2 * n, 2 * n);
  const values: Value[] = [];
  for (let k = 0; k < n; k++) {
    const [radius, angle] = [1 + k / n, 0.3 + (2.5 * k) / n];
    const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    for (const [i, j, value] of [
      [0, 0, x],
      [0, 1, -y],
      [1, 0, y],
      [1, 1, x],
    ] as const)
      builder.add(2 * k + i, 2 * k + j, value);
    values.push([x, y], [x, -y]);
  }
  return { matrix: builder.build(), values };
}

function denseValues(matrix: CsrMatrix): Value[] {
  const { rows, rowPtr, colIdx, values } = matrix;
  const dense = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) dense[i * rows + colIdx[k]!] = values[k]!;
  return blocksOf(realSchur(dense, rows)).flatMap(({ width, real, imaginary }): Value[] =>
    width === 1
      ? [[real, 0]]
      : [
          [real, imaginary],
          [real, -imaginary],
        ],
  );
}

const RANDOM = gallery('rgg', { n: 120 });
const RANDOM_VALUES = denseValues(RANDOM);

const SIZES = (shift = 0): Record<NonNullable<EigsGeneralOptions['which']>, (value: Value) => number> => ({
  largest: (value) => Math.hypot(...value),
  'largest-real': ([real]) => real,
  'smallest-real': ([real]) => -real,
  'largest-imaginary': ([, imaginary]) => Math.abs(imaginary),
  nearest: ([real, imaginary]) => -Math.hypot(real - shift, imaginary),
});

/** Computes, checks what must always hold, and frees everything. */
function solved(
  engine: Engine,
  matrix: CsrMatrix,
  k: number,
  options: EigsGeneralOptions & { readonly B?: CsrMatrix } = {},
) {
  const { bytesInUse } = engine.heap;
  const found = eigsGeneral(engine, matrix, k, options);
  const { values, vectors, residualNorms, converged } = found;
  const count = values.real.length;
  expect([values.imaginary, residualNorms].map(({ length }) => length)).toEqual([count, count]);
  const columns = [vectors.real, vectors.imaginary].map((block) => block.toArray({ order: 'column' }));
  const n = matrix.rows;
  for (let j = 0; j < count; j++) {
    const [x, y] = columns.map((all) => all.slice(j * n, (j + 1) * n)) as [Float64Array, Float64Array];
    expect(Math.hypot(...x, ...y)).toBeCloseTo(1, 12);
    const [p, w] = [values.real[j]!, values.imaginary[j]!];
    const [u, v] = [x, y].map((part) => times(matrix, part)) as [Float64Array, Float64Array];
    const [r, s] = options.B === undefined ? [x, y] : [times(options.B, x), times(options.B, y)];
    const real = u.map((value, i) => value - p * r[i]! + w * s[i]!);
    const imaginary = v.map((value, i) => value - p * s[i]! - w * r[i]!);
    const residual = Math.hypot(...real, ...imaginary);
    expect(Math.abs(residual - residualNorms[j]!)).toBeLessThan(1e-14 + 1e-3 * residual);
    if (w > 0) expect([values.real[j + 1], values.imaginary[j + 1]]).toEqual([p, -w]);
  }
  expect(values.imaginary.reduce((sum, value) => sum + value, 0)).toBe(0);
  if (found.reason === 'tolerance') expect(converged).toBe(count);
  vectors.real.dispose();
  vectors.imaginary.dispose();
  if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  return { ...found, pairs: Array.from(values.real, (real, j): Value => [real, values.imaginary[j]!]) };
}

function times({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]!]!;
    return sum;
  });
}

/** Checks that these are the most wanted ones of all. */
function expectBest(
  pairs: readonly Value[],
  all: readonly Value[],
  sizeOf: (value: Value) => number,
  tolerance: number,
) {
  const best = all.map(sizeOf).sort((a, b) => b - a);
  for (const [j, [real, imaginary]] of pairs.entries()) {
    expect(Math.abs(sizeOf([real, imaginary]) - best[j]!)).toBeLessThan(tolerance);
    expect(Math.min(...all.map(([x, y]) => Math.hypot(x - real, y - imaginary)))).toBeLessThan(tolerance);
  }
}

/** Left vectors, computed anew: yᴴ A = λ yᴴ B, yᴴ B x = 1, and the conditions. Frees everything. */
function expectLeft(
  engine: Engine,
  matrix: CsrMatrix,
  k: number,
  options: EigsGeneralOptions & { readonly B?: CsrMatrix },
  tolerance = 1e-6,
) {
  const { bytesInUse } = engine.heap;
  const { values, vectors, left, reason, ...found } = eigsGeneral(engine, matrix, k, { ...options, left: true });
  const n = matrix.rows;
  const count = values.real.length;
  expect([reason, found.converged, left!.converged]).toEqual(['tolerance', count, count]);
  const columnsOf = (both: typeof vectors) => {
    const blocks = [both.real, both.imaginary].map((block) => block.toArray({ order: 'column' }));
    for (const block of Object.values(both)) block.dispose();
    return (j: number) =>
      blocks.map((all) => Float64Array.from(all.slice(j * n, (j + 1) * n))) as [Float64Array, Float64Array];
  };
  const [xOf, yOf] = [columnsOf(vectors), columnsOf(left!.vectors)];
  const At = transposeMatrix(matrix);
  const B = options.B ?? identity(n);
  const Bt = transposeMatrix(B);
  const dot = (one: Float64Array, other: Float64Array) => one.reduce((sum, value, i) => sum + value * other[i]!, 0);
  for (let j = 0; j < count; j++) {
    const [[x, z], [u, v]] = [xOf(j), yOf(j)];
    const [p, w] = [values.real[j]!, values.imaginary[j]!];
    // The conjugate of y is u − i v: Aᵀ (u − i v) = (p + i w) Bᵀ (u − i v).
    const [Au, Av, Bu, Bv] = [times(At, u), times(At, v), times(Bt, u), times(Bt, v)];
    const real = Au.map((value, i) => value - p * Bu[i]! - w * Bv[i]!);
    const imaginary = Av.map((value, i) => value - p * Bv[i]! + w * Bu[i]!);
    const residual = Math.hypot(...real, ...imaginary) / Math.hypot(...u, ...v);
    expect(Math.abs(residual - left!.residualNorms[j]!)).toBeLessThan(1e-13 + 1e-3 * residual);
    expect(residual).toBeLessThan(tolerance);
    const [Bx, Bz] = [times(B, x), times(B, z)];
    expect(dot(u, Bx) + dot(v, Bz)).toBeCloseTo(1, 10);
    expect(dot(u, Bz) - dot(v, Bx)).toBeCloseTo(0, 10);
    expect(left!.conditions[j]! / (Math.hypot(...u, ...v) * Math.hypot(...x, ...z))).toBeCloseTo(1, 10);
  }
  if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  const pairs = Array.from(values.real, (real, j): Value => [real, values.imaginary[j]!]);
  return { pairs, conditions: left!.conditions, products: found.products };
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
    // The space keeps memory for the sums of as many columns as were ever asked for at once.
    using x = engine.vector(1000, { columns: 8 });
    using c = engine.vector(8, { columns: 8 });
    x.fill(1).gram(x, c);
  });
  afterAll(() => engine.dispose());

  const OUTER = ['largest', 'largest-real', 'smallest-real', 'largest-imaginary'] as const;

  test.each(OUTER.slice(0, 3))('convection and diffusion, real eigenvalues: %s', (which) => {
    const matrix = kroneckerSum(tridiagonal(14, -1.2, 2, -0.8), tridiagonal(9, -1.1, 2, -0.9));
    const all = sums(toeplitzValues(14, -1.2, 2, -0.8), toeplitzValues(9, -1.1, 2, -0.9));
    const { reason, pairs } = solved(engine, matrix, 5, { which });
    expect([reason, pairs.length]).toEqual(['tolerance', 5]);
    expectBest(pairs, all, SIZES()[which], 1e-7);
  });

  test.each(OUTER)('convection that dominates, complex eigenvalues: %s', (which) => {
    const matrix = kroneckerSum(tridiagonal(12, -1.3, 2, 0.3), tridiagonal(9, -1.1, 2, -0.9));
    const all = sums(toeplitzValues(12, -1.3, 2, 0.3), toeplitzValues(9, -1.1, 2, -0.9));
    const { reason, pairs } = solved(engine, matrix, 6, { which });
    expect(reason).toBe('tolerance');
    expectBest(pairs, all, SIZES()[which], 1e-6);
  });

  test.each(OUTER)('rotations: %s', (which) => {
    const { matrix, values } = rotations(60);
    const { reason, pairs } = solved(engine, matrix, 4, { which });
    expect(reason).toBe('tolerance');
    expectBest(pairs, values, SIZES()[which], 1e-6);
  });

  test.each(OUTER)('left vectors of real and complex eigenvalues: %s', (which) => {
    const matrix = kroneckerSum(tridiagonal(12, -1.3, 2, 0.3), tridiagonal(9, -1.1, 2, -0.9));
    const all = sums(toeplitzValues(12, -1.3, 2, 0.3), toeplitzValues(9, -1.1, 2, -0.9));
    const { pairs, conditions } = expectLeft(engine, matrix, 4, { which });
    expectBest(pairs, all, SIZES()[which], 1e-6);
    for (const condition of conditions) expect(condition).toBeGreaterThan(1);
    const random = expectLeft(engine, RANDOM, 5, { which });
    expectBest(random.pairs, RANDOM_VALUES, SIZES()[which], 1e-6);
  });

  test('the condition of an eigenvalue: 1 of a normal matrix, as known of a triangle, none of a Jordan block', () => {
    for (const condition of expectLeft(engine, rotations(20).matrix, 4, {}).conditions)
      expect(condition).toBeCloseTo(1, 8);
    const { pairs, conditions } = expectLeft(engine, matrixOf(2, [0, 0, 1], [0, 1, 1000], [1, 1, 2]), 2, {}, 1e-4);
    expect(pairs.map(([real]) => real)).toEqual([expect.closeTo(2, 9), expect.closeTo(1, 9)]);
    for (const condition of conditions) expect(condition / Math.hypot(1, 1000)).toBeCloseTo(1, 8);
    const { left, vectors } = eigsGeneral(engine, matrixOf(2, [0, 0, 3], [0, 1, 1], [1, 1, 3]), 1, { left: true });
    expect(left!.conditions[0]).toBeGreaterThan(1e7);
    for (const both of [vectors, left!.vectors]) for (const block of Object.values(both)) block.dispose();
  });

  test('without left vectors where a search was stopped', () => {
    const { left, reason, vectors } = eigsGeneral(engine, rotations(60).matrix, 2, {
      ...{ left: true, tolerance: 0, onProgress: () => false },
    });
    expect([reason, left!.converged, left!.conditions[0], left!.residualNorms[0]]).toEqual([
      ...['stopped', 0, Number.NaN, Number.NaN],
    ]);
    for (const both of [vectors, left!.vectors]) for (const block of Object.values(both)) block.dispose();
    using A = functionOperator(engine, 50, 50, (x, y) => void y.copyFrom(x));
    const { bytesInUse } = engine.heap;
    expect(() => eigsGeneral(engine, A, 2, { left: true })).toThrow(/^A: expected an operator with transposed/);
    expect(() => eigsGeneral(engine, rotations(3).matrix, 2, { left: 1 as never })).toThrow(/^left: expected/);
    if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a pair is never split', () => {
    const { matrix, values } = rotations(40);
    for (const k of [1, 3, 5]) {
      const { pairs } = solved(engine, matrix, k);
      expect(pairs).toHaveLength(k + 1);
      expectBest(pairs, values, SIZES().largest, 1e-6);
    }
    const odd = matrixOf(3, [0, 0, 5], [1, 2, -1], [2, 1, 1]);
    expect(solved(engine, odd, 1).pairs).toHaveLength(1);
    expect(solved(engine, odd, 2).pairs).toHaveLength(3);
  });

  test.each(OUTER)('a random matrix has the eigenvalues of its Schur form: %s', (which) => {
    const { reason, pairs } = solved(engine, RANDOM, 6, { which });
    expect(reason).toBe('tolerance');
    expectBest(pairs, RANDOM_VALUES, SIZES()[which], 1e-6);
  });

  test('a chain of Markov has its stationary vector', () => {
    const n = 90;
    const builder = new CsrBuilder(n, n);
    // To the next with 0.7, to a few others with the rest: columns have the sum 1.
    for (let j = 0; j < n; j++) {
      builder.add((j + 1) % n, j, 0.7);
      builder.add((7 * j) % n, j, 0.2);
      builder.add((j * j) % n, j, 0.1);
    }
    const { pairs, reason } = solved(engine, builder.build(), 1, { which: 'largest-real' });
    expect(reason).toBe('tolerance');
    expect(pairs[0]![0]).toBeCloseTo(1, 9);
    expect(pairs[0]![1]).toBe(0);
  });

  test.each([
    ['the identity', identity(40), 3, [1, 1, 1]],
    ['zeros', matrixOf(40), 2, [0, 0]],
    ['one number', matrixOf(1, [0, 0, -3]), 1, [-3]],
    ['two copies', kroneckerProduct(identity(2), tridiagonal(5, -1, 2, -0.5)), 2, undefined],
  ])('multiple eigenvalues of a small space: %s', (_, matrix, k, expected) => {
    const { reason, pairs } = solved(engine, matrix, k);
    expect(reason).toBe('tolerance');
    const most = Math.max(...toeplitzValues(5, -1, 2, -0.5).map(([real]) => real));
    for (const [j, [real]] of pairs.entries()) expect(real).toBeCloseTo(expected?.[j] ?? most, 9);
  });

  test('all eigenvalues, and those of a cycle, which have one modulus', () => {
    const n = 24;
    const cycle = matrixOf(n, ...Array.from({ length: n }, (_, i) => [i, (i + 1) % n, 1] as const));
    const { reason, pairs } = solved(engine, cycle, n);
    expect([reason, pairs.length]).toEqual(['tolerance', n]);
    for (let k = 0; k < n; k++) {
      const angle = (2 * Math.PI * k) / n;
      const distances = pairs.map(([x, y]) => Math.hypot(x - Math.cos(angle), y - Math.sin(angle)));
      expect(Math.min(...distances)).toBeLessThan(1e-12);
    }
  });

  test('a defective matrix ends with small residuals', () => {
    const { reason, pairs } = solved(engine, tridiagonal(50, 0, 1, 1), 3);
    expect(reason).toBe('tolerance');
    // An eigenvalue of a Jordan block of 50 rows may be wrong by the 50th root of the rounding errors.
    for (const pair of pairs) expect(Math.hypot(...pair)).toBeLessThan(2);
  });

  test('numbers far from 1', () => {
    const { matrix, values } = rotations(30);
    for (const scale of [1e-150, 1e150]) {
      const scaled = { ...matrix, values: matrix.values.map((value) => value * scale) };
      const found = eigsGeneral(engine, scaled, 2);
      expect(found.reason).toBe('tolerance');
      expect(Math.hypot(found.values.real[0]!, found.values.imaginary[0]!) / scale).toBeCloseTo(
        Math.max(...values.map((value) => Math.hypot(...value))),
        6,
      );
      found.vectors.real.dispose();
      found.vectors.imaginary.dispose();
    }
  });

  test('ends with the best pairs so far', () => {
    const matrix = gallery('convection2d', { nx: 30, ny: 30 });
    const steps: number[] = [];
    const onProgress = ({ iteration }: { readonly iteration: number }) => steps.push(iteration) < 3;
    const stopped = solved(engine, matrix, 4, { which: 'smallest-real', onProgress });
    expect([stopped.reason, steps.length]).toEqual(['stopped', 3]);
    expect(stopped.pairs.length).toBeGreaterThanOrEqual(4);
    const controller = new AbortController();
    const abort = ({ iteration }: { readonly iteration: number }) => void (iteration > 35 && controller.abort());
    const aborted = solved(engine, matrix, 4, { which: 'smallest-real', signal: controller.signal, onProgress: abort });
    expect([aborted.reason, aborted.iterations < 80]).toEqual(['stopped', true]);
    const signal = AbortSignal.abort(new Error('no'));
    expect(() => eigsGeneral(engine, matrix, 4, { signal })).toThrow('no');
    const few = solved(engine, matrix, 4, { which: 'smallest-real', maxIterations: 40 });
    expect(few).toMatchObject({ reason: 'iterations', iterations: 40 });
    expect(solved(engine, rotations(60).matrix, 2, { tolerance: 0 }).reason).toBe('tolerance');
  });

  test('begins with a vector of the caller', () => {
    const matrix = tridiagonal(200, -1.2, 2, -0.8);
    const far = eigsGeneral(engine, matrix, 1, { which: 'largest-real' });
    const start = far.vectors.real.toArray();
    const near = eigsGeneral(engine, matrix, 1, { which: 'largest-real', start });
    expect(near.reason).toBe('tolerance');
    expect(near.iterations).toBeLessThan(far.iterations);
    for (const { vectors } of [far, near]) for (const block of Object.values(vectors)) block.dispose();
  });

  test('numbers that are not finite', () => {
    using A = functionOperator(engine, 50, 50, (_, y) => void y.set(new Float64Array(50).fill(Number.NaN)));
    const { reason, values, converged, vectors } = eigsGeneral(engine, A, 2);
    expect([reason, converged, values.real[0]]).toEqual(['not-finite', 0, Number.NaN]);
    vectors.real.dispose();
    vectors.imaginary.dispose();
  });

  const wrong = eigsGeneral as (...given: unknown[]) => unknown;
  test.each([
    ['engine', (A: CsrMatrix) => wrong({}, A, 1), /^engine: expected/],
    ['A', () => wrong(engine, 3, 1), /^matrix|^A/],
    ['A that is not square', () => wrong(engine, new CsrBuilder(3, 4).build(), 1), /^A: expected as many rows/],
    ['k', (A: CsrMatrix) => wrong(engine, A, 0), /^k: expected an integer from 1 to 12/],
    ['which', (A: CsrMatrix) => wrong(engine, A, 1, { which: 'smallest' }), /^which: expected largest \|/],
    ['shift', (A: CsrMatrix) => wrong(engine, A, 1, { shift: 1 }), /^shift: expected none unless which is 'nearest'/],
    ['an option', (A: CsrMatrix) => wrong(engine, A, 1, { M: A }), /^options: expected only/],
    ['start', (A: CsrMatrix) => wrong(engine, A, 1, { start: new Float64Array(12) }), /^start: expected finite/],
    ['length of start', (A: CsrMatrix) => wrong(engine, A, 1, { start: [1, 2] }), /^start: expected length 12/],
    ['basisSize', (A: CsrMatrix) => wrong(engine, A, 2, { basisSize: 4 }), /^basisSize: expected an integer from 5/],
  ])('a wrong argument: %s', (_, call, message) => {
    const { bytesInUse } = engine.heap;
    expect(() => call(tridiagonal(12, 1, 2, 3))).toThrow(message);
    if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

/** A x = λ B x with B = I + 0.1 A, whose eigenvalues are λ / (1 + 0.1 λ) for those of A. */
function withMass() {
  const a = kroneckerSum(tridiagonal(10, -1.3, 2, 0.3), tridiagonal(8, -1.1, 2, -0.9));
  const B = addMatrices(identity(80), a, 1, 0.1);
  const all = sums(toeplitzValues(10, -1.3, 2, 0.3), toeplitzValues(8, -1.1, 2, -0.9)).map(([x, y]): Value => {
    const [p, q] = [1 + 0.1 * x, 0.1 * y];
    const square = p * p + q * q;
    return [(x * p + y * q) / square, (y * p - x * q) / square];
  });
  return { a, B, all };
}

describe('nearest to a shift', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
    useSums(engine, 1000);
    using x = engine.vector(1000, { columns: 8 });
    using c = engine.vector(8, { columns: 8 });
    x.fill(1).gram(x, c);
  });
  afterAll(() => engine.dispose());

  test.each([0, 1.7, 4, 20])('%d, complex eigenvalues', (shift) => {
    const matrix = kroneckerSum(tridiagonal(12, -1.3, 2, 0.3), tridiagonal(9, -1.1, 2, -0.9));
    const all = sums(toeplitzValues(12, -1.3, 2, 0.3), toeplitzValues(9, -1.1, 2, -0.9));
    const { reason, pairs, iterations } = solved(engine, matrix, 5, { which: 'nearest', shift });
    expect(reason).toBe('tolerance');
    expect(iterations).toBeLessThan(120);
    expectBest(pairs, all, SIZES(shift).nearest, 1e-6);
  });

  /** Pairs are as near as the nearer of the two. */
  const nearTo =
    ([p, w]: Value) =>
    ([real, imaginary]: Value) =>
      -Math.min(Math.hypot(real - p, imaginary - w), Math.hypot(real - p, imaginary + w));

  test.each<[Value]>([[[0.4, 1]], [[2, -0.6]], [[2, 1.1]], [[-1, 0.01]], [[3, 2]]])('complex shifts: %s', (shift) => {
    const near = { which: 'nearest', shift: { real: shift[0], imaginary: shift[1] } } as const;
    const matrix = kroneckerSum(tridiagonal(12, -1.3, 2, 0.3), tridiagonal(9, -1.1, 2, -0.9));
    const all = sums(toeplitzValues(12, -1.3, 2, 0.3), toeplitzValues(9, -1.1, 2, -0.9));
    const found = solved(engine, matrix, 5, near);
    expect([found.reason, found.iterations < 500]).toEqual(['tolerance', true]);
    expectBest(found.pairs, all, nearTo(shift), 1e-6);
    const random = solved(engine, RANDOM, 6, near);
    expect(random.reason).toBe('tolerance');
    expectBest(random.pairs, RANDOM_VALUES, nearTo(shift), 1e-6);
    const line = tridiagonal(40, -1.2, 2, -0.8);
    const real = solved(engine, line, 4, near);
    expect([real.reason, real.pairs.length]).toEqual(['tolerance', 4]);
    expectBest(real.pairs, toeplitzValues(40, -1.2, 2, -0.8), nearTo(shift), 1e-6);
  });

  test('a complex shift whose real part is an eigenvalue, and shifts at the height of eigenvalues', () => {
    // A real part of the inverse is 0 at 2, which is nearest.
    const builder = new CsrBuilder(5, 5);
    for (const [i, value] of [2, 4, 6, -3, 9].entries()) builder.add(i, i, value);
    const found = solved(engine, builder.build(), 2, { which: 'nearest', shift: { real: 2, imaginary: 1.5 } });
    expect(found.pairs).toEqual([
      [expect.closeTo(2, 12), 0],
      [expect.closeTo(4, 12), 0],
    ]);
    // λ − σ is real, or conjugates beside σ: two vectors of the basis have one of A, or one has two.
    const { matrix, values } = rotations(4);
    for (const [, height] of values.filter(([, imaginary]) => imaginary > 0)) {
      const shift: Value = [0.3, height];
      const all = solved(engine, matrix, 8, { which: 'nearest', shift: { real: 0.3, imaginary: height } });
      expect([all.reason, all.pairs.length]).toEqual(['tolerance', 8]);
      expectBest(all.pairs, values, nearTo(shift), 1e-9);
      for (const [real, imaginary] of values)
        expect(all.pairs.filter(([p, w]) => Math.hypot(p - real, w - imaginary) < 1e-9)).toHaveLength(1);
    }
    const skew = matrixOf(4, [0, 1, 1], [1, 0, -1], [2, 3, 2], [3, 2, -2]);
    const pairs = solved(engine, skew, 4, { which: 'nearest', shift: { real: 0, imaginary: 1.5 } }).pairs;
    expect(pairs.map(([, w]) => w).sort((a, b) => a - b)).toEqual([-2, -1, 1, 2].map((w) => expect.closeTo(w, 12)));
  });

  test('random small matrices, also shifts that are nearly real: none is missed, and each has its left vector', () => {
    const stream = randomStream(12345, 'values');
    const number = () => 4 * unit(stream) - 2;
    for (let turn = 0; turn < fewOrAll(60, 600); turn++) {
      const n = 1 + below(stream, 50);
      const builder = new CsrBuilder(n, n);
      const isInteger = turn % 3 === 0;
      for (let i = 0; i < n; i++) {
        builder.add(i, i, number());
        for (let entry = below(stream, 6); entry >= 0; entry--)
          builder.add(i, below(stream, n), isInteger ? below(stream, 5) - 2 : number() / 2);
      }
      const matrix = builder.build();
      const k = 1 + below(stream, Math.min(6, n));
      const shift = { real: number(), imaginary: number() * (turn % 2 === 0 ? 0.01 : 1) };
      const found = eigsGeneral(engine, matrix, k, { which: 'nearest', shift, left: true });
      for (const both of [found.vectors, found.left!.vectors]) for (const block of Object.values(both)) block.dispose();
      const { values, left, reason } = found;
      expect([turn, reason, left!.converged]).toEqual([turn, 'tolerance', values.real.length]);
      const pairs = Array.from(values.real, (real, j): Value => [real, values.imaginary[j]!]);
      const tolerance = 1e-6 * Math.max(1, Math.min(1e9, ...left!.conditions));
      expectBest(pairs, denseValues(matrix), nearTo([shift.real, shift.imaginary]), tolerance);
    }
  });

  test('a complex shift, B and left vectors', () => {
    const { a, B, all } = withMass();
    const shift = { real: 1.5, imaginary: 0.4 };
    const { pairs } = expectLeft(engine, a, 5, { which: 'nearest', shift, B });
    expectBest(pairs, all, nearTo([1.5, 0.4]), 1e-6);
    for (const which of ['nearest', 'largest-real'] as const) {
      const found = expectLeft(engine, a, 3, { which, B });
      expectBest(found.pairs, all, SIZES(0)[which], 1e-6);
    }
  });

  test.each([
    ['3', /^shift: expected a number, or \{ real, imaginary \}, got '3'/],
    [{ real: 1 }, /^shift.imaginary: expected a finite number/],
    [{ real: Number.NaN, imaginary: 1 }, /^shift.real: expected a finite number/],
    [{ real: 1, imaginary: 1, im: 2 }, /^shift: expected only the options real, imaginary/],
  ])('a wrong shift: %s', (shift, message) => {
    expect(() => eigsGeneral(engine, identity(5), 1, { which: 'nearest', shift: shift as never })).toThrow(message);
  });

  const OTHERS = ['largest', 'largest-real', 'smallest-real', 'largest-imaginary', 'nearest'] as const;

  test.each(OTHERS)('A x = λ B x: %s', (which) => {
    const { a, B, all } = withMass();
    const shift = which === 'nearest' ? { shift: 2.2 } : {};
    const { reason, pairs } = solved(engine, a, 5, { which, B, ...shift });
    expect(reason).toBe('tolerance');
    expectBest(pairs, all, SIZES(2.2)[which], 1e-6);
  });

  test('a B that is singular, nearest to a shift', () => {
    // x₂ = x₁ is a constraint: [2, −1; −1, 1] with masses 1 and 0 has the one eigenvalue 1.
    const A = matrixOf(2, [0, 0, 2], [0, 1, -1], [1, 0, -1], [1, 1, 1]);
    const B = matrixOf(2, [0, 0, 1]);
    expect(solved(engine, A, 1, { which: 'nearest', shift: 0.5, B }).pairs[0]![0]).toBeCloseTo(1, 12);
    expect(() => eigsGeneral(engine, A, 1, { B })).toThrow(/singular|pivot|row/);
  });

  test('a B of another size, or without entries', () => {
    const A = tridiagonal(12, 1, 2, 3);
    using B = functionOperator(engine, 12, 12, (x, y) => void y.copyFrom(x));
    expect(() => eigsGeneral(engine, A, 1, { B })).toThrow(/^B: expected a matrix, whose factors are needed/);
    expect(() => eigsGeneral(engine, A, 1, { B: identity(5) })).toThrow(/^B: expected 12 × 12/);
  });

  test('poor factors, whose pivots let entries grow, are refined', () => {
    for (const seed of [22, 66, 93]) {
      const stream = randomStream(seed, 'values');
      const builder = new CsrBuilder(90, 90);
      for (let at = 0; at < 540; at++) builder.add(Math.floor(at / 6), below(stream, 90), below(stream, 5) - 2);
      const { reason, iterations, products } = solved(engine, builder.build(), 6, { which: 'nearest', shift: 0.3 });
      expect([reason, products > iterations]).toEqual(['tolerance', true]);
    }
  });

  test('a shift that is an eigenvalue is an error with the row, or finds it', () => {
    expect(() =>
      eigsGeneral(engine, matrixOf(4, [0, 0, 2], [0, 1, 1], [1, 1, 3], [2, 2, 4], [3, 3, 5]), 1, {
        which: 'nearest',
        shift: 3,
      }),
    ).toThrow(/singular|pivot/);
  });

  test('needs the entries of A', () => {
    using A = functionOperator(engine, 50, 50, (x, y) => void y.copyFrom(x));
    expect(() => eigsGeneral(engine, A, 2, { which: 'nearest' })).toThrow(/^A: expected a matrix, whose factors/);
  });
});

test('the same bits on any number of threads', async () => {
  const matrix = gallery('convection2d', { nx: 60, ny: 60 });
  const found: Float64Array[] = [];
  for (const threads of [1, 2, 3]) {
    await using engine = await createEngine({ threads, onHint: () => {} });
    const { values, vectors } = eigsGeneral(engine, matrix, 4, { maxIterations: 100 });
    found.push(Float64Array.of(...values.real, ...values.imaginary, ...vectors.real.toArray()));
  }
  for (const numbers of found) expect(numbers.findIndex((value, i) => !Object.is(value, found[0]![i]))).toBe(-1);
});

test('in f32', async () => {
  await using engine = await createEngine({ threads: 1 });
  const { matrix, values } = rotations(40);
  using A = engine.operator(matrix, { dtype: 'f32' });
  const { reason, values: found } = eigsGeneral(engine, A, 2, { tolerance: 1e-4 });
  expect(reason).toBe('tolerance');
  const pairs = Array.from(found.real, (real, j): Value => [real, found.imaginary[j]!]);
  expectBest(pairs, values, SIZES().largest, 1e-3);
});

test('memory that does not suffice is an error, and nothing stays allocated', async () => {
  const ends = new Set<string>();
  for (const basisSize of [6, 20, 24, 28, 30, 32, 36, 60]) {
    await using engine = await createEngine({ threads: 1, maximumBytes: 3 * 2 ** 20 });
    const matrix = gallery('convection2d', { nx: 90, ny: 90 });
    using A = engine.operator(matrix, { format: 'csr' });
    const once = () => {
      try {
        const { vectors, reason } = eigsGeneral(engine, A, 2, { basisSize, maxIterations: 80 });
        vectors.real.dispose();
        vectors.imaginary.dispose();
        return reason;
      } catch (error) {
        return (error as SparlaneError).code;
      }
    };
    ends.add(once());
    const { bytesInUse } = engine.heap;
    once();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  }
  expect(ends).toEqual(new Set(['iterations', 'heap']));
});

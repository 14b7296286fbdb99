/** Operators of complex matrices against products in plain complex arithmetic. */
import { describe, expect, test } from 'vitest';
import { complexOperator } from '#dist/complex/operator.js';
import { type Complex, type ComplexMatrix, complexMatrix } from '#dist/core/complex.js';
import { type CsrMatrix, createEngine, gallery } from '#dist/index.node.js';
import { testEngine } from '../formats/test-engine.js';
import { useSums } from '../solvers/engines.js';

const engine = await testEngine({ complex: true });
useSums(engine);

/** The matrix [1+2i 0 −i; 3 4−i 0], whose real and imaginary parts all matter in products. */
const matrix = complexMatrix({
  rows: 2,
  cols: 3,
  rowPtr: [0, 2, 4],
  colIdx: [0, 2, 0, 1],
  values: [1, 2, 0, -1, 3, 0, 4, -1],
});
const SYMMETRIC = complexMatrix({
  rows: 2,
  cols: 2,
  rowPtr: [0, 2, 4],
  colIdx: [0, 1, 0, 1],
  values: [1, 1, 2, -3, 2, -3, 0, 5],
  symmetry: 'symmetric',
});
const HERMITIAN = complexMatrix({
  rows: 2,
  cols: 2,
  rowPtr: [0, 2, 4],
  colIdx: [0, 1, 0, 1],
  values: [4, 0, 1, 2, 1, -2, 5, 0],
  symmetry: 'hermitian',
});

type Op = 'plain' | 'conjugated' | 'adjoint' | 'transposed';

/** α op(A) x + β y, entry by entry. */
function expected(
  { rows, cols, rowPtr, colIdx, values }: ComplexMatrix,
  op: Op,
  x: number[],
  y: number[],
  alpha: Complex,
  beta: Complex,
) {
  const isTransposed = op === 'adjoint' || op === 'transposed';
  const sign = op === 'conjugated' || op === 'adjoint' ? -1 : 1;
  const sums = new Float64Array(2 * (isTransposed ? cols : rows));
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const [to, from] = isTransposed ? [colIdx[k]!, i] : [i, colIdx[k]!];
      const [re, im] = [values[2 * k]!, sign * values[2 * k + 1]!];
      sums[2 * to]! += re * x[2 * from]! - im * x[2 * from + 1]!;
      sums[2 * to + 1]! += re * x[2 * from + 1]! + im * x[2 * from]!;
    }
  }
  return [...sums].map((_, at) => {
    const i = at - (at % 2);
    const times = ({ re, im }: Complex, v: ArrayLike<number>) =>
      at % 2 === 0 ? re * v[i]! - im * v[i + 1]! : re * v[i + 1]! + im * v[i]!;
    return times(alpha, sums) + times(beta, y);
  });
}

const FACTORS: readonly (readonly [Complex, Complex])[] = [
  [
    { re: 1, im: 0 },
    { re: 0, im: 0 },
  ],
  [
    { re: 2, im: 0 },
    { re: -1, im: 0 },
  ],
  [
    { re: 0, im: 1 },
    { re: 0, im: 0 },
  ],
  [
    { re: 1, im: -2 },
    { re: 3, im: 0 },
  ],
  [
    { re: -1, im: 0 },
    { re: 0, im: 2 },
  ],
  [
    { re: 2, im: 1 },
    { re: 1, im: -1 },
  ],
];

describe.each([
  ['general', matrix],
  ['symmetric', SYMMETRIC],
  ['hermitian', HERMITIAN],
] as const)('%s', (_, one) => {
  test.each(['c128', 'c64'] as const)('all maps with complex factors, %s', (dtype) => {
    using A = complexOperator(engine, one, { dtype });
    const maps = {
      plain: A,
      conjugated: A.conjugated(),
      adjoint: A.transposed(),
      transposed: A.conjugated().transposed(),
    };
    for (const [op, map] of Object.entries(maps)) {
      const x = Array.from({ length: map.cols }, (_, i) => i + 1);
      const y = Array.from({ length: map.rows }, (_, i) => 2 - i);
      for (const [alpha, beta] of FACTORS) {
        using from = engine.vector(x, { dtype: dtype === 'c128' ? 'f64' : 'f32' });
        using to = engine.vector(y, { dtype: dtype === 'c128' ? 'f64' : 'f32' });
        if (alpha.im === 0 && beta.im === 0) map.apply(from, to, alpha.re, beta.re);
        else if ('conjugated' in map) (map as typeof A).apply(from, to, alpha, beta);
        else continue;
        expect([...to.data], `${op} ${JSON.stringify([alpha, beta])}`).toEqual(
          expected(one, op as Op, x, y, alpha, beta),
        );
      }
    }
  });
});

test('arrays of the caller, with complex factors', () => {
  using A = complexOperator(engine, matrix);
  const y = Float64Array.of(1, 1, 1, 1);
  A.apply([1, 2, 3, 4, 5, 6], y, { re: 0, im: 1 }, { re: 1, im: 1 });
  const x = [1, 2, 3, 4, 5, 6];
  expect([...y]).toEqual(expected(matrix, 'plain', x, [1, 1, 1, 1], { re: 0, im: 1 }, { re: 1, im: 1 }));
});

test('blocks of vectors: rows of real parts and of imaginary parts in turn', () => {
  using A = complexOperator(engine, matrix);
  const x = Array.from({ length: 6 }, (_, i) => [i, 1 - i, i * i]);
  using X = engine.vector(x);
  using Y = engine.vector(A.rows, { columns: 3 });
  A.apply(X, Y, { re: 1, im: 1 });
  for (let j = 0; j < 3; j++) {
    const column = x.map((row) => row[j]!);
    const right = expected(matrix, 'plain', column, [0, 0, 0, 0], { re: 1, im: 1 }, { re: 0, im: 0 });
    expect([0, 1, 2, 3].map((i) => Y.data[i * Y.stride + j]! + 0)).toEqual(right.map((value) => value + 0));
  }
});

test('multiplication by i, and conjugation', () => {
  using A = complexOperator(engine, matrix);
  using x = engine.vector([1, 2, -3, 4]);
  using y = x.like();
  A.imaginary.apply(x, y);
  expect([...y.data]).toEqual([-2, 1, -4, -3]);
  A.conjugation.apply(x, y);
  expect([...y.data]).toEqual([1, -2, -3, -4]);
});

test('dot products, conjugated and not', () => {
  using A = complexOperator(engine, matrix);
  using x = engine.vector([1, 2, -3, 4]);
  using y = engine.vector([5, 6, 7, -8]);
  // xᴴ y is (1 − 2i)(5 + 6i) + (−3 − 4i)(7 − 8i), and xᵀ y is (1 + 2i)(5 + 6i) + (−3 + 4i)(7 − 8i).
  expect(A.dot(x, y)).toEqual({ re: 17 - 53, im: -4 - 4 });
  expect(A.dot(x, y, { conjugate: false })).toEqual({ re: -7 + 11, im: 16 + 52 });
  using re = engine.scalar();
  expect(x.dot(y, re).value).toBe(17 - 53);
  using short = engine.vector(2);
  expect(() => A.dot(short, y)).toThrow('x: expected length 4, got 2');
});

test('the entries come back', () => {
  for (const format of ['csr', 'sell', 'dia', 'bsr?blockSize=2', 'coo']) {
    using A = complexOperator(engine, matrix, { format });
    expect(A.toComplex()).toEqual(matrix);
    const back = A.conjugated()
      .toComplex()
      .values.map((value) => value + 0);
    expect(back).toEqual(matrix.values.map((value, k) => (k % 2 === 1 ? 0 - value : value)));
  }
});

test('the transpose scatters, where the format has kernels for it', () => {
  using A = complexOperator(engine, matrix, { format: 'csr' });
  using x = engine.vector([1, 2, 3, 4]);
  using y = engine.vector(A.cols);
  A.transposed({ memory: 'shared' }).apply(x, y);
  const right = expected(matrix, 'adjoint', [1, 2, 3, 4], [0, 0, 0, 0, 0, 0], { re: 1, im: 0 }, { re: 0, im: 0 });
  expect([...y.data]).toEqual(right);
  using D = complexOperator(engine, matrix, { format: 'dia' });
  expect(() => D.transposed({ memory: 'shared' })).toThrow(/^memory: expected 'own' with dia/);
});

test('wrong arguments are named', async () => {
  using A = complexOperator(engine, matrix);
  const y = engine.vector(4);
  expect(() => A.apply([1, 2, 3], y)).toThrow(/^x: expected length 6, got 3/);
  expect(() => A.apply(new Float64Array(6), y, { re: 1 } as Complex)).toThrow('alpha.im: expected a finite number');
  expect(() => A.apply(new Float64Array(6), y, 1, 'i' as never)).toThrow(
    "beta: expected a number or { re, im }, got 'i'",
  );
  y.dispose();
  expect(() => complexOperator(engine, matrix, { format: 'csr5' })).toThrow(
    /^format: expected one with complex kernels/,
  );
  expect(() => complexOperator(engine, matrix, { format: 'csr?partition=merge' })).toThrow(
    /^format: expected one with/,
  );
  expect(() => complexOperator(engine, matrix, { format: 'bsr?blockSize=2&maxRowBlocks=1' })).toThrow(
    /^format: expected/,
  );
  expect(() => complexOperator(engine, matrix, { dtype: 'f64' as never })).toThrow('dtype: expected c128 | c64');
  expect(() => engine.operator(matrix as never)).toThrow("field: expected real | integer | pattern, got 'complex'");
  await using real = await createEngine({ threads: 1 });
  expect(() => complexOperator(real, matrix)).toThrow('engine: expected one created with complex: true');
});

describe('the format by choice', () => {
  const withParts = (real: CsrMatrix) =>
    complexMatrix({
      ...real,
      symmetry: 'general',
      field: 'complex',
      values: Float64Array.from({ length: 2 * real.nnz }, (_, k) => Math.sin(k)),
    });
  const grid = withParts(gallery('laplace2d5', { nx: 60, ny: 60 }));

  test('diagonals for a grid, and a reason', () => {
    using A = complexOperator(engine, grid, { products: 'many' });
    expect(A.format).toBe('dia');
    expect(A.decision!.reason).toMatch(
      /^predicted to be 1\.\d+ × as fast as csr; moves \d+\.\d bytes per entry, csr \d+\.\d/,
    );
    expect(A.decision!.ranking.map(({ spec }) => spec)).toContain('csr');
    using B = complexOperator(engine, grid, { format: 'csr' });
    expect(B.decision).toBeUndefined();
    const x = Float64Array.from({ length: A.cols }, (_, k) => Math.cos(k));
    const [y, z] = [new Float64Array(A.rows), new Float64Array(A.rows)];
    A.apply(x, y);
    B.apply(x, z);
    y.forEach((value, k) => {
      expect(value).toBeCloseTo(z[k]!, 12);
    });
    using C = A.conjugated();
    using T = A.transposed();
    expect([C.format, T.format]).toEqual(['dia', 'dia']);
  });

  test('csr where few products are expected', () => {
    using A = complexOperator(engine, grid, { products: 1 });
    expect([A.format, A.decision!.chosen.spec]).toEqual(['csr', 'csr']);
  });

  test('without padding', () => {
    const ragged = withParts(gallery('circuit', { n: 4000, hubLength: 500 }));
    using A = complexOperator(engine, ragged, { products: 'many', padding: false });
    expect(A.decision!.multipliesPadding).toBe(false);
  });

  test('wrong products', () => {
    expect(() => complexOperator(engine, grid, { products: 0 })).toThrow(/^products: expected an integer/);
    expect(() => complexOperator(engine, grid, { products: 5, format: 'csr' })).toThrow(/^products: expected/);
  });
});

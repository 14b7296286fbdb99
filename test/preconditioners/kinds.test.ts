/** block-jacobi, spai0, ssor, fsai and chebyshev against their definitions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { cg, createEngine, csrMatrix, type Engine, gallery, PRECONDITIONERS, precondition } from '#dist/index.node.js';
import { cutIntoPieces } from '#dist/preconditioners/triangular/pieces.js';
import { blocksOf, type Dense, dense, distance, keptOf, solveDense } from './dense.js';
import { ragged, SYMMETRIC, shuffleRows, skewed } from './matrices.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

function applied(matrix: CsrMatrix, spec: string, r: ArrayLike<number>): Float64Array {
  using M = precondition(engine, matrix, spec);
  const z = new Float64Array(matrix.rows);
  M.apply(Float64Array.from(r), z);
  return z;
}

const identity = (n: number) => Array.from({ length: n }, (_, i) => i);

describe.each(Object.entries({ ...SYMMETRIC, 'rows that are not symmetric': skewed(47) }))('%s', (_, matrix) => {
  const r = sampleVector(matrix.rows, 'real', 3);
  const a = dense(matrix);

  test.each([1, 2, 3, 5, 64])('block-jacobi?size=%i inverts the blocks', (size) => {
    const expected = solveDense(blocksOf(a, identity(matrix.rows), size), r);
    expect(distance(applied(matrix, `block-jacobi?size=${size}`, r), expected)).toBeLessThan(1e-12);
  });

  test('spai0 has the least ‖I − M⁻¹ A‖', () => {
    const m = applied(matrix, 'spai0', new Float64Array(matrix.rows).fill(1));
    a.forEach((row, i) => {
      const error = (factor: number) =>
        row.reduce((sum, value, j) => sum + ((i === j ? 1 : 0) - factor * value) ** 2, 0);
      expect(error(m[i]!)).toBeLessThan(Math.min(error(1.01 * m[i]!), error(0.99 * m[i]!)));
    });
  });

  test.each([
    ['ssor', 1, 0],
    ['ssor?omega=1.5', 1.5, 0],
    ['ssor?omega=0.5&blocks=7', 0.5, 7],
  ])('%s', (spec, omega, blocks) => {
    const pieces = cutIntoPieces(matrix, Uint32Array.from(identity(matrix.rows)), blocks);
    const order = pieces.order!;
    const cut = keptOf(a, order, pieces);
    const half = (isLower: boolean): Dense =>
      cut.map((row, i) => row.map((value, j) => (i === j ? value / omega : j < i === isLower ? value : 0)));
    const right = Array.from(order, (row) => r[row]!);
    const inner = solveDense(half(true), right).map((value, i) => (value * (2 - omega) * cut[i]![i]!) / omega);
    const expected = new Float64Array(matrix.rows);
    solveDense(half(false), inner).forEach((value, i) => {
      expected[order[i]!] = value;
    });
    expect(
      distance(applied(matrix, `${spec}${spec.includes('?') ? '&' : '?'}order=natural`, r), expected),
    ).toBeLessThan(1e-12);
  });
});

test('block-jacobi finds the size of the blocks', () => {
  using M = precondition(engine, gallery('laplace2d5', { nx: 10, ny: 10, block: 3 }), 'block-jacobi');
  expect(M.explain()).toMatchObject({ blockRows: 3, blocks: 100, entries: 900 });
});

describe('fsai', () => {
  test('of a matrix without zeros is its inverse', () => {
    const n = 12;
    const full = csrMatrix({
      rows: n,
      cols: n,
      rowPtr: identity(n + 1).map((i) => i * n),
      colIdx: identity(n * n).map((k) => k % n),
      values: identity(n * n).map((k) => (k % (n + 1) === 0 ? n : 1 / (1 + Math.abs(Math.floor(k / n) - (k % n))))),
    });
    const r = sampleVector(n, 'real', 3);
    expect(distance(applied(full, 'fsai', r), solveDense(dense(full), r))).toBeLessThan(1e-13);
  });

  test.each(Object.entries(SYMMETRIC))('G A Gᵀ has ones on its diagonal: %s', (_, matrix) => {
    // The trace of M⁻¹ A is that of G A Gᵀ.
    const n = matrix.rows;
    const a = dense(matrix);
    const trace = identity(n).reduce(
      (sum, i) =>
        sum +
        applied(
          matrix,
          'fsai',
          a.map((row) => row[i]!),
        )[i]!,
      0,
    );
    expect(trace).toBeCloseTo(n, 10);
  });

  test('names the row in which a matrix is not positive definite', () => {
    const indefinite = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1], values: [1, 2, 2, 1] });
    expect(() => precondition(engine, indefinite, 'fsai')).toThrow(/^matrix: expected a positive definite .* of row 1/);
  });
});

describe('chebyshev', () => {
  const n = 50;
  const matrix = gallery('laplace1d3', { nx: n });

  test.each([
    [1, 30],
    [4, 30],
    [9, 4],
  ])('degree %i, ratio %i: the polynomial with the least maximum', (degree, ratio) => {
    using M = precondition(engine, matrix, `chebyshev?degree=${degree}&ratio=${ratio}`);
    const [low, high] = M.explain().bounds!;
    expect(high / low).toBeCloseTo(ratio, 10);
    expect(high).toBeGreaterThan(1.99);
    expect(high).toBeLessThanOrEqual(2);
    const T = (x: number) =>
      Math.abs(x) <= 1 ? Math.cos((degree + 1) * Math.acos(x)) : Math.cosh((degree + 1) * Math.acosh(Math.abs(x)));
    const z = new Float64Array(n);
    for (const j of [3, 20, 45]) {
      // An eigenvector of A, whose eigenvalue is 2 λ: D is 2.
      const v = Float64Array.from({ length: n }, (_, i) => Math.sin(((i + 1) * j * Math.PI) / (n + 1)));
      const lambda = 1 - Math.cos((j * Math.PI) / (n + 1));
      M.apply(
        v.map((value) => 2 * lambda * value),
        z,
      );
      const x = (high + low - 2 * lambda) / (high - low);
      const sign = x < -1 && degree % 2 === 0 ? -1 : 1;
      const left = (sign * T(x)) / T((high + low) / (high - low));
      expect(
        distance(
          z,
          v.map((value) => (1 - left) * value),
        ),
      ).toBeLessThan(1e-12);
    }
  });

  test('names a diagonal that is not positive', () => {
    const negative = { ...matrix, values: matrix.values.map((value) => -value) };
    expect(() => precondition(engine, negative, 'chebyshev')).toThrow(
      /^matrix: expected a positive diagonal, got -2 in row 0/,
    );
  });
});

test.each(['ssor', 'chebyshev'])('%s names a diagonal that it cannot invert', (name) => {
  const holes = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 0], values: [1, 1] });
  expect(() => precondition(engine, holes, name)).toThrow(/^matrix: expected a diagonal .* got 0 in row 1/);
});

test('block-jacobi names a block that is singular', () => {
  const singular = csrMatrix({ rows: 4, cols: 4, rowPtr: [0, 1, 2, 4, 6], colIdx: [0, 1, 2, 3, 2, 3] });
  expect(() => precondition(engine, singular, 'block-jacobi?size=2')).toThrow(/^matrix: .* in rows 2 to 3/);
});

test('iterations of cg, 5-point 60² in random order', () => {
  const matrix = shuffleRows(gallery('laplace2d5', { nx: 60, ny: 60 }));
  using A = engine.operator(matrix, { format: 'csr' });
  const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1), (value) => 1 + value / 2);
  const iterations = (spec: string) => {
    using M = precondition(engine, matrix, spec);
    const { x, iterations, converged } = cg(A, b, { preconditioner: M });
    x.dispose();
    expect(converged).toBe(true);
    return iterations;
  };
  const jacobi = iterations('jacobi');
  expect(iterations('spai0')).toBeLessThan(1.2 * jacobi);
  expect(iterations('ssor')).toBeLessThan(0.5 * jacobi);
  expect(iterations('fsai')).toBeLessThan(0.65 * jacobi);
  expect(iterations('ic0')).toBeLessThan(0.4 * jacobi);
  expect(iterations('chebyshev')).toBeLessThan(0.35 * jacobi);
  expect(iterations('chebyshev?degree=8')).toBeLessThan(0.25 * jacobi);
});

test('the same bits on any number of threads', async () => {
  const symmetric = ragged(30_000);
  const b = Float64Array.from(sampleVector(30_000, 'real', 1));
  const results: Float64Array[][] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using team = await createEngine({ threads, onHint: () => {} });
    results.push(
      ['block-jacobi?size=3', 'ssor?blocks=700', 'fsai', 'chebyshev'].map((spec) => {
        using M = precondition(team, symmetric, spec);
        const z = team.vector(b.length);
        M.apply(team.vector(b), z);
        return z.toArray();
      }),
    );
  }
  for (const result of results) expect(result).toEqual(results[0]);
});

test.each(PRECONDITIONERS.map(({ name }) => name))(
  '%s of a block has the bits of its columns, after an update too',
  (kind) => {
    const matrix = ragged(60);
    const { bytesInUse } = engine.heap;
    {
      using M = precondition(engine, matrix, kind);
      const numbers = Float64Array.from(sampleVector(3 * 60, 'real', 2));
      for (const factor of [1, 3]) {
        M.update(matrix.values.map((value) => factor * value));
        for (const columns of [3, 2, 3]) {
          using X = engine.vector(numbers.subarray(0, columns * 60), { columns, order: 'column' });
          using Y = engine.vector(60, { columns });
          M.apply(X, Y);
          const y = Y.toArray({ order: 'column' });
          const z = new Float64Array(60);
          for (let j = 0; j < columns; j++) {
            M.apply(numbers.slice(j * 60, (j + 1) * 60), z);
            expect(y.slice(j * 60, (j + 1) * 60)).toEqual(z);
          }
          M.apply(X, Y, 2, -1);
          const doubled = Y.toArray({ order: 'column' });
          for (const [k, value] of y.entries()) expect(doubled[k]).toBeCloseTo(value, 12);
        }
      }
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  },
);

/** Systems in which something is at an end: the range of numbers, the rounding of residuals, a diagonal, a null space. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  csrMatrix,
  type Engine,
  gallery,
  type SolveSystemOptions,
  solve,
} from '#dist/index.node.js';
import { SYSTEM_METHODS } from '#dist/solvers/direct.js';
import { drawFrom } from '../../bench/draw.mjs';
import { neumann, plate, rightSide } from '../../bench/solve/choice-problems.mjs';
import { relativeResidual } from './residual.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
});
afterAll(() => engine.dispose());

function solved(matrix: CsrMatrix, b: Float64Array, options: SolveSystemOptions = {}) {
  const { x, ...solution } = solve(engine, matrix, b, options);
  const numbers = x.toArray() as Float64Array;
  x.dispose();
  return { ...solution, x: numbers, residual: relativeResidual(matrix, numbers, b) };
}

describe('a matrix without entries', () => {
  test.each(SYSTEM_METHODS.map(({ name }) => name).concat('auto'))('%s returns an x that is finite', (method) => {
    for (const n of [1, 3]) {
      const {
        x,
        converged,
        relativeResidual: reported,
      } = solved(csrMatrix({ rows: n, cols: n, rowIdx: [], colIdx: [] }), new Float64Array(n).fill(1.5), { method });
      expect(x).toEqual(new Float64Array(n));
      expect(reported).toBe(1);
      // All x are nearest to b, which methods of least squares are asked for.
      expect(converged).toBe(/^ls/.test(method));
    }
  });
});

describe('an x0 that is far off', () => {
  const far = (n: number) => Float64Array.from({ length: n }, (_, i) => 1e10 * Math.sin(i) + 3e9);

  test('in a null space', () => {
    const matrix = neumann(40, 30);
    const b = rightSide(matrix.rows);
    for (const method of ['auto', 'direct']) {
      const { converged, relativeResidual: reported } = solved(matrix, b, { method, x0: far(matrix.rows) });
      expect([converged, reported < 1.01e-8]).toEqual([true, true]);
    }
  });

  test('in a null space, where iterations go on from one plan to the next', () => {
    const draw = drawFrom(9);
    const n = 12_000;
    const builder = new CsrBuilder(n, n);
    for (let v = 1; v < n; v++)
      for (let edge = 0; edge < 3; edge++) {
        const u = Math.floor(draw() ** 2 * v);
        builder.addAll([v, v, u, u], [v, u, u, v], [1, -1, 1, -1]);
      }
    const { converged, decision } = solved(builder.build(), rightSide(n), { x0: far(n) });
    expect([converged, decision.attempts.length]).toEqual([true, 2]);
  });

  test('leaves nothing in the x of factors', () => {
    const matrix = plate(40);
    const b = rightSide(matrix.rows);
    const options = { method: 'direct', rtol: 1e-15 };
    expect(solved(matrix, b, { ...options, x0: far(matrix.rows) }).residual).toBe(solved(matrix, b, options).residual);
    // An x0 that is good stays.
    const { x } = solved(matrix, b, { method: 'direct' });
    expect(solved(matrix, b, { method: 'direct', x0: x })).toMatchObject({ iterations: 0, x });
  });
});

test('where a residual of iterations is rounding errors, that of factors may be less', () => {
  const draw = drawFrom(5);
  const grid = gallery('laplace3d7', { nx: 14, ny: 14, nz: 14 });
  // D A D, whose numbers are of twenty magnitudes.
  const d = Array.from({ length: grid.rows }, () => 10 ** (10 * draw() - 5));
  const values = grid.values.slice();
  for (let i = 0; i < grid.rows; i++)
    for (let k = grid.rowPtr[i]!; k < grid.rowPtr[i + 1]!; k++) values[k]! *= d[i]! * d[grid.colIdx[k]!]!;
  const matrix = { ...grid, values };
  const b = rightSide(matrix.rows);
  const { decision, residual } = solved(matrix, b, { order: 'natural' });
  expect(decision.attempts.map(({ method }) => method)).toEqual(['cg', 'direct']);
  expect(residual).toBeLessThanOrEqual(1.01 * solved(matrix, b, { method: 'direct', order: 'natural' }).residual);
  expect(decision.reasons.at(-1)).toMatch(/^b − A x consists of rounding errors/);
});

describe('where bicgstab fails, and factors take seconds', () => {
  /** Entries at random places, whose factors fill in. */
  const scattered = (n: number, diagonal: number): CsrMatrix => {
    const draw = drawFrom(21);
    const builder = new CsrBuilder(n, n);
    for (let i = 0; i < n; i++) {
      builder.add(i, i, diagonal);
      for (let k = 0; k < 4; k++) builder.add(i, Math.floor(draw() * n), 2 * (draw() + draw() + draw() - 1.5));
    }
    return builder.build();
  };
  const attemptsOf = (n: number, diagonal: number) => {
    const { converged, decision } = solved(scattered(n, diagonal), rightSide(n));
    expect(converged).toBe(true);
    return decision.attempts.map(({ method, iterations }) => [method.split('?')[0]!, iterations] as const);
  };

  test('gmres is tried before', () => {
    expect(attemptsOf(7000, 2).map(([method]) => method)).toEqual(['bicgstab', 'gmres']);
  });

  test('and left soon if it stands still', () => {
    const attempts = attemptsOf(4000, 0.7);
    expect(attempts.map(([method]) => method)).toEqual(['bicgstab', 'gmres', 'direct']);
    expect(attempts[1]![1]).toBeLessThan(1000);
  });
});

describe('symmetric up to rounding', () => {
  const laplacian = gallery('laplace3d7', { nx: 16, ny: 16, nz: 16 });
  const b = rightSide(laplacian.rows);

  test('a rounding error without an entry across the diagonal, and a zero that is stored', () => {
    const builder = new CsrBuilder(laplacian.rows, laplacian.rows);
    for (let i = 0; i < laplacian.rows; i++)
      for (let k = laplacian.rowPtr[i]!; k < laplacian.rowPtr[i + 1]!; k++)
        builder.add(i, laplacian.colIdx[k]!, laplacian.values[k]!);
    builder.add(3, 1000, 1e-16);
    builder.add(700, 20, 0);
    const { decision, residual } = solved(builder.build(), b);
    expect(decision).toMatchObject({ method: 'cg', facts: { symmetric: true, roundedSymmetry: true } });
    expect(residual).toBeLessThan(1.01e-8);
  });

  /** Numbers above the diagonal differ by this share from those below it. */
  const rounded = (share: number): CsrMatrix => {
    const values = laplacian.values.slice();
    for (let i = 0; i < laplacian.rows; i++)
      for (let k = laplacian.rowPtr[i]!; k < laplacian.rowPtr[i + 1]!; k++)
        if (laplacian.colIdx[k]! > i) values[k]! *= 1 + share;
    return { ...laplacian, values, symmetry: 'general' };
  };

  test('the format that stores half of it takes it, and says so', async () => {
    const hints: string[] = [];
    await using own = await createEngine({
      threads: 1,
      onHint: ({ name, message }) => name === 'fell-back' && hints.push(message),
    });
    using A = own.operator(rounded(2e-16), { format: 'sss' });
    const y = new Float64Array(A.rows);
    A.apply(b, y);
    using exact = own.operator(laplacian, { format: 'csr' });
    const expected = new Float64Array(A.rows);
    exact.apply(b, expected);
    for (const [i, value] of y.entries()) expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-13);
    expect(hints).toEqual(['symmetric up to rounding: the numbers below the diagonal stand for those above it']);
    expect(() => own.operator(rounded(1e-8), { format: 'sss' })).toThrow(/expected -1\.\d+ to mirror/);
  });

  test('the residual is that of all numbers', () => {
    const options = { format: 'sss', rtol: 1e-10 };
    const { converged, relativeResidual: reported, residual } = solved(rounded(9e-11), b, options);
    expect([converged, residual > 1e-9]).toEqual([false, true]);
    expect(reported).toBeCloseTo(residual, 14);
    expect(solved(rounded(2e-16), b, options)).toMatchObject({ converged: true, format: 'sss?blocks=1' });
  });
});

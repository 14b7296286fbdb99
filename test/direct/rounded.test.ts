/** Factors that are stored as f32, for vectors of f64: `dtype: 'mixed'`. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  cg,
  createEngine,
  createSolver,
  type Engine,
  factor,
  gallery,
  gmres,
  precondition,
  solve,
} from '#dist/index.node.js';
import { dense, distance, solveDense } from '../preconditioners/dense.js';
import { relativeResidual } from '../solvers/residual.js';
import {
  backwardError,
  DEFINITE,
  determinant,
  INDEFINITE,
  identity,
  rightSide,
  saddlePoint,
  shift,
} from './matrices.js';

/** The unit of rounding of f32. */
const UNIT = 2 ** -24;

let engine: Engine;
let bytesInUse = 0;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  // What the engine keeps from the first solve on.
  using A = engine.operator(identity(3));
  cg(A, rightSide(3)).x.dispose();
});
afterAll(() => engine.dispose());
beforeEach(() => {
  bytesInUse = engine.heap.bytesInUse;
});
afterEach(() => expect(engine.heap.bytesInUse).toBe(bytesInUse));

const { 'a saddle point whose first block is nearly singular': nearlySingular, ...REGULAR } = INDEFINITE;

describe.each(Object.entries({ ...DEFINITE, ...REGULAR }))('%s', (_, matrix) => {
  test('is factored up to the rounding of f32, and solutions are refined to that of f64', () => {
    using F = factor(engine, matrix, { dtype: 'mixed' });
    using G = factor(engine, matrix);
    expect(F.method).toBe(G.method);
    const b = rightSide(matrix.rows);
    const x = F.solve(b);
    expect(backwardError(matrix, x, b)).toBeLessThan(1e-14);
    expect(distance(x, solveDense(dense(matrix), b))).toBeLessThan(1e-8);
    const once = new Float64Array(matrix.rows);
    F.apply(b, once);
    // A diagonal of few bits has no rounding errors.
    expect(backwardError(matrix, once, b)).toBeLessThan(1000 * UNIT);
    const { log, sign } = determinant(matrix);
    expect(Math.abs(F.logDeterminant.log - log)).toBeLessThan(matrix.rows * 1e-4);
    expect(F.logDeterminant.sign).toBe(sign);
    expect(F.inertia).toEqual(G.inertia);
  });
});

test('a pivot below the rounding of f32 is replaced: the factors are a preconditioner', () => {
  using F = factor(engine, nearlySingular, { dtype: 'mixed' });
  using A = engine.operator(nearlySingular);
  const b = rightSide(nearlySingular.rows);
  const { x, converged, iterations } = gmres(A, b, { preconditioner: F, rtol: 1e-10 });
  expect(converged).toBe(true);
  expect(iterations).toBeLessThan(30);
  x.dispose();
});

test('takes half the memory, and is not what f64 gives', () => {
  const matrix = gallery('laplace3d7', { nx: 20, ny: 20, nz: 20 });
  using F = factor(engine, matrix, { dtype: 'mixed' });
  using G = factor(engine, matrix);
  expect(F.bytes / G.bytes).toBeLessThan(0.6);
  expect([F.stored, F.explain().dtype, G.stored, G.explain().dtype]).toEqual(['f32', 'mixed', 'f64', 'f64']);
  const b = rightSide(matrix.rows);
  const [x, y] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
  F.apply(b, x);
  G.apply(b, y);
  const far = distance(x, y);
  expect(far).toBeGreaterThan(1e-9);
  expect(far).toBeLessThan(1e-4);
});

test.each(['cholesky', 'ldlt'] as const)('each column has the bits that it has alone: %s', (method) => {
  const matrix = DEFINITE['a Laplacian of 27 points'];
  using F = factor(engine, matrix, { method, dtype: 'mixed' });
  const n = matrix.rows;
  const B = Float64Array.from({ length: 6 * n }, (_, i) => Math.sin(i));
  const X = F.solve(B);
  for (let j = 0; j < 6; j++) expect(X.subarray(j * n, (j + 1) * n)).toEqual(F.solve(B.subarray(j * n, (j + 1) * n)));
});

test('numbers far beyond the range of f32', () => {
  const matrix = DEFINITE['a Laplacian'];
  for (const size of [1e-200, 1e200]) {
    const values = matrix.values.map((value) => size * value);
    using F = factor(engine, { ...matrix, values }, { dtype: 'mixed' });
    const b = rightSide(matrix.rows);
    expect(backwardError({ ...matrix, values }, F.solve(b), b)).toBeLessThan(1e-14);
  }
});

test('an update keeps f32, also where another method goes on; lu stores f64, and a note says so', () => {
  const matrix = DEFINITE['a Laplacian'];
  using F = factor(engine, matrix, { dtype: 'mixed' });
  F.update(shift(matrix, 3.1).values);
  expect([F.method, F.stored]).toEqual(['ldlt', 'f32']);
  using G = factor(engine, matrix, { method: 'lu', dtype: 'mixed' });
  expect([G.stored, G.explain().dtype, G.explain().note]).toEqual(['f64', 'f64', 'in f64: lu stores no f32']);
});

test('as a preconditioner by name', () => {
  const matrix = gallery('diffusion2d', { nx: 60, ny: 60, jump: 1e3 });
  using M = precondition(engine, matrix, 'direct', { dtype: 'mixed' });
  expect(M.explain()).toMatchObject({ method: 'cholesky', dtype: 'mixed' });
  using A = engine.operator(matrix);
  const { x, converged, iterations } = cg(A, rightSide(matrix.rows), { preconditioner: M, rtol: 1e-10 });
  expect(converged).toBe(true);
  expect(iterations).toBeGreaterThan(1);
  expect(iterations).toBeLessThan(10);
  x.dispose();
});

describe('where factors of f64 do not fit', () => {
  const cube = gallery('laplace3d7', { nx: 20, ny: 20, nz: 20 });
  const SYSTEMS = {
    cg: cube,
    'gmres?restart=20': { ...cube, values: cube.values.map((value) => (value === 6 ? 2.7 : value)) },
  };

  test.each(Object.entries(SYSTEMS))('solve takes those of f32 as a preconditioner of %s', async (method, matrix) => {
    // Room for the operator, the vectors and six tenths of the factors.
    let needed = 0;
    {
      using F = factor(engine, matrix);
      needed = F.bytes;
    }
    await using small = await createEngine({
      threads: 1,
      maximumBytes: Math.ceil((0.85 * needed) / 2 ** 16) * 2 ** 16,
    });
    const b = rightSide(matrix.rows);
    expect(() => factor(small, matrix)).toThrow(/^factors: expected room for \d+ bytes/);
    const { x, converged, iterations, decision } = solve(small, matrix, b, { method: 'direct', rtol: 1e-12 });
    expect([converged, decision.method, decision.preconditioner]).toEqual([true, method, 'direct']);
    expect(iterations).toBeLessThan(10);
    expect(relativeResidual(matrix, x.toArray(), b)).toBeLessThan(1.01e-12);
    expect(decision.reasons).toContain('factors in f32, for which there is room: a preconditioner');
    x.dispose();
    using solver = createSolver(small, matrix, { method: 'direct' });
    solver.update(matrix.values.map((value) => 2 * value));
    const again = solver.solve(b);
    expect([again.converged, again.decision.method]).toEqual([true, method]);
    again.x.dispose();
  });
});

test('the predicted memory is what is taken, or a little more', () => {
  for (const matrix of [DEFINITE['a Laplacian'], saddlePoint(200, 80)]) {
    const before = engine.heap.bytesInUse;
    using F = factor(engine, matrix, { dtype: 'mixed' });
    expect(engine.heap.bytesInUse - before).toBeLessThan(F.bytes + 64 * 24);
  }
});

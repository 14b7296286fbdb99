/** A prepared solver: the same answers as `solve`, and nothing made twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, createSolver, csrMatrix, type Engine, gallery, solve } from '#dist/index.node.js';
import { useSums } from './engines.js';
import { relativeResidual } from './residual.js';

const MATRIX = gallery('laplace2d5', { nx: 40, ny: 30 });
const N = MATRIX.rows;
const side = (k: number) => Float64Array.from({ length: N }, (_, i) => Math.sin(i * (k + 1)));

/** Unknowns in an order in which neighbours are far apart. */
function shuffled() {
  const { rows, cols, rowPtr, colIdx, values } = MATRIX;
  const place = (i: number) => (i * 601) % N;
  const [row, col] = [new Uint32Array(colIdx.length), new Uint32Array(colIdx.length)];
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      row[k] = place(i);
      col[k] = place(colIdx[k]!);
    }
  return csrMatrix({ rows, cols, rowIdx: row, colIdx: col, values });
}

describe('a prepared solver', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await createEngine({ threads: 2, tuning: 'built-in' });
    useSums(engine, N);
  });
  afterAll(() => engine.dispose());

  test('gives the bits of solve for every right-hand side, and keeps what it made', () => {
    const before = engine.heap.bytesInUse;
    const solver = createSolver(engine, MATRIX, { rtol: 1e-10 });
    expect(solver.setupMs).toBeGreaterThan(0);
    expect([solver.rows, solver.cols, solver.decision.attempts]).toEqual([N, N, []]);
    const prepared = engine.heap.bytesInUse;
    for (let k = 0; k < 3; k++) {
      using x = solver.solve(side(k)).x;
      using alone = solve(engine, MATRIX, side(k), { rtol: 1e-10 }).x;
      expect(x.toArray()).toEqual(alone.toArray());
    }
    expect(engine.heap.bytesInUse).toBe(prepared);
    solver.dispose();
    solver.dispose();
    expect(engine.heap.bytesInUse).toBe(before);
    expect(() => solver.solve(side(0))).toThrow(/a disposed solver/);
  });

  test('a method that failed is not tried again', () => {
    // Symmetric with a positive diagonal, and not definite: cg finds out.
    const rows = 100;
    const tridiagonal = csrMatrix({
      ...{ rows, cols: rows },
      rowIdx: Array.from({ length: 3 * rows - 2 }, (_, k) => Math.floor((k + 1) / 3)),
      colIdx: Array.from({ length: 3 * rows - 2 }, (_, k) => Math.floor((k + 1) / 3) + ((k + 1) % 3) - 1),
      values: Array.from({ length: 3 * rows - 2 }, (_, k) => ((k + 1) % 3 === 1 ? 1 : 2)),
    });
    using solver = createSolver(engine, tridiagonal, { preconditioner: 'jacobi' });
    const b = new Float64Array(rows).fill(1);
    const methods = [solver.solve(b), solver.solve(b)].map(({ x, decision }) => {
      x.dispose();
      return decision.attempts.map(({ method }) => method);
    });
    expect(methods).toEqual([['cg', 'minres'], ['minres']]);
    expect(solver.decision.method).toBe('minres');
  });

  test.each(['natural', 'rcm'] as const)('other values in the same pattern, in the order %s', (order) => {
    const matrix = shuffled();
    using solver = createSolver(engine, matrix, { order, preconditioner: 'ic0', rtol: 1e-10 });
    solver.solve(side(0)).x.dispose();
    const values = matrix.values.map((value, k) => value * 3 + (value > 0 ? k % 5 : 0));
    // The diagonal alone changed by more than a factor.
    solver.update(values);
    using x = solver.solve(side(1)).x;
    expect(relativeResidual({ ...matrix, values }, x.toArray(), side(1))).toBeLessThan(1.1e-10);
    expect(relativeResidual(matrix, x.toArray(), side(1))).toBeGreaterThan(0.1);
  });

  test('limits are defaults that a solve may change, and x0 is its own', () => {
    using solver = createSolver(engine, MATRIX, { maxIterations: 2, preconditioner: 'none', method: 'cg' });
    const short = solver.solve(side(0));
    const long = solver.solve(side(0), { maxIterations: 1000, x0: short.x });
    expect([short.reason, short.iterations, long.reason]).toEqual(['iterations', 2, 'tolerance']);
    short.x.dispose();
    long.x.dispose();
  });

  test('interleaved solves have their own vectors, and an update waits for none of them', async () => {
    using solver = createSolver(engine, MATRIX);
    const iterations = [solver.steps(side(0), {}), solver.steps(side(1), {})];
    for (const steps of iterations) steps.next();
    expect(() => solver.update(MATRIX.values)).toThrow(/one that does not solve/);
    const solutions = iterations.map((steps) => {
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
      }
    });
    for (const [k, { x }] of solutions.entries()) {
      expect(relativeResidual(MATRIX, x.toArray(), side(k))).toBeLessThan(1.1e-8);
      x.dispose();
    }
    solver.update(MATRIX.values);
    (await solver.solveAsync(side(2))).x.dispose();
  });

  test('wrong arguments leave nothing behind', () => {
    const before = engine.heap.bytesInUse;
    expect(() => createSolver(engine, MATRIX, { rtol: 2 })).toThrow(/rtol/);
    expect(() => createSolver(engine, MATRIX, { x0: side(0) } as never)).toThrow(/x0/);
    expect(() => createSolver(engine, MATRIX, { preconditioner: 'none', method: 'cgg' })).toThrow(/method/);
    expect(() => createSolver(engine, MATRIX, { preconditioner: 'ic00' })).toThrow(/preconditioner/);
    using A = engine.operator(MATRIX, { format: 'csr' });
    using solver = createSolver(engine, A);
    expect(() => solver.update(MATRIX.values)).toThrow(/not of an operator/);
    expect(() => solver.solve(side(0), { method: 'cg' } as never)).toThrow(/method/);
    expect(() => solver.solve(new Float64Array(3))).toThrow(/length/);
    solver.dispose();
    A.dispose();
    expect(engine.heap.bytesInUse).toBe(before);
    using own = createSolver(engine, MATRIX);
    expect(() => own.update(new Float64Array(3))).toThrow(/length nnz/);
    expect(() => own.update([1] as never)).toThrow(/values/);
  });
});

/** `solve` and `solveAsync`: what they choose, and that it is right. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  CsrBuilder,
  type CsrMatrix,
  functionOperator,
  gallery,
  type SystemSolution,
  solve,
  solveAsync,
  transposeMatrix,
} from '#dist/index.node.js';
import { SYSTEM_METHODS } from '#dist/solvers/direct.js';
import { METHODS } from '#dist/solvers/methods.js';
import { SPACES, useSums } from './engines.js';
import { normOf, relativeResidual, residualOf } from './residual.js';

/** A band matrix: the elements of each row, by distance from the diagonal. */
function band(n: number, of: (i: number) => Readonly<Record<number, number>>): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++)
    for (const [distance, value] of Object.entries(of(i))) {
      const j = i + Number(distance);
      if (j >= 0 && j < n) builder.add(i, j, value);
    }
  return builder.build();
}

const LAPLACE = gallery('laplace2d5', { nx: 20, ny: 20 });
const CONVECTION = band(400, () => ({ [-1]: -1.8, 0: 2.5, 1: -0.4 }));

const CHOICES: Record<string, { matrix: CsrMatrix; attempts: readonly string[]; preconditioner: string }> = {
  'symmetric, positive diagonal': { matrix: LAPLACE, attempts: ['cg'], preconditioner: 'ic0' },
  'symmetric, diagonal of both signs': {
    matrix: band(400, (i) => ({ [-1]: -1, 0: i % 2 === 0 ? 4 : -4, 1: -1 })),
    attempts: ['minres'],
    preconditioner: 'none',
  },
  'symmetric, zeros on the diagonal': {
    matrix: band(400, () => ({ [-1]: 1, 0: 0, 1: 1 })),
    attempts: ['minres'],
    preconditioner: 'none',
  },
  'symmetric with a positive diagonal, and not definite': {
    matrix: band(400, (i) => ({ [-1]: i % 2 === 0 ? 2 : 3, 0: 1, 1: i % 2 === 0 ? 3 : 2 })),
    attempts: ['cg', 'minres'],
    preconditioner: 'jacobi',
  },
  'not symmetric': { matrix: CONVECTION, attempts: ['bicgstab'], preconditioner: 'ilu0' },
  'not symmetric, a rotation': {
    // Without ilu0, whose rows are permuted, bicgstab divides by zero in its first step: (r̃, A r̃) = 0.
    matrix: band(400, (i) => ({ [i % 2 === 0 ? 1 : -1]: (i % 2 === 0 ? 1 : -1) * (1 + ((i >> 1) % 5)) })),
    attempts: ['bicgstab'],
    preconditioner: 'ilu0',
  },
  'not symmetric, small': {
    matrix: band(40, () => ({ [-1]: -1.8, 0: 2.5, 1: -0.4 })),
    attempts: ['gmres?restart=40'],
    preconditioner: 'ilu0',
  },
};

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 400);
  });
  afterAll(() => engine.dispose());

  test.each(Object.entries(CHOICES))('%s', (_, { matrix, attempts, preconditioner }) => {
    const { bytesInUse } = engine.heap;
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    const { x, reason, decision, relativeResidual: reported } = solve(engine, matrix, b, { format: 'csr' });
    // Factors of a small matrix take no time; a device has none.
    const [methods, M] = engine.device === 'cpu' ? [['direct'], 'none'] : [attempts, preconditioner];
    expect(decision.attempts.map(({ method }) => method)).toEqual(methods);
    expect([decision.method, decision.preconditioner, reason]).toEqual([methods.at(-1), M, 'tolerance']);
    expect(decision.reasons.length).toBeGreaterThanOrEqual(methods.length);
    expect(reported).toBeCloseTo(relativeResidual(matrix, x.toArray(), b), 12);
    x.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a rectangle: least squares', () => {
    const builder = new CsrBuilder(30, 20);
    for (let j = 0; j < 20; j++) for (const [k, i] of [j, j + 3, j + 10].entries()) builder.add(i, j, [7, -1, 2][k]!);
    const matrix = builder.build();
    const b = Float64Array.from(sampleVector(30, 'real', 1));
    const { x, reason, decision } = solve(engine, matrix, b, { format: 'csr' });
    expect([decision.method, decision.preconditioner, reason]).toEqual(['lsmr', 'none', 'tolerance']);
    const transpose = transposeMatrix(matrix);
    const gradientOf = (r: Float64Array) => normOf(residualOf(transpose, r, new Float64Array(20)));
    expect(gradientOf(residualOf(matrix, x.toArray(), b)) / gradientOf(b)).toBeLessThan(1.01e-8);
    x.dispose();
  });

  test('a tall matrix whose columns differ is scaled; a wide one is not, since that would give another x', () => {
    const builder = new CsrBuilder(120, 80);
    for (let j = 0; j < 80; j++)
      for (const [k, i] of [j, j + 3, j + 40].entries()) builder.add(i, j, [7, -1, 2][k]! * 10 ** (j % 4));
    const tall = builder.build();
    const of = (matrix: CsrMatrix, options: Parameters<typeof solve>[3] = {}) => {
      const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
      const { x, reason, decision, iterations } = solve(engine, matrix, b, { ...options, format: 'csr' });
      expect(reason).toBe('tolerance');
      x.dispose();
      return { ...decision, iterations };
    };
    const scaled = of(tall);
    expect(scaled).toMatchObject({ method: 'lsmr', preconditioner: 'jacobi' });
    expect(scaled.facts!.columnRatio).toBeCloseTo(1000, 9);
    expect(scaled.iterations).toBeLessThan(of(tall, { preconditioner: 'none' }).iterations / 2);
    expect(of(tall, { method: 'lsqr' }).preconditioner).toBe('jacobi');
    expect(of(tall, { method: 'lsqr', preconditioner: 'jacobi' }).facts).toBeUndefined();
    expect(of(transposeMatrix(tall)).preconditioner).toBe('none');
  });

  test('method and preconditioner by name', () => {
    const b = new Float64Array(400).fill(1);
    const of = (options: Parameters<typeof solve>[3]) => {
      const { x, reason, decision } = solve(engine, LAPLACE, b, { ...options, format: 'csr' });
      expect(relativeResidual(LAPLACE, x.toArray(), b)).toBeLessThan(reason === 'tolerance' ? 1.01e-8 : 1);
      x.dispose();
      return [decision.method, decision.preconditioner, reason];
    };
    const CHOSEN = { definite: 'ic0', symmetric: 'ic0', square: 'ilu0', any: 'none' };
    for (const { name: method, solves } of METHODS) {
      expect(of({ method })).toEqual([method, CHOSEN[solves], 'tolerance']);
      expect(of({ method, preconditioner: 'none' })).toEqual([method, 'none', 'tolerance']);
    }
    expect(of({ method: 'gmres?restart=50' })).toEqual(['gmres?restart=50', 'ilu0', 'tolerance']);
    using M = functionOperator(engine, 400, 400, (r, z) => z.copyFrom(r).scale(0.25));
    expect(of({ preconditioner: M })).toEqual(['cg', 'given', 'tolerance']);
    // A method that is named does not give way to another one.
    using negative = engine.operator({ ...LAPLACE, values: LAPLACE.values.map((v) => -v) }, { format: 'csr' });
    const { x, reason, decision } = solve(engine, negative, b, { method: 'cg' });
    expect([reason, decision.attempts.length]).toEqual(['not-definite', 1]);
    x.dispose();
  });

  test('a bad order of the unknowns is replaced within the solve', () => {
    const mesh = gallery('delaunay', { n: 4000 });
    const b = Float64Array.from(sampleVector(4000, 'real', 1));
    const x0 = Float64Array.from(sampleVector(4000, 'real', 2));
    const of = (options: Parameters<typeof solve>[3]) => {
      const { x, reason, decision, iterations } = solve(engine, mesh, b, {
        x0,
        preconditioner: 'ssor',
        ...options,
        format: 'csr',
      });
      const residual = relativeResidual(mesh, x.toArray(), b);
      x.dispose();
      expect([reason, residual < 1.01e-8]).toEqual(['tolerance', true]);
      return { order: decision.order, iterations, reasons: decision.reasons };
    };
    const options = engine.device === 'cpu' ? {} : { preconditioner: 'jacobi' };
    expect(of(options)).toMatchObject({
      order: 'rcm',
      reasons: expect.arrayContaining([expect.stringMatching(/^rcm: in /)]),
    });
    expect(of({ ...options, order: 'natural' }).order).toBe('natural');
    using A = engine.operator(mesh, { format: 'csr' });
    expect(() => solve(engine, A, b, { order: 'rcm' })).toThrow(/^order: expected none for an operator/);
    expect(() => solve(engine, mesh, b.subarray(1))).toThrow(/^b: expected /);
    // The solution as x0 needs no iteration: it is permuted as b is.
    const { x } = solve(engine, mesh, b, { preconditioner: 'jacobi', rtol: 1e-10 });
    const again = solve(engine, mesh, engine.vector(b), { x0: x, preconditioner: 'jacobi', rtol: 1e-9 });
    expect(again.iterations).toBe(0);
    x.dispose();
    again.x.dispose();
  });

  test('an operator is used as it is, and not disposed', () => {
    const b = Float64Array.from(sampleVector(400, 'real', 1));
    using A = engine.operator(CONVECTION, { format: 'csr' });
    for (let turn = 0; turn < 2; turn++) {
      const { x, reason, decision, format } = solve(engine, A, b);
      const method = engine.device === 'cpu' ? 'direct' : 'bicgstab';
      expect([reason, decision.method, format]).toEqual(['tolerance', method, 'csr']);
      expect(relativeResidual(CONVECTION, x.toArray(), b)).toBeLessThan(1.01e-8);
      x.dispose();
    }
    expect(A.disposed).toBe(false);
  });

  test('set-up and solve are timed', () => {
    const { x, setupMs, solveMs, products } = solve(engine, LAPLACE, new Float64Array(400).fill(1), { format: 'csr' });
    for (const one of [setupMs, solveMs, products]) expect(one).toBeGreaterThan(0);
    x.dispose();
  });

  test('solveAsync: the bits of solve; the event loop turns, and progress is told', async () => {
    const matrix = gallery('laplace2d5', { nx: 100, ny: 100 });
    const b = new Float64Array(matrix.rows).fill(1);
    const options = { rtol: 0, maxIterations: 500, preconditioner: 'none', format: 'csr', method: 'gmres?restart=60' };
    const { x: expected } = solve(engine, matrix, b, options);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const steps: number[] = [];
    const solution = await solveAsync(engine, matrix, b, {
      ...options,
      onProgress: ({ iteration }) => steps.push(iteration),
    });
    clearInterval(timer);
    expect(solution.x.toArray()).toEqual(expected.toArray());
    expect(turns).toBeGreaterThan(2);
    expect(steps.length).toBeGreaterThan(2);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    for (const x of [expected, solution.x]) x.dispose();
  });

  test('solveAsync: an abort ends the solve in its middle, and x is there', async () => {
    const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
    const controller = new AbortController();
    const b = new Float64Array(matrix.rows).fill(1);
    const solution: SystemSolution = await solveAsync(engine, matrix, b, {
      ...{ rtol: 0, preconditioner: 'none', format: 'csr', method: 'gmres?restart=200', signal: controller.signal },
      onProgress: () => controller.abort(),
    });
    expect([solution.reason, solution.converged]).toEqual(['stopped', false]);
    expect(solution.relativeResidual).toBeCloseTo(relativeResidual(matrix, solution.x.toArray(), b), 8);
    expect(solution.relativeResidual).toBeLessThan(1);
    solution.x.dispose();
  });

  test('an error of onProgress ends the solve, and nothing stays allocated', async () => {
    const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
    const { bytesInUse } = engine.heap;
    const failed = solveAsync(engine, matrix, new Float64Array(matrix.rows).fill(1), {
      ...{ rtol: 0, method: 'gmres?restart=100', format: 'csr' },
      onProgress() {
        throw new Error('on purpose');
      },
    });
    await expect(failed).rejects.toThrow('on purpose');
    if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each([
    ['engine', () => solve(5 as never, LAPLACE, new Float64Array(400)), /^engine: expected one made by createEngine/],
    ['method', { method: 'lu' }, `method: expected ${SYSTEM_METHODS.map(({ name }) => name).join(' | ')}, got 'lu'`],
    ['a parameter', { method: 'gmres?restart=0' }, /^method gmres restart: expected an integer from 1 to 1000/],
    ['preconditioner', { preconditioner: 'ilu9' }, /^preconditioner: expected/],
    [
      'preconditioner of least squares',
      { method: 'lsqr', preconditioner: 'ic0' },
      /expected jacobi, none or an operator for/,
    ],
    ['an unknown option', { tol: 1 }, /^options: expected only the options x0/],
    ['b', () => solve(engine, LAPLACE, new Float64Array(3)), /^b: expected length 400/],
    ['format', { format: 'cssr' }, /^format: expected/],
  ])('a wrong argument: %s', (_, call, message) => {
    const run = typeof call === 'function' ? call : () => solve(engine, LAPLACE, new Float64Array(400), call as never);
    const { bytesInUse } = engine.heap;
    expect(run).toThrow(message);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

/** What `solve` chooses for systems of many kinds: it always comes back with an x where a direct solver would. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { estimateFactors } from '#dist/direct/estimate.js';
import {
  bicgstab,
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  createSolver,
  type Engine,
  gallery,
  type Solver,
  type SolveSystemOptions,
  solve,
  solveAsync,
} from '#dist/index.node.js';
import { factsOf } from '#dist/solvers/decide.js';
import { multigridFor } from '#dist/solvers/elliptic.js';
import { runnersFor } from '#dist/solvers/runners.js';
import { drawFrom } from '../../bench/draw.mjs';
import * as problems from '../../bench/solve/choice-problems.mjs';
import { useSums } from './engines.js';
import { relativeResidual } from './residual.js';

/** A band matrix: the elements of each row, by distance from the diagonal. @param empty rows and columns without any */
function band(
  n: number,
  of: (i: number) => Readonly<Record<number, number>>,
  empty: readonly number[] = [],
): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++)
    for (const [distance, value] of Object.entries(of(i))) {
      const j = i + Number(distance);
      if (j >= 0 && j < n && !empty.includes(i) && !empty.includes(j)) builder.add(i, j, value);
    }
  return builder.build();
}

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
  useSums(engine, 30_000);
});
afterAll(() => engine.dispose());

describe('symmetric up to rounding', () => {
  test('normal equations of an interior-point method are solved by a method for symmetric matrices', () => {
    const matrix = problems.interiorPoint(1500, 4500);
    const b = problems.rightSide(matrix.rows);
    const { x, converged, decision } = solve(engine, matrix, b);
    const residual = relativeResidual(matrix, x.toArray(), b);
    x.dispose();
    expect(decision.facts).toMatchObject({ symmetric: true, roundedSymmetry: true });
    expect(decision.reasons).toContain('symmetric up to rounding: counted as symmetric');
    expect(['cg', 'direct']).toContain(decision.method);
    expect([converged, residual < 1.01e-8]).toEqual([true, true]);
  });
});

/** Solves with what is chosen, and checks x apart from the library. */
function solved(matrix: CsrMatrix, options: SolveSystemOptions = {}) {
  const { bytesInUse } = engine.heap;
  const b = problems.rightSide(matrix.rows);
  const { x, ...solution } = solve(engine, matrix, b, options);
  const numbers = x.toArray();
  x.dispose();
  expect(engine.heap.bytesInUse).toBe(bytesInUse);
  const attempts = solution.decision.attempts.map(({ method, preconditioner, reason }) =>
    [method, preconditioner, reason].join(' '),
  );
  return { ...solution, attempts, residual: relativeResidual(matrix, numbers, b), x: numbers };
}

describe('plans by time', () => {
  test.each([
    ['a small matrix: factors at once', () => gallery('laplace2d5', { nx: 20, ny: 20 }), ['direct none tolerance']],
    ['few iterations: jacobi', () => gallery('laplace3d27', { nx: 14, ny: 14, nz: 14 }), ['cg jacobi tolerance']],
    [
      'more of them than ic0 takes: it goes on from their x',
      () => problems.tetrahedra(20),
      ['cg jacobi slow', 'cg ic0 tolerance'],
    ],
    ['a plate, in two dimensions: factors', () => problems.plate(60), ['cg jacobi slow', 'direct none tolerance']],
    [
      'a circuit with zeros on its diagonal: factors at once',
      () => problems.nodalCircuit(1500),
      ['direct none tolerance'],
    ],
    ['a saddle point: factors at once', () => problems.stokes(96), ['direct none tolerance']],
    [
      'a larger one: after a few iterations, which cost little',
      () => problems.stokes(200),
      ['minres none slow', 'direct none tolerance'],
    ],
  ])('%s', (_, make, expected) => {
    const { attempts, reason, residual, decision } = solved(make());
    expect([attempts, reason, residual < 1.01e-8]).toEqual([expected, 'tolerance', true]);
    for (const { expectedMs } of decision.attempts) expect(expectedMs).toBeGreaterThan(0);
    const left = decision.reasons.filter((text) => / after \d+ iterations: \d+ more are expected to take /.test(text));
    expect(left.length).toBe(expected.filter((text) => text.endsWith('slow')).length);
  });

  test('a large elliptic problem is solved by multigrid, and one with positive couplings is not', () => {
    const grid = gallery('laplace2d5', { nx: 500, ny: 450 });
    const { converged, iterations, decision } = solved(grid);
    expect([converged, decision.method, decision.preconditioner]).toEqual([true, 'cg', 'amg']);
    expect(iterations).toBeLessThan(25);
    expect(decision.attempts.map(({ preconditioner }) => preconditioner)).toEqual(['jacobi', 'amg']);
    expect(decision.levels![0]).toEqual({ rows: grid.rows, nnz: grid.nnz });
    expect([decision.gridComplexity! < 1.3, decision.operatorComplexity! < 1.5]).toEqual([true, true]);
    expect(multigridFor(grid)).toBe('amg');
    const values = grid.values.map((value, k) => (k % 10 === 0 ? Math.abs(value) : value));
    expect(multigridFor({ ...grid, values })).toBeUndefined();
    expect(multigridFor(gallery('laplace2d5', { nx: 50, ny: 50 }))).toBeUndefined();
    expect(multigridFor(gallery('diffusion2d', { nx: 450, ny: 450 }))).toBe('classical-amg');
  });

  test.each([
    ['coefficients that jump', () => gallery('diffusion2d', { nx: 250, ny: 250 }), 'classical-amg', 12],
    ['layers', () => problems.layers(40), 'classical-amg', 24],
  ])('multigrid comes without a trial of ic0 where it is expected to be better: %s', (_, make, expected, tried) => {
    const { attempts, decision } = solved(make());
    expect(attempts).toEqual(['cg jacobi slow', `cg ${expected} tolerance`]);
    expect(decision.attempts[0]!.iterations).toBe(tried);
  });

  test('where multigrid is better than ic0 and jacobi is about as good, no ic0 is tried', () => {
    const { attempts } = solved(gallery('laplace3d7', { nx: 50, ny: 50, nz: 50 }));
    expect(attempts).toEqual(['cg jacobi tolerance']);
  });

  test.each([1, 1e-3, 1e-6])('convection with diffusion %s is solved by multigrid', (epsilon) => {
    const { attempts, iterations, residual } = solved(gallery('convection2d', { nx: 260, ny: 260, epsilon }));
    expect([attempts, iterations < 25, residual < 1.01e-8]).toEqual([['bicgstab amg tolerance'], true, true]);
  });

  test('multigrid is not for what is not like convection on a mesh', () => {
    const grid = gallery('convection2d', { nx: 260, ny: 260 });
    const plans = (matrix: CsrMatrix) =>
      runnersFor(factsOf(matrix), matrix, () => isMesh(matrix)).map(({ role }) => role);
    const isMesh = (matrix: CsrMatrix) => estimateFactors(matrix).dimension < 3.5;
    expect(plans(grid)).toEqual(['probe', 'multigrid', 'direct', 'last']);
    const without = ['probe', 'direct', 'last'];
    const positive = grid.values.map((value, k) => (k % 10 === 0 ? Math.abs(value) : value));
    expect(plans({ ...grid, values: positive })).toEqual(without);
    const weak = grid.values.map((value) => (value > 0 ? 0.8 * value : value));
    expect(plans({ ...grid, values: weak })).toEqual(without);
    expect(plans(gallery('convection2d', { nx: 100, ny: 100 }))).toEqual(without);
    const draw = drawFrom(3);
    const walk = new CsrBuilder(65_000, 65_000);
    for (let i = 0; i < 65_000; i++) {
      walk.add(i, i, 4.2);
      for (let k = 0; k < 4; k++) walk.add(i, Math.floor(draw() * 65_000), -1);
    }
    expect(plans(walk.build())).toEqual(without);
  });

  test('the same choice and the same bits on every run', () => {
    const matrix = problems.layers(16);
    const [one, other] = [solved(matrix), solved(matrix)];
    expect(other.x).toEqual(one.x);
    expect(other.decision).toEqual(one.decision);
  });

  test('the next right-hand side begins with the plan that has arrived', () => {
    using solver = createSolver(engine, problems.plate(60));
    const methods = [0, 1].map((seed) => {
      const { x, decision } = solver.solve(problems.rightSide(solver.rows, seed + 1));
      x.dispose();
      return decision.attempts.map(({ method }) => method);
    });
    expect(methods).toEqual([['cg', 'direct'], ['direct']]);
    solver.update(problems.plate(60).values);
    const { x, converged } = solver.solve(problems.rightSide(solver.rows));
    x.dispose();
    expect(converged).toBe(true);
  });

  test('interleaved solves share the factors that they make, and an abandoned one leaves them to the other', () => {
    const { bytesInUse } = engine.heap;
    const matrix = problems.plate(60);
    const bytesAfter = (sides: number, abandoned: number) => {
      using solver = createSolver(engine, matrix);
      const running = Array.from({ length: sides }, () => solver.steps(problems.rightSide(matrix.rows), {}));
      const isLeft = () => running.length > 0;
      for (let turn = 0; isLeft(); turn++)
        for (const steps of [...running]) {
          const { done, value } = steps.next();
          if (done) value.x.dispose();
          if (done) expect([value.reason, value.decision.method]).toEqual(['tolerance', 'direct']);
          if (!done && turn === 150 && running.length > sides - abandoned) steps.return(undefined as never);
          else if (!done) continue;
          running.splice(running.indexOf(steps), 1);
        }
      return engine.heap.bytesInUse - bytesInUse;
    };
    const alone = bytesAfter(1, 0);
    expect(alone).toBeGreaterThan(0);
    expect([bytesAfter(3, 0), bytesAfter(3, 1)]).toEqual([alone, alone]);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a singular matrix without a solution ends soon, with the x that is nearest, and says what to try', () => {
    const matrix = band(3000, (i) => ({ [-1]: -1, 0: i === 1500 ? 0 : 2.5, 1: -1 }), [1500]);
    const { reason, relativeResidual: reported, residual, decision } = solved(matrix);
    expect(reason).toBe('stagnated');
    expect(reported).toBeCloseTo(residual, 10);
    expect(residual).toBeLessThan(1);
    expect(decision.attempts.every(({ iterations }) => iterations < 2000)).toBe(true);
    expect(decision.reasons.at(-1)).toMatch(/^no method arrived: /);
  });

  test('factors that do not fit are not made, and iterations go on to the solution', async () => {
    await using small = await createEngine({ threads: 1, tuning: 'built-in', maximumBytes: 6 * 2 ** 20 });
    const matrix = problems.plate(60);
    using filler = small.vector(600_000);
    const b = problems.rightSide(matrix.rows);
    const { x, converged, decision } = solve(small, matrix, b);
    expect([converged, decision.method]).toEqual([true, 'cg']);
    expect(relativeResidual(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
    expect(decision.reasons).toContainEqual(expect.stringMatching(/^not direct: factors: .*\d+ bytes.*maximumBytes/));
    x.dispose();
    expect(filler.length).toBe(600_000);
  });

  test('factors that come first leave order and format as they are; where they do not fit, both are made for iterations', async () => {
    const matrix = gallery('delaunay', { n: 1400 });
    const sides = [1, 2].map((seed) => problems.rightSide(matrix.rows, seed));
    const ways = new Set<string>();
    for (let left = 2000; left < 100_000; left *= 1.4) {
      await using small = await createEngine({ threads: 1, tuning: 'built-in', maximumBytes: 6 * 2 ** 20 });
      useSums(small, matrix.rows);
      using _filler = small.vector(720_000 - Math.floor(left));
      const { bytesInUse } = small.heap;
      const running = new Map<Float64Array, ReturnType<Solver['steps']>>();
      try {
        using solver = createSolver(small, matrix);
        for (const b of sides) running.set(b, solver.steps(b, {}));
        while (running.size > 0)
          for (const [b, steps] of [...running]) {
            const { done, value } = steps.next();
            if (!done) continue;
            running.delete(b);
            const residual = relativeResidual(matrix, value.x.toArray(), b);
            value.x.dispose();
            expect([value.converged, residual < 1.01e-8]).toEqual([true, true]);
            const { order, attempts } = value.decision;
            ways.add(`${order} ${attempts.map(({ method }) => method).join()} ${value.format}`);
          }
      } catch (error) {
        expect(error).toMatchObject({ code: 'heap' });
        for (const steps of running.values()) steps.return(undefined as never);
      }
      expect(small.heap.bytesInUse).toBe(bytesInUse);
    }
    expect(ways).toContain('natural direct csr');
    const reordered = [...ways].filter((way) => way.startsWith('rcm '));
    expect(reordered.length).toBeGreaterThan(0);
    expect(reordered.filter((way) => /direct|csr$/.test(way))).toEqual([]);
  });

  test('a residual of rounding errors is called so', () => {
    const { reason, residual, decision } = solved(problems.plate(60), { rtol: 1e-15 });
    expect([reason, residual < 1e-9]).toEqual(['stagnated', true]);
    expect(decision.attempts.length).toBeLessThan(4);
    expect(decision.reasons.at(-1)).toMatch(/^b − A x consists of rounding errors/);
  });

  test('maxIterations is of all plans, and of none after it', () => {
    const { attempts, reason, iterations } = solved(problems.plate(60), { maxIterations: 10 });
    expect([attempts, reason, iterations]).toEqual([['cg jacobi iterations'], 'iterations', 10]);
  });
});

describe('the method direct', () => {
  test.each([
    ['symmetric', () => problems.plate(20), 'cholesky'],
    ['indefinite', () => problems.stokes(10), 'ldlt'],
    ['not symmetric', () => problems.nodalCircuit(200), 'lu'],
  ])('by name: %s', (_, make, method) => {
    const { attempts, residual, decision } = solved(make(), { method: 'direct', rtol: 1e-11 });
    expect([attempts, residual < 1e-11]).toEqual([['direct none tolerance'], true]);
    expect(decision.reasons).toContainEqual(expect.stringMatching(`^${method}: `));
  });

  test('with its parameters, f32, an operator, and its refusals', () => {
    const matrix = problems.plate(20);
    const named = solved(matrix, { method: 'direct?method=ldlt&order=nd' });
    expect(named.attempts).toEqual(['direct?method=ldlt&order=nd none tolerance']);
    expect([named.format, named.decision.order]).toEqual(['csr', 'natural']);
    using A = engine.operator(matrix, { dtype: 'f32' });
    const b = Float32Array.from(problems.rightSide(matrix.rows));
    for (const options of [{ method: 'direct' }, {}]) {
      const { x, converged, decision } = solve(engine, A, b, { ...options, rtol: 1e-3 });
      expect([converged, decision.method, x.type]).toEqual([true, 'direct', Float32Array]);
      x.dispose();
    }
    expect(() => solved(matrix, { method: 'direct', preconditioner: 'ic0' })).toThrow(/none for the method direct/);
    expect(() => solved(matrix, { method: 'direct?order=rcm' })).toThrow(/order: expected auto \| amd \| nd/);
  });
});

describe('an end in time', () => {
  test('limitMs ends iterations, and says so', () => {
    const { reason, x } = solved(problems.plate(60), { limitMs: 0 });
    expect([reason, x.every(Number.isFinite)]).toEqual(['time', true]);
    const named = solved(problems.plate(60), { method: 'cg', preconditioner: 'none', rtol: 0, limitMs: 30 });
    expect(named.reason).toBe('time');
    expect(() => solved(problems.plate(8), { limitMs: -1 })).toThrow(/^limitMs: expected a number from 0/);
  });

  test('a factorization gives way to other work, and to an abort', async () => {
    const matrix = gallery('laplace3d7', { nx: 30, ny: 30, nz: 30 });
    const controller = new AbortController();
    const { bytesInUse } = engine.heap;
    const { x, reason, decision } = await solveAsync(engine, matrix, problems.rightSide(matrix.rows), {
      ...{ method: 'direct', signal: controller.signal },
      onProgress: () => controller.abort(),
    });
    expect([reason, decision.attempts[0]!.iterations]).toEqual(['stopped', 0]);
    x.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('so does the set-up of multigrid, and a limit of time ends it', async () => {
    const matrix = gallery('laplace2d5', { nx: 400, ny: 400 });
    const b = problems.rightSide(matrix.rows);
    const named = { method: 'cg', preconditioner: 'amg' } as const;
    const { bytesInUse } = engine.heap;
    const controller = new AbortController();
    const { signal } = controller;
    const stopped = await solveAsync(engine, matrix, b, { ...named, signal, onProgress: () => controller.abort() });
    const late = solve(engine, matrix, b, { ...named, limitMs: 20 });
    for (const { x, reason, decision, iterations } of [stopped, late]) {
      expect(['stopped', 'time']).toContain(reason);
      expect([iterations, decision.method, decision.preconditioner]).toEqual([0, 'cg', 'none']);
      expect(x.toArray().every((value) => value === 0)).toBe(true);
      x.dispose();
    }
    expect([stopped.reason, engine.heap.bytesInUse]).toEqual(['stopped', bytesInUse]);
  });
});

test('a named method that the matrix does not suit: a hint', () => {
  const matrix = band(400, () => ({ [-1]: -1.8, 0: 2.5, 1: -0.4 }));
  for (const method of ['cg', 'minres'])
    expect(solved(matrix, { method, preconditioner: 'none', maxIterations: 3 }).decision.reasons).toContain(
      `${method} needs a symmetric matrix, and this one is not: try bicgstab, gmres or direct`,
    );
  expect(solved(matrix, { method: 'bicgstab' }).decision.reasons.join()).not.toMatch(/needs a symmetric/);
});

test('bicgstab ends where its vectors are orthogonal up to rounding', () => {
  // It took ten times the number of unknowns, and found nothing.
  const matrix = problems.nodalCircuit(1500);
  // The last bits of the products decide in which step bicgstab breaks down, so the test names a format.
  using A = engine.operator(matrix, { format: 'csr' });
  const { x, reason, iterations } = bicgstab(A, problems.rightSide(matrix.rows));
  x.dispose();
  expect(reason).toBe('breakdown');
  expect(iterations).toBeLessThan(10_000);
});

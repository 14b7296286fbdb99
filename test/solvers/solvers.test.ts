/** Every method on every problem, in the heap and on a device that is none; and all that may go wrong. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import { SOLVED_BY } from '#dist/conformance/solver-checks.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import * as sparlane from '#dist/index.node.js';
import {
  bicgstab,
  CsrBuilder,
  cg,
  chebyshev,
  createEngine,
  fcg,
  fgmres,
  functionOperator,
  gallery,
  galleryRightHandSide,
  gmres,
  jacobi,
  type LinearOperator,
  pipelinedCg,
  precondition,
  type Vector,
} from '#dist/index.node.js';
import { METHODS, methodOf } from '#dist/solvers/methods.js';
import { SPACES, useSums } from './engines.js';
import { type Solve, solveBy } from './methods.js';
import { relativeResidual } from './residual.js';

/** Of the registry, those for square matrices; those with a restart also with a short one. */
const SPECS = METHODS.filter(({ solves }) => solves !== 'any').flatMap(({ name, parameters }) =>
  'restart' in parameters ? [name, `${name}?restart=5`] : [name],
);
const SOLVES = SPECS.map((spec) => [spec, solveBy(spec)] as const);

const N = 400;

/** A tridiagonal matrix with the given lower, middle and upper elements of row i. */
function tridiagonal(n: number, of: (i: number) => readonly [number, number, number]): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    const [lower, middle, upper] = of(i);
    if (i > 0) builder.add(i, i - 1, lower);
    builder.add(i, i, middle);
    if (i + 1 < n) builder.add(i, i + 1, upper);
  }
  return builder.build();
}

interface Problem {
  readonly matrix: CsrMatrix;
  readonly is: 'definite' | 'symmetric' | 'square';
}

const PROBLEMS: Record<string, Problem> = {
  'a Laplacian': { matrix: gallery('laplace2d5', { nx: 20, ny: 20 }), is: 'definite' },
  'jumping coefficients': { matrix: tridiagonal(N, (i) => [-1, 10 ** (i % 4) + 2, -1]), is: 'definite' },
  'an indefinite matrix': { matrix: tridiagonal(N, (i) => [-1, i % 2 === 0 ? 4 : -4, -1]), is: 'symmetric' },
  'convection and diffusion': { matrix: tridiagonal(N, () => [-1.8, 2.5, -0.4]), is: 'square' },
};

/** Solves A x = b by a method that must arrive. Returns its iterations. */
function iterationsOf(method: Solve, A: LinearOperator, matrix: CsrMatrix, b: Float64Array, M: LinearOperator): number {
  const { x, reason, iterations } = method(A, b, { preconditioner: M });
  expect(reason).toBe('tolerance');
  expect(relativeResidual(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
  x.dispose();
  return iterations;
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, N);
  });
  afterAll(() => engine.dispose());

  for (const [name, { matrix, is }] of Object.entries(PROBLEMS)) {
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    for (const method of SPECS) {
      const { solves } = methodOf(method).kind;
      if (!SOLVED_BY[is].includes(solves)) continue;
      // The diagonal of the indefinite matrix is no preconditioner for methods of symmetric ones.
      const isDefinite = !(is === 'symmetric' && solves === 'symmetric');
      test.each(isDefinite ? [false, true] : [false])(`${method} solves ${name} (jacobi: %s)`, (preconditioned) => {
        const { bytesInUse } = engine.heap;
        {
          using A = engine.operator(matrix, { format: 'csr' });
          using M = jacobi(A);
          const solution = solveBy(method)(A, b, { rtol: 1e-10, ...(preconditioned && { preconditioner: M }) });
          const { x, converged, reason, iterations, relativeResidual: reported, residualNorms } = solution;
          expect([reason, converged]).toEqual(['tolerance', true]);
          const computed = relativeResidual(matrix, x.toArray(), b);
          expect(computed).toBeLessThan(1.01e-10);
          expect(reported).toBeCloseTo(computed, 12);
          expect(iterations).toBeGreaterThan(2);
          expect((residualNorms.length - 1) * solution.checkEvery).toBe(iterations);
          expect(solution.products).toBeGreaterThan(iterations);
          x.dispose();
        }
        expect(engine.heap.bytesInUse).toBe(bytesInUse);
      });
    }
  }

  test('cg starts from x0, and does not change it', () => {
    const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    using A = engine.operator(matrix, { format: 'csr' });
    const far = cg(A, b);
    using near = far.x;
    const before = near.toArray();
    const again = cg(A, b, { x0: near });
    expect(again.iterations).toBe(0);
    expect(again.x.toArray()).toEqual(before);
    again.x.dispose();
  });

  test.each(SOLVES)('%s: after the exact solution, nothing becomes NaN', (_, solve) => {
    const matrix = tridiagonal(50, () => [0, 3, 0]);
    using A = engine.operator(matrix, { format: 'csr' });
    const { x, reason } = solve(A, new Float64Array(50).fill(6));
    expect(reason).toBe('tolerance');
    expect(x.toArray()[49]).toBeCloseTo(2, 7);
    x.dispose();
  });

  test('time by parts, and the same bits', () => {
    const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
    const b = new Float64Array(matrix.rows).fill(1);
    using A = engine.operator(matrix, { format: 'csr' });
    using M = jacobi(A);
    for (const solve of [cg, bicgstab, gmres]) {
      const plain = solve(A, b, { preconditioner: M });
      const { x, timing, solveMs } = solve(A, b, { preconditioner: M, timing: true });
      expect(x.toArray()).toEqual(plain.x.toArray());
      expect(plain.timing).toBeUndefined();
      const { products, preconditioner, vectors } = timing!;
      for (const part of [products, preconditioner, vectors]) expect(part).toBeGreaterThan(0);
      expect(products + preconditioner + vectors).toBeCloseTo(solveMs, 9);
      for (const one of [x, plain.x]) one.dispose();
    }
  });

  test('b = 0 is solved by 0, and no unknowns by none', () => {
    using A = engine.operator(gallery('laplace1d3', { nx: 5 }), { format: 'csr' });
    using empty = functionOperator(engine, 0, 0, () => {});
    for (const [, solve] of SOLVES) {
      for (const [operator, n] of [
        [A, 5],
        [empty, 0],
      ] as const) {
        const { x, reason, relativeResidual, iterations } = solve(operator, new Float64Array(n));
        expect([reason, relativeResidual, iterations]).toEqual(['tolerance', 0, 0]);
        expect([...x.toArray()]).toEqual(new Array(n).fill(0));
        x.dispose();
      }
      const far = solve(A, new Float64Array(5), { x0: new Float64Array(5).fill(3) });
      expect([far.reason, ...far.x.toArray()]).toEqual(['tolerance', 0, 0, 0, 0, 0]);
      far.x.dispose();
    }
  });
});

describe('what may go wrong', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
    useSums(engine, N);
  });
  afterAll(() => engine.dispose());

  const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
  const ones = new Float64Array(matrix.rows).fill(1);

  function ofF32<T>(use: (x: Vector<Float32Array>) => T): T {
    using x = engine.vector(matrix.rows, { dtype: 'f32' });
    return use(x);
  }

  function reasonOf(solve: Solve, of: CsrMatrix, b: Float64Array, options: Parameters<Solve>[2] = {}): string {
    const { bytesInUse } = engine.heap;
    let reason: string;
    {
      using A = engine.operator(of, { format: 'csr' });
      const solution = solve(A, b, options);
      solution.x.dispose();
      ({ reason } = solution);
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    return reason;
  }

  test.each(SOLVES)('%s: a reason each', (_, solve) => {
    expect(reasonOf(solve, matrix, ones, { maxIterations: 3 })).toBe('iterations');
    expect(reasonOf(solve, matrix, ones.with(7, Number.NaN))).toBe('not-finite');
    expect(reasonOf(solve, { ...matrix, values: matrix.values.map((v, k) => (k === 9 ? Infinity : v)) }, ones)).toBe(
      'not-finite',
    );
    expect(reasonOf(solve, matrix, ones, { onStep: ({ iteration }) => iteration < 2 })).toBe('stopped');
    expect(reasonOf(solve, matrix, ones, { signal: AbortSignal.abort() })).toBe('stopped');
    const allZero = { ...matrix, values: matrix.values.map(() => 0) };
    expect(['breakdown', 'stagnated', 'not-finite', 'iterations', 'not-definite']).toContain(
      reasonOf(solve, allZero, ones, { maxIterations: 50 }),
    );
  });

  test.each(SOLVES)('%s: numbers that overflow once leave the best x before', (_, solve) => {
    using A = engine.operator(matrix, { format: 'csr' });
    let iterations = 0;
    let isSpoiled = false;
    using spoiled = functionOperator(engine, A.rows, A.rows, (x, y) => {
      A.apply(x, y);
      if (iterations < 20 || isSpoiled) return;
      isSpoiled = true;
      y.scale(1e300).scale(1e300);
    });
    const {
      x,
      reason,
      relativeResidual: reported,
      residualNorms,
    } = solve(spoiled, ones, {
      onStep: ({ iteration }) => {
        iterations = iteration;
      },
    });
    expect(isSpoiled).toBe(true);
    expect(reason).toBe('not-finite');
    expect(reported).toBeCloseTo(relativeResidual(matrix, x.toArray(), ones), 12);
    const least = Math.min(...residualNorms.filter(Number.isFinite)) / residualNorms[0]!;
    expect(reported).toBeLessThan(2.01 * least);
    expect(least).toBeLessThan(0.9);
    x.dispose();
  });

  test('a claim of the recurrence that is false does not cost the x before', () => {
    // Peaks of 10⁹⁰ in the residual leave a recurrence that has nothing to do with x.
    const shear = tridiagonal(200, () => [0, 1, -3]);
    const b = Float64Array.from(sampleVector(200, 'real', 1));
    using A = engine.operator(shear, { format: 'csr' });
    using M = precondition(engine, shear, 'ilu0');
    const x0 = Float64Array.from(sampleVector(200, 'real', 2));
    for (const given of [undefined, x0]) {
      const { x, reason, residualNorms } = bicgstab(A, b, { preconditioner: M, ...(given && { x0: given }) });
      if (reason !== 'tolerance') expect(Math.min(...residualNorms)).toBeLessThan(1e-3);
      const first = given === undefined ? 1 : relativeResidual(shear, given, b);
      expect(relativeResidual(shear, x.toArray(), b)).toBeLessThanOrEqual(first);
      x.dispose();
    }
  });

  test('bicgstab breaks down where (r̃, A r̃) = 0 for every r̃', () => {
    const pairs = gallery('laplace1d3', { nx: 30 });
    const rotation = {
      ...pairs,
      symmetry: 'general' as const,
      // Blocks (0 1; −1 0).
      values: pairs.values.map((_, k) => {
        const row = pairs.rowPtr.findIndex((begin) => begin > k) - 1;
        return pairs.colIdx[k] === (row ^ 1) ? (row % 2 === 0 ? 1 : -1) : 0;
      }),
    };
    expect(reasonOf(bicgstab, rotation, Float64Array.from(sampleVector(30, 'real', 1)))).toBe('breakdown');
  });

  test('cg finds that a matrix is not definite', () => {
    expect(reasonOf(cg, { ...matrix, values: matrix.values.map((v) => -v) }, ones)).toBe('not-definite');
  });

  test('gmres keeps its basis orthogonal where vectors nearly cancel', () => {
    // With one pass of Gram–Schmidt it takes 110 iterations.
    const spread = tridiagonal(60, (i) => [0, 10 ** ((-8 * i) / 59), 0]);
    using A = engine.operator(spread, { format: 'csr' });
    const { x, reason, iterations } = gmres(A, new Float64Array(60).fill(1), { restart: 60 });
    expect(reason).toBe('tolerance');
    expect(iterations).toBeLessThanOrEqual(61);
    x.dispose();
  });

  test('fgmres takes a preconditioner that is another one in each product', () => {
    using A = engine.operator(matrix, { format: 'csr' });
    let turn = 0;
    const inner = functionOperator(engine, A.rows, A.rows, (r, z) => {
      const { x } = cg(A, r, { rtol: 0.5 / (1 + (turn++ % 3)) });
      z.copyFrom(x);
      x.dispose();
    });
    expect(iterationsOf(fgmres, A, matrix, ones, inner)).toBeLessThan(30);
    inner.dispose();
  });

  test('fcg takes one that is another one in each product, and fewer iterations than cg', () => {
    using A = engine.operator(matrix, { format: 'csr' });
    let turn = 0;
    using diagonal = engine.vector(A.rows);
    const changing = functionOperator(engine, A.rows, A.rows, (r, z) => {
      turn++;
      z.multiply(diagonal.set(Float64Array.from({ length: A.rows }, (_, i) => 1 + ((i * turn) % 5))), r);
    });
    const [flexible, other] = [fcg, cg].map((method) => {
      turn = 0;
      return iterationsOf(method, A, matrix, ones, changing);
    }) as [number, number];
    expect(flexible).toBeLessThan(0.7 * other);
    changing.dispose();
  });

  test('pipelined cg takes the steps of cg where its recurrences alone lose their digits', () => {
    // Without a replacement of residuals pipelined cg takes 359 steps here instead of 129.
    const jumps = gallery('diffusion2d', { nx: 60, ny: 60, jump: 1e4, anisotropy: 1 });
    using A = engine.operator(jumps, { format: 'csr' });
    const b = new Float64Array(A.rows).fill(1);
    using M = precondition(engine, jumps, 'ic0');
    const [pipelined, other] = [pipelinedCg, cg].map((method) => iterationsOf(method, A, jumps, b, M)) as [
      number,
      number,
    ];
    expect(pipelined).toBeLessThan(1.2 * other);
  });

  test('chebyshev with the bounds of the spectrum', () => {
    using A = engine.operator(matrix, { format: 'csr' });
    // λ = 4 − 2 cos(jπ / 21) − 2 cos(kπ / 21)
    const corner = 4 * Math.cos(Math.PI / 21);
    const { x, reason, iterations } = chebyshev(A, ones, { bounds: [4 - corner, 4 + corner] });
    expect(reason).toBe('tolerance');
    // √(λ greatest / λ least) / 2 · ln(2 · 10⁸)
    expect(iterations).toBeLessThan((Math.sqrt((4 + corner) / (4 - corner)) / 2) * Math.log(2e8) + 2);
    x.dispose();
  });

  test('a tolerance below rounding errors stagnates', () => {
    expect(
      reasonOf(
        cg,
        tridiagonal(N, (i) => [-1, 10 ** (i % 9) + 2, -1]),
        new Float64Array(N).fill(1),
        { rtol: 1e-17 },
      ),
    ).toBe('stagnated');
  });

  test('where the recurrence is wrong, cg starts again from x, and reaches the tolerance in truth', () => {
    const given = { nx: 60, ny: 60, jump: 1e4 };
    const jumping = gallery('diffusion2d', given);
    const b = galleryRightHandSide('diffusion2d', given);
    using A = engine.operator(jumping, { format: 'csr' });
    const { x, converged, iterations, products, residualNorms } = cg(A, b);
    expect(converged).toBe(true);
    expect(relativeResidual(jumping, x.toArray(), b)).toBeLessThan(1.01e-8);
    // The residual of x0, and the true one at the end; two more for each restart.
    expect(products).toBeGreaterThanOrEqual(iterations + 4);
    expect(residualNorms.length).toBe(iterations + 1);
    x.dispose();
  });

  test('the reported residual is the true one', () => {
    using A = engine.operator(matrix, { format: 'csr' });
    const { x, relativeResidual: reported } = cg(A, ones, { maxIterations: 9 });
    expect(reported).toBeCloseTo(relativeResidual(matrix, x.toArray(), ones), 14);
    x.dispose();
  });

  test.each([
    ['A', () => cg(5 as never, ones), /^A: expected a linear operator/],
    ['b', (A: never) => cg(A, new Float64Array(3)), /^b: expected length 400, got 3/],
    [
      'b of a wrong dtype',
      (A: never) => ofF32((b) => cg(A, b)),
      'b: expected dtype f64 (Float64Array), got dtype f32 (Vector)',
    ],
    ['b of a wrong type', (A: never) => cg(A, new Set([1, 2]) as never), 'b: expected dtype f64 (Float64Array), got'],
    [
      'x0 of a wrong dtype',
      (A: never) => ofF32((x0) => cg(A, ones, { x0 })),
      'x0: expected dtype f64 (Float64Array), got dtype f32 (Vector)',
    ],
    [
      'x0 of a wrong type',
      (A: never) => cg(A, ones, { x0: 'zeros' as never }),
      "x0: expected dtype f64 (Float64Array), got 'zeros'",
    ],
    [
      'a preconditioner of a wrong dtype',
      (A: never) => {
        using M = precondition(engine, matrix, 'jacobi', { dtype: 'f32' });
        return cg(A, ones, { preconditioner: M });
      },
      "preconditioner: expected dtype f64, that of A, got 'f32'",
    ],
    ['x0', (A: never) => cg(A, ones, { x0: new Float64Array(3) }), /^x0: expected length 400/],
    ['rtol', (A: never) => cg(A, ones, { rtol: -1 }), /^rtol: expected a number from 0 to 1/],
    ['an unknown option', (A: never) => cg(A, ones, { tol: 1 } as never), /^options: expected only the options x0/],
    ['restart', (A: never) => gmres(A, ones, { restart: 0 }), /^restart: expected an integer from 1 to 1000/],
    ['bounds', (A: never) => chebyshev(A, ones, { bounds: [2, 1] }), /^bounds: expected \[least, greatest\]/],
    ['timing', (A: never) => cg(A, ones, { timing: 1 as never }), /^timing: expected a boolean/],
    ['checkEvery', (A: never) => cg(A, ones, { checkEvery: 0 }), /^checkEvery/],
    ['onStep', (A: never) => cg(A, ones, { onStep: 3 as never }), /^onStep: expected a function/],
    ['preconditioner', (A: never) => cg(A, ones, { preconditioner: 'jacobi' as never }), /^preconditioner: expected/],
  ])('a wrong argument: %s', (_, call, message) => {
    const { bytesInUse } = engine.heap;
    using A = engine.operator(matrix, { format: 'csr' });
    expect(() => call(A as never)).toThrow(message);
    A.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('jacobi names a diagonal that it cannot invert', () => {
    using A = engine.operator(tridiagonal(5, (i) => [1, i === 3 ? 0 : 2, 1]));
    expect(() => jacobi(A)).toThrow(/^A: expected a diagonal of finite numbers other than 0, got 0 in row 3/);
  });
});

test.each(METHODS)('$name: a function of the package, and a row of docs/solving.md', ({ name }) => {
  const camelCase = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  expect(sparlane).toHaveProperty(camelCase, expect.any(Function));
  expect(readFileSync(new URL('../../docs/solving.md', import.meta.url), 'utf8')).toMatch(
    new RegExp(`^\\| (?:\`\\w+\`, )*\`${name}\``, 'm'),
  );
});

test('the same bits on any number of threads', async () => {
  const matrix = gallery('laplace2d5', { nx: 220, ny: 220 });
  const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
  const solutions: Float64Array[] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using engine = await createEngine({ threads, onHint: () => {} });
    using A = engine.operator(matrix, { format: 'csr' });
    using M = jacobi(A);
    const { x } = cg(A, b, { preconditioner: M, maxIterations: 200 });
    solutions.push(x.toArray() as Float64Array);
  }
  for (const x of solutions) expect(x.findIndex((value, i) => !Object.is(value, solutions[0]![i]))).toBe(-1);
});

/** Cholesky and LDLᵀ factors against dense elimination. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addMatrices,
  cg,
  createEngine,
  csrMatrix,
  type Engine,
  factor,
  gallery,
  precondition,
} from '#dist/index.node.js';
import { dense, distance, solveDense } from '../preconditioners/dense.js';
import { shuffleRows } from '../preconditioners/matrices.js';
import {
  backwardError,
  DEFINITE,
  determinant,
  hollow,
  INDEFINITE,
  identity,
  randomSymmetric,
  rightSide,
  saddlePoint,
  shift,
  symmetric,
} from './matrices.js';

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

describe.each(Object.entries(DEFINITE))('cholesky of %s', (_, matrix) => {
  test('solves as dense elimination does', () => {
    using F = factor(engine, matrix);
    expect(F.method).toBe('cholesky');
    const b = rightSide(matrix.rows);
    const x = F.solve(b);
    expect(distance(x, solveDense(dense(matrix), b))).toBeLessThan(1e-11);
    expect(F.lastSolve!.backwardError).toBeLessThan(1e-14);
    expect(F.logDeterminant.log).toBeCloseTo(determinant(matrix).log, 8);
    expect(F.logDeterminant.sign).toBe(1);
    expect(F.inertia).toEqual({ positive: matrix.rows, negative: 0, zero: 0 });
  });

  test('ldlt gives the same', () => {
    using F = factor(engine, matrix, { method: 'ldlt' });
    const b = rightSide(matrix.rows);
    expect(distance(F.solve(b), solveDense(dense(matrix), b))).toBeLessThan(1e-11);
    expect(F.inertia).toEqual({ positive: matrix.rows, negative: 0, zero: 0 });
    expect(F.explain().pivots).toEqual({ offDiagonal: 0, twoByTwo: 0, perturbed: 0 });
  });
});

describe.each(Object.entries(INDEFINITE))('ldlt of %s', (_, matrix) => {
  test('solves as dense elimination does', () => {
    using F = factor(engine, matrix);
    expect(F.method).toBe('ldlt');
    const b = rightSide(matrix.rows);
    const x = F.solve(b);
    expect(backwardError(matrix, x, b)).toBeLessThan(1e-14);
    expect(distance(x, solveDense(dense(matrix), b))).toBeLessThan(1e-8);
    const { log, sign } = determinant(matrix);
    expect(F.logDeterminant.log).toBeCloseTo(log, 6);
    expect(F.logDeterminant.sign).toBe(sign);
    const { positive, negative, zero } = F.inertia!;
    expect([positive + negative, zero]).toEqual([matrix.rows, 0]);
    expect((-1) ** negative).toBe(sign);
  });
});

test('rows without a pivot get a partner, also where others must change theirs', () => {
  // Constraint 8 has only unknown 0, which 9 may take first; 9 has unknown 1 as well.
  const entries = [
    [8, 0, 1],
    [9, 0, 5],
    [9, 1, 1],
  ] as const;
  const unknowns = Array.from({ length: 8 }, (_, i) => [i, i, 1] as const);
  for (const matrix of [symmetric(10, [...unknowns, ...entries]), saddlePoint(300, 150)]) {
    using F = factor(engine, matrix);
    expect(F.explain().pivots.perturbed).toBe(0);
    const constraints = matrix.rows === 10 ? 2 : 150;
    expect(F.inertia).toEqual({ positive: matrix.rows - constraints, negative: constraints, zero: 0 });
    const b = rightSide(matrix.rows);
    expect(backwardError(matrix, F.solve(b), b)).toBeLessThan(1e-15);
  }
});

describe('random matrices', () => {
  test('definite ones', () => {
    fc.assert(
      fc.property(randomSymmetric(1.1), (matrix) => {
        using F = factor(engine, matrix, { method: 'cholesky' });
        const b = rightSide(matrix.rows);
        const x = new Float64Array(matrix.rows);
        F.apply(b, x);
        expect(backwardError(matrix, x, b)).toBeLessThan(1e-14);
      }),
    );
  });

  test('indefinite ones, with zeros on the diagonal', () => {
    fc.assert(
      fc.property(randomSymmetric(0), fc.double({ min: 0.01, max: 2, noNaN: true }), (matrix, by) => {
        const shifted = shift(matrix, by);
        const { log } = determinant(shifted);
        fc.pre(log > -5 * matrix.rows);
        using F = factor(engine, shifted, { method: 'ldlt' });
        const b = rightSide(matrix.rows);
        expect(backwardError(shifted, F.solve(b), b)).toBeLessThan(1e-10);
      }),
    );
  });
});

describe('several right-hand sides', () => {
  const matrix = DEFINITE['ragged rows in random order'];
  const n = matrix.rows;

  test.each(['cholesky', 'ldlt'] as const)('each column has the bits that it has alone: %s', (method) => {
    using F = factor(engine, matrix, { method });
    for (const columns of [1, 2, 3, 4, 5, 8, 9]) {
      const sides = Array.from({ length: columns }, (_, j) => rightSide(n, 3 * j));
      const X = F.solve(Float64Array.from(sides.flatMap((b) => [...b])));
      sides.forEach((b, j) => {
        expect(X.subarray(j * n, (j + 1) * n)).toEqual(F.solve(b));
      });
    }
  });

  test('of a block of vectors', () => {
    using F = factor(engine, matrix);
    using B = engine.vector(n, { columns: 3 });
    const sides = [1, 2, 3].map((seed) => rightSide(n, seed));
    sides.forEach((b, j) => {
      using column = engine.vector(b);
      B.setColumn(j, column);
    });
    using X = F.solve(B);
    expect([X.length, X.columns]).toEqual([n, 3]);
    expect(X.toArray({ order: 'column' })).toEqual(Float64Array.from(sides.flatMap((b) => [...F.solve(b)])));
  });

  test('f32 gives f32', () => {
    using F = factor(engine, matrix);
    const b = Float32Array.from(rightSide(n));
    const x = F.solve(b);
    expect(x).toBeInstanceOf(Float32Array);
    expect(x).toEqual(Float32Array.from(F.solve(Float64Array.from(b))));
  });

  test('wrong ones are refused', () => {
    using F = factor(engine, matrix);
    expect(() => F.solve(new Float64Array(n + 1))).toThrow(/^b: expected columns of length 150, got 151/);
    expect(() => F.solve('1' as never)).toThrow(/^b: expected a vector of the engine/);
    expect(() => F.solve([1])).toThrow(/^b: expected columns of length 150, got 1/);
    expect(() => F.solve(new Float64Array(0))).toThrow(/^b: expected columns/);
    F.dispose();
    expect(() => F.solve(rightSide(n))).toThrow(/^factorization: expected one that is in use/);
  });
});

describe('matrices that cannot be factored', () => {
  test('cholesky names the column of the matrix that is not positive', () => {
    const n = 40;
    const laplacian = Array.from(
      { length: n },
      (_, i) =>
        [
          [i, i, i === 23 ? -2 : 2.5],
          [i, Math.max(i - 1, 0), i > 0 ? -1 : 0],
        ] as const,
    ).flat();
    const matrix = shuffleRows(symmetric(n, laplacian));
    const bad = matrix.rowPtr.findIndex(
      (first, i) =>
        i < n &&
        Array.from(matrix.colIdx.subarray(first, matrix.rowPtr[i + 1])).some(
          (j, k) => j === i && matrix.values[first + k]! < 0,
        ),
    );
    let column = -1;
    try {
      factor(engine, matrix, { method: 'cholesky' });
    } catch (error) {
      expect(error).toMatchObject({ name: 'SparlaneError', code: 'structure' });
      column = (error as { detail: { column: number } }).detail.column;
    }
    // The first one in the order of elimination: that of the bad row, or one that it reaches.
    const at = dense(matrix)[bad]!;
    expect(column === bad || at[column] !== 0).toBe(true);
  });

  test('the column of a diagonal matrix is exact', () => {
    const matrix = symmetric(
      5,
      [0, 1, 2, 3, 4].map((i) => [i, i, i === 3 ? 0 : 1] as const),
    );
    expect(() => factor(engine, matrix, { method: 'cholesky' })).toThrow(
      /^matrix: expected a symmetric positive definite matrix, got a pivot that is not positive in column 3/,
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('a matrix with %s', (wrong) => {
    const matrix = DEFINITE['a Laplacian'];
    const values = matrix.values.with(77, wrong);
    for (const method of ['cholesky', 'ldlt'] as const)
      expect(() => factor(engine, { ...matrix, values }, { method })).toThrow(
        expect.objectContaining({
          code: 'structure',
          message: `matrix: expected finite numbers, got ${wrong} as entry 77`,
        }),
      );
  });

  test('one that is not symmetric', () => {
    const { values, ...pattern } = DEFINITE['a Laplacian'];
    for (const method of ['cholesky', 'ldlt'] as const)
      expect(() => factor(engine, { ...pattern, values: values.with(1, -2) }, { method })).toThrow(
        /^matrix: expected a symmetric one, got -2 as entry 1 and another number across the diagonal/,
      );
    const arrow = { rows: 2, cols: 2, rowPtr: [0, 2, 3], colIdx: [0, 1, 1], values: [1, 1, 1] };
    expect(() => factor(engine, arrow, { method: 'ldlt' })).toThrow(/^matrix: expected a symmetric one for ldlt/);
  });

  test('a saddle point of B and −Bᵀ is symmetric with other signs: ldlt, without an inertia', () => {
    const { values, colIdx, rowPtr, ...sizes } = saddlePoint(60, 25);
    const skewed = { ...sizes, symmetry: 'general' as const, rowPtr, colIdx, values: values.slice() };
    for (let k = 0; k < rowPtr[60]!; k++) if (colIdx[k]! >= 60) skewed.values[k]! *= -1;
    using F = factor(engine, skewed);
    using G = factor(engine, skewed, { method: 'lu' });
    expect([F.method, F.inertia]).toEqual(['ldlt', undefined]);
    expect(F.logDeterminant.log).toBeCloseTo(G.logDeterminant.log, 9);
    expect(F.logDeterminant.sign).toBe(G.logDeterminant.sign);
    const b = rightSide(85);
    expect(backwardError(csrMatrix(skewed), F.solve(b), b)).toBeLessThan(1e-15);
    expect(() => factor(engine, skewed, { method: 'cholesky' })).toThrow(/expected a symmetric one/);
  });

  test('symmetric up to rounding is symmetric', () => {
    const { values, ...pattern } = DEFINITE['a Laplacian'];
    using F = factor(engine, { ...pattern, values: values.map((value, k) => value * (1 + (k % 3) * 2 ** -50)) });
    expect(F.method).toBe('cholesky');
  });

  test('overflow in the factors', () => {
    const matrix = symmetric(3, [
      [0, 0, 1e-200],
      [0, 1, 1e200],
      [1, 1, 1],
      [1, 2, 1],
      [2, 2, 1],
    ]);
    expect(() => factor(engine, matrix, { method: 'cholesky' })).toThrow(
      expect.objectContaining({ code: 'structure' }),
    );
  });

  test('a singular one gets an x as good as there is, and says so', () => {
    // The second row is twice the first.
    const matrix = symmetric(3, [
      [0, 0, 1],
      [0, 1, 2],
      [1, 1, 4],
      [2, 2, -1],
    ]);
    using F = factor(engine, matrix, { method: 'ldlt' });
    expect(F.explain().pivots.perturbed).toBe(1);
    F.solve(Float64Array.of(1, 0, 0));
    expect(F.lastSolve!.relativeResidual).toBeGreaterThan(0.1);
    F.solve(Float64Array.of(1, 2, 0));
    expect(F.lastSolve!.relativeResidual).toBeLessThan(1e-10);
  });

  test('the inertia of a singular one: pivots that were replaced have no sign', () => {
    const entries = [
      [0, 0, 2],
      [1, 1, -3],
      [2, 2, 1],
      [2, 3, 1],
      [3, 3, 1],
    ] as const;
    using F = factor(engine, symmetric(4, entries), { method: 'ldlt' });
    expect(F.explain().pivots.perturbed).toBe(1);
    expect(F.inertia).toEqual({ positive: 2, negative: 1, zero: 1 });
    F.update(symmetric(4, [...entries.slice(0, 4), [3, 3, 5]]).values);
    expect(F.inertia).toEqual({ positive: 3, negative: 1, zero: 0 });
  });

  test('where lu solves a symmetric one, so does auto: it leaves ldlt with poor pivots by itself', () => {
    const found: string[] = [];
    for (let seed = 50; seed <= 130; seed++) {
      const matrix = hollow([12, 30, 60, 120][seed % 4]!, 1 + ((seed >> 2) % 3), [0, 3, 6, 12][(seed >> 4) % 4]!, seed);
      const b = rightSide(matrix.rows);
      const errorBy = (method: 'lu' | 'ldlt' | 'auto') => {
        try {
          using F = factor(engine, matrix, { method });
          F.solve(b);
          if (method === 'auto') found.push(F.method);
          return F.lastSolve!.backwardError;
        } catch (error) {
          expect(error).toMatchObject({ code: 'structure' });
          return Number.POSITIVE_INFINITY;
        }
      };
      if (errorBy('lu') < 1e-12) expect(errorBy('auto'), `seed ${seed}`).toBeLessThan(1e-8);
    }
    expect(new Set(found)).toEqual(new Set(['ldlt', 'lu']));
  });

  test('the same after an update, and back', () => {
    const matrix = hollow(60, 2, 12, 126);
    const good = matrix.values.map((value, k) => {
      const row = matrix.rowPtr.findLastIndex((first) => first <= k);
      return matrix.colIdx[k] === row ? -1e5 : value;
    });
    const b = rightSide(60);
    using F = factor(engine, { ...matrix, values: good });
    expect(F.method).toBe('ldlt');
    F.update(matrix.values);
    expect(F.method).toBe('lu');
    expect(F.explain().reasons.join()).toMatch(/not ldlt: \d+ pivots were replaced, and refinement leaves an error of/);
    F.solve(b);
    expect(F.lastSolve!.backwardError).toBeLessThan(1e-14);
    F.update(good);
    F.solve(b);
    expect(F.lastSolve!.backwardError).toBeLessThan(1e-14);
  });

  test('a singular one that lu refuses keeps its ldlt, also after an update', () => {
    // The second row is twice the first.
    const singular = symmetric(3, [
      [0, 0, 1],
      [0, 1, 2],
      [1, 1, 4],
      [2, 2, -1],
    ]);
    using F = factor(engine, singular);
    expect([F.method, F.explain().pivots.perturbed]).toEqual(['ldlt', 1]);
    F.solve(Float64Array.of(1, 2, 0));
    expect(F.lastSolve!.relativeResidual).toBeLessThan(1e-10);
    F.update(singular.values.with(0, 3));
    F.update(singular.values);
    expect(F.method).toBe('ldlt');
    F.solve(Float64Array.of(1, 2, 0));
    expect(F.lastSolve!.relativeResidual).toBeLessThan(1e-10);
  });

  test('rows of very different units: ldlt replaces hardly any pivot, and has the same solution, determinant and inertia', () => {
    for (const given of Object.values(INDEFINITE)) {
      using plain = factor(engine, given, { method: 'ldlt' });
      const scale = Float64Array.from({ length: given.rows }, (_, i) => 2 ** (((i * 37) % 31) - 15));
      const values = given.values.slice();
      for (let i = 0; i < given.rows; i++)
        for (let k = given.rowPtr[i]!; k < given.rowPtr[i + 1]!; k++)
          values[k]! *= scale[i]! * scale[given.colIdx[k]!]!;
      using F = factor(engine, { ...given, values }, { method: 'ldlt' });
      expect(F.explain().pivots.perturbed).toBeLessThan(3);
      const log = plain.logDeterminant.log + 2 * scale.reduce((sum, factor) => sum + Math.log(factor), 0);
      if (F.explain().pivots.perturbed === 0) {
        expect(F.logDeterminant.log).toBeCloseTo(log, 6);
        expect(F.logDeterminant.sign).toBe(plain.logDeterminant.sign);
        expect(F.inertia).toEqual(plain.inertia);
      }
      const b = rightSide(given.rows);
      const x = F.solve(b.map((value, i) => value * scale[i]!));
      expect(
        distance(
          x.map((value, i) => value * scale[i]!),
          plain.solve(b),
        ),
      ).toBeLessThan(1e-8);
    }
  });

  test('memory is refused before it is taken, with the bytes', async () => {
    await using small = await createEngine({ threads: 1, maximumBytes: 2 ** 22 });
    const { bytesInUse: before } = small.heap;
    const matrix = gallery('laplace3d7', { nx: 20, ny: 20, nz: 20 });
    expect(() => factor(small, matrix)).toThrow(/^factors: expected room for \d+ bytes, got \d+ bytes free/);
    expect(small.heap.bytesInUse).toBe(before);
  });

  test('the predicted memory is what is taken, or a little more', () => {
    for (const matrix of [...Object.values(DEFINITE), ...Object.values(INDEFINITE)]) {
      const before = engine.heap.bytesInUse;
      using F = factor(engine, matrix);
      expect(F.bytes).toBeGreaterThan(0);
      expect(engine.heap.bytesInUse - before).toBeLessThan(F.bytes + 64 * 24);
    }
  });
});

describe('update', () => {
  const matrix = DEFINITE['a Laplacian'];
  const b = rightSide(matrix.rows);

  test('has the bits of new factors, and keeps the analysis', () => {
    for (const method of ['cholesky', 'ldlt'] as const) {
      using F = factor(engine, matrix, { method });
      const { order } = F.explain().times;
      const scaled = csrMatrix(addMatrices(matrix, matrix, 1, 2));
      F.update(scaled.values);
      using fresh = factor(engine, scaled, { method });
      expect(F.solve(b)).toEqual(fresh.solve(b));
      expect(F.explain().times.order).toBe(order);
    }
  });

  test('goes on with ldlt where the matrix has become indefinite, and back', () => {
    using F = factor(engine, matrix);
    const shifted = matrix.values.map((value) => (value === 4 ? 1.3 : value));
    F.update(shifted);
    expect(F.method).toBe('ldlt');
    expect(F.explain().reasons.join()).toMatch(/not cholesky: matrix: expected a symmetric positive definite matrix/);
    expect(backwardError({ ...matrix, values: shifted }, F.solve(b), b)).toBeLessThan(1e-14);
    F.update(matrix.values);
    expect(backwardError(matrix, F.solve(b), b)).toBeLessThan(1e-14);
  });

  test('keeps the method and the analysis also where another would be chosen', () => {
    const shifted = matrix.values.map((value) => (value === 4 ? -1.3 : value));
    using F = factor(engine, { ...matrix, values: shifted });
    expect(F.method).toBe('ldlt');
    const { order } = F.explain().times;
    F.update(matrix.values);
    expect([F.method, F.explain().times.order]).toEqual(['ldlt', order]);
    expect(backwardError(matrix, F.solve(b), b)).toBeLessThan(1e-14);
    // lu goes on, though these numbers are symmetric.
    using ofLu = factor(engine, { ...matrix, values: matrix.values.with(1, -2) });
    ofLu.update(matrix.values);
    expect(ofLu.method).toBe('lu');
    expect(backwardError(matrix, ofLu.solve(b), b)).toBeLessThan(1e-14);
  });

  test('goes on with lu where the numbers are not symmetric any more', () => {
    using F = factor(engine, matrix);
    const values = matrix.values.with(1, -2);
    F.update(values);
    expect(F.method).toBe('lu');
    expect(F.explain().reasons.join()).toMatch(/not cholesky: matrix: expected a symmetric one/);
    expect(backwardError({ ...matrix, values }, F.solve(b), b)).toBeLessThan(1e-14);
  });

  test('with NaN or Inf names the entry, and no other method is tried', () => {
    using F = factor(engine, matrix);
    for (const wrong of [Number.NaN, Number.NEGATIVE_INFINITY]) {
      expect(() => F.update(matrix.values.with(77, wrong))).toThrow(
        `matrix: expected finite numbers, got ${wrong} as entry 77`,
      );
      expect(() => F.solve(b)).toThrow(/one whose update failed/);
    }
    F.update(matrix.values);
    expect(F.method).toBe('cholesky');
  });

  test('of a preconditioner by name: cg takes one step with the new numbers', () => {
    using M = precondition(engine, matrix, 'direct');
    const values = matrix.values.map((value) => (value === 4 ? 5 : value));
    M.update(values);
    using A = engine.operator({ ...matrix, values });
    const { x, iterations, converged } = cg(A, b, { preconditioner: M, rtol: 1e-12 });
    x.dispose();
    expect([converged, iterations]).toEqual([true, 1]);
  });

  test('of a named method fails, and then succeeds', () => {
    using F = factor(engine, matrix, { method: 'cholesky' });
    const before = F.solve(b);
    expect(() => F.update(matrix.values.map((value) => -value))).toThrow(/symmetric positive definite/);
    expect(() => F.solve(b)).toThrow(/^factorization: expected one of a matrix that could be factored/);
    F.update(matrix.values);
    expect(F.solve(b)).toEqual(before);
  });
});

describe('as a preconditioner', () => {
  test('cg takes one step', () => {
    const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
    using A = engine.operator(matrix);
    using M = precondition(engine, matrix, 'direct?method=cholesky');
    const { x, iterations, converged } = cg(A, rightSide(900), { preconditioner: M, rtol: 1e-12 });
    x.dispose();
    expect([converged, iterations]).toEqual([true, 1]);
    expect(M.spec).toBe('direct?method=cholesky');
    expect(M.explain()).toMatchObject({ method: 'cholesky', order: 'amd', rows: 900 });
  });

  test('the report says what was computed', () => {
    using F = factor(engine, matrix0());
    const report = F.explain();
    expect(report).toMatchObject({ method: 'cholesky', order: 'amd', rows: 2500 });
    expect(report.fill).toBeGreaterThan(1);
    expect(report.flops).toBeGreaterThan(report.entries);
    expect(structuredClone(report)).toEqual(report);
    expect(`${F}`).toBe('Factorization (cholesky, 2500 × 2500)');
  });
});

test('orders of elimination: those that are named, and the cheaper one, time for the order included', () => {
  const matrix = gallery('laplace3d7', { nx: 32, ny: 32, nz: 32 });
  const b = rightSide(matrix.rows);
  const flops = (['amd', 'nd', 'auto'] as const).map((order) => {
    using F = factor(engine, matrix, { order });
    expect(backwardError(matrix, F.solve(b), b)).toBeLessThan(1e-15);
    const report = F.explain();
    expect(report.order).toBe(order === 'amd' ? 'amd' : 'nd');
    return report.flops;
  });
  expect(flops[1]).toBeLessThan(flops[0]!);
  expect(flops[2]).toBe(flops[1]);
  // In two dimensions nested dissection saves less than it takes.
  using flat = factor(engine, gallery('laplace2d9', { nx: 350, ny: 350 }));
  expect(flat.explain()).toMatchObject({ order: 'amd' });
  expect(flat.explain().flops).toBeGreaterThan(2e9);
  for (const order of ['amd', 'nd'] as const) {
    using F = factor(engine, saddlePoint(900, 400), { order });
    expect(F.explain()).toMatchObject({ order, pivots: { perturbed: 0 } });
  }
});

test('a matrix without rows', () => {
  using F = factor(engine, { rows: 0, cols: 0, rowPtr: [0], colIdx: [] });
  expect(F.solve(new Float64Array(0))).toEqual(new Float64Array(0));
  expect(F.logDeterminant).toEqual({ log: 0, sign: 1 });
});

function matrix0() {
  return gallery('laplace2d5', { nx: 50, ny: 50 });
}

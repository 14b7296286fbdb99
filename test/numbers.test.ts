/** Matrices as arrays of rows, vectors as arrays of numbers and of f32: taken wherever matrices and vectors go. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as api from '#dist/index.node.js';
import {
  type CsrMatrix,
  cg,
  createEngine,
  createSolver,
  csrMatrix,
  type Engine,
  factor,
  gallery,
  type MatrixInput,
  precondition,
  type Solution,
  solve,
} from '#dist/index.node.js';
import { spy } from '#dist/pictures/index.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
});
afterAll(() => engine.dispose());

const ROWS = [
  [4, 1, 0],
  [1, 3, 0],
  [0, 0, 2],
];
const CSR: CsrMatrix = csrMatrix({
  ...{ rows: 3, cols: 3, rowPtr: [0, 2, 4, 5], colIdx: [0, 1, 0, 1, 2], values: [4, 1, 1, 3, 2] },
});

/** The numbers of a result: of a matrix, of arrays, or of objects with them. */
function numbersOf(result: unknown): unknown {
  return JSON.parse(
    JSON.stringify(result, (key, value) =>
      ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : /Ms$/.test(key) ? 0 : value,
    ),
  );
}

/** What takes a matrix, by name. */
const OF_MATRIX: Readonly<Record<string, (matrix: MatrixInput) => unknown>> = {
  addMatrices: (A) => api.addMatrices(A, A),
  applyDirichlet: (A) => api.applyDirichlet(A, [1, 2, 4], [0], 1),
  bandk: (A) => api.bandk(A),
  byRowLength: (A) => api.byRowLength(A),
  csrMatrix: (A) => csrMatrix(A),
  diagonalOf: (A) => api.diagonalOf(A),
  factor: (A) => factor(engine, A).solve([1, 2, 4]),
  hubsFirst: (A) => api.hubsFirst(A),
  kroneckerProduct: (A) => api.kroneckerProduct(A, A),
  matrixStatistics: (A) => api.matrixStatistics(A),
  multiplyMatrices: (A) => api.multiplyMatrices(A, A),
  normsOf: (A) => api.normsOf(A, 'rows'),
  pageRank: (A) => api.pageRank(engine, A).ranks.toArray(),
  partition: (A) => api.partition(A, 2),
  permuteMatrix: (A) => api.permuteMatrix(A, { rowOrder: [2, 0, 1] }),
  promoteBlocks: (A) => api.promoteBlocks(A, 2),
  rcm: (A) => api.rcm(A),
  scaleMatrix: (A) => api.scaleMatrix(A, { rows: [1, 2, 3] }),
  sliceRows: (A) => api.sliceRows(A, 1, 3),
  spy: (A) => spy(A),
  sumsOf: (A) => api.sumsOf(A, 'columns'),
  transposeMatrix: (A) => api.transposeMatrix(A),
  'engine.matrix': (A) => engine.matrix(A).multiply(A).add(A).toCsr(),
  'engine.multiplyMatrices': (A) => engine.multiplyMatrices(A, A),
};

describe('matrices', () => {
  test.each(Object.entries(OF_MATRIX))('%s', (_, of) => {
    const expected = numbersOf(of(CSR));
    expect(numbersOf(of(ROWS))).toEqual(expected);
    expect(numbersOf(of(ROWS.map((row) => Float64Array.from(row))))).toEqual(expected);
  });

  test('files, operators and preconditioners', async () => {
    const text = async (A: MatrixInput) => new Response(await api.write('A.mtx', A)).text();
    expect(await text(ROWS)).toBe(await text(CSR));
    const products = [ROWS, CSR].map((A) => {
      const y = new Float64Array(3);
      using operator = engine.operator(A, { format: 'csr' });
      operator.apply(Float64Array.of(1, 2, 4), y);
      using M = precondition(engine, A, 'ilu0');
      M.apply(y, y.slice());
      return y;
    });
    expect(products).toEqual([Float64Array.of(6, 7, 8), Float64Array.of(6, 7, 8)]);
  });
});

describe('vectors', () => {
  test('of products', () => {
    for (const dtype of ['f64', 'f32'] as const) {
      using A = engine.operator(CSR, { dtype });
      const y = new (dtype === 'f64' ? Float64Array : Float32Array)(3);
      A.apply([1, 2, 4], y);
      expect(Array.from(y)).toEqual([6, 7, 8]);
      A.apply(Float32Array.of(2, 0, 1), y, 1, 1);
      expect(Array.from(y)).toEqual([14, 9, 10]);
      expect(() => A.apply([1, 2], y)).toThrow(/^x: expected length 3/);
      expect(() => A.apply([1, 2, '3'] as never, y)).toThrow(/^x\[2\]: expected a number/);
    }
    using single = engine.operator(CSR, { dtype: 'f32' });
    expect(() => single.apply(new Float64Array(3), new Float32Array(3))).toThrow(/^x: expected dtype f32/);
    expect(() => single.apply([1, 2, 4], [0, 0, 0] as never)).toThrow(/^y: expected a vector of the engine/);
  });

  test('of methods', () => {
    using A = engine.operator(CSR);
    const { cg: byCg, fcg, pipelinedCg, minres, bicgstab, gmres, fgmres, lsqr, lsmr, chebyshev } = api;
    for (const method of [byCg, fcg, pipelinedCg, minres, bicgstab, gmres, fgmres, lsqr, lsmr, chebyshev])
      for (const b of [[6, 7, 8], Float32Array.of(6, 7, 8)]) {
        const { x, converged } = (method as (...args: unknown[]) => Solution)(A, b, { x0: Array.from(b) });
        expect(converged).toBe(true);
        for (const [i, value] of [1, 2, 4].entries()) expect(x.data[i]).toBeCloseTo(value, 6);
        x.dispose();
      }
    expect(api.powerIteration(A, { x0: [1, 1, 1] }).value).toBeCloseTo(4.618, 3);
  });

  test('in blocks of right-hand sides', () => {
    using A = engine.operator(CSR);
    for (const method of [api.cgMany, api.blockCg]) {
      const { bytesInUse } = engine.heap;
      const { x, converged } = method(
        A,
        [
          [6, 1],
          [7, 0],
          [8, 2],
        ],
        {
          x0: [
            [0, 1],
            [1, 0],
            [0, 0],
          ],
        },
      );
      expect(converged).toBe(true);
      const numbers = x.toArray({ order: 'column' });
      for (const [i, value] of [1, 2, 4, 3 / 11, -1 / 11, 1].entries()) expect(numbers[i]).toBeCloseTo(value, 7);
      x.dispose();
      expect(() => method(A, [[1], [2]])).toThrow(/^B: expected 3 rows, got 2/);
      expect(() => method(A, [1, 2, 3] as never)).toThrow(/^B: expected a block in A's space, or an array of rows/);
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    }
  });

  test('of permutations and null spaces', () => {
    expect(api.permuteVector([1, 2, 4], [2, 0, 1])).toEqual(Float64Array.of(4, 1, 2));
    for (const z of [[1, 1], Float32Array.of(1, 1)]) {
      const { x } = solve(
        engine,
        [
          [1, -1],
          [-1, 1],
        ],
        [1, -1],
        { nullSpace: [z] },
      );
      expect(x.data[0]).toBeCloseTo(0.5, 12);
      x.dispose();
    }
  });
});

describe('other values', () => {
  test.each([
    ['numbers', [8, 2, 2, 6, 4]],
    ['f32', Float32Array.of(8, 2, 2, 6, 4)],
  ])('%s', async (_, values) => {
    using F = factor(engine, ROWS);
    using M = precondition(engine, ROWS, 'jacobi');
    using solver = createSolver(engine, ROWS);
    F.update(values);
    await F.updateAsync(values);
    M.update(values);
    solver.update(values);
    const z = new Float64Array(3);
    M.apply([8, 6, 4], z);
    expect(z).toEqual(Float64Array.of(1, 1, 1));
    const { x } = solver.solve([12, 14, 16]);
    for (const numbers of [F.solve([12, 14, 16]), x.data])
      for (const [i, value] of [1, 2, 4].entries()) expect(numbers[i]).toBeCloseTo(value, 12);
    x.dispose();
    for (const one of [F, M, solver]) {
      expect(() => one.update([1, 2])).toThrow(/^values: expected length nnz = 5, got 2/);
      expect(() => one.update('x' as never)).toThrow(/^values: expected an array of numbers/);
    }
  });
});

describe('numbers as one types them', () => {
  test('an array of rows, an array of numbers, f32', () => {
    const rows = [
      [4, 1, 0],
      [1, 3, 0],
      [0, 0, 2],
    ];
    for (const [matrix, b] of [
      [rows, [1, 2, 4]],
      [rows.map((row) => Float32Array.from(row)), Float32Array.of(1, 2, 4)],
    ] as const)
      for (const options of [{}, { method: 'cg', preconditioner: 'none' }, { method: 'gmres' }]) {
        const { x, converged } = solve(engine, matrix, b, { ...options, x0: [0, 0, 1] });
        expect(converged).toBe(true);
        for (const [i, value] of [1 / 11, 7 / 11, 2].entries()) expect(x.toArray()[i]).toBeCloseTo(value, 7);
        x.dispose();
      }
    using F = factor(engine, rows);
    expect(F.solve([4, 1, 2])[0]).toBeCloseTo(1, 12);
    using A = engine.operator(csrMatrix(rows));
    const { x } = cg(A, [4, 1, 2], { preconditioner: precondition(engine, rows, 'jacobi'), x0: [1, 0, 0] });
    expect(x.data[2]).toBeCloseTo(1, 12);
    x.dispose();
    using solver = createSolver(engine, rows);
    solver.solve([1, 2, 3]).x.dispose();
  });

  test('a bad order of the unknowns', () => {
    const mesh = gallery('delaunay', { n: 3000 });
    const b = Array.from({ length: 3000 }, (_, i) => Math.cos(i));
    const [one, other] = [b, Float64Array.from(b)].map((side) => {
      const { x } = solve(engine, mesh, side, { order: 'rcm', x0: b });
      const numbers = x.toArray();
      x.dispose();
      return numbers;
    });
    expect(one).toEqual(other);
  });

  test.each([
    ['rows of different length', [[1, 2], [3]], [1, 2], /^matrix\[1\]: expected length 2, that of matrix\[0\], got 1/],
    ['no rows', [1, 2], [1, 2], /^matrix\[0\]: expected an array of numbers, got 1/],
    ['a word', [['1']], [1], /^matrix\[0\]\[0\]: expected a number, got /],
    ['a word in b', [[1]], ['1'], /^b\[0\]: expected a number, got /],
    ['a short b', [[1]], [], /^b: expected length 1, got 0/],
    ['f64 for f32', undefined, Float64Array.of(1), /^b: expected dtype f32/],
  ])('%s: refused', (_, matrix, b, message) => {
    using single = engine.operator(csrMatrix([[1]]), { dtype: 'f32' });
    expect(() => solve(engine, (matrix ?? single) as never, b as never)).toThrow(message);
  });
});

/** examples/ml-matrix: `solve` by factors has the results and the errors of ml-matrix. Its own tests are run by `their-tests.mjs`, for a checkout. */
import * as mlMatrix from 'ml-matrix';
import { SparseMatrix } from 'ml-sparse-matrix';
import { createEngine, type Engine, gallery } from 'sparlane';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** The example is JavaScript, which the TypeScript project of the tests does not contain. */
const EXAMPLE = '../../examples/ml-matrix/sparse-solve.mjs';
const { sparseSolve } = await import(EXAMPLE);
const { Matrix, solve } = mlMatrix;

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** A matrix that is not symmetric, of a grid of 12 × 12 points. */
const { rows, rowPtr, colIdx, values } = gallery('convection2d', { nx: 12, ny: 12 });
const grid = Array.from({ length: rows }, (_, i) => {
  const row: number[] = Array(rows).fill(0);
  for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) row[colIdx[k]!] = values[k]!;
  return row;
});
const B = Array.from({ length: rows }, (_, i) => [1, i % 7]);

/** The types of SparseMatrix ask for a number of columns, too. */
const sparse = (matrix: number[][]) => new SparseMatrix(matrix, matrix[0]!.length);

/** Returns `solve` by factors, beside one of ml-matrix whose calls are counted. */
function setUp(limits?: object) {
  const own = vi.fn(solve);
  return { own, fast: sparseSolve(engine, { Matrix, solve: own }, limits) };
}

test.each([
  ['a Matrix', new Matrix(grid)],
  ['arrays of rows', grid],
  ['a view', new mlMatrix.MatrixTransposeView(new Matrix(grid).transpose())],
  ['a SparseMatrix', sparse(grid)],
])('%s is solved by factors', (_, A) => {
  const { own, fast } = setUp();
  const before = engine.heap.bytesInUse;
  const X = fast(A, B);
  expect(own).not.toHaveBeenCalled();
  expect(engine.heap.bytesInUse).toBe(before);
  expect(X).toBeInstanceOf(Matrix);
  expect(Matrix.sub(X, solve(grid, B)).abs().max()).toBeLessThan(1e-12 * X.abs().max());
  expect(Matrix.sub(new Matrix(grid).mmul(X), B).abs().max()).toBeLessThan(1e-12);
});

test.each([
  ['small ones', grid.slice(0, 50).map((row) => row.slice(0, 50)), B.slice(0, 50), {}],
  ['dense ones', grid, B, { maxDensity: 0.01 }],
  ['those that are not square', grid.map((row) => row.slice(1)), B, {}],
])('ml-matrix solves %s', (_, A, right, limits) => {
  const { own, fast } = setUp(limits);
  expect(fast(A, right)).toEqual(solve(A, right));
  expect(own).toHaveBeenCalledTimes(1);
});

test('useSVD, singular matrices and wrong sizes are left to ml-matrix, with its errors', () => {
  const { own, fast } = setUp({ minRows: 0, maxDensity: 1 });
  const A = [
    [2, 1],
    [1, 3],
  ];
  expect(fast(A, [[3], [4]], true)).toEqual(solve(A, [[3], [4]], true));
  const singular = [
    [1, 2],
    [2, 4],
  ];
  for (const matrix of [singular, sparse(singular)])
    expect(() => fast(matrix, [[1], [1]])).toThrow('LU matrix is singular');
  expect(() => fast(A, [[1]])).toThrow('Invalid matrix dimensions');
  expect(own).toHaveBeenCalledTimes(4);
});

/** The Galerkin product in one step, against two products of matrices. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CompressedRows } from '#dist/core/csr.js';
import { createEngine, csrMatrix, type Engine, type MatrixInput } from '#dist/index.node.js';
import { galerkinProduct, refillGalerkin } from '#dist/preconditioners/amg/galerkin.js';

/** Integers: every order of the sums has the same bits. */
const numbers = fc.integer({ min: -4, max: 4 });
const matrixOf = (rows: number, cols: number) =>
  fc.array(fc.array(fc.option(numbers, { freq: 1, nil: undefined }), { minLength: cols, maxLength: cols }), {
    minLength: rows,
    maxLength: rows,
  });

function stored(rows: (number | undefined)[][], cols: number): MatrixInput {
  const entries = rows.map((row) => row.flatMap((value, j) => (value === undefined ? [] : [[j, value] as const])));
  const rowPtr = [0];
  for (const row of entries) rowPtr.push(rowPtr.at(-1)! + row.length);
  const flat = entries.flat();
  return { rows: rows.length, cols, rowPtr, colIdx: flat.map(([j]) => j), values: flat.map(([, value]) => value) };
}

describe.each([1, 3])('on %d threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads, onHint: () => {} });
  });
  afterAll(() => engine.dispose());

  /** Uses C, Pᵀ A P by two products, and the factors. */
  function withProducts(
    [a, p]: readonly [MatrixInput, MatrixInput],
    use: (product: CompressedRows, twice: CompressedRows, factors: Parameters<typeof galerkinProduct>[2]) => void,
  ) {
    const { context } = engine;
    using matrix = engine.matrix(a);
    using prolongation = engine.matrix(p);
    using restriction = prolongation.transposed();
    using first = matrix.multiply(prolongation);
    using twice = restriction.multiply(first);
    using scope = context.heap.scope();
    const factors = { matrix, prolongation, restriction };
    use(galerkinProduct(context, scope, factors), twice, factors);
  }

  const arrays = ({ rowPtr, colIdx, values }: CompressedRows) => ({
    rowPtr: [...rowPtr],
    colIdx: [...colIdx],
    // −0 and 0 are the same.
    values: [...values].map((value) => value + 0),
  });

  test('has the pattern and the numbers of two products', () => {
    const sizes = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 7 }));
    const factors = sizes.chain(([fine, coarse]) =>
      fc.tuple(
        matrixOf(fine, fine).map((rows) => stored(rows, fine)),
        matrixOf(fine, coarse).map((rows) => stored(rows, coarse)),
      ),
    );
    fc.assert(
      fc.property(factors, (pair) =>
        withProducts(pair, (product, twice) => expect(arrays(product)).toEqual(arrays(twice))),
      ),
      { numRuns: 100 },
    );
  });

  const n = 3000;
  /** Tridiagonal, and aggregates of 3 rows, smoothed a little. */
  const line = csrMatrix({
    ...{
      rows: n,
      cols: n,
      rowPtr: Array.from({ length: n + 1 }, (_, i) => Math.max(0, Math.min(3 * i - 1, 3 * n - 2))),
    },
    colIdx: Array.from({ length: n }, (_, i) => [i - 1, i, i + 1].filter((j) => j >= 0 && j < n)).flat(),
    values: Array.from({ length: 3 * n - 2 }, (_, k) => 1 / (1 + (k % 17))),
  });
  const groups = csrMatrix({
    ...{ rows: n, cols: n / 3, rowPtr: Array.from({ length: n + 1 }, (_, i) => i) },
    ...{ colIdx: Array.from({ length: n }, (_, i) => Math.floor(i / 3)), values: new Float64Array(n).fill(1 / 3) },
  });

  test('repeats its numbers, bit for bit, and follows those of A', () => {
    withProducts([line, groups], (product, _, factors) => {
      const before = product.values.slice();
      product.values.fill(Number.NaN);
      refillGalerkin(engine.context, factors, product);
      expect(product.values).toEqual(before);
      factors.matrix.values.set(line.values.map((value) => 4 * value));
      refillGalerkin(engine.context, factors, product);
      expect(product.values).toEqual(before.map((value) => 4 * value));
    });
  });

  test('a product with more entries than A is computed with more room', () => {
    // A is diagonal, P dense: C is dense.
    const [fine, coarse] = [64, 60];
    const diagonal = csrMatrix(
      Array.from({ length: fine }, (_, i) => Array.from({ length: fine }, (_, j) => +(i === j))),
    );
    const dense = csrMatrix(
      Array.from({ length: fine }, (_, i) => Array.from({ length: coarse }, (_, j) => 1 + ((i * j) % 5))),
    );
    withProducts([diagonal, dense], (product, twice) => {
      expect(product.nnz).toBe(coarse ** 2);
      expect(arrays(product)).toEqual(arrays(twice));
    });
  });
});

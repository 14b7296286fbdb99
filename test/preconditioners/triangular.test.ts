/** ic0 and ilu0: factors by hand and by definition, orders, blocks, breakdowns, threads, iterations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import {
  bicgstab,
  CsrBuilder,
  cg,
  createEngine,
  csrMatrix,
  type Engine,
  gallery,
  precondition,
  rcm,
} from '#dist/index.node.js';
import { blocksOf, type Dense, dense, distance, ilu0, productOf, solveDense } from './dense.js';
import { ragged, SYMMETRIC, shuffleRows, skewed } from './matrices.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

function applied(matrix: CsrMatrix, spec: string, r: ArrayLike<number>, dtype: 'f64' | 'mixed' | 'f32' = 'f64') {
  using M = precondition(engine, matrix, spec, { dtype });
  const z = new M.vectorType(matrix.rows);
  M.apply(new M.vectorType(Float64Array.from(r)), z);
  return z;
}

/** M⁻¹ r by the definition of ILU(0), which for a symmetric matrix is IC(0). */
function expected(matrix: CsrMatrix, order: ArrayLike<number>, blockRows: number, r: ArrayLike<number>): number[] {
  const M = productOf(ilu0(blocksOf(dense(matrix), order, blockRows)));
  const z = solveDense(
    M,
    Array.from(order, (row) => r[row]!),
  );
  const result = new Array<number>(matrix.rows);
  Array.from(order).forEach((row, i) => {
    result[row] = z[i]!;
  });
  return result;
}

function fromDense(rows: Dense): CsrMatrix {
  const builder = new CsrBuilder(rows.length, rows.length);
  rows.forEach((row, i) => {
    row.forEach((value, j) => {
      if (value !== 0) builder.add(i, j, value);
    });
  });
  return builder.build();
}

describe('without fill-in the factors are exact', () => {
  // K Kᵀ for K = [2 0 0 0; 1 3 0 0; 0 1 2 0; 0 0 2 4]
  const matrix = fromDense([
    [4, 2, 0, 0],
    [2, 10, 3, 0],
    [0, 3, 5, 4],
    [0, 0, 4, 20],
  ]);

  test.each(['ic0', 'ilu0'])('%s solves A z = r', (name) => {
    expect(distance(applied(matrix, name, [8, 31, 37, 92]), [1, 2, 3, 4])).toBeLessThan(1e-15);
  });

  test.each(['ic0', 'ilu0'])('%s in blocks of two rows ignores the entry between them', (name) => {
    // [4 2; 2 10] z = (8, 22), [5 4; 4 20] z = (31, 92)
    expect(distance(applied(matrix, `${name}?blocks=2`, [8, 22, 31, 92]), [1, 2, 3, 4])).toBeLessThan(1e-15);
  });

  test('fill-in is dropped: K has the pattern of A', () => {
    // l₂₁ would be filled in; without it the pivots are 4, 4 − 1, 4 − 1.
    const arrow = fromDense([
      [4, 2, 2],
      [2, 4, 0],
      [2, 0, 4],
    ]);
    // K = [2 0 0; 1 √3 0; 1 0 √3], K Kᵀ = [4 2 2; 2 4 1; 2 1 4]
    expect(
      distance(
        applied(arrow, 'ic0', [12, 11, 16 - 1]),
        solveDense(
          [
            [4, 2, 2],
            [2, 4, 1],
            [2, 1, 4],
          ],
          [12, 11, 15],
        ),
      ),
    ).toBeLessThan(1e-15);
  });
});

describe.each(Object.entries({ ...SYMMETRIC, 'rows that are not symmetric': skewed(47) }))('%s', (name, matrix) => {
  const r = sampleVector(matrix.rows, 'real', 3);
  const kinds = name in SYMMETRIC ? ['ic0', 'ilu0'] : ['ilu0'];
  for (const kind of kinds)
    for (const blocks of [1, 2, 7, 16, 16384])
      for (const order of ['natural', 'rcm'] as const)
        test(`${kind}?blocks=${blocks}&order=${order} solves with the factors of its definition`, () => {
          const rows =
            order === 'rcm' ? rcm(matrix).rowOrder : Uint32Array.from(matrix.rowPtr.keys()).subarray(0, matrix.rows);
          const z = expected(matrix, rows, blocks, r);
          const spec = `${kind}?blocks=${blocks}&order=${order}`;
          expect(distance(applied(matrix, spec, r), z)).toBeLessThan(1e-12);
          expect(distance(applied(matrix, spec, r, 'mixed'), z)).toBeLessThan(1e-5);
          expect(distance(applied(matrix, spec, r, 'f32'), z)).toBeLessThan(1e-5);
        });
});

test('blocks of more than 65536 rows have columns of 32 bits', () => {
  const matrix = gallery('laplace1d3', { nx: 70_000 });
  const ones = new Float64Array(matrix.rows).fill(1);
  const r = new Float64Array(matrix.rows);
  using A = engine.operator(matrix);
  A.apply(ones, r);
  // Without fill-in the factors of a tridiagonal matrix are exact.
  for (const kind of ['ic0', 'ilu0'])
    for (const dtype of ['f64', 'mixed'] as const)
      expect(distance(applied(matrix, `${kind}?blocks=100000`, r, dtype), ones)).toBeLessThan(
        dtype === 'f64' ? 1e-6 : 1,
      );
});

test('the order is changed where it is bad', () => {
  const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
  const orderOf = (of: CsrMatrix) => {
    using M = precondition(engine, of, 'ic0');
    return M.explain().order;
  };
  expect(orderOf(matrix)).toBe('natural');
  expect(orderOf(shuffleRows(matrix))).toBe('rcm');
  expect(orderOf(gallery('laplace3d27', { nx: 12, ny: 12, nz: 12, block: 3 }))).toBe('natural');
});

describe('a pivot that cannot be used', () => {
  const finite = (spec: string, matrix: CsrMatrix) => {
    using M = precondition(engine, matrix, spec);
    const z = new Float64Array(matrix.rows);
    M.apply(new Float64Array(matrix.rows).fill(1), z);
    expect(z.every(Number.isFinite)).toBe(true);
    return M.explain().shift!;
  };

  test('is avoided by a shift, which is reported', () => {
    const indefinite = fromDense([
      [1, 2],
      [2, 1],
    ]);
    // d₁ = 1 + 3 s − 4 / (1 + 3 s) > 0 for s > 1 / 3: the first of 0.001 · 2ᵏ
    expect(finite('ic0', indefinite)).toBe(0.512);
    expect(finite('ilu0', indefinite)).toBe(0);
    const zeros = fromDense([
      [0, 1],
      [1, 0],
    ]);
    expect(finite('ic0', zeros)).toBe(1.024);
    expect(finite('ilu0', zeros)).toBe(0.001);
    const emptyRows = csrMatrix({ rows: 3, cols: 3, rowPtr: [0, 0, 1, 1], colIdx: [1], values: [5] });
    expect(finite('ic0', emptyRows)).toBe(0.001);
    expect(finite('ilu0', emptyRows)).toBe(0.001);
  });

  test('of one block does not change another one', () => {
    const builder = new CsrBuilder(4, 4);
    builder.add(0, 0, 4);
    builder.add(1, 1, -1);
    builder.add(2, 2, 4);
    builder.add(3, 3, 4);
    using M = precondition(engine, builder.build(), 'ic0?blocks=2');
    expect(M.explain().shift).toBeGreaterThan(0);
    const z = new Float64Array(4);
    M.apply(Float64Array.of(4, 1, 4, 4), z);
    expect([...z.subarray(2)]).toEqual([1, 1]);
  });

  test('update forgets a shift', () => {
    const matrix = fromDense([
      [1, 2],
      [2, 1],
    ]);
    using M = precondition(engine, matrix, 'ic0');
    M.update(Float64Array.of(4, 2, 2, 10));
    expect(M.explain().shift).toBe(0);
    const z = new Float64Array(2);
    M.apply(Float64Array.of(8, 22), z);
    expect(distance(z, [1, 2])).toBeLessThan(1e-15);
  });

  test('after an update that failed, another one repairs it', () => {
    const matrix = fromDense([
      [4, 2],
      [2, 10],
    ]);
    using M = precondition(engine, matrix, 'ic0');
    expect(() => M.update(matrix.values.map(() => Number.NaN))).toThrow(
      /^ic0: expected finite numbers .* got NaN as entry 0/,
    );
    M.update(matrix.values);
    const z = new Float64Array(2);
    M.apply(Float64Array.of(8, 22), z);
    expect(distance(z, [1, 2])).toBeLessThan(1e-15);
  });
});

test('the same bits on any number of threads', async () => {
  const symmetric = ragged(30_000);
  const b = Float64Array.from(sampleVector(30_000, 'real', 1));
  const results: Float64Array[][] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using team = await createEngine({ threads, onHint: () => {} });
    results.push(
      ['ic0?blocks=700', 'ilu0?blocks=700', 'ic0?blocks=700&order=rcm'].map((spec) => {
        using M = precondition(team, symmetric, spec);
        const z = team.vector(b.length);
        M.apply(team.vector(b), z);
        return z.toArray();
      }),
    );
  }
  for (const result of results) expect(result).toEqual(results[0]);
});

describe('iterations', () => {
  const iterations = (matrix: CsrMatrix, spec: string) => {
    using A = engine.operator(matrix, { format: 'csr' });
    using M = precondition(engine, matrix, spec);
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1), (value) => 1 + value / 2);
    const { x, iterations, converged } = cg(A, b, { preconditioner: M });
    x.dispose();
    expect(converged).toBe(true);
    return iterations;
  };

  test('of cg with ic0 are those of its definition: 5-point 100²', () => {
    const matrix = gallery('laplace2d5', { nx: 100, ny: 100 });
    const one = iterations(matrix, 'ic0');
    expect(one).toBeGreaterThan(80);
    expect(one).toBeLessThan(105);
    expect(Math.abs(iterations(matrix, 'ic0?order=rcm') - one)).toBeLessThan(4);
    expect(iterations(matrix, 'ic0?blocks=2000')).toBeLessThan(1.6 * one);
    expect(iterations(shuffleRows(matrix), 'ic0')).toBeLessThan(1.1 * one);
    expect(iterations(shuffleRows(matrix), 'ic0?order=natural')).toBeGreaterThan(1.3 * one);
    expect(iterations(matrix, 'jacobi')).toBeGreaterThan(2.5 * one);
  });

  test('of cg with ic0: 7-point 50³ 93 in blocks of 16384 rows in rcm order, 58 in one', () => {
    const matrix = gallery('laplace3d7', { nx: 50, ny: 50, nz: 50 });
    expect(Math.abs(iterations(matrix, 'ic0?order=rcm') - 93)).toBeLessThanOrEqual(8);
    expect(Math.abs(iterations(matrix, 'ic0?order=rcm&blocks=200000') - 58)).toBeLessThanOrEqual(5);
    expect(iterations(matrix, 'ic0')).toBeLessThan(80);
  });

  test('of bicgstab with ilu0 are fewer', () => {
    const builder = new CsrBuilder(900, 900);
    for (let i = 0; i < 900; i++) {
      builder.add(i, i, 4);
      if (i % 30 > 0) builder.add(i, i - 1, -1.9);
      if (i % 30 < 29) builder.add(i, i + 1, -0.1);
      if (i >= 30) builder.add(i, i - 30, -1.5);
      if (i < 870) builder.add(i, i + 30, -0.5);
    }
    const matrix = builder.build();
    using A = engine.operator(matrix);
    const b = new Float64Array(900).fill(1);
    const plain = bicgstab(A, b);
    using M = precondition(engine, matrix, 'ilu0');
    const better = bicgstab(A, b, { preconditioner: M });
    expect([plain.converged, better.converged]).toEqual([true, true]);
    expect(better.iterations).toBeLessThan(plain.iterations / 2);
    plain.x.dispose();
    better.x.dispose();
  });
});

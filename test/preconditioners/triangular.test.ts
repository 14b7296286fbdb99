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
  type Dtype,
  type Engine,
  gallery,
  precondition,
  rcm,
} from '#dist/index.node.js';
import { cutIntoPieces } from '#dist/preconditioners/triangular/pieces.js';
import { type Dense, dense, distance, ilu0, keptOf, productOf, solveDense } from './dense.js';
import { ragged, SYMMETRIC, shuffleRows, skewed } from './matrices.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

function applied(matrix: CsrMatrix, spec: string, r: ArrayLike<number>, dtype: Dtype = 'f64') {
  using M = precondition(engine, matrix, spec, { dtype });
  const z = new M.vectorType(matrix.rows);
  M.apply(new M.vectorType(Float64Array.from(r)), z);
  return z;
}

/** M⁻¹ r by the definition of ILU(0), which for a symmetric matrix is IC(0). */
function expected(matrix: CsrMatrix, rows: Uint32Array, blockRows: number, r: ArrayLike<number>): number[] {
  const pieces = cutIntoPieces(matrix, rows, blockRows);
  const order = pieces.order ?? rows;
  const M = productOf(ilu0(keptOf(dense(matrix), order, pieces)));
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

  test.each(['ic0', 'ilu0'])('%s in two blocks, which meet in row 2, keeps the entry between them', (name) => {
    expect(distance(applied(matrix, `${name}?blocks=2`, [8, 31, 37, 92]), [1, 2, 3, 4])).toBeLessThan(1e-15);
  });

  test.each(['ic0', 'ilu0'])('%s in blocks of one row ignores the entries between two borders of a stage', (name) => {
    // Rows 1 and 3 are ends, and row 2 is a start.
    using M = precondition(engine, gallery('laplace1d3', { nx: 4 }), `${name}?blocks=1`);
    expect(M.explain()).toMatchObject({ blocks: 4, borderRows: 3, dropped: 0 });
    const full = fromDense(Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (i === j ? 9 : 1))));
    using F = precondition(engine, full, `${name}?blocks=1`);
    expect(F.explain()).toMatchObject({ blocks: 5, borderRows: 4, dropped: 4 });
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

describe('several unknowns per node are solved in groups', () => {
  test.each([2, 3, 4, 5])('of %i', (block) => {
    const matrix = gallery('laplace2d5', { nx: 9, ny: 8, block });
    const r = sampleVector(matrix.rows, 'real', 3);
    const rows = Uint32Array.from({ length: matrix.rows }, (_, i) => i);
    // Blocks that cut nodes apart, too.
    for (const kind of ['ic0', 'ilu0'])
      for (const blocks of [50, 100, 1000]) {
        const z = expected(matrix, rows, blocks, r);
        for (const dtype of ['f64', 'mixed', 'f32'] as const) {
          const spec = `${kind}?blocks=${blocks}&order=natural`;
          expect(distance(applied(matrix, spec, r, dtype), z)).toBeLessThan(dtype === 'f64' ? 1e-12 : 1e-5);
        }
      }
  });

  test('of elasticity, as level sets do, and with α and β', () => {
    const matrix = gallery('elasticity3d', { nx: 6, ny: 5, nz: 7 });
    const r = sampleVector(matrix.rows, 'real', 3);
    for (const kind of ['ic0', 'ilu0']) {
      using M = precondition(engine, matrix, kind, { dtype: 'f64' });
      const z = applied(matrix, `${kind}?solve=levels&order=natural`, r);
      expect(distance(applied(matrix, kind, r), z)).toBeLessThan(1e-13);
      const y = new Float64Array(matrix.rows).fill(2);
      M.apply(Float64Array.from(r), y, -0.5, 3);
      const scaled = Array.from(z, (value) => 6 - value / 2);
      expect(distance(y, scaled)).toBeLessThan(1e-13);
    }
  });
});

describe('columns of 32 bits', () => {
  /** A matrix whose first and last rows are neighbours. */
  const ring = (path: CsrMatrix) => {
    const builder = new CsrBuilder(path.rows, path.cols);
    for (let i = 0; i < path.rows; i++)
      for (let k = path.rowPtr[i]!; k < path.rowPtr[i + 1]!; k++) builder.add(i, path.colIdx[k]!, path.values[k]!);
    for (const i of [0, path.rows - 1]) {
      builder.add(i, path.rows - 1 - i, -1);
      builder.add(i, i, 1);
    }
    return builder.build();
  };

  test.each([
    ['slices of one row', gallery('laplace1d3', { nx: 70_000 })],
    ['slices of four rows', gallery('laplace2d5', { nx: 300, ny: 250 })],
    ['groups', gallery('laplace2d5', { nx: 150, ny: 151, block: 3 })],
  ])('%s solve as level sets do', (_, path) => {
    const matrix = ring(path);
    const r = sampleVector(matrix.rows, 'real', 3);
    for (const kind of ['ic0', 'ilu0'])
      for (const dtype of ['f64', 'mixed', 'f32'] as const) {
        const levels = applied(matrix, `${kind}?solve=levels&order=natural`, r);
        const blocks = applied(matrix, `${kind}?order=natural&blocks=100000`, r, dtype);
        expect(distance(blocks, levels)).toBeLessThan(dtype === 'f64' ? 1e-9 : 1e-2);
      }
  });
});

describe('the precision of factors', () => {
  const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
  const r = sampleVector(400, 'real', 3);

  test('is f32 by default, and has the same iterations', () => {
    using M = precondition(engine, matrix, 'ic0');
    expect(M.vectorType).toBe(Float64Array);
    expect(M.explain().dtype).toBe('mixed');
    using exact = precondition(engine, matrix, 'ic0', { dtype: 'f64' });
    expect(exact.explain().dtype).toBe('f64');
    expect(distance(applied(matrix, 'ic0', r, 'mixed'), applied(matrix, 'ic0', r))).toBeLessThan(1e-6);
  });

  test('does not depend on the units of the rows', () => {
    // S A S for S from 1e-40 to 1e40: M⁻¹ becomes S⁻¹ M⁻¹ S⁻¹.
    const unit = (i: number) => 10 ** (i / 5 - 40);
    const builder = new CsrBuilder(400, 400);
    for (let i = 0; i < 400; i++)
      for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) {
        const j = matrix.colIdx[k]!;
        builder.add(i, j, unit(i) * matrix.values[k]! * unit(j));
      }
    const scaled = builder.build();
    for (const kind of ['ic0', 'ilu0']) {
      using M = precondition(engine, scaled, kind);
      expect(M.explain()).toMatchObject({ dtype: 'mixed', shift: 0 });
      expect(M.explain().note).toBeUndefined();
      const z = new Float64Array(400);
      M.apply(
        Float64Array.from(r, (value, i) => value * unit(i)),
        z,
      );
      expect(
        distance(
          z.map((value, i) => value * unit(i)),
          applied(matrix, kind, r),
        ),
      ).toBeLessThan(1e-5);
    }
  });

  test('is f64 where f32 has not the range, with the reason', () => {
    // In units in which the pivots are 1, the entry beside them is 1e40.
    const skew = fromDense([
      [1e60, 1e60],
      [0, 1e-20],
    ]);
    using M = precondition(engine, skew, 'ilu0');
    expect(M.explain()).toMatchObject({ dtype: 'f64', note: expect.stringMatching(/beyond the range of f32/) });
    const z = new Float64Array(2);
    M.apply(Float64Array.of(2e60, 1e-20), z);
    expect(distance(z, [1, 1])).toBeLessThan(1e-15);
    M.update(Float64Array.of(2, 4, 2));
    M.apply(Float64Array.of(6, 2), z);
    expect(distance(z, [1, 1])).toBeLessThan(1e-15);
  });
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
    // Its rows are permuted.
    expect(finite('ilu0', zeros)).toBe(0);
    const emptyRows = csrMatrix({ rows: 3, cols: 3, rowPtr: [0, 0, 1, 1], colIdx: [1], values: [5] });
    expect(finite('ic0', emptyRows)).toBe(0.001);
    expect(finite('ilu0', emptyRows)).toBe(0.001);
  });

  test('update forgets a shift', () => {
    const matrix = fromDense([
      [1, 2],
      [2, 1],
    ]);
    using M = precondition(engine, matrix, 'ic0', { dtype: 'f64' });
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
    using M = precondition(engine, matrix, 'ic0', { dtype: 'f64' });
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
  const nodes = gallery('laplace2d5', { nx: 100, ny: 100, block: 3 });
  const results: Float64Array[][] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using team = await createEngine({ threads, onHint: () => {} });
    results.push(
      [
        ...['ic0', 'ic0?blocks=700', 'ilu0?blocks=700', 'ic0?blocks=700&order=rcm'].map(
          (spec) => [symmetric, spec] as const,
        ),
        ...['ic0', 'ilu0?blocks=3000'].map((spec) => [nodes, spec] as const),
      ].map(([matrix, spec]) => {
        using M = precondition(team, matrix, spec);
        using z = team.vector(b.length);
        using r = team.vector(b);
        for (let turn = 0; turn < 20; turn++) M.apply(r, z);
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
    expect(iterations(matrix, 'ic0?blocks=2000')).toBeLessThan(1.15 * one);
    expect(iterations(shuffleRows(matrix), 'ic0')).toBeLessThan(1.1 * one);
    expect(iterations(shuffleRows(matrix), 'ic0?order=natural')).toBeGreaterThan(1.3 * one);
    expect(iterations(matrix, 'jacobi')).toBeGreaterThan(2.5 * one);
  });

  test('of cg with ic0: two blocks cost none, more of them few: 7-point 50³ 58, elasticity 14³ 52', () => {
    const cube = gallery('laplace3d7', { nx: 50, ny: 50, nz: 50 });
    const one = iterations(cube, 'ic0?blocks=200000');
    expect(Math.abs(one - 58)).toBeLessThanOrEqual(5);
    expect(Math.abs(iterations(cube, 'ic0?order=rcm&blocks=200000') - 58)).toBeLessThanOrEqual(5);
    expect(Math.abs(iterations(cube, 'ic0?blocks=62500') - one)).toBeLessThanOrEqual(2);
    expect(iterations(cube, 'ic0')).toBeLessThanOrEqual(one + 2);
    const elastic = gallery('elasticity3d', { nx: 14, ny: 14, nz: 14 });
    expect(iterations(elastic, 'ic0?blocks=5000')).toBeLessThanOrEqual(iterations(elastic, 'ic0?blocks=10000') + 2);
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

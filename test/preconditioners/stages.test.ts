/** Triangular solves in stages: level sets, and packs of super-rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { cg, createEngine, csrMatrix, type Engine, gallery, precondition } from '#dist/index.node.js';
import { chooseOrder } from '#dist/preconditioners/triangular/order.js';
import { packSuperRows } from '#dist/reorder/packs.js';
import { blocksOf, dense, distance, ilu0, productOf, solveDense } from './dense.js';
import { ragged, SYMMETRIC, shuffleRows, skewed } from './matrices.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

function applied(
  matrix: CsrMatrix,
  spec: string,
  r: ArrayLike<number>,
  dtype: 'f64' | 'mixed' | 'f32' = 'f64',
): Float64Array | Float32Array {
  using M = precondition(engine, matrix, spec, { dtype });
  const z = new M.vectorType(matrix.rows);
  M.apply(new M.vectorType(Float64Array.from(r)), z);
  return z;
}

describe.each(Object.entries({ ...SYMMETRIC, 'rows that are not symmetric': skewed(47) }))('%s', (name, matrix) => {
  const n = matrix.rows;
  const r = sampleVector(n, 'real', 3);

  for (const kind of name in SYMMETRIC ? ['ic0', 'ilu0'] : ['ilu0']) {
    test.each(['natural', 'rcm'])(`${kind}?solve=levels&order=%s has the factors of one block`, (order) => {
      const expected = applied(matrix, `${kind}?order=${order}`, r);
      for (const dtype of ['f64', 'mixed', 'f32'] as const)
        expect(distance(applied(matrix, `${kind}?solve=levels&order=${order}`, r, dtype), expected)).toBeLessThan(
          dtype === 'f64' ? 1e-13 : 1e-5,
        );
    });

    test.each([1, 4, 80])(`${kind}?solve=sts3&superRowSize=%i has the factors of its order`, (superRowSize) => {
      const { order } = packSuperRows(matrix, superRowSize, chooseOrder(matrix, 'auto').order);
      const M = productOf(ilu0(blocksOf(dense(matrix), order, n)));
      const z = solveDense(
        M,
        Array.from(order, (row) => r[row]!),
      );
      const expected = new Float64Array(n);
      order.forEach((row, i) => {
        expected[row] = z[i]!;
      });
      const spec = `${kind}?solve=sts3&superRowSize=${superRowSize}`;
      for (const dtype of ['f64', 'mixed', 'f32'] as const)
        expect(distance(applied(matrix, spec, r, dtype), expected)).toBeLessThan(dtype === 'f64' ? 1e-12 : 1e-5);
    });
  }
});

test('the report counts levels, packs and super-rows', () => {
  const matrix = gallery('laplace2d5', { nx: 40, ny: 30 });
  using levels = precondition(engine, matrix, 'ic0?solve=levels');
  expect(levels.explain()).toMatchObject({ order: 'natural', stages: 40 + 30 - 1, shift: 0 });
  using packs = precondition(engine, matrix, 'ic0?solve=sts3');
  const { order, stages, superRows, blocks } = packs.explain();
  expect([order, blocks]).toEqual(['sts', undefined]);
  expect(stages).toBeLessThan(6);
  expect(superRows).toBe(15);
});

test.each(['levels', 'sts3'])('%s: a matrix without rows, one without entries, and one that is indefinite', (solve) => {
  const empty = csrMatrix({ rows: 0, cols: 0, rowPtr: [0], colIdx: [] });
  using none = precondition(engine, empty, `ic0?solve=${solve}`);
  none.apply(new Float64Array(0), new Float64Array(0));
  const diagonal = csrMatrix({ rows: 3, cols: 3, rowPtr: [0, 1, 2, 3], colIdx: [0, 1, 2], values: [1, 2, 4] });
  expect([...applied(diagonal, `ic0?solve=${solve}`, [1, 2, 4])]).toEqual([1, 1, 1]);
  const indefinite = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1], values: [1, 2, 2, 1] });
  using shifted = precondition(engine, indefinite, `ic0?solve=${solve}`);
  expect(shifted.explain().shift).toBe(0.512);
  using kept = precondition(engine, indefinite, `ilu0?solve=${solve}`);
  expect(kept.explain().shift).toBe(0);
});

test('update refactors, α and β apply, and a recording has the same bits', () => {
  const matrix = ragged(60);
  const values = matrix.values.map((value, k) => value * (1 + (k % 3) / 10));
  const r = Float64Array.from(sampleVector(60, 'real', 3));
  for (const solve of ['levels', 'sts3']) {
    using M = precondition(engine, matrix, `ic0?solve=${solve}`);
    M.update(values);
    const expected = applied({ ...matrix, values }, `ic0?solve=${solve}`, r);
    using x = engine.vector(r);
    using y = engine.vector(60);
    y.set(new Float64Array(60).fill(2));
    M.apply(x, y, -0.5, 3);
    expect(
      distance(
        y.toArray(),
        expected.map((value) => 6 - value / 2),
      ),
    ).toBeLessThan(1e-14);
    using recording = engine.record(() => {
      M.apply(x, y);
      y.scale(2);
    });
    recording.launch();
    expect(y.toArray()).toEqual(expected.map((value) => 2 * value));
  }
});

test('the same bits on any number of threads, whose stages are shared', async () => {
  const matrix = shuffleRows(gallery('laplace3d7', { nx: 40, ny: 40, nz: 30 }));
  const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
  const results: Float64Array[][] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using team = await createEngine({ threads, onHint: () => {} });
    results.push(
      ['ic0?solve=levels', 'ic0?solve=sts3', 'ilu0?solve=sts3&superRowSize=20'].map((spec) => {
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

test('cg takes more iterations in the order of packs, and fewer in larger super-rows', () => {
  const matrix = gallery('laplace3d7', { nx: 30, ny: 30, nz: 30 });
  using A = engine.operator(matrix, { format: 'csr' });
  const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1), (value) => 1 + value / 2);
  const iterations = (spec: string) => {
    using M = precondition(engine, matrix, spec);
    const { x, iterations, converged } = cg(A, b, { preconditioner: M });
    x.dispose();
    expect(converged).toBe(true);
    return iterations;
  };
  const one = iterations('ic0?blocks=100000');
  expect(Math.abs(iterations('ic0?solve=levels') - one)).toBeLessThanOrEqual(1);
  const [coloured, packed] = [iterations('ic0?solve=sts3&superRowSize=1'), iterations('ic0?solve=sts3')];
  expect(coloured).toBeGreaterThan(packed);
  expect(packed).toBeGreaterThan(one);
  expect(packed).toBeLessThan(1.4 * one);
});

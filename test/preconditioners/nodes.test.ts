/** Nodes of several unknowns, which multigrid finds in the pattern. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import {
  applyDirichlet,
  CsrBuilder,
  cg,
  createEngine,
  csrMatrix,
  type Engine,
  gallery,
  galleryRightHandSide,
  permuteMatrix,
  precondition,
  rigidBodyModes,
  solve,
} from '#dist/index.node.js';
import { countNodes, unknownsOfNode } from '#dist/preconditioners/amg/nodes.js';
import { solved } from './solved.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** A matrix of ones, from rows of columns. */
function pattern(...rows: readonly number[][]): CsrMatrix {
  const builder = new CsrBuilder(rows.length, rows.length);
  rows.forEach((columns, row) => {
    for (const column of columns) builder.add(row, column, 1);
  });
  return builder.build();
}

describe('unknownsOfNode', () => {
  test('by hand', () => {
    // A path of three nodes.
    const two = [
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4, 5],
      [2, 3, 4, 5],
    ].flatMap((columns) => [columns, columns]);
    expect(unknownsOfNode(pattern(...two))).toBe(2);
    expect(countNodes(pattern(...two), 2)).toEqual({ whole: 3, partial: 0 });
    expect(countNodes(pattern(...two), 3)).toBeUndefined();
    // A row without one of its columns, which is then a column of half a node for both rows.
    expect(unknownsOfNode(pattern(...two.with(2, [0, 1, 2, 3, 4])))).toBe(1);
    expect(unknownsOfNode(pattern(...two.with(2, [0, 1, 2, 3, 4]).with(3, [0, 1, 2, 3, 4])))).toBe(1);
    // The same nodes one row further.
    const shifted = [[0], ...two.map((columns) => columns.map((column) => column + 1)), [7]];
    expect(unknownsOfNode(pattern(...shifted))).toBe(1);
  });

  test('fixed unknowns may be anywhere, but not in most nodes', () => {
    // A path of three nodes; two unknowns of the first one and one of the last one are fixed.
    const path = [
      [1, 3, 4, 5],
      [1, 3, 4, 5, 6, 7],
      [3, 4, 5, 6, 7],
    ].flatMap((columns) => [columns, columns, columns]);
    const fixed = path.with(0, [0]).with(2, [2]).with(8, [8]);
    expect(countNodes(pattern(...fixed), 3)).toEqual({ whole: 1, partial: 2 });
    expect(unknownsOfNode(pattern(...fixed))).toBe(1);
    const held = path
      .map((columns) => columns.concat(columns.includes(6) ? 8 : []))
      .with(0, [0])
      .with(2, [2]);
    expect(countNodes(pattern(...held), 3)).toEqual({ whole: 2, partial: 1 });
    expect(unknownsOfNode(pattern(...held))).toBe(3);
    // Every other row is fixed: nothing tells of nodes.
    expect(unknownsOfNode(pattern([0, 2], [1], [0, 2, 4], [3], [2, 4], [5]))).toBe(1);
    expect(unknownsOfNode(pattern([0], [1], [2], [3]))).toBe(1);
    expect(unknownsOfNode(pattern())).toBe(1);
  });

  test.each([
    ['elasticity3d', { nx: 5, ny: 4, nz: 3 }, 3],
    ['laplace2d5', { nx: 12, ny: 9, block: 2 }, 2],
    ['laplace3d7', { nx: 6, ny: 5, nz: 4, block: 6 }, 6],
    ['convection2d', { nx: 12, ny: 9, block: 4 }, 4],
    ['laplace2d5', { nx: 12, ny: 12 }, 1],
    ['laplace2d9', { nx: 12, ny: 12 }, 1],
    ['laplace3d7', { nx: 12, ny: 12, nz: 12 }, 1],
    ['laplace3d27', { nx: 12, ny: 12, nz: 12 }, 1],
    ['delaunay', { n: 1000 }, 1],
    ['diffusion2d', { nx: 12, ny: 12 }, 1],
    ['stokes2d', { nx: 12, ny: 12 }, 1],
  ] as const)('%s %o: %i', (name, given, unknowns) => {
    expect(unknownsOfNode(gallery(name, given))).toBe(unknowns);
  });
});

describe('elasticity', () => {
  const n = 8;
  const body = { nx: n, ny: n, nz: n };
  const matrix = gallery('elasticity3d', body);
  const b = galleryRightHandSide('elasticity3d', body);

  test('takes the iterations of block=3, far fewer than with block=1, and with modes still fewer', () => {
    const points: number[] = [];
    for (let z = 0; z <= n; z++) for (let y = 0; y <= n; y++) for (let x = 1; x <= n; x++) points.push(x, y, z);
    const found = solved(engine, matrix, 'amg?coarsest=200');
    expect(found).toEqual(solved(engine, matrix, 'amg?block=3&coarsest=200'));
    expect(found.iterations).toBeLessThan(0.6 * solved(engine, matrix, 'amg?block=1&coarsest=200').iterations);
    const nearNullSpace = rigidBodyModes(points, 3);
    const withModes = solved(engine, matrix, 'amg?coarsest=200', { nearNullSpace });
    expect(withModes).toEqual(solved(engine, matrix, 'amg?block=3&coarsest=200', { nearNullSpace }));
    expect(withModes.iterations).toBeLessThan(0.8 * found.iterations);
  });

  test('with fixed unknowns whose rows and columns are not stored', () => {
    const rollers = Uint32Array.from({ length: n * (n + 1) }, (_, k) => 3 * k + 2);
    const { matrix: held } = applyDirichlet(matrix, b, rollers);
    const isFixed = new Uint8Array(held.rows);
    for (const row of rollers) isFixed[row] = 1;
    const builder = new CsrBuilder(held.rows, held.rows);
    for (let i = 0; i < held.rows; i++)
      for (let k = held.rowPtr[i]!; k < held.rowPtr[i + 1]!; k++) {
        const j = held.colIdx[k]!;
        if (i === j || (isFixed[i] === 0 && isFixed[j] === 0)) builder.add(i, j, held.values[k]!);
      }
    const without = builder.build();
    expect(without.nnz).toBeLessThan(held.nnz);
    for (const one of [held, without]) {
      const [found, alone] = ['amg?coarsest=200', 'amg?coarsest=200&block=1'].map((spec) => solved(engine, one, spec));
      expect([found!.converged, alone!.converged]).toEqual([true, true]);
      expect(found!.iterations).toBeLessThan(0.6 * alone!.iterations);
    }
  });

  test('explain and decision say what was found', () => {
    using M = precondition(engine, matrix, 'amg?coarsest=200');
    expect(M.explain()).toMatchObject({ spec: 'amg?coarsest=200', blockRows: 3 });
    const { decision } = solve(engine, matrix, b, { method: 'cg', preconditioner: 'amg?coarsest=200' });
    expect(decision).toMatchObject({ blockRows: 3, levels: M.explain().levels });
    using scalar = precondition(engine, gallery('laplace2d5', { nx: 40, ny: 40 }), 'amg?coarsest=200');
    expect(scalar.explain()).not.toHaveProperty('blockRows');
  });

  test('solve keeps the order of nodes, and refuses another one', () => {
    const nodes = matrix.rows / 3;
    expect(nodes % 5).not.toBe(0);
    const order = Uint32Array.from(
      { length: matrix.rows },
      (_, i) => 3 * ((Math.floor(i / 3) * 245) % nodes) + (i % 3),
    );
    expect(new Set(order).size).toBe(matrix.rows);
    const mixed = permuteMatrix(matrix, { rowOrder: order, colOrder: order });
    const right = Float64Array.from(order, (row) => b[row]!);
    const wish = { method: 'cg', preconditioner: 'amg?coarsest=200' } as const;
    const { decision } = solve(engine, mixed, right, wish);
    expect([decision.order, decision.blockRows]).toEqual(['natural', 3]);
    expect(() => solve(engine, mixed, right, { ...wish, order: 'rcm' })).toThrow(
      "order: expected natural for amg?coarsest=200, which tells rows apart by their places, got 'rcm'",
    );
    const one = solve(engine, mixed, right, { ...wish, preconditioner: 'amg?coarsest=200&block=1', order: 'rcm' });
    expect([one.converged, one.decision.order]).toEqual([true, 'rcm']);
  });

  test('has the same bits on any number of threads', async () => {
    const large = gallery('elasticity3d', { nx: 14, ny: 14, nz: 14 });
    const r = Float64Array.from({ length: large.rows }, (_, i) => ((i * 13) % 7) - 3);
    const results: Float64Array[] = [];
    for (const threads of [1, 2, 3]) {
      const own = await createEngine({ threads });
      using M = precondition(own, large, 'amg?coarsest=200');
      expect(M.explain().blockRows).toBe(3);
      const z = new Float64Array(large.rows);
      M.apply(r, z);
      results.push(z);
      await own.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});

test('of a matrix whose number of rows is a multiple by chance, rows are unknowns', () => {
  const path = csrMatrix(
    Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 12 }, (_, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0)),
    ),
  );
  using A = engine.operator(path);
  using M = precondition(engine, path, 'amg?coarsest=2');
  expect(M.explain()).not.toHaveProperty('blockRows');
  expect(cg(A, new Float64Array(12).fill(1), { preconditioner: M }).converged).toBe(true);
});

/** ilu0 of matrices with zeros or small numbers on the diagonal: its rows are permuted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bicgstab, CsrBuilder, type CsrMatrix, csrMatrix, type Engine, precondition } from '#dist/index.node.js';
import { drawFrom } from '../../bench/draw.mjs';
import { SPACES, useSums } from '../solvers/engines.js';
import { relativeResidual } from '../solvers/residual.js';

/** Rows of a dominant matrix in another order. @param on what is on the diagonal: nothing, or small numbers */
function shuffled(n: number, on?: number): CsrMatrix {
  const draw = drawFrom(3);
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    builder.add(i, (i * 7 + 3) % n, 6 + draw());
    if (on !== undefined) builder.add(i, i, on);
    for (let k = 0; k < 3; k++) {
      const j = Math.floor(draw() * n);
      if (j !== i) builder.add(i, j, draw() - 0.5);
    }
  }
  return builder.build();
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 500);
  });
  afterAll(() => engine.dispose());

  test.each([
    ['zeros', undefined],
    ['small numbers', 1e-6],
  ])('%s on the diagonal', (_, on) => {
    const matrix = shuffled(500, on);
    const b = Float64Array.from({ length: 500 }, (_, i) => Math.sin(i));
    const { bytesInUse } = engine.heap;
    using A = engine.operator(matrix, { format: 'csr' });
    const M = precondition(engine, matrix, 'ilu0');
    expect(M.explain().movedRows).toBeGreaterThan(490);
    expect(M.bytes).toBeGreaterThan(8 * 500);
    const iterations = [1, 2].map((turn) => {
      if (turn === 2) M.update(matrix.values.map((value) => 2 * value));
      const solution = bicgstab(A, b, { preconditioner: M, checkEvery: 1 });
      expect(relativeResidual(matrix, solution.x.toArray(), b)).toBeLessThan(1.01e-8);
      solution.x.dispose();
      return solution.iterations;
    });
    expect(Math.max(...iterations)).toBeLessThan(12);
    const plain = bicgstab(A, b, { maxIterations: 50 });
    expect(plain.converged).toBe(false);
    plain.x.dispose();
    M.dispose();
    A.dispose();
    if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a diagonal that is large enough stays, and so does one that no permutation makes better', () => {
    const movedRowsOf = (matrix: CsrMatrix) => {
      using M = precondition(engine, matrix, 'ilu0');
      return M.explain().movedRows;
    };
    expect(
      movedRowsOf(
        csrMatrix([
          [4, 1],
          [1, 3],
        ]),
      ),
    ).toBeUndefined();
    // Rows of very different size: the largest product is that of the diagonal.
    expect(
      movedRowsOf(
        csrMatrix([
          [4e9, 1e9],
          [1, 3],
        ]),
      ),
    ).toBeUndefined();
    // Structurally singular: there is no permutation.
    expect(
      movedRowsOf(
        csrMatrix([
          [0, 1],
          [0, 2],
        ]),
      ),
    ).toBeUndefined();
  });
});

/** cgMany: every column as cg has it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import { cg, cgMany, gallery, jacobi } from '#dist/index.node.js';
import { SPACES, useSums } from './engines.js';
import { relativeResidual } from './residual.js';

const MATRIX = gallery('laplace2d5', { nx: 25, ny: 20 });
const N = MATRIX.rows;

/** A column that needs many iterations, one that needs few, zeros, and one that is an eigenvector. */
const COLUMNS = [
  Float64Array.from(sampleVector(N, 'real', 1)),
  new Float64Array(N).fill(1),
  new Float64Array(N),
  Float64Array.from(
    { length: N },
    (_, i) => Math.sin((Math.PI * ((i % 25) + 1)) / 26) * Math.sin((Math.PI * (Math.floor(i / 25) + 1)) / 21),
  ),
];

function blockOf(engine: Engine, columns: readonly Float64Array[]) {
  const numbers = Float64Array.from({ length: N * columns.length }, (_, k) => columns[Math.floor(k / N)]![k % N]!);
  return engine.vector(numbers, { columns: columns.length, order: 'column' });
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
  });
  afterAll(() => engine.dispose());

  test.each([false, true])('the iterations and the x of cg, column by column (jacobi: %s)', (preconditioned) => {
    const { bytesInUse } = engine.heap;
    {
      using A = engine.operator(MATRIX, { format: 'csr' });
      using M = jacobi(A);
      const options = { rtol: 1e-9, ...(preconditioned && { preconditioner: M }) };
      using B = blockOf(engine, COLUMNS);
      const { x, converged, columns, iterations, products } = cgMany(A, B, options);
      expect(converged).toBe(true);
      const all = x.toArray({ order: 'column' });
      COLUMNS.forEach((b, j) => {
        const alone = cg(A, b, options);
        const { residualNorms, ...end } = columns[j]!;
        const { reason, iterations, relativeResidual: reported } = alone;
        expect(end).toEqual({ converged: true, reason, iterations, relativeResidual: reported });
        expect(residualNorms).toEqual(alone.residualNorms);
        expect(all.slice(j * N, (j + 1) * N)).toEqual(alone.x.toArray());
        alone.x.dispose();
      });
      expect(iterations).toBe(Math.max(...columns.map((column) => column.iterations)));
      expect(products).toBeLessThan(iterations + 3 + 8);
      x.dispose();
    }
    if (engine.space.heap !== undefined) expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a reason for each column', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    using B = blockOf(engine, [COLUMNS[0]!, COLUMNS[2]!, COLUMNS[0]!.with(3, Number.NaN)]);
    const reasonsOf = (options: Parameters<typeof cgMany>[2]) => {
      const { x, columns } = cgMany(A, B, options);
      x.dispose();
      return columns.map(({ reason }) => reason);
    };
    expect(reasonsOf({ maxIterations: 3 })).toEqual(['iterations', 'tolerance', 'not-finite']);
    expect(reasonsOf({ onStep: ({ iteration }) => iteration < 2 })).toEqual(['stopped', 'tolerance', 'not-finite']);
    expect(reasonsOf({ signal: AbortSignal.abort() })).toEqual(['stopped', 'tolerance', 'not-finite']);
    expect(reasonsOf({ rtol: 0 })).toEqual(['stagnated', 'tolerance', 'not-finite']);
    using negative = engine.operator({ ...MATRIX, values: MATRIX.values.map((v) => -v) }, { format: 'csr' });
    const { x, columns } = cgMany(negative, B);
    x.dispose();
    expect(columns.map(({ reason }) => reason)).toEqual(['not-definite', 'tolerance', 'not-finite']);
  });

  test('starts from x0', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    using B = blockOf(engine, COLUMNS.slice(0, 2));
    const far = cgMany(A, B);
    const near = cgMany(A, B, { x0: far.x });
    expect(near.columns.map(({ iterations }) => iterations)).toEqual([0, 0]);
    expect(near.x.toArray()).toEqual(far.x.toArray());
    expect(relativeResidual(MATRIX, far.x.toArray({ order: 'column' }).slice(0, N), COLUMNS[0]!)).toBeLessThan(1.01e-8);
    for (const { x } of [far, near]) x.dispose();
  });

  test.each([
    ['B', (A: never) => cgMany(A, new Float64Array(N) as never), /^B: expected a block/],
    ['x0', (A: never) => cgMany(A, blockOf(engine, COLUMNS), { x0: engine.vector(N) }), /^x0: expected 500 × 4/],
    ['an option', (A: never) => cgMany(A, blockOf(engine, COLUMNS), { timing: true } as never), /^options: expected/],
  ])('a wrong argument: %s', (_, call, message) => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    expect(() => call(A as never)).toThrow(message);
  });
});

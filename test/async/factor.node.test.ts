/** `factor` of the asynchronous engine, in Node with a real worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { createEngine, type Engine, factor, gallery, type SparlaneError } from '#dist/index.node.js';

const MATRIX = gallery('laplace2d5', { nx: 40, ny: 30 });
const N = MATRIX.rows;
/** A second or more of one thread. */
const LARGE = { gallery: 'gallery:laplace3d7?nx=32&ny=32&nz=32' };
const side = (k: number) => Float64Array.from({ length: N }, (_, i) => Math.cos(i * (k + 1)));

describe('engine.factor', () => {
  let engine: AsyncEngine;
  let reference: Engine;
  let before: number;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
    reference = await createEngine({ threads: 1, binary: 'simd' });
    before = (await engine.status()).bytesInUse;
  });
  afterAll(async () => {
    await engine.dispose();
    await reference.dispose();
  });

  test.each(['auto', 'ldlt', 'lu'] as const)(
    'has the bits and the report of the synchronous factor: %s',
    async (method) => {
      {
        using F = await engine.factor(MATRIX, { method });
        using G = factor(reference, MATRIX, { method });
        const { x, relativeResidual, backwardError, corrections } = await F.solve(side(0));
        expect(x).toEqual(G.solve(side(0)));
        expect({ relativeResidual, backwardError, corrections }).toEqual(G.lastSolve);
        expect([F.rows, F.method, F.bytes]).toEqual([N, G.method, G.bytes]);
        expect(F.logDeterminant).toEqual(G.logDeterminant);
        expect(F.inertia).toEqual(G.inertia);
        const own = { setupMs: 0, times: {} };
        expect({ ...F.explain(), ...own }).toEqual({ ...G.explain(), ...own });
      }
      expect((await engine.status()).bytesInUse).toBe(before);
    },
  );

  test('several columns, of a typed array and of a block of vectors; f32; an operator as its matrix', async () => {
    const A = await engine.operator(MATRIX);
    using F = await engine.factor(A);
    const columns = Array.from({ length: 6 }, (_, k) => side(k));
    const B = Float64Array.from(columns.flatMap((column) => [...column]));
    const { x } = await F.solve(B);
    for (const [k, column] of columns.entries())
      expect(x.subarray(k * N, (k + 1) * N)).toEqual((await F.solve(column)).x);
    const block = await engine.vector(B, { columns: 6, order: 'column' });
    expect((await F.solve(block)).x).toEqual(x);
    expect((await F.solve(Float32Array.from(side(0)))).x).toBeInstanceOf(Float32Array);
    await expect(F.solve(new Float64Array(N + 1))).rejects.toMatchObject({ code: 'shape' });
    block.dispose();
    A.dispose();
  });

  test('an update comes between the solves before and after it', async () => {
    using F = await engine.factor(MATRIX);
    const first = F.solve(side(0));
    const { log } = F.logDeterminant;
    const updating = F.update(MATRIX.values.map((value) => 4 * value));
    const second = F.solve(side(0));
    await updating;
    const [{ x }, { x: quarter }] = [await first, await second];
    expect(quarter).toEqual(x.map((value) => value / 4));
    expect(F.logDeterminant.log - log).toBeCloseTo(N * Math.log(4), 6);
    await expect(F.update(MATRIX.values.map(() => Number.NaN))).rejects.toMatchObject({ code: 'structure' });
    await expect(F.solve(side(0))).rejects.toThrow(/one whose update failed/);
    await F.update(MATRIX.values);
    expect((await F.solve(side(0))).x).toEqual(x);
  });

  test('errors are those of factor, with the column', async () => {
    const values = MATRIX.values.map((value) => (value === 4 ? 3.9 : value));
    const columns = await Promise.all([
      engine.factor({ ...MATRIX, values }, { method: 'cholesky' }).catch((error: SparlaneError) => error.detail.column),
      columnOf(() => factor(reference, { ...MATRIX, values }, { method: 'cholesky' })),
    ]);
    expect(columns[0]).toBeTypeOf('number');
    expect(columns[0]).toBe(columns[1]);
    await expect(engine.factor(gallery('laplace2d5', { nx: 3, ny: 3 }), { orders: 'amd' } as never)).rejects.toThrow(
      /^options: expected only/,
    );
    const small = await createAsyncEngine({ threads: 1, maximumBytes: 2 ** 20 });
    await expect(small.factor(LARGE)).rejects.toMatchObject({ code: 'heap' });
    await small.dispose();
  });

  test('progress is told, other requests have their turns, and an abort frees all memory', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const stages = new Set<string>();
    let products = 0;
    const A = await engine.operator(MATRIX);
    await A.apply(new Float64Array(N));
    const held = (await engine.status()).bytesInUse;
    const making = engine.factor(LARGE, {
      signal: controller.signal,
      onProgress: ({ stage, done }) => {
        stages.add(stage);
        expect(done).toBeGreaterThanOrEqual(0);
        expect(done).toBeLessThanOrEqual(1);
        if (stage === 'factor' && products > 2) controller.abort(reason);
      },
    });
    const ended = making.catch(() => {});
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await A.apply(new Float64Array(N));
      products++;
    }
    await expect(making).rejects.toBe(reason);
    expect(stages).toContain('factor');
    expect((await engine.status()).bytesInUse).toBe(held);
    await expect(engine.factor(LARGE, { signal: controller.signal })).rejects.toBe(reason);
    A.dispose();
  });

  test('an aborted update leaves no factors, until the next one', async () => {
    using F = await engine.factor(LARGE);
    const matrix = gallery('laplace3d7', { nx: 32, ny: 32, nz: 32 });
    const b = new Float64Array(matrix.rows).fill(1);
    const { x } = await F.solve(b);
    const controller = new AbortController();
    const reason = new Error('enough');
    const updating = F.update(matrix.values, { signal: controller.signal, onProgress: () => controller.abort(reason) });
    await expect(updating).rejects.toBe(reason);
    await expect(F.solve(b)).rejects.toThrow(/one whose update failed/);
    await F.update(matrix.values);
    expect((await F.solve(b)).x).toEqual(x);
  });

  test('what a request uses may be disposed as soon as the request is made', async () => {
    const F = await engine.factor(MATRIX);
    const solving = F.solve(side(0));
    F.dispose();
    expect((await solving).relativeResidual).toBeLessThan(1e-14);
    await expect(F.solve(side(0))).rejects.toThrow(/a disposed one/);
    expect((await engine.status()).bytesInUse).toBe(before);
  });
});

function columnOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return (error as SparlaneError).detail.column;
  }
}

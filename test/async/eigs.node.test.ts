/** `eigs` of the asynchronous engine, in Node with a real worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { createEngine, eigs, gallery } from '#dist/index.node.js';
import { elements } from '../eigen/spectra.js';

describe('engine.eigs', () => {
  let engine: AsyncEngine;
  /** The space keeps memory for the sums of the longest vectors that were ever asked for. */
  const bytesAfter = async (search: Promise<unknown>) => {
    await search;
    return (await engine.status()).bytesInUse;
  };
  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
  });
  afterAll(() => engine.dispose());

  test('has the bits and the report of the synchronous eigs: matrices, operators, the gallery', async () => {
    await using reference = await createEngine({ threads: 1, binary: 'simd' });
    const { matrix, mass } = elements(80);
    const own = { setupMs: 0, solveMs: 0 };
    const { vectors, ...expected } = eigs(reference, matrix, 5, { B: mass });
    const { sourceMs, ...solution } = await engine.eigs(matrix, 5, { B: mass });
    expect(sourceMs).toBeGreaterThanOrEqual(0);
    expect({ ...solution, ...own }).toEqual({ ...expected, ...own, vectors: vectors.toArray({ order: 'column' }) });
    vectors.dispose();
    const A = await engine.operator(matrix);
    const B = await engine.operator(mass);
    const start = new Float64Array(80).fill(1);
    const options = { which: 'largest', start } as const;
    const running = engine.eigs(A, 3, { B, ...options });
    A.dispose();
    B.dispose();
    const largest = eigs(reference, matrix, 3, { B: mass, ...options });
    const { values } = await running;
    for (const [j, value] of values.entries()) expect(value / largest.values[j]!).toBeCloseTo(1, 12);
    largest.vectors.dispose();
    const grid = gallery('laplace2d5', { nx: 9, ny: 7 });
    const ofGallery = await engine.eigs({ gallery: 'gallery:laplace2d5?nx=9&ny=7' }, 2);
    expect(ofGallery.values).toEqual((await engine.eigs(grid, 2)).values);
    const once = await bytesAfter(engine.eigs(matrix, 5, { B: mass }));
    expect(await bytesAfter(engine.eigs(matrix, 5, { B: mass }))).toBe(once);
  });

  test('progress, an abort with pairs, an abort before them, errors', async () => {
    const large = { gallery: 'gallery:laplace2d5?nx=300&ny=300' };
    const before = await bytesAfter(engine.eigs(large, 8, { method: 'lanczos', maxIterations: 40 }));
    const controller = new AbortController();
    const iterations: number[] = [];
    const { reason, values, vectors } = await engine.eigs(large, 8, {
      method: 'lanczos',
      signal: controller.signal,
      onProgress: ({ iteration }) => {
        iterations.push(iteration);
        if (iterations.length === 3) controller.abort();
      },
    });
    expect(reason).toBe('stopped');
    expect(iterations.length).toBeGreaterThanOrEqual(3);
    expect(vectors).toHaveLength(90_000 * values.length);
    await expect(engine.eigs(large, 8, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    await expect(
      engine.eigs(
        [
          [1, 2],
          [3, 4],
        ],
        1,
      ),
    ).rejects.toThrow(/^A: expected a symmetric matrix/);
    expect((await engine.status()).bytesInUse).toBe(before);
  });
});

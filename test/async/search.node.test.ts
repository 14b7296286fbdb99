/** `eigs`, `eigsGeneral` and `svds` of the asynchronous engine, in Node with a real worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { createEngine, eigs, eigsGeneral, gallery, svds } from '#dist/index.node.js';
import { elements } from '../eigen/spectra.js';

describe('searches', () => {
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

  test('eigsGeneral has the bits of the synchronous one, also of a pair of matrices', async () => {
    await using reference = await createEngine({ threads: 1, binary: 'simd' });
    const convection = gallery('convection2d', { nx: 9, ny: 8 });
    const mass = gallery('laplace2d5', { nx: 9, ny: 8 });
    const own = { setupMs: 0, solveMs: 0 };
    const rotation = [
      [0, 1],
      [-1, 0],
    ];
    for (const [matrix, k, options] of [
      [rotation, 1, {}],
      [convection, 5, { which: 'largest-real' }],
      [convection, 4, { which: 'nearest', shift: 1, B: mass, start: new Float64Array(72).fill(1) }],
      [rotation, 1, { which: 'nearest', shift: { real: 0, imaginary: 0.5 }, left: true }],
      [convection, 3, { left: true }],
    ] as const) {
      const { vectors, left, ...expected } = eigsGeneral(reference, matrix, k, options);
      const { sourceMs, ...solution } = await engine.eigsGeneral(matrix, k, options);
      expect(sourceMs).toBeGreaterThanOrEqual(0);
      const taken = (both: typeof vectors) => {
        const [real, imaginary] = [both.real, both.imaginary].map((block) => block.toArray({ order: 'column' }));
        for (const block of Object.values(both)) block.dispose();
        return { real, imaginary };
      };
      const others = left && { left: { ...left, vectors: taken(left.vectors) } };
      expect({ ...solution, ...own }).toEqual({ ...expected, ...own, ...others, vectors: taken(vectors) });
    }
    const A = await engine.operator(rotation);
    const { values } = await engine.eigsGeneral(A, 2);
    expect([...values.real, ...values.imaginary]).toEqual([0, 0, 1, -1].map((value) => expect.closeTo(value, 12)));
    A.dispose();
  });

  test('svds has the bits of the synchronous one: tall, wide, the smallest, randomized', async () => {
    await using reference = await createEngine({ threads: 1, binary: 'simd' });
    const own = { setupMs: 0, solveMs: 0 };
    const square = gallery('convection2d', { nx: 12, ny: 11 });
    const wide = [
      [3, 0, 0],
      [0, 0, -4],
    ];
    for (const [matrix, k, options] of [
      [wide, 2, {}],
      [square, 4, { which: 'smallest' }],
      [square, 3, { method: 'randomized', seed: 5 }],
    ] as const) {
      const { U, V, ...expected } = svds(reference, matrix, k, options);
      const { sourceMs, ...solution } = await engine.svds(matrix, k, options);
      expect(sourceMs).toBeGreaterThanOrEqual(0);
      const vectors = { U: U.toArray({ order: 'column' }), V: V.toArray({ order: 'column' }) };
      expect({ ...solution, ...own }).toEqual({ ...expected, ...own, ...vectors });
      U.dispose();
      V.dispose();
    }
    const A = await engine.operator(wide);
    expect((await engine.svds(A, 1)).values[0]).toBeCloseTo(4, 12);
    A.dispose();
  });

  test.each([
    ['eigsGeneral', { gallery: 'gallery:convection2d?nx=200&ny=200' }],
    ['svds', { gallery: 'gallery:laplace2d5?nx=200&ny=200' }],
  ] as const)(
    '%s: progress, an abort with the best so far, errors, and nothing stays allocated',
    async (name, large) => {
      const options = { tolerance: 0 };
      const before = await bytesAfter(engine[name](large, 4, { ...options, maxIterations: 40 }));
      const controller = new AbortController();
      const iterations: number[] = [];
      const { reason, residualNorms } = await engine[name](large, 4, {
        ...options,
        maxIterations: 1e6,
        signal: controller.signal,
        onProgress: ({ iteration }: { readonly iteration: number }) => {
          iterations.push(iteration);
          if (iterations.length === 2) controller.abort();
        },
      });
      expect(reason).toBe('stopped');
      expect(iterations.length).toBeGreaterThanOrEqual(2);
      expect(residualNorms.length).toBeGreaterThan(0);
      await expect(engine[name](large, 4, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
      await expect(engine[name]([[1]], 2)).rejects.toThrow(/^k: expected an integer from 1 to 1, got 2/);
      await expect(engine[name]([[1]], 1, { colour: 'red' } as never)).rejects.toThrow(/colour/);
      expect((await engine.status()).bytesInUse).toBe(before);
    },
  );

  test.each([{ method: 'shift-invert' }, { method: 'lobpcg', preconditioner: 'amg' }])(
    'an abort while factors or multigrid are made, between two steps: $method',
    async (options) => {
      const large = { gallery: 'gallery:laplace3d7?nx=40&ny=40&nz=40' };
      const small = { gallery: 'gallery:laplace3d7?nx=40&ny=40&nz=2' };
      const before = await bytesAfter(engine.eigs(small, 2, { maxIterations: 3 }));
      const controller = new AbortController();
      const reason = new Error('enough');
      const stages: string[] = [];
      const running = engine.eigs(large, 3, {
        ...options,
        signal: controller.signal,
        onProgress: ({ stage }) => {
          stages.push(stage);
          controller.abort(reason);
        },
      });
      await expect(running).rejects.toBe(reason);
      expect(stages[0]).not.toBe('iterations');
      expect((await engine.status()).bytesInUse).toBe(before);
    },
  );

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

/** An engine whose parts are loaded later, as in a page's worker. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loading, NotLoaded } from '#dist/core/not-loaded.js';
import { FormatsOnDemand } from '#dist/formats/on-demand.js';
import { gallery } from '#dist/gallery/registry.js';
import { platformOfNode } from '#dist/operators/create-engine.node.js';
import type { Engine } from '#dist/operators/engine.js';
import { EXTRAS } from '#dist/operators/extras.js';
import { startEngine } from '#dist/operators/start-engine.js';

const MATRIX = gallery('laplace2d5', { nx: 30, ny: 30 });

describe('an engine in parts', () => {
  let engine: Engine;
  let loads: number;

  beforeEach(async () => {
    loads = 0;
    const extras = async () => {
      loads++;
      return EXTRAS;
    };
    const { store } = new FormatsOnDemand();
    engine = await startEngine(platformOfNode(), { threads: 2 }, { store, extras });
  });

  afterEach(() => engine.dispose());

  test('multiplies after one load of the chosen format, and leaves nothing of the attempt before', async () => {
    const before = engine.heap.bytesInUse;
    let attempts = 0;
    const A = await loading(async () => {
      attempts++;
      try {
        return engine.operator(MATRIX, { products: 'many', tune: false });
      } catch (error) {
        expect(engine.heap.bytesInUse).toBe(before);
        throw error;
      }
    });
    expect(attempts).toBe(A.format === 'csr' ? 1 : 2);
    expect(loads).toBe(0);
    const y = new Float64Array(MATRIX.rows);
    A.apply(new Float64Array(MATRIX.cols).fill(1), y);
    expect(Math.max(...y)).toBeLessThanOrEqual(2);
    expect(y.reduce((sum, value) => sum + value, 0)).toBe(4 * 30);
  });

  test('loads what trials need, and leaves nothing of the attempts before', async () => {
    const matrix = gallery('rmat', { scale: 10 });
    let before = 0;
    const A = await loading(async () => {
      before = engine.heap.bytesInUse;
      try {
        return engine.operator(matrix, { products: 1e9, tune: true });
      } catch (error) {
        expect(engine.heap.bytesInUse).toBe(before);
        throw error;
      }
    });
    expect(loads).toBe(1);
    expect(A.decision!.ranking.filter(({ measuredMs }) => measuredMs !== undefined).length).toBeGreaterThan(1);
    A.dispose();
    expect(engine.heap.bytesInUse).toBe(before);
  });

  test('lacks transposes, algebra and operations on vectors until they are loaded, once', async () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    using x = engine.vector(new Float64Array(MATRIX.cols).fill(2));
    const late = [
      () => engine.matrix(MATRIX)[Symbol.dispose](),
      () => x.axpy(1, x),
      () => engine.operator(MATRIX, { allowPermutation: true, format: 'auto', tune: true }).dispose(),
    ];
    for (const use of late) expect(use).toThrow(NotLoaded);
    expect(() => A.transposed({ memory: 'shared' })).toThrow(NotLoaded);
    await Promise.all([engine.complete(), engine.complete()]);
    late[0]!();
    late[1]!();
    expect(x.data[0]).toBe(4);
    A.transposed({ memory: 'shared' }).dispose();
  });

  test('the formats that scatter are loaded only for the error that lists them', async () => {
    const A = await loading(async () => engine.operator({ ...MATRIX, symmetry: 'general' }, { format: 'dia' }));
    await engine.complete();
    expect(() => A.transposed({ memory: 'shared' })).toThrow(NotLoaded);
    const shared = loading(async () => A.transposed({ memory: 'shared' }));
    await expect(shared).rejects.toThrow('only csr, csrk, coo, ell, sell, hyb, sss, bsr scatter');
  });

  test('a part that fails to load is the error of the call', async () => {
    const { store } = new FormatsOnDemand();
    const offline = async () => Promise.reject(new TypeError('offline'));
    await using other = await startEngine(platformOfNode(), { threads: 1 }, { store, extras: offline });
    await expect(loading(async () => other.matrix(MATRIX))).rejects.toThrow('offline');
  });
});

/** Triangular solves by Jacobi sweeps, in the heap and on a device that is none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import { cg, createEngine, gallery, precondition } from '#dist/index.node.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { distance } from './dense.js';
import { SYMMETRIC, skewed } from './matrices.js';

const device = fakeCsrDevice();

async function onFakeDevice(): Promise<Engine> {
  return engineOn(device.device);
}

let exact: Engine;
beforeAll(async () => {
  exact = await createEngine({ threads: 1 });
});
afterAll(() => exact.dispose());

describe.each([
  ['in the heap', () => createEngine({ threads: 1 })],
  ['on a device that is none', onFakeDevice],
] as const)('%s', (place, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  const MATRICES = { ...SYMMETRIC, 'rows that are not symmetric': skewed(47) };
  for (const [name, matrix] of Object.entries(MATRICES))
    for (const order of ['natural', 'rcm'])
      test(`many sweeps are exact: ${name}, ${order}`, () => {
        const kind = name in SYMMETRIC ? 'ic0' : 'ilu0';
        const { bytesInUse } = engine.heap;
        const objects = device.objects();
        {
          using M = precondition(engine, matrix, `${kind}?solve=sweeps&sweeps=60&order=${order}`);
          using one = precondition(exact, matrix, `${kind}?order=${order}`, { dtype: 'f64' });
          const values = matrix.values.map((value) => 1.25 * value);
          const r = Float64Array.from(sampleVector(matrix.rows, 'real', 3));
          const [z, expected] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
          for (const update of [undefined, values]) {
            if (update !== undefined) for (const each of [M, one]) each.update(update);
            M.apply(r, z);
            one.apply(r, expected);
            expect(distance(z, expected)).toBeLessThan(1e-12);
          }
        }
        expect(engine.heap.bytesInUse).toBe(bytesInUse);
        expect(device.objects()).toBe(objects);
      });

  test('three sweeps take a few iterations more', () => {
    const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
    using A = engine.operator(matrix, { format: 'csr' });
    const b = new Float64Array(matrix.rows).fill(1);
    const iterations = (spec: string) => {
      using M = precondition(engine, matrix, spec);
      const { x, iterations, converged } = cg(A, b, { preconditioner: M, checkEvery: 1 });
      x.dispose();
      expect(converged).toBe(true);
      return iterations;
    };
    const many = iterations('ic0?solve=sweeps&sweeps=80');
    expect(iterations('ic0?solve=sweeps')).toBeLessThan(1.35 * many);
    expect(iterations('jacobi')).toBeGreaterThan(2 * many);
  });

  test(`auto, ${place}`, () => {
    const matrix = SYMMETRIC['a Laplacian']!;
    const isDevice = engine.space.heap === undefined;
    using M = precondition(engine, matrix, 'ic0');
    expect(M.explain().sweeps).toBe(isDevice ? 3 : undefined);
    expect(M.explain().blocks).toBe(isDevice ? undefined : 1);
    for (const spec of ['ssor', 'ic0?solve=blocks']) {
      const make = () => precondition(engine, matrix, spec).dispose();
      if (isDevice) expect(make).toThrow(/expected an engine with device: 'cpu', got 'cuda'/);
      else make();
    }
    for (const spec of ['jacobi', 'block-jacobi', 'spai0', 'fsai', 'chebyshev']) {
      using other = precondition(engine, matrix, spec);
      using same = precondition(exact, matrix, spec);
      const r = Float64Array.from(sampleVector(matrix.rows, 'real', 3));
      const [z, expected] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
      other.apply(r, z);
      same.apply(r, expected);
      expect(distance(z, expected)).toBeLessThan(1e-14);
      for (const each of [other, same]) each.update(matrix.values.map((value) => 2 * value));
      other.apply(r, z);
      same.apply(r, expected);
      expect(distance(z, expected)).toBeLessThan(1e-14);
    }
  });
});

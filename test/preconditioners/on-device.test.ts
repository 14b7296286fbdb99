/** Triangular solves in stages on a device that is none: what the kernel is given, and what is done with its plans. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import { cg, createEngine, type Engine, gallery, precondition } from '#dist/index.node.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { distance } from './dense.js';
import { SYMMETRIC, skewed } from './matrices.js';

const device = fakeCsrDevice();
let engine: Engine;
let onCpu: Engine;
beforeAll(async () => {
  engine = await engineOn(device.device);
  onCpu = await createEngine({ threads: 1 });
});
afterAll(async () => {
  await engine.dispose();
  await onCpu.dispose();
});

const SPECS = ['solve=levels', 'solve=levels&order=rcm', 'solve=sts3&superRowSize=1', 'solve=sts3&superRowSize=7'];

describe.each(Object.entries({ ...SYMMETRIC, 'rows that are not symmetric': skewed(47) }))('%s', (name, matrix) => {
  const kinds = name in SYMMETRIC ? ['ic0', 'ilu0'] : ['ilu0'];
  test.each(kinds.flatMap((kind) => SPECS.map((how) => `${kind}?${how}`)))('%s is that of the heap', (spec) => {
    const { bytesInUse } = engine.heap;
    const objects = device.objects();
    {
      using M = precondition(engine, matrix, spec);
      using one = precondition(onCpu, matrix, spec);
      expect(M.explain()).toMatchObject({ stages: one.explain().stages, order: one.explain().order });
      const r = Float64Array.from(sampleVector(matrix.rows, 'real', 3));
      const y = Float64Array.from(sampleVector(matrix.rows, 'real', 4));
      const values = matrix.values.map((value, k) => value * (1 + (k % 3) / 10));
      for (const update of [undefined, values]) {
        if (update !== undefined) for (const each of [M, one]) each.update(update);
        const [z, expected] = [y.slice(), y.slice()];
        M.apply(r, z, -0.5, 2);
        one.apply(r, expected, -0.5, 2);
        expect(distance(z, expected)).toBeLessThan(1e-13);
      }
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    expect(device.objects()).toBe(objects);
  });
});

test('super-rows have one row by default, and cg takes about the iterations of the heap', () => {
  const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
  const b = new Float64Array(matrix.rows).fill(1);
  const iterations = (on: Engine, spec: string) => {
    using A = on.operator(matrix, { format: 'csr' });
    using M = precondition(on, matrix, spec);
    const { x, iterations, converged } = cg(A, b, { preconditioner: M });
    x.dispose();
    expect(converged).toBe(true);
    return { iterations, superRows: M.explain().superRows };
  };
  const found = iterations(engine, 'ic0?solve=sts3');
  const expected = iterations(onCpu, 'ic0?solve=sts3&superRowSize=1');
  // Sums are rounded in another order.
  expect(Math.abs(found.iterations - expected.iterations)).toBeLessThanOrEqual(1);
  expect([found.superRows, expected.superRows]).toEqual([900, 900]);
});

/** Distributed operators are set up with so many rows on a rank that they are copied into its heap. */
import { createEngine, gallery, runRanks } from 'sparlane';
import { expect, test } from 'vitest';
import { program } from './conform.js';

const SIDE = 50;

test.each([1, 2, 3])(
  '%i ranks: the product is that of the whole matrix, and the heap grows to 1.5 × what is stored at most',
  async (ranks) => {
    const options = { ranks, threads: 1, data: { side: SIDE } };
    const told = (await runRanks(program('set-up.mjs'), options)) as { bytes: number; peak: number; y: Float64Array }[];
    using engine = await createEngine({ threads: 1 });
    using A = engine.operator(gallery('laplace3d27', { nx: SIDE, ny: SIDE, nz: SIDE }), { format: 'csr' });
    const y = engine.vector(A.rows);
    A.apply(engine.vector(Float64Array.from({ length: A.cols }, (_, i) => Math.sin(i))), y);
    for (const { bytes, peak, y: found } of told) {
      expect(peak / bytes).toBeLessThan(1.5);
      expect(found).toHaveLength(A.rows);
      expect(found.every((value, i) => Math.abs(value - y.data[i]!) < 1e-10)).toBe(true);
    }
  },
);

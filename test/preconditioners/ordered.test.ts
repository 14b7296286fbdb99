/** Chunks of rows that threads claim in order: what each one needs, factors, and threads that are lost. */
import { describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { addMatrices, createEngine, csrMatrix, gallery, precondition } from '#dist/index.node.js';
import { arrange } from '#dist/preconditioners/triangular/arrange.js';
import { chunksOf } from '#dist/preconditioners/triangular/chunks.js';
import { splitTriangles } from '#dist/preconditioners/triangular/split.js';
import { killableEngine, killWhileRunning } from '../execution/killable.js';
import { shuffleRows } from './matrices.js';

/** With entries below the diagonal that have none above, and the other way round. */
function lopsided(): CsrMatrix {
  const square = gallery('convection2d', { nx: 500, ny: 450 });
  const kept: number[] = [];
  const rowPtr = [0];
  for (let row = 0, k = 0; row < square.rows; row++) {
    for (; k < square.rowPtr[row + 1]!; k++) if (square.colIdx[k] === row || (row + k) % 4 > 0) kept.push(k);
    rowPtr.push(kept.length);
  }
  const [colIdx, values] = [kept.map((k) => square.colIdx[k]!), kept.map((k) => square.values[k]!)];
  return csrMatrix({ rows: square.rows, cols: square.cols, rowPtr, colIdx, values });
}

const MATRICES = {
  'a Laplacian': gallery('laplace2d5', { nx: 500, ny: 450 }),
  'a cube in random order': shuffleRows(gallery('laplace3d7', { nx: 26, ny: 25, nz: 24 })),
  'a pattern that is not symmetric': lopsided(),
  'one level': gallery('laplace1d3', { nx: 1 }),
};

describe.each(Object.entries(MATRICES))('%s', (_, matrix) => {
  test.each(['levels', 'sts3'])(
    '%s: a chunk needs the chunks of all elements that it reads, or that read its own',
    async (solve) => {
      await using engine = await createEngine({ threads: 1 });
      using scope = engine.heap.scope();
      const { order, stages } = arrange(matrix, { solve, order: 'auto', superRowSize: 20 });
      const split = splitTriangles(engine.context, scope, { matrix, order });
      const { bounds, before, after } = chunksOf(split, stages, 4);
      const count = bounds.length - 1;
      expect([bounds[0], bounds[count]]).toEqual([0, matrix.rows]);
      expect([...bounds]).toEqual([...new Set(bounds)].sort((a, b) => a - b));
      if (matrix.rows > 1) expect(count).toBeGreaterThan(4);
      const listOf = ({ ptr, idx }: typeof before, c: number) => new Set(idx.subarray(ptr[c], ptr[c + 1]));
      const [needs, neededBy] = [before, after].map((lists) =>
        Array.from({ length: count }, (_, c) => listOf(lists, c)),
      );
      const chunkOf = new Uint32Array(matrix.rows);
      for (let c = 0; c < count; c++) chunkOf.fill(c, bounds[c], bounds[c + 1]);
      let missing = 0;
      for (const { ptr, idx } of [split.lower, split.upper!])
        for (let row = 0; row < matrix.rows; row++)
          for (let k = ptr[row]!; k < ptr[row + 1]!; k++) {
            const [first, last] = [chunkOf[row]!, chunkOf[idx[k]!]!].sort((a, b) => a - b) as [number, number];
            if (first !== last && !(needs![last]!.has(first) && neededBy![first]!.has(last))) missing++;
          }
      expect(missing).toBe(0);
      for (let c = 0; c < count; c++) for (const other of needs![c]!) expect(other).toBeLessThan(c);
    },
  );
});

test('factors have the same bits and the same shift on any number of threads', async () => {
  const laplacian = gallery('laplace2d5', { nx: 220, ny: 200 });
  const identity = csrMatrix({
    ...{ rows: laplacian.rows, cols: laplacian.rows, values: new Float64Array(laplacian.rows).fill(1) },
    rowPtr: Uint32Array.from({ length: laplacian.rows + 1 }, (_, i) => i),
    colIdx: Uint32Array.from({ length: laplacian.rows }, (_, i) => i),
  });
  const indefinite = addMatrices(laplacian, identity, 1, -3);
  const r = Float64Array.from(sampleVector(laplacian.rows, 'real', 1));
  const found: unknown[] = [];
  for (const threads of [1, 2, 3, 8]) {
    await using engine = await createEngine({ threads, onHint: () => {} });
    found.push(
      ['ic0?solve=levels', 'ic0?solve=sts3', 'ilu0?solve=levels'].map((spec) => {
        using M = precondition(engine, indefinite, spec);
        M.update(indefinite.values.map((value) => 2 * value));
        const z = new Float64Array(r.length);
        M.apply(r, z);
        return { shift: M.explain().shift, z };
      }),
    );
  }
  expect((found[0] as { shift: number }[])[0]!.shift).toBeGreaterThan(0);
  for (const each of found) expect(each).toEqual(found[0]);
});

test('threads killed at random moments: no hang, no wrong answer, every loss reported', async () => {
  const killable = await killableEngine();
  await using engine = killable.engine;
  const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });
  using M = precondition(engine, matrix, 'ic0?solve=sts3');
  using r = engine.vector(Float64Array.from(sampleVector(matrix.rows, 'real', 1)));
  using z = engine.vector(matrix.rows);
  M.apply(r, z);
  const expected = z.data.slice();
  const run = () => {
    z.fill(Number.NaN);
    M.apply(r, z);
    return z.data.every((value, i) => value === expected[i]);
  };
  await killWhileRunning(killable, 300, { run, isTime: (n) => n % 40 === 20, mostMs: 4000 });
});

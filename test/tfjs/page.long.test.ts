/** A graph model with `SparseTensorDenseMatMul` in a page, as a user builds it: on the page's thread, and in a worker. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere, ISOLATION, type Stage, setStage } from '../browser/harness.js';
import { modelFiles, partsOf, placeholder, sparseTimesDense, sparseWeights } from './graph-model.js';

/** [[1, 2, 0], [0, 0, 3]] */
const MATRIX = { rows: 2, cols: 3, indices: Int32Array.of(0, 0, 0, 1, 1, 2), values: Float32Array.of(1, 2, 3) };
const FACTOR = [
  [1, 10],
  [2, 20],
  [4, 40],
];
const EXPECTED = {
  withoutRegistration: expect.stringContaining("Unknown op 'SparseTensorDenseMatMul'"),
  product: [
    [5, 50],
    [12, 120],
  ],
  gradient: [
    [1, 1],
    [2, 2],
    [3, 3],
  ],
  left: [0, 0],
};

describe.runIf(browserIsThere('a graph model in a page'))('registerSparseOps in Chromium', () => {
  let stage: Stage;
  const nodes = [placeholder('b', [-1, -1]), sparseTimesDense('product', [...partsOf('A'), 'b'])];
  const files = Object.fromEntries(
    Object.entries(modelFiles(sparseWeights('A', MATRIX), nodes)).map(([name, bytes]) => [`/model/${name}`, bytes]),
  );

  beforeAll(async () => {
    stage = await setStage('test/tfjs/page', ['@sparlane/tfjs', '@tensorflow']);
  });

  afterAll(() => stage?.close());

  it.each(['cpu', 'wasm'] as const)('on the thread of a page without headers, backend %s', async (backend) => {
    const page = await stage.open({}, files);
    await page.waitForFunction(() => 'answersHere' in window);
    const answers = await page.evaluate(([...question]) => window.answersHere(...question), [
      backend,
      '/model/model.json',
      FACTOR,
    ] as const);
    expect(answers).toEqual({ ...EXPECTED, backend, threads: 1 });
  });

  it.each(['cpu', 'wasm'] as const)(
    'in a worker of a page with the headers, by several threads, backend %s',
    async (backend) => {
      const page = await stage.open(ISOLATION, files);
      await page.waitForFunction(() => 'answersInWorker' in window);
      const url = `${page.url()}model/model.json`;
      const answers = await page.evaluate(([...question]) => window.answersInWorker(...question), [
        backend,
        url,
        FACTOR,
      ] as const);
      expect(answers).toEqual({ ...EXPECTED, backend, threads: expect.any(Number) });
      expect(answers.threads).toBeGreaterThan(1);
    },
  );
});

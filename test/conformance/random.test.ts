/**
 * Products with random matrices and options: 10,000, in `npm run test:all` 100,000; `SPARLANE_RANDOM_PRODUCTS=1000000` for more. `sparlane selftest
 * --random 1000000 --seed 5` does the same.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRandomProducts } from '#dist/conformance/random-products.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';

const PRODUCTS = Number(process.env.SPARLANE_RANDOM_PRODUCTS ?? fewOrAll(10_000, 100_000));
/** The cases of the second engine are others. */
const SEEDS = 1_000_000;

describe.each([1, 3])('%i threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads, onHint: () => {} });
  });
  afterAll(() => engine.dispose());

  it('random products', () => {
    const findings = checkRandomProducts(engine, { products: PRODUCTS / 2, seed: threads * SEEDS });
    expect(findings.failures).toEqual([]);
    expect(findings.checks).toBeGreaterThan(PRODUCTS / 2);
    // Parameters of a format that do not fit are refused; most cases are not.
    expect(findings.refused).toBeLessThan(PRODUCTS / 100);
  }, 600_000);
});

it.each([1, 16])('values in f32 and a default product, %i columns', async (columns) => {
  await using engine = await createEngine({ threads: 1 });
  const graph = gallery('debruijn', { order: 12 });
  const matrix = { ...graph, values: Float32Array.from(graph.values, (_, k) => 1 + (k % 2)), field: 'real' } as const;
  using A = engine.operator(matrix, { columns, products: 'many', tune: false });
  using x = engine.vector(new Float64Array(matrix.cols * columns).fill(1), { columns });
  using y = x.like();
  A.apply(x, y);
  const sums = Array.from({ length: matrix.rows }, (_, i) =>
    matrix.values.subarray(matrix.rowPtr[i], matrix.rowPtr[i + 1]).reduce((sum, value) => sum + value, 0),
  );
  expect([...y.toArray()]).toEqual(sums.flatMap((sum) => new Array<number>(columns).fill(sum)));
});

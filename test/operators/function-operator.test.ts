/** Operators that users write: by a function, and by extending the class. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, functionOperator, gallery, LinearOperator, permuted, type Vector } from '#dist/index.node.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';

const N = 50;

/** y ← d ∘ x, with vectors of any space. */
class Diagonal extends LinearOperator {
  readonly #d: Vector;

  constructor(d: Vector) {
    super(d.space, d.length, d.length, d.type);
    this.#d = d;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const product = y.like().multiply(this.#d, x);
    y.axpby(alpha, product, beta);
    product.dispose();
  }
}

const onDevice = fakeCsrDevice();

async function onFakeDevice(): Promise<Engine> {
  return engineOn(onDevice.device);
}

describe.each([
  ['in the heap', () => createEngine({ threads: 2 })],
  ['on a device that is none', onFakeDevice],
] as const)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  const numbers = Float64Array.from({ length: N }, (_, i) => i - 7.5);
  const twice = (x: Vector, y: Vector) => void y.copyFrom(x).scale(2);

  test.each([
    [1, 0],
    [-3, 0],
    [2, -1],
    [0, 1],
  ])('a function: y ← %d A x + %d y', (alpha, beta) => {
    const { bytesInUse } = engine.heap;
    {
      using operator = functionOperator(engine, N, N, twice);
      using x = engine.vector(numbers);
      using y = engine.vector(N).fill(5);
      operator.apply(x, y, alpha, beta);
      expect([...y.toArray()]).toEqual([...numbers].map((value) => 2 * alpha * value + 5 * beta));
      const array = new Float64Array(N).fill(5);
      operator.apply(numbers, array, alpha, beta);
      expect(array).toEqual(y.toArray());
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a class, permuted', () => {
    using d = engine.vector(Float64Array.from({ length: N }, (_, i) => i + 1));
    const order = Uint32Array.from({ length: N }, (_, i) => (i * 7) % N);
    using operator = permuted(new Diagonal(d), { rowOrder: order, colOrder: order });
    const y = new Float64Array(N).fill(1);
    operator.apply(numbers, y, 2, 10);
    // Element i of the permuted vector is element order[i].
    const expected = new Float64Array(N);
    order.forEach((to, i) => {
      expected[to] = 2 * (i + 1) * numbers[to]! + 10;
    });
    expect(y).toEqual(expected);
  });

  test('vectors that do not fit are refused before the function runs', () => {
    let runs = 0;
    using operator = functionOperator(engine, 2, 3, () => void runs++, { dtype: 'f32' });
    using x = engine.vector(3, { dtype: 'f32' });
    using y = engine.vector(2, { dtype: 'f32' });
    using wrong = engine.vector(3);
    expect(() => operator.apply(y, y)).toThrow(/^x: expected length 3, got 2/);
    expect(() => operator.apply(wrong, y)).toThrow(/^x: expected dtype f32/);
    expect(() => operator.apply(x, y, Number.NaN)).toThrow(/^alpha/);
    expect(runs).toBe(0);
    operator.apply(x, y);
    expect(runs).toBe(1);
  });
});

test('operators and vectors print themselves in one line', async () => {
  await using engine = await createEngine({ threads: 1 });
  using A = engine.operator(gallery('laplace2d5', { nx: 3, ny: 2 }), { format: 'csr' });
  using x = engine.vector(A.cols, { dtype: 'f32' });
  expect(inspect(A)).toBe('MatrixOperator (6 × 6, 20 entries, csr, f64, wasm)');
  expect(A.nnz).toBe(20);
  expect(inspect(x)).toBe('Vector (f32, 6 elements, heap)');
  using F = functionOperator(engine, 4, 3, () => {});
  expect(inspect(F)).toBe('LinearOperator (4 × 3)');
  x.dispose();
  expect(`${x}`).toBe('Vector (f32, 6 elements, heap, disposed)');
});

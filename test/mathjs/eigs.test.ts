/** `eigs` of @sparlane/mathjs. */
import { accelerate, sparseMatrix } from '@sparlane/mathjs';
import type { MathJsInstance, Matrix } from 'mathjs';
import { createEngine, gallery } from 'sparlane';
import { afterAll, describe, expect, it } from 'vitest';
import { newInstance, refuse } from './instances.js';

interface Eigs {
  readonly values: Matrix;
  readonly eigenvectors: { readonly value: number; readonly vector: Matrix }[];
}

const plain = newInstance();
const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());
const math = newInstance();
refuse(math, 'eigs');
accelerate(math, engine, { minEntries: 0 });

/** Its eigenvalues have both signs, and some occur twice. */
function indefinite(on: MathJsInstance): Matrix {
  const S = sparseMatrix(on, gallery('laplace2d5', { nx: 4, ny: 4 }));
  for (let i = 0; i < 16; i++) S.set([i, i], 0.5);
  return S;
}

describe('eigs', () => {
  it('finds the values of mathjs in their order, and orthonormal eigenvectors', () => {
    const S = indefinite(math);
    const { values, eigenvectors } = math.eigs(S as never) as unknown as Eigs;
    const expected = (plain.eigs(indefinite(plain) as never) as unknown as Eigs).values.toArray() as number[];
    (values.toArray() as number[]).forEach((value, i) => {
      expect(Math.abs(value)).toBeCloseTo(Math.abs(expected[i]!), 12);
      expect(eigenvectors[i]!.value).toBe(value);
    });
    expect(eigenvectors).toHaveLength(16);
    const X = eigenvectors.map(({ vector }) => vector.toArray() as number[]);
    for (const [i, x] of X.entries()) {
      const { value } = eigenvectors[i]!;
      const residual = (plain.multiply(S.toArray() as number[][], x) as number[]).map((y, k) => y - value * x[k]!);
      expect(Math.hypot(...residual)).toBeLessThan(1e-13);
      for (const [j, y] of X.entries()) expect(plain.dot(x, y)).toBeCloseTo(i === j ? 1 : 0, 13);
    }
  });

  it('has the shape that mathjs gives its results', () => {
    const rows = [
      [2, 1],
      [1, 3],
    ];
    const [ours, theirs] = [math.eigs(math.sparse(rows) as never), plain.eigs(plain.sparse(rows) as never)];
    const shapeOf = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
        : typeof value;
    expect(shapeOf(JSON.parse(JSON.stringify(ours)))).toEqual(shapeOf(JSON.parse(JSON.stringify(theirs))));
    for (const result of [ours, theirs])
      expect(() => (result as unknown as { vectors: unknown }).vectors).toThrow('replaced with eigs(M).eigenvectors');
    const withoutVectors = math.eigs(math.sparse(rows) as never, { eigenvectors: false, precision: 1e-6 } as never);
    expect(Object.keys(withoutVectors)).toEqual(['values']);
    expect(math.eigs(math.sparse(rows) as never, 1e-6).values).toEqual(ours.values);
  });

  it('leaves matrices that are not symmetric, other numbers, shapes and options to mathjs', () => {
    const last = indefinite(math);
    last.set([15, 14], -1 + 2 ** -50);
    const others = [last, math.sparse([[1, 2]]), math.sparse([[math.bignumber(1)]] as never), math.matrix([[1]])];
    for (const matrix of others) expect(() => math.eigs(matrix as never)).toThrow('left to mathjs');
    for (const wish of [{ matricize: false }, { precision: math.bignumber(1e-6) }])
      expect(() => math.eigs(math.sparse([[1]]) as never, wish as never)).toThrow('left to mathjs');
  });

  it('leaves a matrix whose vectors do not fit to mathjs, and nothing in memory', async () => {
    await using small = await createEngine({ threads: 1, maximumBytes: 2 ** 20 });
    const own = newInstance();
    refuse(own, 'eigs');
    using _ = accelerate(own, small);
    const S = sparseMatrix(own, gallery('laplace2d5', { nx: 20, ny: 20 }));
    expect(() => own.eigs(S as never)).toThrow('left to mathjs');
    // The engine keeps a block of its first products.
    const { bytesInUse } = small.heap;
    expect(() => own.eigs(S as never)).toThrow('left to mathjs');
    expect(small.heap.bytesInUse).toBe(bytesInUse);
  });
});

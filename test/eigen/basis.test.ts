/** Orthonormal bases, in every space. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import { Basis } from '#dist/eigen/basis/basis.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, functionOperator, gallery } from '#dist/index.node.js';
import type { LinearOperator } from '#dist/operators/operator.js';
import { onFakeDevice, SPACES } from '../solvers/engines.js';

const N = 143;
const random = (seed: number) => Float64Array.from(sampleVector(N, 'real', seed), (value) => value / 1000);
const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);

/** Columns of a basis as arrays. */
function columnsOf(engine: Engine, V: Basis): Float64Array[] {
  using x = engine.vector(N);
  return Array.from({ length: V.size }, (_, j) => {
    V.copyTo(j, x);
    return x.toArray();
  });
}

function fill(engine: Engine, V: Basis, count: number, B?: LinearOperator): void {
  using w = engine.vector(N);
  using image = engine.vector(N);
  for (let j = 0; j < count; j++) {
    w.set(random(j + 1));
    B?.apply(w, image);
    expect(V.orthogonalize(w, B && { B, image }).norm).toBeGreaterThan(0);
    V.append(w);
  }
}

/** The largest difference of Xᵀ Y from the identity. */
function deviation(xs: readonly Float64Array[], ys: readonly Float64Array[] = xs): number {
  return Math.max(...xs.flatMap((x, i) => ys.map((y, j) => Math.abs(dot(x, y) - (i === j ? 1 : 0)))));
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  let A: LinearOperator;
  beforeAll(async () => {
    engine = await open();
    A = engine.operator(gallery('laplace2d5', { nx: 13, ny: 11 }), { format: 'csr' });
  });
  afterAll(() => engine.dispose());

  test.each([1, 7, 8, 9, 20])('%d vectors are orthonormal, and give back a vector', (size) => {
    using V = new Basis(A, size + 1);
    fill(engine, V, size);
    const columns = columnsOf(engine, V);
    expect(deviation(columns)).toBeLessThan(1e-14);
    using w = engine.vector(random(99));
    const before = random(99);
    const { coefficients, norm } = V.orthogonalize(w);
    const left = w.toArray();
    const sum = before.map(
      (_, i) => norm * left[i]! + columns.reduce((all, column, j) => all + coefficients[j]! * column[i]!, 0),
    );
    for (const [i, value] of sum.entries()) expect(value).toBeCloseTo(before[i]!, 13);
    expect(dot(left, left)).toBeCloseTo(1, 14);
    V.append(w);
    expect(deviation(columnsOf(engine, V))).toBeLessThan(1e-14);
  });

  test('project, subtract, combination', () => {
    using V = new Basis(A, 11);
    fill(engine, V, 11);
    const columns = columnsOf(engine, V);
    using w = engine.vector(random(50));
    const c = V.project(w);
    expect(c).toHaveLength(11);
    for (const [j, value] of c.entries()) expect(value).toBeCloseTo(dot(columns[j]!, random(50)), 13);
    using x = engine.vector(N).fill(Number.NaN);
    V.combination(c, x);
    V.subtract(w, c);
    const [inside, left] = [x.toArray(), w.toArray()];
    for (const [i, value] of random(50).entries()) expect(inside[i]! + left[i]!).toBeCloseTo(value, 13);
    for (const column of columns) expect(dot(column, left)).toBeCloseTo(0, 13);
  });

  test.each([1, 3, 4])('blocks of %d columns: project, subtract', (columns) => {
    using V = new Basis(A, 11);
    using W = engine.vector(N, { columns });
    expect(V.projectBlock(W)).toHaveLength(0);
    fill(engine, V, 11);
    const known = columnsOf(engine, V);
    const before = Array.from({ length: columns }, (_, c) => random(50 + c));
    W.set(Float64Array.from({ length: N * columns }, (_, at) => before[at % columns]![Math.floor(at / columns)]!));
    const C = V.projectBlock(W);
    expect(C).toHaveLength(11 * columns);
    for (const [at, value] of C.entries())
      expect(value).toBeCloseTo(dot(known[Math.floor(at / columns)]!, before[at % columns]!), 13);
    V.subtractBlock(W, C);
    const left = W.toArray({ order: 'column' });
    for (let c = 0; c < columns; c++) {
      const column = Float64Array.from(left.subarray(c * N, (c + 1) * N));
      for (const x of known) expect(dot(x, column)).toBeCloseTo(0, 13);
      for (const [i, value] of column.entries()) {
        const taken = known.reduce((sum, x, j) => sum + x[i]! * C[j * columns + c]!, 0);
        expect(value + taken).toBeCloseTo(before[c]![i]!, 13);
      }
    }
  });

  test.each([1, 3, 8, 9, 19])('a rotation to %d columns, and more vectors after it', (columns) => {
    using V = new Basis(A, 20);
    fill(engine, V, 19);
    const before = columnsOf(engine, V);
    const Q = Float64Array.from({ length: 19 * columns }, (_, at) => {
      const [i, j] = [Math.floor(at / columns), at % columns];
      return (i === 18 - j ? 0.6 : 0) + (i === (j + 1) % 19 ? 0.8 : 0);
    });
    V.rotate(Q, columns);
    const after = columnsOf(engine, V);
    expect(after).toHaveLength(columns);
    for (const [j, column] of after.entries())
      for (const [i, value] of column.entries()) {
        const expected = before.reduce((sum, other, row) => sum + other[i]! * Q[row * columns + j]!, 0);
        expect(value).toBeCloseTo(expected, 14);
      }
    V.truncate(1);
    V.rotate(Float64Array.of(1), 1);
    expect(columnsOf(engine, V)).toEqual(after.slice(0, 1));
  });

  test('a dependent vector has norm 0, nothing has norm 0, NaN has none', () => {
    using V = new Basis(A, 10);
    fill(engine, V, 9);
    using w = engine.vector(N);
    V.combination(
      Float64Array.from({ length: 9 }, (_, j) => 1 + j),
      w,
    );
    const { norm, coefficients } = V.orthogonalize(w);
    expect(norm).toBe(0);
    for (const [j, value] of coefficients.entries()) expect(value).toBeCloseTo(1 + j, 12);
    expect(V.orthogonalize(w.fill(0)).norm).toBe(0);
    expect(V.orthogonalize(w.fill(0).set([Number.NaN], 5)).norm).toBeNaN();
    expect(V.orthogonalize(w.set(random(3).map((value) => value * 1e-200))).norm).toBe(0);
    expect(V.orthogonalize(w.set(random(30).map((value) => value * 1e-200))).norm).toBeGreaterThan(1e-201);
    expect(deviation([w.toArray()])).toBeLessThan(1e-14);
  });

  test('nearly dependent vectors become orthogonal', () => {
    using V = new Basis(A, 12);
    fill(engine, V, 10);
    using w = engine.vector(N);
    V.combination(new Float64Array(10).fill(1), w);
    using noise = engine.vector(random(77));
    w.axpy(1e-10, noise);
    expect(V.orthogonalize(w).norm).toBeGreaterThan(1e-11);
    V.append(w);
    expect(deviation(columnsOf(engine, V))).toBeLessThan(1e-14);
  });

  test('all vectors of a space: the next one is dependent', () => {
    using I = functionOperator(engine, 5, 5, (x, y) => void y.copyFrom(x));
    using V = new Basis(I, 6);
    using w = engine.vector(5);
    for (let j = 0; j < 5; j++) {
      w.set(random(j + 1).subarray(0, 5));
      expect(V.orthogonalize(w).norm).toBeGreaterThan(0);
      V.append(w);
    }
    expect(V.orthogonalize(w.set([1, 2, 3, 4, 5])).norm).toBe(0);
  });

  test('another inner product: Vᵀ B V = I, and B w stays beside w', () => {
    using V = new Basis(A, 12);
    fill(engine, V, 11, A);
    using w = engine.vector(random(40));
    using image = engine.vector(N);
    A.apply(w, image);
    V.orthogonalize(w, { B: A, image });
    V.append(w);
    const columns = columnsOf(engine, V);
    const images = columns.map((column) => {
      using x = engine.vector(column);
      using y = engine.vector(N);
      A.apply(x, y);
      return y.toArray();
    });
    expect(deviation(columns, images)).toBeLessThan(1e-14);
    for (const [i, value] of image.toArray().entries()) expect(value).toBeCloseTo(images[11]![i]!, 13);
  });

  test('f32', () => {
    using A32 = functionOperator(engine, N, N, (x, y) => void y.copyFrom(x), { dtype: 'f32' });
    using V = new Basis(A32, 10);
    using w = engine.vector(N, { dtype: 'f32' });
    for (let j = 0; j < 10; j++) {
      w.set(Float32Array.from(random(j + 1)));
      expect(V.orthogonalize(w).norm).toBeGreaterThan(0);
      V.append(w);
    }
    V.combination(new Float64Array(10).fill(1), w);
    expect(V.orthogonalize(w).norm).toBe(0);
  });
});

test('the same bits on 1 and 3 threads', async () => {
  const run = async (threads: number) => {
    await using engine = await createEngine({ threads });
    using A = engine.operator(gallery('laplace2d5', { nx: 90, ny: 70 }));
    using V = new Basis(A, 10);
    using w = engine.vector(A.rows);
    const numbers: Float64Array[] = [];
    for (let j = 0; j < 10; j++) {
      w.set(sampleVector(A.rows, 'real', j));
      numbers.push(V.orthogonalize(w).coefficients);
      V.append(w);
    }
    V.rotate(
      Float64Array.from({ length: 30 }, (_, k) => k / 10),
      3,
    );
    V.copyTo(2, w);
    return [...numbers, w.toArray()];
  };
  expect(await run(3)).toEqual(await run(1));
});

test('memory is given back', async () => {
  for (const open of [() => createEngine({ threads: 1 }), onFakeDevice]) {
    await using engine = await open();
    using A = engine.operator(gallery('laplace2d5', { nx: 13, ny: 11 }), { format: 'csr' });
    const once = () => {
      using V = new Basis(A, 12);
      fill(engine, V, 12);
      V.rotate(new Float64Array(12 * 10).fill(0.1), 10);
    };
    once();
    const { bytesInUse } = engine.heap;
    once();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  }
});

/** `lusolve` of @sparlane/mathjs. */
import { accelerate, sparseMatrix } from '@sparlane/mathjs';
import type { MathJsInstance, Matrix } from 'mathjs';
import { CsrBuilder, createEngine, gallery, solve } from 'sparlane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE, newInstance, refuse } from './instances.js';

const plain = newInstance();
const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

describe('lusolve', () => {
  let math: MathJsInstance;
  let acceleration: Disposable;
  beforeAll(() => {
    math = newInstance();
    acceleration = accelerate(math, engine, { minEntries: 0 });
  });
  afterAll(() => acceleration[Symbol.dispose]());

  it('solves as mathjs does, for vectors, columns and arrays', () => {
    const matrix = gallery('convection2d', { nx: 12, ny: 12 });
    const S = sparseMatrix(math, matrix);
    const b = Array.from({ length: matrix.rows }, (_, i) => Math.sin(i));
    const direct = plain.lusolve(sparseMatrix(plain, matrix), b).toArray() as number[][];
    const scale = Math.max(...direct.map(([value]) => Math.abs(value!)));
    for (const right of [b, math.matrix(b), b.map((value) => [value]), math.matrix(b.map((value) => [value]))]) {
      const x = math.lusolve(S, right as Matrix);
      expect([x.type, ...x.size()]).toEqual(['DenseMatrix', matrix.rows, 1]);
      (x.toArray() as number[][]).forEach(([value], i) => {
        expect(Math.abs(value! - direct[i]![0]!)).toBeLessThan(1e-9 * scale);
      });
    }
  });

  it('takes an order, a threshold and a sparse right-hand side', () => {
    const matrix = gallery('convection2d', { nx: 12, ny: 12 });
    const own = newInstance();
    refuse(own, 'lusolve');
    using _ = accelerate(own, engine, { minEntries: 0 });
    const b = Array.from({ length: matrix.rows }, (_, i) => i % 5);
    const x = own.lusolve(sparseMatrix(own, matrix), b).toJSON();
    expect(own.lusolve(sparseMatrix(own, matrix), b, 1, 0.5).toJSON()).toEqual(x);
    expect(own.lusolve(sparseMatrix(own, matrix), own.sparse(b.map((value) => [value]))).toJSON()).toEqual(x);
    // A declared type is not kept, as in mathjs.
    expect(own.lusolve(sparseMatrix(own, matrix), own.matrix(b, 'dense', 'number')).toJSON()).toEqual(x);
    for (const [order, threshold] of [
      [4, 1],
      [0.5, 1],
      [-1, 1],
      [1, 2],
      [1, -1],
    ] as const)
      expect(() => own.lusolve(sparseMatrix(own, matrix), b, order, threshold)).toThrow('left to mathjs');
  });

  it('keeps the factors of a matrix until it changes, and frees them', () => {
    const { bytesInUse } = engine.heap;
    const own = newInstance();
    {
      using _ = accelerate(own, engine);
      const matrix = gallery('convection2d', { nx: 20, ny: 20 });
      const S = sparseMatrix(own, matrix);
      const b = Array.from({ length: matrix.rows }, (_, i) => 1 + (i % 3));
      const first = own.lusolve(S, b).toArray();
      const withFactors = engine.heap.bytesInUse;
      expect(withFactors).toBeGreaterThan(bytesInUse);
      expect(own.lusolve(S, b).toArray()).toEqual(first);
      expect(engine.heap.bytesInUse).toBe(withFactors);
      S.set([0, 0], 100);
      const changed = own.lusolve(S, b).toArray() as number[][];
      expect(engine.heap.bytesInUse).toBe(withFactors);
      const expected = plain.lusolve(plain.sparse(S.toArray() as number[][]), b).toArray() as number[][];
      changed.forEach(([value], i) => {
        expect(value! / expected[i]![0]!).toBeCloseTo(1, 11);
      });
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  it('keeps the factors of eight matrices at most', () => {
    const { bytesInUse } = engine.heap;
    const own = newInstance();
    using _ = accelerate(own, engine);
    const matrix = gallery('convection2d', { nx: 20, ny: 20 });
    const b = new Array<number>(matrix.rows).fill(1);
    const used = Array.from({ length: 20 }, () => {
      own.lusolve(sparseMatrix(own, matrix), b);
      return engine.heap.bytesInUse - bytesInUse;
    });
    expect(used[1]!).toBeGreaterThan(used[0]!);
    expect(used[19]).toBe(used[7]);
  });

  it('solves where iterations do not converge: no diagonal, entries of all sizes', () => {
    const rows = 400;
    const entries = new CsrBuilder(rows, rows);
    for (let i = 0; i < rows; i++) {
      entries.add(i, (i + 1) % rows, 10 ** ((i * 7) % 13));
      entries.add(i, (i * i + 3) % rows, 1);
      entries.add(i, (i * 5 + 2) % rows, -(10 ** ((i * 5) % 9)));
    }
    const matrix = entries.build();
    const own = newInstance();
    // Nothing is left to mathjs.
    refuse(own, 'lusolve');
    using _ = accelerate(own, engine);
    const b = Array.from({ length: rows }, (_, i) => Math.cos(i));
    const x = Float64Array.from((own.lusolve(sparseMatrix(own, matrix), b).toArray() as number[][]).flat());
    for (let i = 0; i < rows; i++) {
      let [sum, size] = [b[i]!, Math.abs(b[i]!)];
      for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) {
        sum -= matrix.values[k]! * x[matrix.colIdx[k]!]!;
        size += Math.abs(matrix.values[k]! * x[matrix.colIdx[k]!]!);
      }
      expect(Math.abs(sum)).toBeLessThanOrEqual(1e-14 * size);
    }
  });

  it('leaves singular matrices to mathjs, also where b has an x', () => {
    const { bytesInUse } = engine.heap;
    const S = math.sparse([
      [1, 1, 0],
      [1, 1, 0],
      [0, 0, 1],
    ]);
    expect(() => math.lusolve(S, [1, 2, 1])).toThrow('singular');
    expect(math.lusolve(S, [1, 1, 1]).toArray()).toEqual(plain.lusolve(plain.sparse(S), [1, 1, 1]).toArray());
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  it('solves with a solver of the library where factors do not fit', async () => {
    const matrix = gallery('laplace2d5', { nx: 60, ny: 60 });
    const small = await createEngine({ threads: 1, maximumBytes: 2 ** 20 });
    const own = newInstance();
    refuse(own, 'lusolve');
    using _ = accelerate(own, small);
    const b = new Array<number>(matrix.rows).fill(1);
    const S = sparseMatrix(own, matrix);
    const x = own.lusolve(S, b).toArray() as number[][];
    const expected = math.lusolve(sparseMatrix(math, matrix), b).toArray() as number[][];
    x.forEach(([value], i) => {
      expect(value! / expected[i]![0]!).toBeCloseTo(1, 9);
    });
  });

  it('leaves errors to mathjs', () => {
    const singular = [
      [1, 1],
      [1, 1],
    ];
    expect(() => math.lusolve(math.sparse(singular), [1, 2])).toThrow('singular');
    expect(() => math.lusolve(math.sparse(EXAMPLE), [1, 2, 3])).toThrow('Matrix must be square');
    expect(() => math.lusolve(math.sparse([[2]]), [1, 2])).toThrow('Dimension mismatch');
    expect(math.lusolve([[2]], [4])).toEqual([[2]]);
  });

  it('agrees with solve of the library', () => {
    const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
    const b = new Float64Array(matrix.rows).fill(1);
    const { x } = solve(engine, matrix, b, { rtol: 1e-12 });
    const own = math.lusolve(sparseMatrix(math, matrix), Array.from(b)).toArray() as number[][];
    const reference = x.toArray();
    x.dispose();
    own.forEach(([value], i) => {
      expect(value).toBeCloseTo(reference[i]!, 8);
    });
  });
});

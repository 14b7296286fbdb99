/** @sparlane/mathjs beside mathjs itself: every result is compared with that of an instance that is not accelerated. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { accelerate, denseMatrix, freeze, matrixInput, sparseMatrix, vectorOf } from '@sparlane/mathjs';
import { all, create, type MathJsInstance, type Matrix } from 'mathjs';
import type { Engine } from 'sparlane';
import { CsrBuilder, type CsrMatrix, createEngine, gallery, solve } from 'sparlane';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

/** Not accelerated. */
const plain = create(all!) as MathJsInstance;
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

/** The worked example of the formats, with integers: every order of summation gives the same sums. */
const EXAMPLE = [
  [10, 0, 20],
  [0, 0, 0],
  [0, 0, 30],
  [40, 50, 60],
];

/** The same entries with integer values from −9 to 9 without 0. */
function withIntegers(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: Float64Array.from(matrix.values, (_, k) => ((k * 7) % 9) + 1 - 10 * (k % 2)) };
}

const graph = withIntegers(gallery('rmat', { scale: 9 }));
const integers = (length: number) => Array.from({ length }, (_, i) => (i % 11) - 5);

describe('matrices', () => {
  it('come in as compressed columns, the arrays of mathjs themselves', () => {
    const S = plain.sparse(EXAMPLE);
    const input = matrixInput(S);
    expect(input).toEqual({
      rows: 4,
      cols: 3,
      colPtr: [0, 2, 3, 6],
      rowIdx: [0, 3, 3, 0, 2, 3],
      values: [10, 40, 50, 20, 30, 60],
    });
    expect(input.values).toBe(S.toJSON().values);
    expect(() => matrixInput(plain.matrix(EXAMPLE))).toThrow(
      'matrix: expected a SparseMatrix of mathjs, got DenseMatrix',
    );
    expect(() => matrixInput(EXAMPLE as unknown as Matrix)).toThrow('matrix: expected a matrix of mathjs, got object');
    expect(() => engine.operator(matrixInput(plain.sparse([[plain.bignumber(1)]])))).toThrow(
      'values[0]: expected a number',
    );
  });

  it('go out, and come back with the same entries', () => {
    const S = sparseMatrix(plain, graph);
    expect(S.size()).toEqual([graph.rows, graph.cols]);
    expect(plain.sparse(EXAMPLE).toJSON()).toEqual(sparseMatrix(plain, matrixInput(plain.sparse(EXAMPLE))).toJSON());
    using A = engine.operator(matrixInput(S));
    const { rowPtr, colIdx, values } = A.toCsr();
    expect([rowPtr, colIdx, values]).toEqual([graph.rowPtr, graph.colIdx, graph.values]);
  });

  it('vectors and blocks', () => {
    using x = vectorOf(engine, plain.matrix([1, 2, 3]));
    expect([x.length, x.columns, ...x.toArray()]).toEqual([3, 1, 1, 2, 3]);
    expect(denseMatrix(plain, x).toJSON()).toEqual(plain.matrix([1, 2, 3]).toJSON());
    const block = plain.matrix(EXAMPLE);
    using X = vectorOf(engine, block);
    expect([X.length, X.columns]).toEqual([4, 3]);
    expect(denseMatrix(plain, X).toArray()).toEqual(EXAMPLE);
    using column = vectorOf(engine, plain.matrix([[1], [2]]));
    expect([column.length, column.columns]).toEqual([2, 1]);
    expect(() => vectorOf(engine, plain.sparse(EXAMPLE))).toThrow('got SparseMatrix of 4,3');
    expect(() => vectorOf(engine, plain.matrix([[[1]]]))).toThrow('one or two dimensions');
    expect(() => vectorOf(engine, plain.matrix([1, plain.complex(1, 2)]))).toThrow('matrix: expected numbers only');
  });
});

describe('multiply', () => {
  let math: MathJsInstance;
  let acceleration: Disposable;
  let S: Matrix;
  beforeEach(() => {
    math = create(all!) as MathJsInstance;
    acceleration = accelerate(math, engine, { minEntries: 0 });
    S = sparseMatrix(math, graph);
  });
  afterEach(() => {
    acceleration[Symbol.dispose]();
    vi.restoreAllMocks();
  });

  /** The result of the plain instance for the same arrays, as an array. */
  const expected = (b: unknown) => plain.multiply(sparseMatrix(plain, matrixInput(S)), b as Matrix).toArray();

  it('by a dense vector, a dense matrix, an array and a sparse matrix: as mathjs, bit by bit', () => {
    const apply = vi.spyOn(engine, 'operator');
    const x = integers(graph.cols);
    const rows = x.map((value, i) => [value, i % 7, 1]);
    for (const b of [math.matrix(x), math.matrix(rows), x, rows]) {
      const c = math.multiply(S, b as Matrix);
      expect(c.type).toBe('SparseMatrix');
      expect(c.toArray()).toEqual(expected(b));
    }
    const multiplications = vi.spyOn(engine, 'multiplyMatrices');
    const square = math.multiply(S, S);
    expect(multiplications).toHaveBeenCalledTimes(1);
    expect(square.toArray()).toEqual(expected(sparseMatrix(plain, graph)));
    expect(square.toJSON().datatype).toBeUndefined();
    // Of the four products one laid the matrix out.
    expect(apply).toHaveBeenCalledTimes(1);
  });

  it('in chains and expressions', () => {
    const made = vi.spyOn(engine, 'operator');
    const x = integers(graph.cols);
    expect(math.chain(S).multiply(x).done().toArray()).toEqual(expected(x));
    expect(math.evaluate('S * x', { S, x }).toArray()).toEqual(expected(x));
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('by vectors and blocks of the engine, which stay there', () => {
    const x = integers(graph.cols);
    using vector = engine.vector(x);
    using y = math.multiply(S, vector);
    const dense = (expected(x) as number[][]).map(([value]) => value);
    expect([...y.data]).toEqual(dense);
    using block = engine.vector(
      x.flatMap((value) => [value, 2 * value]),
      { columns: 2 },
    );
    using Y = math.multiply(S, block);
    expect([...Y.toArray({ order: 'column' })]).toEqual([...dense, ...dense.map((value) => 2 * value!)]);
    using short = engine.vector(3);
    const before = engine.heap.bytesInUse;
    expect(() => math.multiply(S, short)).toThrow(`x: expected length ${graph.cols}, got 3`);
    expect(engine.heap.bytesInUse).toBe(before);
  });

  it('sees every change of values, positions and size', () => {
    const x = integers(graph.cols);
    const arrays = S.toJSON();
    const changes: (() => void)[] = [
      () => S.set([0, 0], 17),
      () => S.set([graph.rows - 1, 3], -4),
      () => S.set([0, 0], 0),
      () => (arrays.values[arrays.values.length - 1] += 1),
      () => S.swapRows(1, 2),
      () => void S.resize([graph.rows + 2, graph.cols]),
    ];
    let before = math.multiply(S, x).toArray();
    for (const change of changes) {
      change();
      const now = math.multiply(S, x).toArray();
      expect(now).toEqual(expected(x));
      expect(now).not.toEqual(before);
      before = now;
    }
    // The operators of the matrix before its changes are gone.
    acceleration[Symbol.dispose]();
    const used = engine.heap.bytesInUse;
    using again = accelerate(math, engine, { minEntries: 0 });
    math.multiply(S, x);
    again[Symbol.dispose]();
    expect(engine.heap.bytesInUse).toBe(used);
  });

  it('a frozen matrix is not compared, and cannot change', () => {
    const x = integers(graph.cols);
    const arrays = S.toJSON();
    const before = math.multiply(S, x).toArray();
    // Changed after it was laid out, and frozen then: the change is seen.
    arrays.values[0] += 1;
    expect(freeze(S)).toBe(S);
    const after = math.multiply(S, x).toArray();
    expect(after).toEqual(expected(x));
    expect(after).not.toEqual(before);
    expect(() => S.set([0, 0], 1)).toThrow(TypeError);
    expect(math.multiply(S, x).toArray()).toEqual(after);
    // Other arrays in its place are seen, too.
    Object.assign(S, { _values: arrays.values.map((value: number) => 2 * value) });
    expect(math.multiply(S, x).toArray()).toEqual(expected(x));
    expect(math.multiply(S, x).toArray()).not.toEqual(after);
    expect(S.clone().set([0, 0], 1).get([0, 0])).toBe(1);
    expect(() => freeze(math.matrix(EXAMPLE))).toThrow('matrix: expected a SparseMatrix of mathjs');
  });

  it('frees the operator of a matrix that is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const before = engine.heap.bytesInUse;
    const multiplyOnce = () => void math.multiply(sparseMatrix(math, graph), integers(graph.cols));
    multiplyOnce();
    expect(engine.heap.bytesInUse).toBeGreaterThan(before);
    await vi.waitFor(
      () => {
        collect();
        expect(engine.heap.bytesInUse).toBe(before);
      },
      { timeout: 60_000 },
    );
  });

  it('leaves other numbers, other shapes and errors to mathjs', () => {
    const made = vi.spyOn(engine, 'operator');
    const big = math.sparse([
      [math.bignumber(2), 0],
      [0, math.bignumber(3)],
    ] as never);
    expect(math.format(math.multiply(big, [1, 2] as never))).toBe(plain.format(plain.multiply(big, [1, 2] as never)));
    const infinite = [
      [Number.POSITIVE_INFINITY, 1],
      [0, 1],
    ];
    expect(math.multiply(math.sparse(infinite), [0, 1]).toArray()).toEqual(
      plain.multiply(plain.sparse(infinite), [0, 1]).toArray(),
    );
    expect(math.multiply(math.sparse(EXAMPLE), 2).toArray()).toEqual(
      plain.multiply(plain.sparse(EXAMPLE), 2).toArray(),
    );
    expect(math.multiply(math.matrix(EXAMPLE), [1, 2, 3]).toArray()).toEqual([70, 0, 90, 320]);
    expect(() => math.multiply(S, [1, 2])).toThrow('Dimension mismatch');
    expect(made).not.toHaveBeenCalled();
    using one = engine.vector(1);
    expect(() => math.multiply(math.sparse([[Number.NaN]]), one)).toThrow(
      'S: expected a SparseMatrix of finite numbers',
    );
  });

  it('keeps the declared type of the elements', () => {
    const typed = math.sparse(EXAMPLE, 'number');
    expect(math.multiply(typed, math.matrix([1, 2, 3], 'dense', 'number')).toJSON().datatype).toBe('number');
    expect(math.multiply(typed, math.matrix([1, 2, 3])).toJSON().datatype).toBeUndefined();
  });

  it('is restored by dispose, and not replaced twice', () => {
    expect(() => accelerate(math, engine)).toThrow(
      'math: expected an instance that is not accelerated, got one that is',
    );
    acceleration[Symbol.dispose]();
    const made = vi.spyOn(engine, 'operator');
    expect(math.multiply(S, integers(graph.cols)).toArray()).toEqual(expected(integers(graph.cols)));
    expect(made).not.toHaveBeenCalled();
    expect(() => accelerate(math, engine, { rtol: 2 })).toThrow('rtol: expected a number from 0 to 1, got 2');
    expect(() => accelerate(math, engine, { minEntries: -1 })).toThrow(
      'minEntries: expected a number from 0 on, got -1',
    );
  });

  it('leaves small matrices to mathjs', () => {
    acceleration[Symbol.dispose]();
    using _ = accelerate(math, engine);
    const made = vi.spyOn(engine, 'operator');
    expect(math.multiply(math.sparse(EXAMPLE), [1, 2, 3]).toArray()).toEqual([[70], [0], [90], [320]]);
    expect(made).not.toHaveBeenCalled();
  });
});

/** Replaces `lusolve`, so that what is left to mathjs is an error. */
function refuseLusolve(math: MathJsInstance): void {
  const { typed, lusolve } = math as unknown as {
    typed(name: string, signatures: Record<string, () => never>): object;
    lusolve: { signatures: Record<string, unknown> };
  };
  const refuse = () => {
    throw new Error('left to mathjs');
  };
  const signatures = Object.fromEntries(Object.keys(lusolve.signatures).map((types) => [types, refuse]));
  math.import({ lusolve: typed('lusolve', signatures) }, { override: true });
}

describe('lusolve', () => {
  let math: MathJsInstance;
  let acceleration: Disposable;
  beforeAll(() => {
    math = create(all!) as MathJsInstance;
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

  it('keeps the factors of a matrix until it changes, and frees them', () => {
    const { bytesInUse } = engine.heap;
    const own = create(all!) as MathJsInstance;
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
    const own = create(all!) as MathJsInstance;
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
    const own = create(all!) as MathJsInstance;
    // Nothing is left to mathjs.
    refuseLusolve(own);
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
    const own = create(all!) as MathJsInstance;
    refuseLusolve(own);
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

/** `multiply` of @sparlane/mathjs. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { accelerate, freeze, matrixInput, sparseMatrix } from '@sparlane/mathjs';
import type { MathJsInstance, Matrix } from 'mathjs';
import { createEngine, gallery } from 'sparlane';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXAMPLE, graph, newInstance } from './instances.js';

const plain = newInstance();
const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

/** One column: the arrays of mathjs are multiplied as they are. */
const integers = (length: number) => Array.from({ length }, (_, i) => (i % 11) - 5);
/** Two columns: the engine multiplies. */
const pairs = (length: number) => integers(length).map((value, i) => [value, i % 7]);

describe('multiply', () => {
  let math: MathJsInstance;
  let acceleration: Disposable;
  let S: Matrix;
  beforeEach(() => {
    math = newInstance();
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
    const x = pairs(graph.cols);
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

  it('one column: with the bits of mathjs, also of fractions', () => {
    const made = vi.spyOn(engine, 'operator');
    S = sparseMatrix(math, gallery('convection2d', { nx: 12, ny: 12 }));
    const x = Array.from({ length: 144 }, (_, i) => Math.sin(i) / 3);
    expect(math.multiply(S, x).toArray()).toEqual(expected(x));
    using vector = engine.vector(x);
    using y = math.multiply(S, vector);
    expect([...y.data]).toEqual((expected(x) as number[][]).flat());
    expect(made).not.toHaveBeenCalled();
  });

  it.each([
    ['one column', integers],
    ['two columns', pairs],
  ])('sees every change of values, positions and size: %s', (_name, numbers) => {
    const x = numbers(graph.cols);
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

  it.each([1, 2])('sees a change of every entry, also into what only looks the same: %i columns', (columns) => {
    // Eleven entries, eight that are compared in one step and three before them, and an empty row.
    const column = Array.from({ length: 12 }, (_, i) => [i < 11 ? i + 1 : 0]);
    const single = math.sparse(column);
    const { index, values } = single.toJSON();
    const ones = [Array.from({ length: columns }, () => 1)];
    const product = () => (math.multiply(single, ones).toArray() as unknown[][]).map(([first]) => [first]);
    expect(product()).toEqual(column);
    for (let k = 0; k < 11; k++) {
      values[k] = -1;
      expect(product()[k]).toEqual([-1]);
      values[k] = math.fraction(k + 1);
      expect(product()[k]).toEqual([plain.fraction(k + 1)]);
      values[k] = k + 1;
      expect(product()).toEqual(column);
      index[k] = 11;
      expect([product()[k], product()[11]]).toEqual([[0], [k + 1]]);
      index[k] = k;
    }
  });

  it('a frozen matrix is not compared, and cannot change', () => {
    const x = pairs(graph.cols);
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
    const multiplyOnce = () => void math.multiply(sparseMatrix(math, graph), pairs(graph.cols));
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
    for (const other of [math.complex(3, 3), math.fraction(1, 2), true, '2'])
      expect(math.format(math.multiply(math.sparse(EXAMPLE), other as never))).toBe(
        plain.format(plain.multiply(plain.sparse(EXAMPLE), other as never)),
      );
    expect(math.multiply(math.matrix(EXAMPLE), [1, 2, 3]).toArray()).toEqual([70, 0, 90, 320]);
    expect(() => math.multiply(S, [1, 2])).toThrow('Dimension mismatch');
    expect(made).not.toHaveBeenCalled();
    using one = engine.vector(1);
    expect(() => math.multiply(math.sparse([[Number.NaN]]), one)).toThrow(
      'S: expected a SparseMatrix of finite numbers',
    );
  });

  it('takes and returns the types of mathjs, also where it is configured to return arrays', () => {
    acceleration[Symbol.dispose]();
    for (const matrix of ['Matrix', 'Array'] as const) {
      const [own, theirs] = [newInstance({ matrix }), newInstance({ matrix })];
      using _ = accelerate(own, engine, { minEntries: 0 });
      const calls = [
        (m: MathJsInstance) =>
          m.multiply(
            m.sparse([
              [1, 2],
              [3, 4],
            ]),
            [
              [1, 2],
              [3, 4],
            ] as never,
          ),
        (m: MathJsInstance) =>
          m.multiply(
            m.sparse([
              [1, 2],
              [3, 4],
            ]),
            [1, 2] as never,
          ),
        (m: MathJsInstance) =>
          m.multiply(
            [
              [1, 2],
              [3, 4],
            ] as never,
            m.sparse([
              [1, 2],
              [3, 4],
            ]),
          ),
        (m: MathJsInstance) =>
          m.multiply(
            m.sparse([
              [1, 2],
              [3, 4],
            ]),
            m.matrix([
              [1, 2],
              [3, 4],
            ]),
          ),
        (m: MathJsInstance) =>
          m.multiply(
            [
              [1, 2],
              [3, 4],
            ],
            [
              [1, 2],
              [3, 4],
            ],
          ),
        (m: MathJsInstance) =>
          m.lusolve(
            m.sparse([
              [2, 0],
              [0, 4],
            ]),
            [[2], [4]],
          ),
        (m: MathJsInstance) =>
          m.inv(
            m.sparse([
              [2, 0, 0],
              [0, 4, 0],
              [0, 0, 8],
            ]),
          ),
        (m: MathJsInstance) =>
          m.eigs(
            m.sparse([
              [2, 0],
              [0, 4],
            ]) as never,
          ).values,
      ];
      for (const call of calls) {
        const [ours, expected] = [call(own), call(theirs)] as [Matrix, Matrix];
        expect(ours.type).toBe(expected.type);
        expect(own.deepEqual(ours, expected as never)).toBe(true);
      }
    }
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
    // mathjs creates `expm` now, and it keeps the product that it finds.
    const product = vi.spyOn(engine, 'multiplyMatrices');
    math.expm(math.sparse(EXAMPLE.slice(1)));
    expect(product).toHaveBeenCalled();
    product.mockClear();
    acceleration[Symbol.dispose]();
    const made = vi.spyOn(engine, 'operator');
    expect(math.multiply(S, pairs(graph.cols)).toArray()).toEqual(expected(pairs(graph.cols)));
    math.expm(math.sparse(EXAMPLE.slice(1)));
    expect(made).not.toHaveBeenCalled();
    expect(product).not.toHaveBeenCalled();
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

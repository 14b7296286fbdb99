/** Dense operations on blocks of vectors, in every space: products by column, Xᵀ Y, and X C. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, type Vector } from '#dist/index.node.js';
import { SPACES } from '../solvers/engines.js';

const DTYPES = ['f64', 'f32'] as const;
type Dtype = (typeof DTYPES)[number];

/** Around two rows, a step of 8 rows, and a chunk of 1024. */
const LENGTHS = [0, 1, 2, 9, 1024, 1025, 2500];

/** Columns of two blocks: around the widths of all tiles, in f64 and in f32. */
const WIDTHS = [
  [1, 1],
  [1, 5],
  [5, 1],
  [2, 2],
  [3, 4],
  [8, 7],
  [9, 15],
  [17, 33],
] as const;

type Kind = 'integer' | 'real';

function blockOf(engine: Engine, rows: number, columns: number, dtype: Dtype, seed: number, kind: Kind = 'integer') {
  const numbers = Array.from({ length: rows * columns });
  const sample = sampleVector(numbers.length, kind, seed);
  return engine.vector(kind === 'integer' ? sample.map((value) => value % 8) : sample, { columns, dtype });
}

function columnOf(block: Vector, j: number): Vector {
  const column = new (block.constructor as typeof Vector)(block.space, block.type, block.length);
  if (block.columns === 1) column.copyFrom(block);
  else block.copyColumnTo(j, column);
  return column;
}

/** The sign of a zero is free. */
function expectNumbers(block: Vector, expected: readonly number[]): void {
  const numbers = block.toArray();
  expect(numbers).toHaveLength(expected.length);
  const wrong = numbers.findIndex((value, place) => value !== expected[place]);
  expect(wrong, `number ${wrong} is ${numbers[wrong]}, not ${expected[wrong]}`).toBe(-1);
}

/** Plain loops over rows of numbers. */
const rowsOf = (block: Vector) => {
  const numbers = block.toArray();
  return Array.from({ length: block.length }, (_, i) => [
    ...numbers.subarray(i * block.columns, (i + 1) * block.columns),
  ]);
};

function gramOf(x: Vector, y: Vector): number[] {
  const [xs, ys] = [rowsOf(x), rowsOf(y)];
  const result = new Array<number>(x.columns * y.columns).fill(0);
  for (const [i, row] of xs.entries()) {
    for (const [a, left] of row.entries())
      for (const [b, right] of ys[i]!.entries()) result[a * y.columns + b]! += left * right;
  }
  return result;
}

function combinationOf(x: Vector, c: Vector, alpha: number, beta: number, y: Vector): number[] {
  const [xs, cs, ys] = [rowsOf(x), rowsOf(c), rowsOf(y)];
  return xs.flatMap((row, i) =>
    ys[i]!.map((before, b) => {
      const sum = row.reduce((total, value, a) => total + value * cs[a]![b]!, 0);
      return beta === 0 ? alpha * sum : alpha * sum + beta * before;
    }),
  );
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  describe.each(DTYPES)('%s', (dtype) => {
    test.each(LENGTHS)('%i rows: integers are computed exactly', (rows) => {
      for (const [k, m] of WIDTHS) {
        using x = blockOf(engine, rows, k, dtype, 1);
        using y = blockOf(engine, rows, m, dtype, 2);
        using c = blockOf(engine, k, m, 'f64', 3);
        using product = engine.vector(k, { columns: m });
        x.gram(y, product.fill(Number.NaN));
        expectNumbers(product, gramOf(x, y));
        for (const [alpha, beta] of [
          [1, 0],
          [-1, 1],
          [2, -0.5],
        ] as const) {
          const expected = combinationOf(x, c, alpha, beta, y);
          using result = y.like();
          if (beta === 0) result.fill(Number.NaN);
          else result.copyFrom(y);
          expectNumbers(result.combine(x, c, alpha, beta), expected);
        }
      }
    });

    test('a block is combined in place', () => {
      for (const columns of [1, 2, 7, 33]) {
        using x = blockOf(engine, 1501, columns, dtype, 4);
        using c = blockOf(engine, columns, columns, 'f64', 5);
        const expected = combinationOf(x, c, 1, 2, x);
        expectNumbers(x.combine(x, c, 1, 2), expected);
      }
    });

    test('dot products and norms by column are those of the columns, bit by bit', () => {
      for (const rows of [0, 5, 1000, 2500]) {
        for (const columns of [1, 2, 3, 9]) {
          using x = blockOf(engine, rows, columns, dtype, 6, 'real');
          using y = blockOf(engine, rows, columns, dtype, 7, 'real');
          const results = Array.from({ length: columns }, () => engine.scalar(7));
          using single = engine.scalar();
          x.columnDots(y, results);
          const dots = results.map(({ value }) => value);
          x.columnNorms(results);
          for (let j = 0; j < columns; j++) {
            using left = columnOf(x, j);
            using right = columnOf(y, j);
            expect(dots[j]).toBe(left.dot(right, single).value);
            expect(results[j]!.value).toBe(left.norm(single).value);
          }
          for (const result of results) result.dispose();
        }
      }
    });

    test('Xᵀ X is symmetric to the last bit, and near the sums in order', () => {
      using x = blockOf(engine, 3000, 11, dtype, 8, 'real');
      using c = engine.vector(11, { columns: 11 });
      x.gram(x, c);
      const got = c.toArray();
      for (const [place, value] of gramOf(x, x).entries())
        expect(Math.abs(got[place]! - value)).toBeLessThan(1e-13 * Math.max(...got));
      for (let a = 0; a < 11; a++) for (let b = 0; b < a; b++) expect(got[a * 11 + b]).toBe(got[b * 11 + a]);
    });
  });

  test('leaves the padding of a block zero', () => {
    using x = blockOf(engine, 10, 3, 'f64', 1);
    using y = engine.vector(10, { columns: 3 });
    using c = blockOf(engine, 3, 3, 'f64', 2);
    y.combine(x, c);
    using ones = engine.vector(10, { columns: 3 }).fill(1);
    y.axpy(1, ones);
    const numbers = new Float64Array(40);
    engine.space.download(y.block, 0, numbers);
    expect(numbers.filter((value, place) => place % 4 === 3 && value !== 0)).toHaveLength(0);
  });

  test('refuses what does not fit', () => {
    using x = engine.vector(4, { columns: 2 });
    using y = engine.vector(4, { columns: 3 });
    using short = engine.vector(3, { columns: 2 });
    using c = engine.vector(2, { columns: 3 });
    using single = engine.vector(2, { columns: 3, dtype: 'f32' });
    using one = engine.scalar();
    expect(() => x.gram(y, x)).toThrow('c: expected length 2, got 4');
    expect(() => x.gram(short, c)).toThrow('y: expected length 4, got 3');
    expect(() => x.gram(y, single)).toThrow('c: expected dtype f64 (Float64Array), got dtype f32 (Vector)');
    expect(() => x.gram(undefined as unknown as Vector, c)).toThrow('y: expected a vector of the engine');
    expect(() => y.combine(x, c, Number.NaN)).toThrow('alpha: expected a finite number');
    expect(() => y.combine(x, y)).toThrow('c: expected length 2, got 4');
    expect(() => y.combine(short, c)).toThrow('x: expected length 4, got 3');
    expect(() => x.columnDots(x, [one])).toThrow('results: expected length 2, got 1');
    expect(() => x.columnDots(y, [one, one])).toThrow('y: expected columns 2, got 3');
  });
});

describe('in the heap', () => {
  test('bits do not depend on threads, and a block of many chunks is summed by one tree', async () => {
    const bits = await Promise.all(
      [1, 2, 3].map(async (threads) => {
        const engine = await createEngine({ threads });
        using x = blockOf(engine, 150_001, 5, 'f64', 1, 'real');
        using c = engine.vector(5, { columns: 5 });
        const results = Array.from({ length: 5 }, () => engine.scalar());
        x.gram(x, c).columnDots(x, results);
        x.combine(x, c, 1e-6);
        const all = [...c.toArray(), ...results.map(({ value }) => value), ...x.toArray()].join();
        await engine.dispose();
        return all;
      }),
    );
    expect(bits[1] === bits[0] && bits[2] === bits[0]).toBe(true);
  });

  test('are recorded, with a C that an earlier operation or product of the step sets', async () => {
    const engine = await createEngine({ threads: 2 });
    const identity = { rows: 3, cols: 3, rowPtr: [0, 1, 2, 3], colIdx: [0, 1, 2], values: [2, 2, 2] };
    const twice = engine.operator({ ...identity, nnz: 3 } as never, { format: 'csr' });
    const x = blockOf(engine, 2000, 3, 'f64', 1);
    const y = x.like().fill(1);
    const [c, d] = [engine.vector(3, { columns: 3 }), engine.vector(3, { columns: 3 })];
    const norm = engine.scalar();
    const sums = Array.from({ length: 3 }, () => engine.scalar());
    const expected = gramOf(x, x).map((value) => 2 * value);
    const step = () => {
      x.gram(x, c);
      twice.apply(c, d);
      y.combine(x, d);
      y.columnDots(x, sums);
      norm.setSum(sums[0]!, sums[1]!);
    };
    using recording = engine.record(step);
    expect(norm.value).toBe(0);
    recording.launch();
    expectNumbers(d, expected);
    expectNumbers(y, combinationOf(x, d, 1, 0, x));
    const products = gramOf(y, x);
    expect(sums.map(({ value }) => value)).toEqual([products[0], products[4], products[8]]);
    expect(norm.value).toBe(products[0]! + products[4]!);
    const first = y.toArray();
    x.scale(2);
    recording.launch();
    expectNumbers(
      y,
      [...first].map((value) => 8 * value),
    );
    await engine.dispose();
  });
});

/** Numbers with rows and columns, of other libraries, in and out of vectors. */
import fc from 'fast-check';
import { Matrix } from 'ml-matrix';
import ndarray from 'ndarray';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, type DenseNumbers, type StridedNumbers } from '#dist/index.node.js';
import { SPACES } from '../solvers/engines.js';

const ROWS = [
  [1, 2, 3],
  [4, 5, 6],
];
const FLAT = [1, 2, 3, 4, 5, 6];
const BY_COLUMN = [1, 4, 2, 5, 3, 6];

/** The same 2 × 3 numbers. A new object each time: they are also written to. */
const sources = (): Record<string, DenseNumbers> => ({
  'an array of arrays': ROWS.map((row) => [...row]),
  'an array of typed arrays': ROWS.map((row) => Float32Array.from(row)),
  'ml-matrix': new Matrix(ROWS),
  ndarray: ndarray(Float64Array.from(FLAT), [2, 3]),
  'ndarray, transposed': ndarray(Int32Array.from(BY_COLUMN), [3, 2]).transpose(1, 0),
  'ndarray, a part of another': ndarray(
    Float64Array.from({ length: 20 }, (_, k) =>
      k % 5 > 0 && k % 5 < 4 && k > 4 && k < 15 ? FLAT[(k % 5) - 1 + 3 * (Math.floor(k / 5) - 1)]! : 9,
    ),
    [4, 5],
  )
    .lo(1, 1)
    .hi(2, 3),
  'strides of stdlib, backwards': {
    data: [...FLAT].reverse(),
    shape: [2, 3],
    strides: [-3, -1],
    offset: 5,
    length: 6,
  } as StridedNumbers,
  'rows further apart': { data: [1, 2, 3, 0, 4, 5, 6], shape: [2, 3], strides: [4, 1] },
  'no strides': { data: FLAT.slice(), shape: [2, 3] },
});

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  it.each(Object.keys(sources()))('%s: in, and out', (name) => {
    for (const dtype of ['f64', 'f32'] as const) {
      using x = engine.vector(sources()[name]!, { dtype });
      expect([x.length, x.columns, ...x.toArray()]).toEqual([2, 3, ...FLAT]);
      using set = engine.vector(4, { columns: 3, dtype }).set(sources()[name]!, 1);
      expect([...set.toArray()]).toEqual([0, 0, 0, ...FLAT, 0, 0, 0]);
      x.scale(2);
      const target = sources()[name]!;
      expect(x.copyTo(target)).toBe(target);
      using back = engine.vector(target, { dtype, columns: 3 });
      expect([...back.toArray()]).toEqual(FLAT.map((value) => 2 * value));
    }
  });

  it('vectors with one dimension', () => {
    using x = engine.vector(ndarray(Float64Array.from(FLAT), [6]).step(2));
    expect([x.length, x.columns, ...x.toArray()]).toEqual([3, 1, 1, 3, 5]);
    using column = engine.vector([[1], [2]]);
    expect([column.length, column.columns, ...column.toArray()]).toEqual([2, 1, 1, 2]);
    using none = engine.vector({ data: [], shape: [0, 3] });
    expect([none.length, none.columns]).toEqual([0, 3]);
  });
});

describe('in the heap', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
  });
  afterAll(() => engine.dispose());

  it('a vector is a strided array without a copy', () => {
    using X = engine.vector(ROWS);
    const { data, shape, strides } = X.strided;
    const view = ndarray(data, [...(shape as number[])], [...strides]);
    expect([view.get(1, 0), view.get(1, 2)]).toEqual([4, 6]);
    view.set(1, 2, 7);
    expect(X.toArray()[5]).toBe(7);
    using x = engine.vector([1, 2]);
    expect(x.strided).toEqual({ data: x.data, shape: [2], strides: [1], offset: 0 });
    using again = engine.vector(X.strided);
    expect([...again.toArray()]).toEqual([1, 2, 3, 4, 5, 7]);
  });

  it('any shape, strides and offset are read and written where they say', () => {
    const strided = fc
      .record({
        rows: fc.nat(5),
        columns: fc.integer({ min: 1, max: 5 }),
        gap: fc.integer({ min: 1, max: 3 }),
        pad: fc.nat(3),
        byColumn: fc.boolean(),
        down: fc.boolean(),
      })
      .map(({ rows, columns, gap, pad, byColumn, down }) => {
        const [near, far] = [gap, gap * (byColumn ? rows : columns) + pad];
        const sign = down ? -1 : 1;
        const strides = (byColumn ? [near, far] : [far, near]).map((one) => sign * one);
        const span = Math.max(0, rows - 1) * Math.abs(strides[0]!) + (columns - 1) * Math.abs(strides[1]!);
        return { data: new Float64Array(span + 1 + pad), shape: [rows, columns], strides, offset: down ? span : pad };
      });
    fc.assert(
      fc.property(strided, (target) => {
        const [rows, columns] = target.shape as [number, number];
        const numbers = Float64Array.from({ length: rows * columns }, (_, k) => k + 1);
        using x = engine.vector(numbers, { columns });
        x.copyTo(target);
        const places = Array.from(
          numbers,
          (_, k) => target.offset + Math.floor(k / columns) * target.strides[0]! + (k % columns) * target.strides[1]!,
        );
        expect(places.map((place) => target.data[place])).toEqual([...numbers]);
        expect(target.data.filter((value) => value !== 0)).toHaveLength(rows * columns);
        using back = engine.vector(target);
        expect(back.toArray()).toEqual(numbers);
      }),
    );
  });

  it.each<[string, unknown, object, string]>([
    ['rows of unequal length', [[1, 2], [3]], {}, 'source[1]: expected 2 numbers, got 1'],
    ['a row that is none', [[1, 2], 3], {}, 'source[1]: expected an array of numbers, got 3'],
    ['empty rows', [[]], {}, 'columns: expected an integer from 1'],
    ['an element that is no number', [[1, 'b']], {}, "source, row 0, column 1: expected a number, got 'b'"],
    [
      'too little data',
      { data: [1, 2, 3], shape: [2, 2] },
      {},
      'source.data: expected elements 0 to 3, got Array of length 3',
    ],
    [
      'strides before the data',
      { data: [1, 2], shape: [2], strides: [-1] },
      {},
      'source.data: expected elements -1 to 0',
    ],
    ['three dimensions', { data: [1], shape: [1, 1, 1] }, {}, 'source.shape: expected [rows] or [rows, columns]'],
    ['one stride of two', { data: [1], shape: [1, 1], strides: [1] }, {}, 'source.strides: expected 2 integers'],
    [
      '64-bit integers',
      { data: BigInt64Array.of(1n), shape: [1] },
      {},
      'source, row 0, column 0: expected a number, got 1n',
    ],
    ['fewer rows than it says', { rows: 2, columns: 1, data: [[1]] }, {}, 'source.data: expected 2 rows, got 1'],
    ['other columns than asked for', ROWS, { columns: 2 }, 'columns: expected 3, as the source has, got 2'],
    ['an order', ROWS, { order: 'column' }, "order: expected none for a source with rows, got 'column'"],
  ])('refuses %s, and keeps no memory', (_, source, options, message) => {
    const before = engine.heap.bytesInUse;
    expect(() => engine.vector(source as DenseNumbers, options)).toThrow(message);
    expect(engine.heap.bytesInUse).toBe(before);
  });

  it('refuses rows and targets of another shape', () => {
    using X = engine.vector(ROWS);
    expect(() => X.set([[1, 2]])).toThrow('source: expected rows of 3 numbers, got 2');
    expect(() => X.set([[1, 2, 3]], 2)).toThrow('source: expected at most 0 rows, got 1');
    expect(() => X.copyTo([[0, 0, 0]])).toThrow('target: expected 2 rows, got 1');
    expect(() => X.copyTo([[0], [0]])).toThrow('target: expected 3 columns, got 1');
    expect(() => X.copyTo(sources().ndarray!, { order: 'row' })).toThrow('order: expected none for a target with rows');
    expect(() => X.copyTo([0, 0, 0, 0, 0, 0] as never)).toThrow('target: expected dtype f64');
  });
});

/** Vectors, scalars and recordings in the heap; `sparlane selftest` runs the checks that they share with devices. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import { suiteTargets } from '#dist/conformance/suite.js';
import { checkVectors } from '#dist/conformance/vector-checks.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, type Scalar } from '#dist/index.node.js';
import { Vector } from '#dist/memory/vector.js';

const LENGTHS = [0, 1, 7, 8, 9, 1023, 1024, 1025, 5000, 100_003];

const DTYPES = ['f64', 'f32'] as const;

type Dtype = (typeof DTYPES)[number];

const binaries = new Set((await suiteTargets(2)).flatMap(({ binary }) => binary ?? []));

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

/** Integers, whose products and sums are exact in f32 too. */
const integers = (length: number, seed: number) => Float64Array.from(sampleVector(length, 'integer', seed));

/** −1 where there is none. */
const firstDifferent = (got: ArrayLike<number>, expected: ArrayLike<number>) =>
  Array.prototype.findIndex.call(got, (value, i) => value !== expected[i]);

interface Operands {
  readonly x: Vector;
  readonly y: Vector;
  readonly a: Scalar;
}

type Operation = readonly [name: string, run: (operands: Operands) => void, of: (x: number, y: number) => number];

/** The scalar is 3. */
const OPERATIONS: readonly Operation[] = [
  ['fill', ({ y }) => y.fill(4), () => 4],
  ['copyFrom', ({ x, y }) => y.copyFrom(x), (x) => x],
  ['axpy by a number', ({ x, y }) => y.axpy(-2, x), (x, y) => -2 * x + y],
  ['axpy by a scalar', ({ x, y, a }) => y.axpy(a, x), (x, y) => 3 * x + y],
  ['axpy by a scaled scalar', ({ x, y, a }) => y.axpy(a.times(-1), x), (x, y) => -3 * x + y],
  ['axpby', ({ x, y, a }) => y.axpby(2, x, a), (x, y) => 2 * x + 3 * y],
  ['axpby that overwrites', ({ x, y }) => y.axpby(2, x, 0), (x) => 2 * x],
  ['axpby of itself', ({ y, a }) => y.axpby(2, y, a), (_, y) => 5 * y],
  ['axpby of itself that overwrites', ({ y }) => y.axpby(2, y, 0), (_, y) => 2 * y],
  ['scale', ({ y, a }) => y.scale(a), (_, y) => 3 * y],
  ['multiply', ({ x, y }) => y.multiply(x, x), (x) => x * x],
  ['multiply by itself', ({ x, y }) => y.multiply(y, x), (x, y) => x * y],
  ['multiply of itself', ({ x, y }) => y.multiply(x, y), (x, y) => x * y],
];

describe.each(DTYPES)('%s', (dtype: Dtype) => {
  test.each(LENGTHS)('%i elements: every operation, and nothing beside them', (length) => {
    const xs = integers(length, 1);
    const ys = integers(length, 2);
    using x = engine.vector(xs, { dtype });
    using y = engine.vector(ys, { dtype });
    using a = engine.scalar(3);
    for (const [name, run, of] of OPERATIONS) {
      y.set(ys);
      run({ x, y, a });
      expect(
        firstDifferent(
          y.data,
          ys.map((value, i) => of(xs[i]!, value)),
        ),
        name,
      ).toBe(-1);
      expect(firstDifferent(x.data, xs), name).toBe(-1);
    }
  });

  test.each([...LENGTHS, 400_001])('%i elements: zeros of both signs', (length) => {
    using whole = engine.vector(integers(length + 2, 1), { dtype });
    const { data } = whole;
    using y = new Vector(engine.space, whole.type, length, data.subarray(0, length));
    for (const zero of [0, -0]) {
      y.set(integers(length, 1)).fill(zero);
      expect(y.data.every((value) => Object.is(value, zero))).toBe(true);
      expect([...data.subarray(length)]).toEqual([...integers(length + 2, 1).subarray(length)]);
    }
  });

  test.each(LENGTHS)('%i elements: dot products', (length) => {
    const xs = integers(length, 1);
    const ys = integers(length, 2);
    using x = engine.vector(xs, { dtype });
    using y = engine.vector(ys, { dtype });
    const sum = (of: (x: number, y: number) => number) => xs.reduce((total, value, i) => total + of(value, ys[i]!), 0);
    const [xy, xx, norm] = [engine.scalar(9), engine.scalar(9), engine.scalar(9)];
    x.dots([y, x], [xy, xx]);
    expect([xy.value, xx.value]).toEqual([sum((a, b) => a * b), sum((a) => a * a)]);
    expect(x.dot(y, norm).value).toBe(xy.value);
    expect(y.norm(norm).value).toBe(Math.sqrt(sum((_, b) => b * b)));
    for (const scalar of [xy, xx, norm]) scalar.dispose();
  });

  test('more dot products than one program holds', () => {
    const length = 1500;
    using x = engine.vector(integers(length, 1), { dtype });
    const ys = Array.from({ length: 37 }, (_, i) => engine.vector(integers(length, i), { dtype }));
    const results = ys.map(() => engine.scalar());
    x.dots(ys, results);
    const expected = ys.map((y) => Float64Array.from(y.data).reduce((sum, value, i) => sum + value * x.data[i]!, 0));
    expect(results.map(({ value }) => value)).toEqual(expected);
    for (const one of [...ys, ...results]) one.dispose();
  });

  test('b = 0 hides a NaN of y, a = 0 none of x', () => {
    for (const length of [5, 2000]) {
      using x = engine.vector(new Float64Array(length).fill(2), { dtype });
      using y = engine.vector(new Float64Array(length).fill(Number.NaN), { dtype });
      using zero = engine.scalar(0);
      expect(y.axpby(1, x, 0).data.every((value) => value === 2)).toBe(true);
      expect(
        y
          .fill(Number.NaN)
          .axpby(1, x, zero)
          .data.every((value) => value === 2),
      ).toBe(true);
      expect(y.axpy(0, x.fill(Number.NaN)).data.every(Number.isNaN)).toBe(true);
      expect(y.fill(1).axpby(zero, x, 0).data.every(Number.isNaN)).toBe(true);
    }
  });
});

describe('norms whose squares overflow or vanish', () => {
  const LEAST = Number.MIN_VALUE;
  /** Vectors of a few elements, or of several chunks, and their norms. */
  const EXTREMES: readonly (readonly [numbers: Float64Array, norm: number])[] = [
    [Float64Array.of(3e-200, 4e-200), 5e-200],
    [Float64Array.of(3e200, -4e200), 5e200],
    [Float64Array.of(3 * LEAST, 4 * LEAST), 5 * LEAST],
    [Float64Array.of(1e308, 1e308), Math.SQRT2 * 1e308],
    [new Float64Array(2500).fill(2e-170), 1e-168],
    [new Float64Array(2500).fill(2e160), 1e162],
    [Float64Array.of(1e-162, 1e-300), 1e-162],
    [Float64Array.of(1e300, 1, Number.MIN_VALUE), 1e300],
    [new Float64Array(2500).fill(1e308), Number.POSITIVE_INFINITY],
    [Float64Array.of(1, Number.NEGATIVE_INFINITY), Number.POSITIVE_INFINITY],
    [Float64Array.of(1e200, Number.NaN), Number.NaN],
    [new Float64Array(1030), 0],
  ];
  const near = (got: number, expected: number) =>
    Object.is(got, expected) || Math.abs(got - expected) <= Math.max(1e-15 * expected, LEAST);

  const named = EXTREMES.map(([numbers, norm]) => [norm, numbers.length, numbers] as const);
  test.each(named)('a norm of %d, of %i elements, alone and as a column', (expected, _, numbers) => {
    const { bytesInUse } = engine.heap;
    {
      using x = engine.vector(numbers);
      using one = engine.scalar();
      expect(near(x.norm(one).value, expected), `${one.value}`).toBe(true);
      expect(x.toArray()).toEqual(numbers);
      const columns = [new Float64Array(numbers.length).fill(0.5), numbers];
      using block = engine.vector(
        Float64Array.from({ length: 2 * numbers.length }, (_, k) => columns[k % 2]![k >> 1]!),
        { columns: 2 },
      );
      using ordinary = engine.scalar();
      block.columnNorms([ordinary, one]);
      expect(near(one.value, expected), `${one.value}`).toBe(true);
      expect(ordinary.value).toBe(Math.sqrt(numbers.length / 4));
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a recording has the root of the dot product', () => {
    using x = engine.vector(Float64Array.of(3e-200, 4e-200));
    using norm = engine.scalar(1);
    using recording = engine.record(() => x.norm(norm));
    recording.launch();
    expect(norm.value).toBe(0);
  });

  test('of f32 they do neither', () => {
    using x = engine.vector(Float32Array.of(3e-38, 4e-38), { dtype: 'f32' });
    using y = engine.vector(new Float32Array(2500).fill(1e38), { dtype: 'f32' });
    using norm = engine.scalar();
    expect(x.norm(norm).value / 5e-38).toBeCloseTo(1, 6);
    expect(y.norm(norm).value / 5e39).toBeCloseTo(1, 6);
  });
});

test('sums of f32 are f64', () => {
  using x = engine.vector(Float32Array.of(2 ** 12 + 1, 2 ** -12), { dtype: 'f32' });
  using result = engine.scalar();
  expect(x.dot(x, result).value).toBe((2 ** 12 + 1) ** 2 + 2 ** -24);
});

describe.each([...binaries])('%s', (binary) => {
  test('bits of dot products and updates depend on neither threads nor parts', async () => {
    const xs = sampleVector(300_001, 'real', 1);
    const ys = sampleVector(300_001, 'real', 2);
    const bits: number[][] = [];
    for (const threads of [1, 2, 3, 4]) {
      await using other = await createEngine({ threads, binary, onHint: () => {} });
      using x = other.vector(xs);
      using y = other.vector(ys);
      using dot = other.scalar();
      using norm = other.scalar();
      x.dot(y, dot);
      y.axpby(dot, x, 0.7).norm(norm);
      bits.push([dot.value, norm.value]);
      // All at once: other chunks in a part.
      using recording = other.record(() => {
        for (let i = 0; i < 10; i++) x.dot(y, dot);
      });
      y.set(ys);
      recording.launch();
      expect(dot.value).toBe(bits[0]![0]);
    }
    expect(new Set(bits.map(String)).size).toBe(1);
  });

  test.each([1, 2])('the conformance checks pass on %i threads', async (threads) => {
    await using other = await createEngine({ threads, binary, onHint: () => {} });
    const { checks, failures } = checkVectors(other);
    expect(failures).toEqual([]);
    expect(checks).toBeGreaterThan(100);
  });
});

describe('memory', () => {
  test('a vector is zero even in used memory, and gives it back once', () => {
    const { heap } = engine;
    const before = heap.bytesInUse;
    engine.vector(10).fill(9).dispose();
    const vector = engine.vector(10);
    expect([...vector.data]).toEqual(new Array(10).fill(0));
    vector.set([1, 2, 3], 1);
    expect([...vector.data.subarray(0, 5)]).toEqual([0, 1, 2, 3, 0]);
    vector.dispose();
    vector[Symbol.dispose]();
    expect(heap.bytesInUse).toBe(before);
    expect(() => vector.data).toThrow(/vector: expected one that is in use, got 'a disposed vector'/);
  });

  test('operations keep one program and its sums; recordings give back what they hold', () => {
    const { heap } = engine;
    using x = engine.vector(5000);
    using result = engine.scalar();
    x.dots([x, x], [result, result]);
    const before = heap.bytesInUse;
    for (let i = 0; i < 100; i++) x.axpy(1, x).dot(x, result);
    expect(heap.bytesInUse).toBe(before);
    const recording = engine.record(() => x.axpy(1, x).dot(x, result));
    expect(heap.bytesInUse).toBeGreaterThan(before);
    recording.launch();
    recording.dispose();
    recording.dispose();
    expect(heap.bytesInUse).toBe(before);
    expect(() => recording.launch()).toThrow(/recording: expected one that is in use, got 'a disposed recording'/);
  });

  test('a vector outlives its disposal as long as a recording uses it', () => {
    const { heap } = engine;
    const before = heap.bytesInUse;
    const [x, y] = [engine.vector(1000).fill(1), engine.vector(1000).fill(1)];
    const addAndDispose = () => {
      y.axpy(1, x);
      x.dispose();
    };
    const recordings = [engine.record(addAndDispose), engine.record(() => y.scale(2))];
    using other = engine.vector(1000).fill(7);
    recordings[0]!.launch();
    recordings[1]!.launch();
    expect(y.data.every((value) => value === 4)).toBe(true);
    expect(other.data.every((value) => value === 7)).toBe(true);
    y.dispose();
    recordings[0]!.dispose();
    recordings[1]!.launch();
    recordings[1]!.dispose();
    other.dispose();
    expect(heap.bytesInUse).toBe(before);
  });

  test('a step that throws leaves nothing recording, nothing allocated and nothing held', () => {
    const { heap } = engine;
    const before = heap.bytesInUse;
    const x = engine.vector(10).fill(1);
    expect(() =>
      engine.record(() => {
        x.scale(2);
        x.dispose();
        throw new RangeError('no');
      }),
    ).toThrow(RangeError);
    expect(heap.bytesInUse).toBe(before);
    using y = engine.vector(1).fill(3);
    expect(y.scale(2).data[0]).toBe(6);
  });
});

describe('a recording', () => {
  test('computes what its step says, in order, whatever depends on what', () => {
    const run = (recorded: boolean) => {
      using x = engine.vector(integers(3000, 1));
      using y = engine.vector(integers(3000, 2));
      using single = engine.vector(integers(3000, 3), { dtype: 'f32' });
      using short = engine.vector(integers(50, 4));
      const scalars = Array.from({ length: 4 }, (_, i) => engine.scalar(i + 1));
      const [a, b, c, d] = scalars as [Scalar, Scalar, Scalar, Scalar];
      const step = () => {
        x.dot(y, a);
        y.axpy(2, x);
        b.setQuotient(c, 2); // does not depend on the program before
        y.axpy(b, x); // uses b as it is now
        b.setSum(b, 1); // must not change the coefficient before
        x.axpby(b, y, 0.5);
        y.dot(x, a);
        c.setQuotient(a, 1e12); // waits for the dot product
        short.scale(2);
        single.dot(single, a); // sets a again
        d.setProduct(a, 0.25);
        y.axpy(c, x).axpy(1e-6, y);
        y.dot(x, d);
        x.scale(d.times(1e-12));
        y.dot(x, d);
        d.setRoot(d.times(0));
      };
      if (recorded) {
        using recording = engine.record(step);
        for (let i = 0; i < 3; i++) recording.launch();
      } else for (let i = 0; i < 3; i++) step();
      const numbers = [x, y, short].flatMap((vector) => [...vector.data]);
      const results = [...numbers, ...scalars.map(({ value }) => value)];
      for (const scalar of scalars) scalar.dispose();
      return results;
    };
    const expected = run(false);
    expect(expected.every(Number.isFinite)).toBe(true);
    expect(run(true)).toEqual(expected);
  });

  test('computes products and operations up to a dot product in order, in one fork-join', () => {
    using A = engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 3], colIdx: [1, 0, 1], values: [2, 3, 5] });
    using x = engine.vector([5, 7]);
    using y = engine.vector(2);
    using s = engine.scalar(1);
    const flush = vi.spyOn(engine.team, 'flush');
    const run = (recorded: boolean) => {
      x.set([5, 7]);
      const step = () => {
        x.scale(2);
        A.apply(x, y);
        A.apply(y, x, 3);
        y.axpy(s, x);
        A.apply(y, x, 1, 1);
        x.axpy(-1, y);
        x.dot(y, s);
        s.setProduct(s, 1e-6);
      };
      using recording = recorded ? engine.record(step) : { launch: step, [Symbol.dispose]() {} };
      recording.launch();
      flush.mockClear();
      recording.launch();
      return { numbers: [...x.data, ...y.data, s.value], forkJoins: flush.mock.calls.length };
    };
    s.set(1);
    const expected = run(false);
    s.set(1);
    const recorded = run(true);
    flush.mockRestore();
    expect(recorded.numbers).toEqual(expected.numbers);
    expect([expected.forkJoins, recorded.forkJoins]).toEqual([7, 1]);
  });

  test('of which a product fails leaves nothing queued', () => {
    const A = engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [2, 3] });
    using x = engine.vector([5, 7]);
    using y = engine.vector(2);
    using s = engine.scalar();
    using recording = engine.record(() => {
      x.scale(2);
      A.apply(x, y);
      x.dot(y, s);
    });
    A.dispose();
    expect(() => recording.launch()).toThrow(/operator: expected one that is in use, got 'a disposed operator'/);
    expect([...x.data]).toEqual([10, 14]);
    x.set([5, 7]);
    y.axpy(1, x);
    expect([...x.data, ...y.data]).toEqual([5, 7, 5, 7]);
  });

  test('has products of vectors in the heap, and of no others', () => {
    const matrix = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [2, 3] };
    const operator = engine.operator(matrix);
    using x = engine.vector([5, 7]);
    using y = engine.vector(2);
    using recording = engine.record(() => operator.apply(x, y, 2));
    expect([...y.data]).toEqual([0, 0]);
    recording.launch();
    expect([...y.data]).toEqual([28, 30]);
    expect(() => engine.record(() => operator.apply(new Float64Array(2), y))).toThrow(
      /step: expected products, .*, got 'a vector of another space'/,
    );
    expect(() => engine.record(() => recording.launch())).toThrow(/step: expected products, .*, got 'a launch'/);
    operator.dispose();
    expect(() => recording.launch()).toThrow(/operator: expected one that is in use, got 'a disposed operator'/);
  });
});

test('scalars of another engine, and what is no scalar, are refused', async () => {
  await using other = await createEngine({ threads: 1 });
  using x = engine.vector(3);
  using stranger = other.scalar(1);
  using foreign = other.vector(3);
  expect(() => x.scale(stranger)).toThrow(/a: expected a scalar of the same space, got 'one of another'/);
  expect(() => x.axpy(1, foreign)).toThrow(/x: expected a vector of the same space, got 'one of another'/);
  expect(() => x.dot(x, 3 as never)).toThrow(/result: expected a scalar, got 3/);
  expect(() => x.dot(x, null as never)).toThrow(/result: expected a number or a scalar, got null/);
  expect(() => engine.scalar(Number.NaN)).toThrow(/value: expected a finite number, got NaN/);
});

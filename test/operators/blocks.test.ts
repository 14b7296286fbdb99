/** Blocks of vectors: how they are made and read, and the products of every kind of operator with them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import {
  CsrBuilder,
  createEngine,
  functionOperator,
  gallery,
  type LinearOperator,
  type OperatorOptions,
  permuted,
} from '#dist/index.node.js';

let engine: Engine;
const hints: string[] = [];
beforeAll(async () => {
  engine = await createEngine({ threads: 2, onHint: ({ name, message }) => hints.push(`${name}: ${message}`) });
});
afterAll(() => engine.dispose());

const ROWS = 300;

describe('a block', () => {
  it('is row-major, with rows padded by zeros to 16 bytes', () => {
    using x = engine.vector([1, 2, 3, 4, 5, 6], { columns: 3 });
    expect([x.length, x.columns, x.stride]).toEqual([2, 3, 4]);
    expect([...x.data]).toEqual([1, 2, 3, 0, 4, 5, 6, 0]);
    using y = engine.vector(2, { columns: 5, dtype: 'f32' }).fill(7);
    expect([...y.data]).toEqual([7, 7, 7, 7, 7, 0, 0, 0, 7, 7, 7, 7, 7, 0, 0, 0]);
    expect(`${x}`).toBe('Vector (f64, 2 × 3 elements, heap)');
  });

  it('of one column is a vector', () => {
    using x = engine.vector([1, 2, 3], { columns: 1, order: 'column' });
    expect([x.length, x.columns, x.stride, ...x.data]).toEqual([3, 1, 1, 1, 2, 3]);
  });

  it('is read and written in both orders', () => {
    const byColumns = [1, 4, 2, 5, 3, 6];
    using x = engine.vector(byColumns, { columns: 3, order: 'column' });
    expect([...x.toArray()]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...x.toArray({ order: 'column' })]).toEqual(byColumns);
    using even = engine.vector(byColumns, { columns: 2, order: 'column' });
    expect([...even.toArray()]).toEqual([1, 5, 4, 3, 2, 6]);
    expect([...even.toArray({ order: 'column' })]).toEqual(byColumns);
    expect([...x.set([7, 8, 9], 1).toArray()]).toEqual([1, 2, 3, 7, 8, 9]);
  });

  it('gives and takes columns', () => {
    using x = engine.vector([1, 2, 3, 4, 5, 6], { columns: 3 });
    using column = engine.vector(2);
    x.copyColumnTo(1, column);
    expect([...column.data]).toEqual([2, 5]);
    expect([...x.setColumn(2, column).data]).toEqual([1, 2, 2, 0, 4, 5, 5, 0]);
    const recording = engine.record(() => x.copyColumnTo(0, column));
    recording.launch();
    expect([...column.data]).toEqual([1, 4]);
    recording.dispose();
  });

  it('gives and takes several columns in one pass', () => {
    using x = engine.vector([1, 2, 3, 4, 5, 6], { columns: 3 });
    using one = engine.vector(2);
    using other = engine.vector(2);
    x.copyColumnsTo([one, other], 1);
    expect([...one.data, ...other.data]).toEqual([2, 5, 3, 6]);
    expect([...x.setColumns([other, one]).data]).toEqual([3, 2, 3, 0, 6, 5, 6, 0]);
    expect(() => x.copyColumnsTo([one, other], 2)).toThrow('first: expected');
  });

  it('is computed with element by element', () => {
    using x = engine.vector([1, 2, 3, 4, 5, 6], { columns: 3 });
    using y = x.like().fill(1).axpby(2, x, 3);
    expect([...y.data]).toEqual([5, 7, 9, 0, 11, 13, 15, 0]);
    expect([...y.multiply(x, x).data]).toEqual([1, 4, 9, 0, 16, 25, 36, 0]);
  });

  it('longer than a chunk copies its columns', () => {
    const numbers = Float64Array.from({ length: 3 * 2500 }, (_, k) => k);
    using x = engine.vector(numbers, { columns: 3 });
    using column = engine.vector(2500);
    x.copyColumnTo(2, column);
    expect([...column.data]).toEqual(Array.from({ length: 2500 }, (_, i) => 3 * i + 2));
  });

  it('refuses what does not fit', () => {
    using x = engine.vector(2, { columns: 3 });
    using y = engine.vector(2);
    using dot = engine.scalar();
    expect(() => engine.vector([1, 2, 3], { columns: 2 })).toThrow('source: expected 2 equal columns, got 3');
    expect(() => engine.vector(2, { columns: 0 })).toThrow('columns: expected');
    expect(() => engine.vector(2, { order: 'rows' as 'row' })).toThrow('order: expected');
    expect(() => x.set([1, 2])).toThrow('source: expected rows of 3 numbers, got 2');
    expect(() => x.axpy(1, y)).toThrow('x: expected columns 3, got 1');
    expect(() => x.dot(x, dot)).toThrow('vector: expected one column, got 3');
    expect(() => x.copyColumnTo(3, y)).toThrow('column: expected');
    expect(() => x.setColumn(0, x)).toThrow('x: expected columns 1, got 3');
    expect(() => x.toArray({ order: 'rows' as 'row' })).toThrow('order: expected');
  });
});

it('a block product of a long row in coo takes a time in proportion to its length', () => {
  const matrix = gallery('circuit', { n: 100_000, hubs: 1, hubLength: 99_000 });
  using x = engine.vector(matrix.cols, { columns: 32 });
  using y = engine.vector(matrix.rows, { columns: 32 });
  const leastMs = (format: string) => {
    using operator = engine.operator(matrix, { format });
    const times = Array.from({ length: 3 }, () => {
      const start = performance.now();
      operator.apply(x, y);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  // The ratio is 1.2; it was 42 when each line of the row was searched for its end (two cores of an Intel Xeon, Node 20).
  expect(leastMs('coo') / leastMs('csr')).toBeLessThan(10);
});

/** Every column of Y must be the product of its column of X. */
function expectProducts(operator: LinearOperator, columns: number): void {
  const { rows, cols } = operator;
  const dtype = operator.vectorType === Float32Array ? 'f32' : 'f64';
  using x = engine.vector(
    Float64Array.from({ length: cols * columns }, (_, k) => (k % 17) - 8),
    { columns, dtype },
  );
  using y = engine.vector(
    Float64Array.from({ length: rows * columns }, (_, k) => (k % 5) - 2),
    { columns, dtype },
  );
  using column = engine.vector(cols, { dtype });
  using result = engine.vector(rows, { dtype });
  const products = Array.from({ length: columns }, (_, j) => {
    x.copyColumnTo(j, column);
    y.copyColumnTo(j, result);
    operator.apply(column, result, 2, -0.5);
    return result.toArray();
  });
  operator.apply(x, y, 2, -0.5);
  products.forEach((product, j) => {
    y.copyColumnTo(j, result);
    expect(result.toArray()).toEqual(product);
  });
}

describe('a block product', () => {
  const matrix = gallery('banded', { rows: ROWS });

  it.each(['csr', 'sell', 'hyb', 'sss', 'csr5', 'auto'])('by %s is a product of each column', (format) => {
    const symmetric = gallery('laplace2d5', { nx: 18, ny: 18 });
    using operator = engine.operator(symmetric, { format });
    for (const columns of [2, 3, 16]) expectProducts(operator, columns);
  });

  it.each(['hyb', 'coo'])('by %s has the bits of a product in one part, rows of all lengths and none', (format) => {
    hints.length = 0;
    using operator = engine.operator(gallery('rmat', { scale: 9 }), { format });
    for (const columns of [2, 9]) expectProducts(operator, columns);
    expect(hints).toEqual([]);
  });

  // Rows are long from 24 entries on with eight vectors of columns, from 64 with four, and from 256 with two, which only f32 has.
  it.each(['csr', 'coo', 'csrk', 'hyb', 'components', 'panels', 'panels?sliceRows=7&panelCols=300'])(
    'by %s has the bits of a product, rows of all lengths',
    (format) => {
      const lengths = [0, 23, 24, 63, 64, 65, 255, 256, 257, 1031, 3, 600, 0];
      const builder = new CsrBuilder(lengths.length, 1200);
      for (const [row, length] of lengths.entries())
        for (let k = 0; k < length; k++) builder.add(row, k + row, ((k * 7919) % 1013) / 1013 - 0.5);
      const long = builder.build();
      for (const dtype of ['f64', 'f32'] as const) {
        using operator = engine.operator(long, { format, dtype, parts: 1 });
        for (const columns of [4, 8, 16, 30, 32]) expectProducts(operator, columns);
      }
    },
  );

  it('without a kernel says so once', () => {
    hints.length = 0;
    using operator = engine.operator(matrix, { format: 'csr5' });
    for (let turn = 0; turn < 2; turn++) expectProducts(operator, 2);
    expect(hints).toEqual([
      'fell-back: csr5?sigma=16 has no kernel for blocks of vectors: each column is copied and multiplied by itself',
    ]);
  });

  it('is computed by the reference', () => {
    using operator = engine.operator(matrix, { device: 'reference' });
    expectProducts(operator, 3);
  });

  it('is computed by functions and permuted operators', () => {
    using twice = functionOperator(engine, ROWS, ROWS, (x, y) => void y.copyFrom(x).scale(2));
    expectProducts(twice, 3);
    const reverse = Uint32Array.from({ length: ROWS }, (_, i) => ROWS - 1 - i);
    using operator = permuted(engine.operator(matrix, { format: 'csr' }), { rowOrder: reverse, colOrder: undefined });
    expectProducts(operator, 3);
  });

  it('is recorded', () => {
    using operator = engine.operator(matrix, { format: 'csr' });
    using x = engine.vector(ROWS, { columns: 2 }).fill(1);
    using y = x.like();
    using expected = x.like();
    operator.apply(x, expected);
    using recording = engine.record(() => operator.apply(x, y));
    recording.launch();
    expect(y.toArray()).toEqual(expected.toArray());
  });

  it('is planned in more parts than a product: its work is that of all columns', () => {
    using operator = engine.operator(matrix, { format: 'csr' });
    const partsWith = (columns: number) => engine.cpu.plan(operator.matrix as StoredMatrix, 'spmm', { columns }).parts;
    expect([1, 100, 40_000].map(partsWith)).toEqual([1, 2, 196]);
  });

  it('is what auto chooses a format for, if told its columns', () => {
    const mesh = gallery('laplace2d5', { nx: 40, ny: 40 });
    hints.length = 0;
    using operator = engine.operator(mesh, { columns: 8, products: 'many', tune: false });
    using measured = engine.operator(mesh, { columns: 8, products: 1e9, tune: true });
    for (const one of [operator, measured]) expectProducts(one, 8);
    expect(hints).toEqual([]);
    expect(() => engine.operator(mesh, { columns: 0 })).toThrow('columns: expected');
    expect(() => engine.operator(mesh, { format: 'csr', columns: 2 })).toThrow('columns: expected no value');
  });

  it("with blockSums 'fast' is a product of each column up to rounding, with bits that threads and parts do not change", async () => {
    const rmat = gallery('rmat', { scale: 11 });
    await using alone = await createEngine({ threads: 1 });
    for (const dtype of DTYPES) {
      for (const columns of [2, 5, 16, 35, 64]) {
        const numbers = Float64Array.from({ length: rmat.cols * columns }, (_, k) => ((k * 7919) % 1013) / 1013);
        const productOf = (on: Engine, options: OperatorOptions) => {
          using operator = on.operator(rmat, { format: 'csr', dtype, ...options });
          using x = on.vector(numbers, { columns, dtype });
          using y = on.vector(rmat.rows, { columns, dtype });
          operator.apply(x, y);
          return Float64Array.from(y.toArray());
        };
        const fast = productOf(engine, { blockSums: 'fast' });
        expect(productOf(alone, { blockSums: 'fast' })).toEqual(fast);
        expect(productOf(engine, { blockSums: 'fast', parts: 7 })).toEqual(fast);
        const single = productOf(engine, {});
        // A few columns are computed as ever.
        if (columns > 5) expect(fast).not.toEqual(single);
        const largest = single.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        const error = fast.reduce((most, value, i) => Math.max(most, Math.abs(value - single[i]!)), 0);
        expect(error).toBeLessThan((dtype === 'f32' ? 1e-5 : 1e-13) * largest);
      }
    }
  });

  it("with blockSums 'fast' is as ever where a format has no other sums, and on the reference", () => {
    const symmetric = gallery('laplace2d5', { nx: 18, ny: 18 });
    using chunks = engine.operator(symmetric, { format: 'sell', blockSums: 'fast' });
    using codes = engine.operator(symmetric, { format: 'csr?values=table', blockSums: 'fast' });
    using reference = engine.operator(matrix, { device: 'reference', blockSums: 'fast' });
    for (const operator of [chunks, codes, reference]) expectProducts(operator, 9);
    expect(() => engine.operator(matrix, { blockSums: 'exact' as 'fast' })).toThrow(
      "blockSums: expected single | fast, got 'exact'",
    );
  });

  it("with blockSums 'fast' is what auto expects of csr", () => {
    const network = gallery('rmat', { scale: 11 });
    const csrMs = (blockSums: 'single' | 'fast') => {
      using operator = engine.operator(network, { columns: 16, blockSums });
      return operator.decision!.ranking.find(({ spec }) => spec === 'csr')!.productMs;
    };
    expect(csrMs('fast')).toBeLessThan(csrMs('single'));
    const mesh = gallery('laplace2d5', { nx: 40, ny: 40 });
    using measured = engine.operator(mesh, { columns: 16, products: 1e9, tune: true, blockSums: 'fast' });
    expect(measured.decision!.chosen.measuredMs).toBeGreaterThan(0);
  });

  it('refuses blocks that do not fit', () => {
    using operator = engine.operator(matrix, { format: 'csr' });
    using x = engine.vector(ROWS, { columns: 2 });
    using y = engine.vector(ROWS, { columns: 3 });
    using z = engine.vector(ROWS - 1, { columns: 2 });
    expect(() => operator.apply(x, y)).toThrow('y: expected as many columns as x, 2, got 3');
    expect(() => operator.apply(x, new Float64Array(ROWS))).toThrow('y: expected as many columns as x, 2, got 1');
    expect(() => operator.apply(z, x)).toThrow(`x: expected length ${ROWS}`);
    expect(() => operator.apply(x, x)).toThrow('overlap');
  });
});

/** Operations on matrices in the heap: on integers as dense, on large matrices bit by bit as in TypeScript, on any number of threads. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { addMatrices } from '#dist/algebra/add.js';
import { diagonalOf } from '#dist/algebra/diagonal.js';
import { kroneckerProduct } from '#dist/algebra/kronecker.js';
import { multiplyMatrices } from '#dist/algebra/multiply.js';
import { normsOf, scaleMatrix, sliceRows, sumsOf } from '#dist/algebra/rows.js';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { workedExample } from '#dist/conformance/matrices.js';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { trusted } from '#dist/core/trusted.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import type { HeapMatrix } from '#dist/matrices/heap-matrix.js';
import type { Vector } from '#dist/memory/vector.js';
import { denseOf, smallMatrix } from '../gallery/arbitrary.js';
import { fewOrAll } from '../soak.js';

const engines = await Promise.all([1, 2, 5].map((threads) => createEngine({ threads, tuning: 'built-in' })));
afterAll(() => Promise.all(engines.map((engine) => engine.dispose())));

/** A matrix as numbers, freed. */
function taken(matrix: HeapMatrix): CsrMatrix {
  using freed = matrix;
  return freed.toCsr();
}

function numbers(vector: Vector<Float64Array>): Float64Array {
  using freed = vector;
  return freed.toArray();
}

/** Large arrays: compared as bytes. */
function expectSame(got: CsrMatrix, { rowPtr, colIdx, values, ...facts }: CsrMatrix): void {
  expect(got).toMatchObject(facts);
  expectBits(got.rowPtr, rowPtr);
  expectBits(got.colIdx, colIdx);
  expectBits(got.values, values);
}

function expectBits(got: ArrayBufferView, expected: ArrayBufferView): void {
  const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  expect(Buffer.compare(bytesOf(got), bytesOf(expected))).toBe(0);
}

/** Other values, which no order of summation but the right one adds up to the same bits. */
function rough(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: matrix.values.map((_, k) => Math.sin(k) * 10 ** (k % 7)) };
}

function inSingle(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: Float32Array.from(matrix.values) };
}

const factorsOf = (length: number) => Float64Array.from({ length }, (_, i) => (i % 5) - 2);

test('small matrices as dense arrays', () => {
  const property = fc.property(smallMatrix(), smallMatrix(), fc.nat(), (given, other, seed) => {
    const dense = denseOf(given);
    const { rows, cols } = given;
    const begin = seed % (rows + 1);
    const byRow = factorsOf(rows);
    const zero = (value: number) => value + 0;
    for (const engine of engines) {
      const { bytesInUse } = engine.heap;
      {
        using a = engine.matrix(given);
        using transposed = a.transposed();
        using back = transposed.transposed();
        expect(denseOf(taken(a.add(back, 2, -1)))).toEqual(dense);
        expect(denseOf(taken(a.kronecker(other)))).toEqual(denseOf(kroneckerProduct(given, other)));
        expect(denseOf(taken(a.slice(begin)))).toEqual(dense.slice(begin));
        const scaled = denseOf(taken(a.scaled({ rows: byRow }))).map((row) => row.map(zero));
        expect(scaled).toEqual(dense.map((row, i) => row.map((value) => zero(value * byRow[i]!))));
        expect([...numbers(a.sums('rows'))]).toEqual(
          dense.map((row) => row.reduce((total, value) => total + value, 0)),
        );
        expect(numbers(a.sums('columns'))).toEqual(sumsOf(given, 'columns'));
        expect(numbers(a.diagonal())).toEqual(diagonalOf(given));
        expect(a.cols).toBe(cols);
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    }
  });
  fc.assert(property, { numRuns: fewOrAll(20, 60) });
});

const empty = (rows: number, cols: number) =>
  csrMatrix({ rows, cols, rowPtr: new Uint32Array(rows + 1), colIdx: [], values: [] });

const SHAPES: readonly [name: string, matrix: CsrMatrix][] = [
  ['0 × 0', empty(0, 0)],
  ['0 rows', empty(0, 5)],
  ['no entries', empty(70, 3)],
  ['5-point', gallery('laplace2d5', { nx: 300, ny: 200 })],
  ['27-point, blocks of 3', gallery('laplace3d27', { nx: 10, ny: 9, nz: 8, block: 3 })],
  ['R-MAT', gallery('rmat', { scale: 12 })],
  ['a full row', gallery('rowlengths', { rows: 1, cols: 150_000, distribution: 'constant', mean: 150_000 })],
  ['tall', gallery('dense', { rows: 60_000, cols: 2 })],
  ['rows of all lengths', gallery('rowlengths', { rows: 3000, cols: 9000, distribution: 'geometric', mean: 60 })],
];

describe.each(SHAPES)('%s', (_, matrix) => {
  test.each([
    ['f64', rough(matrix), rough(matrix)],
    ['f32', inSingle(rough(matrix)), inSingle(rough(matrix))],
    ['f32 and f64', inSingle(rough(matrix)), rough(matrix)],
  ])('%s: the bits of the functions, and nothing left in the heap', (_, a, same) => {
    // Half of the positions are common.
    const b = { ...same, colIdx: shifted(same) };
    const [byRow, byCol] = [factorsOf(a.rows), factorsOf(a.cols)];
    const small = gallery('laplace1d3', { nx: 2 });
    const matrices: readonly [expected: CsrMatrix, (left: HeapMatrix, right: HeapMatrix) => HeapMatrix][] = [
      [addMatrices(a, b, 3, -0.5), (left, right) => left.add(right, 3, -0.5)],
      [addMatrices(a, b), (left) => left.add(b)],
      [addMatrices(a, a), (left) => left.add(left)],
      [transposeMatrix(a), (left) => left.transposed()],
      [scaleMatrix(a, { rows: byRow, cols: byCol }), (left) => left.scaled({ rows: byRow, cols: byCol })],
      [scaleMatrix(a, { cols: byCol }), (left) => left.scaled({ cols: byCol })],
      [sliceRows(a, 0), (left) => left.slice(0)],
      [sliceRows(a, a.rows >> 1), (left) => left.slice(left.rows >> 1, left.rows)],
      [kroneckerProduct(a, small), (left) => left.kronecker(small)],
    ];
    const vectors: readonly [expected: Float64Array, (left: HeapMatrix) => Vector<Float64Array>][] = [
      [diagonalOf(a), (left) => left.diagonal()],
      [sumsOf(a, 'rows'), (left) => left.sums('rows')],
      [normsOf(a, 'rows'), (left) => left.norms('rows')],
      [normsOf(a, 'rows', 'one'), (left) => left.norms('rows', 'one')],
      [normsOf(a, 'rows', 'max'), (left) => left.norms('rows', 'max')],
      [normsOf(a, 'columns', 'max'), (left) => left.norms('columns', 'max')],
    ];
    for (const engine of engines) {
      const { bytesInUse } = engine.heap;
      {
        using left = engine.matrix(a);
        using right = engine.matrix(b);
        expectSame(left.toCsr(), a);
        for (const [expected, compute] of matrices) expectSame(taken(compute(left, right)), expected);
        for (const [expected, compute] of vectors) expectBits(numbers(compute(left)), expected);
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    }
  });

  test('folds of columns: near those of one thread, with the same bits on any number', () => {
    const a = rough(matrix);
    const folds = (read: (of: HeapMatrix) => Vector<Float64Array>) =>
      engines.map((engine) => {
        using of = engine.matrix(a);
        return numbers(read(of));
      });
    const total = normsOf(a, 'columns', 'one');
    for (const [all, expected] of [
      [folds((of) => of.sums('columns')), sumsOf(a, 'columns')],
      [folds((of) => of.norms('columns', 'one')), total],
      [folds((of) => of.norms('columns')), normsOf(a, 'columns')],
    ] as const) {
      for (const one of all) expectBits(one, all[0]!);
      const wrong = expected.findIndex((value, j) => !(Math.abs(all[0]![j]! - value) <= 1e-13 * total[j]!));
      expect(wrong).toBe(-1);
    }
  });
});

/** The same columns, those of every second row one further. */
function shifted({ rows, cols, rowPtr, colIdx }: CsrMatrix): Uint32Array {
  const moved = colIdx.slice();
  for (let i = 0; i < rows; i += 2)
    if (rowPtr[i]! < rowPtr[i + 1]! && colIdx[rowPtr[i + 1]! - 1]! + 1 < cols)
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) moved[k]!++;
  return moved;
}

describe('in a program', () => {
  test('a chain of operations, and an operator that keeps the arrays', () => {
    const a = gallery('laplace2d5', { nx: 400, ny: 300 });
    const ones = new Float64Array(a.rows).fill(1);
    const inverted = diagonalOf(a).map((value) => 1 / value);
    const square = multiplyMatrices(scaleMatrix(a, { rows: inverted }), scaleMatrix(a, { rows: inverted }));
    const sums = sumsOf(square, 'rows');
    for (const engine of engines) {
      const { bytesInUse } = engine.heap;
      {
        using stiffness = engine.matrix(a);
        using inverse = engine.vector(inverted);
        using scaled = stiffness.scaled({ rows: inverse });
        using squared = scaled.multiply(scaled);
        expectSame(squared.toCsr(), square);
        const before = engine.heap.bytesInUse;
        using operator = engine.operator(squared, { format: 'csr?values=full' });
        expect(engine.heap.bytesInUse - before).toBeLessThan(squared.bytes / 10);
        squared.dispose();
        const y = new Float64Array(a.rows);
        operator.apply(ones, y);
        expect(y.every((value, i) => Math.abs(value - sums[i]!) < 1e-12)).toBe(true);
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    }
  });

  test('any arrays: compressed columns, unsorted, duplicates', () => {
    using coo = engines[1]!.matrix({ rows: 3, cols: 3, rowIdx: [2, 0, 2], colIdx: [1, 2, 1], values: [1, 2, 3] });
    expect(denseOf(coo)).toEqual([
      [0, 0, 2],
      [0, 0, 0],
      [0, 4, 0],
    ]);
    expect(String(coo)).toBe('HeapMatrix (3 × 3, 2 entries, heap)');
  });

  test('symmetry is kept where the operation keeps it', () => {
    const [engine] = engines;
    using a = engine!.matrix(gallery('laplace1d3', { nx: 4 }));
    const d = Float64Array.of(1, 2, 3, 4);
    for (const [made, symmetry] of [
      [a.scaled({ rows: d, cols: d }), 'symmetric'],
      [a.scaled({ rows: d }), 'general'],
      [a.add(a), 'symmetric'],
      [a.kronecker(a), 'symmetric'],
      [a.transposed(), 'symmetric'],
      [a.multiply(a), 'general'],
    ] as const) {
      using matrix = made;
      expect(matrix.symmetry).toBe(symmetry);
    }
  });

  test('a vector of f32 as factors', () => {
    const [, engine] = engines;
    using a = engine!.matrix(workedExample());
    using half = engine!.vector([0.5, 0.5, 0.5, 0.5], { dtype: 'f32' });
    expect([...taken(a.scaled({ rows: half })).values]).toEqual([5, 10, 15, 20, 25, 30]);
  });
});

describe('errors', () => {
  const engine = engines[1]!;
  const a = engine.matrix(workedExample());
  test.each([
    ["b: expected 4 × 3, as a, got '1 × 1'", () => a.add(gallery('dense', { rows: 1, cols: 1 }))],
    ['b: expected 3 rows, as a has columns, got 4', () => a.multiply(workedExample())],
    ['begin: expected an integer from 0 to 2, got 3', () => a.slice(3, 2)],
    ['scaling.rows: expected length 4, got 1', () => a.scaled({ rows: [1] })],
    ['scaling.cols: expected length 3, got 4', () => a.scaled({ cols: engine.vector(4) })],
    ["scaling.rows: expected one column, got '2 columns'", () => a.scaled({ rows: engine.vector(2, { columns: 2 }) })],
    ["norm: expected one | two | max, got 'three'", () => a.norms('rows', 'three' as never)],
    ["lines: expected rows | columns, got 'row'", () => a.sums('row' as never)],
    ['alpha: expected a finite number', () => a.add(a, Number.NaN)],
    ['rows of the product: expected an integer from 0', () => tallest().kronecker(empty(2 ** 17, 0))],
  ])('%s', (message, call) => {
    expect(call).toThrow(message);
  });

  const tallest = () => engine.matrix(empty(2 ** 17, 0));

  test('a matrix in the heap needs no further check, until it is disposed', () => {
    const matrix = engine.matrix(workedExample());
    expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
    expect(trusted(matrix)).toBe(csrMatrix(matrix));
    matrix.dispose();
    expect(() => csrMatrix(matrix)).toThrow("matrix: expected one that is in use, got 'a disposed matrix'");
    expect(() => engine.operator(matrix)).toThrow('one that is in use');
  });

  test('a disposed matrix', () => {
    const gone = engine.matrix(workedExample());
    gone.dispose();
    gone.dispose();
    expect(() => gone.toCsr()).toThrow("matrix: expected one that is in use, got 'a disposed matrix'");
    expect(() => a.add(gone)).toThrow('matrix: expected one that is in use');
    expect(() => engine.operator(gone)).toThrow('matrix: expected one that is in use');
    expect(String(gone)).toContain('disposed');
  });

  test('a heap without room is left as it was', async () => {
    await using tight = await createEngine({ threads: 2, tuning: 'built-in', maximumBytes: 8 << 20 });
    using matrix = tight.matrix(gallery('rmat', { scale: 13 }));
    const { bytesInUse } = tight.heap;
    expect(() => matrix.kronecker(workedExample())).toThrow(/heap: expected a free block/);
    expect(() => matrix.multiply(matrix)).toThrow(/heap: expected a free block/);
    expect(tight.heap.bytesInUse).toBe(bytesInUse);
  });
});

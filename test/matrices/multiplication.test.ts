/** A B by the team, bit by bit as in TypeScript and, on integers, as dense; on any number of threads. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { multiplyMatrices } from '#dist/algebra/multiply.js';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { multiplyOnTeam } from '#dist/matrices/multiplication.js';
import { denseOf, smallMatrix } from '../gallery/arbitrary.js';

const engines = await Promise.all([1, 2, 3, 8].map((threads) => createEngine({ threads, tuning: 'built-in' })));
afterAll(() => Promise.all(engines.map((engine) => engine.dispose())));

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Large arrays: compared as bytes. */
function expectSame(got: Pick<CsrMatrix, 'rowPtr' | 'colIdx' | 'values'>, expected: CsrMatrix): void {
  for (const name of ['rowPtr', 'colIdx', 'values'] as const)
    expect(`${name} ${Buffer.compare(bytesOf(got[name]), bytesOf(expected[name]))}`).toBe(`${name} 0`);
}

function expectProduct({ context, heap }: Engine, a: CsrMatrix, b: CsrMatrix, expected: CsrMatrix): void {
  const { bytesInUse } = heap;
  {
    using scope = heap.scope();
    const product = multiplyOnTeam(context, scope, a, b);
    expect([product.rows, product.cols, product.nnz]).toEqual([a.rows, b.cols, expected.nnz]);
    expectSame(product, expected);
  }
  expect(heap.bytesInUse).toBe(bytesInUse);
}

/** The same matrix with other values, which no order of summation but the right one adds up to the same bits. */
function rough(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: matrix.values.map((_, k) => Math.sin(k) * 10 ** (k % 7)) };
}

function inSingle(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: Float32Array.from(matrix.values) };
}

test('small matrices against dense arrays', () => {
  // B has the pattern of another matrix, cut or filled up with empty rows.
  const fitted = ({ cols, rowPtr, colIdx, values }: CsrMatrix, rows: number) => {
    const ptr = Uint32Array.from({ length: rows + 1 }, (_, i) => rowPtr[Math.min(i, rowPtr.length - 1)]!);
    const nnz = ptr[rows]!;
    return csrMatrix({ rows, cols, rowPtr: ptr, colIdx: colIdx.slice(0, nnz), values: values.slice(0, nnz) });
  };
  const property = fc.property(smallMatrix({ max: 40 }), smallMatrix({ max: 40 }), (a, other) => {
    const b = fitted(other, a.cols);
    const right = denseOf(b);
    const expected = denseOf(a).map((row) =>
      Array.from({ length: b.cols }, (_, j) => row.reduce((sum, value, k) => sum + value * right[k]![j]!, 0)),
    );
    for (const engine of engines) {
      const product = engine.multiplyMatrices(a, b);
      expect(denseOf(product).map((row) => row.map((value) => value + 0))).toEqual(
        expected.map((row) => row.map((value) => value + 0)),
      );
      expect(product).toEqual(multiplyMatrices(a, b));
    }
  });
  fc.assert(property, { numRuns: 60 });
});

const empty = (rows: number, cols: number) =>
  csrMatrix({ rows, cols, rowPtr: new Uint32Array(rows + 1), colIdx: [], values: [] });
const fullRow = (cols: number) => gallery('rowlengths', { rows: 1, cols, distribution: 'constant', mean: cols });
const someRows = gallery('rowlengths', { rows: 3000, cols: 2000, distribution: 'geometric', mean: 12 });

const SHAPES: readonly [name: string, a: CsrMatrix, b: CsrMatrix][] = [
  ['0 rows', empty(0, 5), gallery('dense', { rows: 5, cols: 3 })],
  ['0 columns', gallery('dense', { rows: 5, cols: 3 }), empty(3, 0)],
  ['nothing between', empty(70, 0), empty(0, 70)],
  ['no entries', empty(100, 200), empty(200, 300)],
  ['one full row times a stencil', fullRow(90_000), gallery('laplace2d5', { nx: 300, ny: 300 })],
  ['one full column times one full row', transposeMatrix(fullRow(700)), fullRow(900)],
  ['a row times a column', fullRow(100_000), transposeMatrix(fullRow(100_000))],
  ['rows of all lengths, some of them empty', someRows, transposeMatrix(someRows)],
  [
    'more columns than a word of the uppermost level has',
    transposeMatrix(someRows),
    gallery('rowlengths', { rows: 3000, cols: 600_000, distribution: 'geometric', mean: 18 }),
  ],
  ['5-point', gallery('laplace2d5', { nx: 300, ny: 200 }), gallery('laplace2d5', { nx: 300, ny: 200 })],
  ['27-point', gallery('laplace3d27', { nx: 12, ny: 12, nz: 12 }), gallery('laplace3d27', { nx: 12, ny: 12, nz: 12 })],
  ['R-MAT', gallery('rmat', { scale: 11 }), gallery('rmat', { scale: 11, seed: 2 })],
];

describe.each(SHAPES)('%s', (_, a, b) => {
  test.each([
    ['f64', rough(a), rough(b)],
    ['f32', inSingle(rough(a)), inSingle(rough(b))],
    ['f32 times f64', inSingle(rough(a)), rough(b)],
  ])('%s', (_, left, right) => {
    const expected = multiplyMatrices(left, right);
    for (const engine of engines) expectProduct(engine, left, right, expected);
  });
});

test('the same matrix twice, and arrays in the heap', () => {
  const matrix = rough(gallery('rmat', { scale: 9 }));
  const expected = multiplyMatrices(matrix, matrix);
  for (const engine of engines) {
    using scope = engine.heap.scope();
    const { rowPtr, colIdx, values } = matrix;
    const arrays = {
      rowPtr: scope.copy(Uint32Array, rowPtr),
      colIdx: scope.copy(Uint32Array, colIdx),
      values: scope.copy(Float64Array, values),
    };
    const inHeap = { ...matrix, ...arrays };
    expectProduct(engine, inHeap, inHeap, expected);
    expectSame(engine.multiplyMatrices(inHeap, inHeap), expected);
  }
});

test('signed zeros and numbers that are not finite', () => {
  const special = Float64Array.of(-0, 0, Number.NaN, Number.POSITIVE_INFINITY, -1, 1e-320);
  const square = { rows: 36, cols: 36, rowPtr: Array.from({ length: 37 }, (_, i) => 36 * i) };
  const colIdx = Array.from({ length: 36 ** 2 }, (_, k) => k % 36);
  const a = csrMatrix({ ...square, colIdx, values: colIdx.map((_, k) => special[k % 6]!) });
  const b = csrMatrix({ ...square, colIdx, values: colIdx.map((_, k) => special[Math.floor(k / 6) % 6]!) });
  const single = csrMatrix({
    rows: 6,
    cols: 1,
    rowPtr: [0, 1, 2, 3, 4, 5, 6],
    colIdx: [0, 0, 0, 0, 0, 0],
    values: special,
  });
  const row = csrMatrix({ rows: 1, cols: 6, rowPtr: [0, 6], colIdx: [0, 1, 2, 3, 4, 5], values: special });
  for (const [left, right] of [
    [a, b],
    [single, row],
  ] as const)
    for (const engine of engines) expect(engine.multiplyMatrices(left, right)).toEqual(multiplyMatrices(left, right));
});

describe('errors', () => {
  test('sizes that do not fit', () => {
    const a = gallery('dense', { rows: 2, cols: 3 });
    expect(() => engines[1]!.multiplyMatrices(a, a)).toThrow('b: expected 3 rows, as a has columns, got 2');
  });

  test('a heap without room is left as it was', async () => {
    await using tight = await createEngine({ threads: 2, tuning: 'built-in', maximumBytes: 6 << 20 });
    const matrix = gallery('rmat', { scale: 13 });
    const { bytesInUse } = tight.heap;
    expect(() => tight.multiplyMatrices(matrix, matrix)).toThrow(/heap: expected a free block/);
    expect(tight.heap.bytesInUse).toBe(bytesInUse);
  });

  test('an engine that is disposed', async () => {
    const engine = await createEngine({ threads: 1 });
    await engine.dispose();
    const a = gallery('dense', { rows: 2, cols: 2 });
    expect(() => engine.multiplyMatrices(a, a)).toThrow(/^engine: expected one that is in use/);
  });
});

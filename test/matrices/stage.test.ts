/** Matrices large enough to be checked and converted by the team: same errors, same results, nothing stays allocated. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MatrixInput } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { serially } from '#dist/formats/layout/loop.js';
import { createEngine, csrMatrix, gallery, SparlaneError } from '#dist/index.node.js';
import { inHeap } from '#dist/matrices/stage.js';
import { Heap } from '#dist/memory/heap.js';

const ROWS = 60_000;
const PER_ROW = 5;

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

/** 300 k entries, `change` applied to the arrays. */
function arrays(change: (rowPtr: Uint32Array, colIdx: Uint32Array) => void = () => {}) {
  const rowPtr = Uint32Array.from({ length: ROWS + 1 }, (_, i) => PER_ROW * i);
  const colIdx = Uint32Array.from({ length: PER_ROW * ROWS }, (_, k) => (k % PER_ROW) * 10_000 + (k % 97));
  const values = Float64Array.from({ length: PER_ROW * ROWS }, (_, k) => (k % 8) + 1);
  change(rowPtr, colIdx);
  return { rows: ROWS, cols: ROWS, rowPtr, colIdx, values };
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.from(a).every((value, k) => Object.is(value, b[k]));
}

function errorOf(run: () => unknown): { code: string; message: string; detail: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof SparlaneError) return { code: error.code, message: error.message, detail: error.detail };
    throw error;
  }
  throw new Error('accepted');
}

function product(input: MatrixInput, format: string): Float64Array {
  using operator = engine.operator(input, { format });
  using x = engine.vector(Float64Array.from({ length: ROWS }, (_, j) => (j % 5) - 2));
  using y = engine.vector(ROWS);
  operator.apply(x, y);
  return y.toArray();
}

describe('a matrix of 300 k entries', () => {
  test.each([
    ['the last column out of range', (_: Uint32Array, colIdx: Uint32Array) => colIdx.fill(ROWS, -1)],
    ['two columns out of range', (_: Uint32Array, colIdx: Uint32Array) => colIdx.set([ROWS + 7, 2 ** 32 - 1], 150_003)],
    ['pointers that decrease', (rowPtr: Uint32Array) => rowPtr.fill(0, 30_000, 30_001)],
    ['pointers behind the last entry', (rowPtr: Uint32Array) => rowPtr.fill(2 ** 32 - 1, 20_000, 40_000)],
  ])('%s: the error of the check on one thread', (_, change) => {
    const input = arrays(change);
    const { bytesInUse } = engine.heap;
    expect(errorOf(() => engine.operator(input))).toEqual(errorOf(() => csrMatrix(input)));
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each(['csr', 'sell', 'auto'])('columns in another order, as %s', (format) => {
    const ordered = arrays();
    const input = arrays((_, colIdx) => {
      for (let k = 0; k < colIdx.length; k += PER_ROW) colIdx.subarray(k, k + PER_ROW).reverse();
    });
    for (let k = 0; k < input.values.length; k += PER_ROW) input.values.subarray(k, k + PER_ROW).reverse();
    expect(isSame(product(input, format), product(ordered, 'csr'))).toBe(true);
  });

  test('the copies are freed, and the arrays are not changed', () => {
    const input = gallery('laplace2d5', { nx: 300, ny: 300 });
    const copy = { ...input, colIdx: input.colIdx.slice(), values: input.values.slice() };
    const { bytesInUse } = engine.heap;
    const operator = engine.operator(input, { format: 'dia' });
    expect(operator.matrix.bytes).toBeGreaterThan(0);
    expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1.01 * operator.matrix.bytes);
    operator.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    expect(isSame(input.colIdx, copy.colIdx) && isSame(input.values, copy.values)).toBe(true);
  });

  test('csr keeps the copies, also if several layouts of them are measured', () => {
    const input = gallery('laplace2d5', { nx: 300, ny: 300, values: 'real' });
    const { bytesInUse } = engine.heap;
    const matrixBytes = 4 * input.rowPtr.length + 12 * input.nnz;
    for (const options of [{ format: 'csr' }, { format: 'csrk' }, { format: 'auto', products: 1e6, tune: true }]) {
      const operator = engine.operator(input, options);
      const copy = operator.toCsr();
      expect(isSame(copy.rowPtr, input.rowPtr) && isSame(copy.colIdx, input.colIdx)).toBe(true);
      expect(isSame(copy.values, input.values)).toBe(true);
      if (operator.format.startsWith('csr')) expect(operator.matrix.bytes).toBeGreaterThan(matrixBytes);
      expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1.1 * operator.matrix.bytes + 65_536);
      operator.dispose();
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    }
  });

  test.each(['csr', 'sell', 'dia', 'bsr'])('%s: the heap never holds the matrix beside the layout', async (format) => {
    await using fresh = await createEngine({ threads: 2 });
    const input = gallery('laplace3d27', { nx: 45, ny: 45, nz: 45, values: 'real' });
    const operator = fresh.operator(input, { format });
    // The rows and the window of columns and values are less than half of the matrix.
    const matrixBytes = 4 * input.rowPtr.length + 12 * input.nnz;
    expect(fresh.heap.byteLength - operator.matrix.bytes).toBeLessThan(0.5 * matrixBytes);
  });

  test('the arrays of the caller are not kept, even if they lie in the heap', () => {
    const input = arrays();
    using values = engine.vector(input.values);
    using operator = engine.operator({ ...input, values: values.data }, { format: 'csr' });
    values.fill(0);
    expect(isSame(operator.toCsr().values, input.values)).toBe(true);
  });

  test('the transpose in csr keeps the transposed entries', () => {
    const { rowPtr, colIdx, ...rest } = arrays();
    using operator = engine.operator({ ...rest, rowPtr, colIdx }, { format: 'csr' });
    const { bytesInUse } = engine.heap;
    const transposed = operator.transposed({ format: 'csr' });
    expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1.1 * transposed.matrix.bytes + 65_536);
    const [got, expected] = [transposed.toCsr(), csrMatrix({ ...rest, colPtr: rowPtr, rowIdx: colIdx })];
    expect(isSame(got.colIdx, expected.colIdx) && isSame(got.values, expected.values)).toBe(true);
    transposed.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

test('all arrays are copied if the heap has so much free memory already; else the pointers', () => {
  const matrix = csrMatrix(arrays());
  const heap = new Heap({ maximumBytes: 2 ** 26 });
  const copies = (free?: number) => {
    using scope = heap.scope();
    const staging = inHeap(scope, serially, free);
    const placed = staging.place(matrix);
    expect(isSame(placed.colIdx, matrix.colIdx) && isSame(placed.values, matrix.values)).toBe(true);
    expect([...staging.copies].every((copy) => heap.owns(copy))).toBe(true);
    return staging.copies.size;
  };
  expect(copies()).toBe(1);
  const { rowPtr, colIdx, values } = matrix;
  heap.free(heap.alloc(1.5 * (rowPtr.byteLength + colIdx.byteLength + values.byteLength)));
  expect(copies()).toBe(3);
  expect(copies(2)).toBe(1);
});

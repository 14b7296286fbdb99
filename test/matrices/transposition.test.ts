/** The counting sort of the team, on matrices of every kind of path: in one part or several, in place or through buckets. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { isScattered, transposeOnTeam } from '#dist/matrices/transposition.js';
import { smallMatrix } from '../gallery/arbitrary.js';

const engines = await Promise.all([1, 2, 3].map((threads) => createEngine({ threads, tuning: 'built-in' })));
afterAll(() => Promise.all(engines.map((engine) => engine.dispose())));

function expectTransposed({ context, heap }: Engine, matrix: CsrMatrix): void {
  const { bytesInUse } = heap;
  {
    using scope = heap.scope();
    const { rowPtr, colIdx, values } = transposeOnTeam(context, scope, matrix);
    const expected = transposeMatrix(matrix);
    // Large arrays: compared as bytes.
    for (const [got, wanted] of [
      [rowPtr, expected.rowPtr],
      [colIdx, expected.colIdx],
      [values, expected.values],
    ] as const)
      expect(Buffer.compare(bytesOf(got), bytesOf(wanted))).toBe(0);
  }
  expect(heap.bytesInUse).toBe(bytesInUse);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

test('small matrices, on any number of threads', () => {
  const property = fc.property(smallMatrix({ max: 40 }), (matrix) => {
    for (const engine of engines) expectTransposed(engine, matrix);
  });
  fc.assert(property, { numRuns: 60 });
});

/** A full first column and row, and a diagonal. */
function arrow(n: number): CsrMatrix {
  const rowPtr = Array.from({ length: n + 1 }, (_, i) => (i === 0 ? 0 : n + 2 * (i - 1)));
  const colIdx = Array.from({ length: rowPtr[n]! }, (_, k) =>
    k < n ? k : (k - n) % 2 === 0 ? 0 : 1 + (k - n - 1) / 2,
  );
  return csrMatrix({ rows: n, cols: n, rowPtr, colIdx, values: colIdx.map((_, k) => k) });
}

/** A row of four entries, `n` empty ones, and a band far to the right, the width no multiple of a register. */
function ends(n: number): CsrMatrix {
  const cols = 3 * n + 3;
  const rowPtr = Array.from({ length: 2 * n + 2 }, (_, i) => (i === 0 ? 0 : 4 * (1 + Math.max(0, i - n - 1))));
  const colIdx = Array.from({ length: rowPtr[2 * n + 1]! }, (_, k) =>
    k < 4 ? k : cols - n - 3 + (k >> 2) - 1 + (k % 4),
  );
  return csrMatrix({ rows: 2 * n + 1, cols, rowPtr, colIdx, values: colIdx.map((_, k) => k) });
}

const LARGE: readonly [name: string, matrix: CsrMatrix, scattered: boolean][] = [
  ['5-point', gallery('laplace2d5', { nx: 400, ny: 400 }), false],
  ['27-point, blocks of 3', gallery('laplace3d27', { nx: 12, ny: 12, nz: 12, block: 3 }), false],
  ['R-MAT', gallery('rmat', { scale: 18, edgeFactor: 3 }), true],
  ['a full row', gallery('rowlengths', { rows: 1, cols: 300_000, distribution: 'constant', mean: 300_000 }), true],
  ['tall', gallery('dense', { rows: 300_000, cols: 2 }), false],
  ['an arrow: every part reaches the first columns', arrow(60_000), false],
  ['wide', gallery('rowlengths', { rows: 1000, cols: 400_000, distribution: 'constant', mean: 120 }), false],
  ['rows at both ends only', ends(30_000), false],
];

test.each(LARGE)('%s', (_, matrix, scattered) => {
  if (matrix.nnz > 2 ** 18) expect(isScattered(matrix)).toBe(scattered);
  for (const engine of engines) {
    expectTransposed(engine, matrix);
    expectTransposed(engine, { ...matrix, values: Float32Array.from(matrix.values) });
  }
});

test('rows in any order of columns, and arrays outside of the heap', () => {
  const matrix = gallery('rmat', { scale: 8 });
  const reversed = {
    ...matrix,
    colIdx: matrix.colIdx.slice(),
    values: matrix.values.slice(),
  };
  for (let i = 0; i < matrix.rows; i++) {
    reversed.colIdx.subarray(matrix.rowPtr[i]!, matrix.rowPtr[i + 1]!).reverse();
    reversed.values.subarray(matrix.rowPtr[i]!, matrix.rowPtr[i + 1]!).reverse();
  }
  const { context, heap } = engines[1]!;
  using scope = heap.scope();
  const { rowPtr, colIdx, values } = transposeOnTeam(context, scope, reversed);
  const expected = transposeMatrix(matrix);
  expect([rowPtr, colIdx, values]).toEqual([expected.rowPtr, expected.colIdx, expected.values]);
});

test('a heap without room is left as it was', async () => {
  const matrix = gallery('rmat', { scale: 14 });
  await using tight = await createEngine({ threads: 1, tuning: 'built-in', maximumBytes: 5 << 20 });
  using operator = tight.operator(matrix, { format: 'csr' });
  const { bytesInUse } = tight.heap;
  expect(() => operator.transposed()).toThrow(/heap: expected a free block/);
  expect(tight.heap.bytesInUse).toBe(bytesInUse);
});

test('compressed columns are the transpose of compressed rows', () => {
  const property = fc.property(smallMatrix(), (matrix) => {
    const { rows, cols, nnz, rowPtr, colIdx, values } = matrix;
    const fromColumns = csrMatrix({ rows: cols, cols: rows, colPtr: rowPtr, rowIdx: colIdx, values });
    const { field: _, ...arrays } = transposeMatrix(matrix);
    expect(fromColumns).toMatchObject(arrays);
    expect(transposeMatrix(transposeMatrix(matrix))).toEqual({
      rows,
      cols,
      nnz,
      rowPtr,
      colIdx,
      values,
      field: 'real',
      symmetry: 'general',
    });
  });
  fc.assert(property);
});

/** Elements of x that are not finite, and formats that multiply padding. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { expectedProduct } from '#dist/conformance/expected.js';
import { conformanceMatrices } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, gallery } from '#dist/index.node.js';
import type { OperatorOptions } from '#dist/operators/operator-options.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

const grid = gallery('laplace2d5', { nx: 60, ny: 60, values: 'real' });
/** Every block is full, and the symmetric matrix has its whole diagonal. */
const blocks = gallery('laplace2d9', { nx: 20, ny: 20, block: 4 });

/** Symmetric, with nothing on its diagonal. */
const path = { rows: 3, cols: 3, rowPtr: [0, 1, 3, 4], colIdx: [1, 0, 2, 1] };

/** The rows of A x that are not finite if x is 1 except for an infinite element. */
function spoiled(matrix: CsrMatrix, column: number, options: OperatorOptions): number[] {
  using operator = engine.operator(matrix, options);
  using x = engine.vector(matrix.cols).fill(1);
  using y = engine.vector(matrix.rows);
  x.data[column] = Number.POSITIVE_INFINITY;
  operator.apply(x, y);
  return rowsNotFinite(y.data);
}

function rowsNotFinite(y: ArrayLike<number>): number[] {
  return Array.from(y).flatMap((value, row) => (Number.isFinite(value) ? [] : [row]));
}

/** The result of IEEE arithmetic over the entries. */
function usesOf(matrix: CsrMatrix, column: number): number[] {
  const x = new Float64Array(matrix.cols).fill(1);
  x[column] = Number.POSITIVE_INFINITY;
  return rowsNotFinite(expectedProduct(matrix, 'f64', x, new Float64Array(matrix.rows), 1, 0).y);
}

describe("format 'auto'", () => {
  test('says that its choice multiplies padding, and does', () => {
    using operator = engine.operator(grid, { products: 'many', tune: false });
    const { multipliesPadding } = operator.decision!;
    expect(multipliesPadding).toBe(true);
    const more = grid.colIdx
      .filter((column) => column % 60 === 0)
      .some((column) => spoiled(grid, column, { products: 'many', tune: false }).length > usesOf(grid, column).length);
    expect(more).toBe(true);
  });

  test('without padding spoils the rows that use an element, and no others', () => {
    for (const { matrix } of [{ matrix: grid }, { matrix: blocks }, ...conformanceMatrices()]) {
      using operator = engine.operator(matrix, { products: 'many', tune: false, padding: false });
      expect(operator.matrix.multipliesPadding ?? false).toBe(false);
      expect(operator.decision!.multipliesPadding).toBe(false);
      for (const column of new Set([0, matrix.cols >> 1, matrix.cols - 1]))
        if (column >= 0 && column < matrix.cols)
          expect(spoiled(matrix, column, { products: 'many', tune: false, padding: false })).toEqual(
            usesOf(matrix, column),
          );
    }
  });

  test('without padding measures no format that has any', () => {
    using operator = engine.operator(grid, { products: 1e9, tune: true, padding: false });
    expect(operator.decision!.ranking.map(({ spec }) => spec.split('?')[0])).not.toContain('sell');
    expect(operator.matrix.multipliesPadding ?? false).toBe(false);
  });
});

describe('a format that is named', () => {
  it.each(['ell', 'sell', 'hyb', 'dia', 'sss', 'bsr?blockSize=3'])('%s is refused if it pads', (format) => {
    const matrix = format === 'sss' ? path : grid;
    const { bytesInUse } = engine.heap;
    const refusal = expect.objectContaining({
      code: 'fill-in',
      message: expect.stringMatching(/^format .*: expected no padding, got \d+ zeros? in addition to \d+ entries$/),
    });
    expect(() => engine.operator(matrix, { format, padding: false })).toThrow(refusal);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  it.each(['csr', 'sss', 'bsr?blockSize=4'])('%s is accepted if it does not', (format) => {
    expect(spoiled(blocks, 7, { format, padding: false })).toEqual(usesOf(blocks, 7));
  });
});

test('padding must be a boolean', () => {
  expect(() => engine.operator(grid, { padding: 0 as never })).toThrow(/padding: expected a boolean, got 0/);
});

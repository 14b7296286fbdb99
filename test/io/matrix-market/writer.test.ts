import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Field, Symmetry } from '#dist/core/types.js';
import { readMatrixMarket, readMatrixMarketVector } from '#dist/io/matrix-market/matrix-market.js';
import { writeMatrixMarket, writeMatrixMarketVector } from '#dist/io/matrix-market/writer.js';
import { collected, failure, read } from '../support.js';

const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> =>
  new TextDecoder().decode(await collected(stream));

const EXAMPLE = csrMatrix({
  rows: 4,
  cols: 3,
  rowPtr: [0, 2, 2, 3, 6],
  colIdx: [0, 2, 2, 0, 1, 2],
  values: [10, 0.2, -3e-30, 1e21, 50, 0],
});

describe('writeMatrixMarket', () => {
  it('writes the worked example', async () => {
    expect(await textOf(writeMatrixMarket(EXAMPLE, { comment: 'one\r\n\ntwo' }))).toBe(
      '%%MatrixMarket matrix coordinate real general\n% one\n%\n% two\n4 3 6\n' +
        '1 1 10\n1 3 0.2\n3 3 -3e-30\n4 1 1e+21\n4 2 50\n4 3 0\n',
    );
  });

  it('writes no values of a pattern', async () => {
    const pattern = csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 1], colIdx: [1] });
    expect(await textOf(writeMatrixMarket(pattern))).toBe(
      '%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n',
    );
  });

  it('writes large integers without an exponent', async () => {
    const matrix = csrMatrix({
      rows: 1,
      cols: 2,
      rowPtr: [0, 2],
      colIdx: [0, 1],
      values: [-1e21, 7],
      field: 'integer',
    });
    expect(await textOf(writeMatrixMarket(matrix))).toContain('\n1 1 -1000000000000000000000\n1 2 7\n');
  });

  it('writes the lower triangle of a symmetric matrix', async () => {
    const matrix = await read('%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n2 3 4\n');
    expect(await textOf(writeMatrixMarket(matrix))).toBe(
      '%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 4\n',
    );
  });

  it('writes a skew-symmetric matrix without its diagonal', async () => {
    const matrix = await read('%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 2 1.5\n2 2 0\n');
    expect(await textOf(writeMatrixMarket(matrix))).toBe(
      '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 -1.5\n',
    );
  });

  it('makes text only as it is asked for', async () => {
    const rows = 100_000;
    let asked = 0;
    const values = new Proxy(new Float64Array(rows).fill(1.5), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) asked++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, i) => i);
    const colIdx = Uint32Array.from({ length: rows }, (_, i) => i);
    const matrix: CsrMatrix = {
      rows,
      cols: rows,
      nnz: rows,
      rowPtr,
      colIdx,
      values,
      field: 'real',
      symmetry: 'general',
    };
    const reader = writeMatrixMarket(matrix).getReader();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBe(0);
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBeGreaterThan(1000);
    expect(asked).toBeLessThan(10_000);
    await reader.cancel();
  });
});

describe('a matrix that contradicts its stated properties is refused', () => {
  const square = (symmetry: Symmetry, rowPtr: number[], colIdx: number[], values: number[]) =>
    csrMatrix({ rows: 3, cols: 3, rowPtr, colIdx, values, symmetry });

  it.each<[string, CsrMatrix, string]>([
    ['another value', square('symmetric', [0, 1, 2, 2], [1, 0], [1, 2]), 'A[1, 0] = 2 without it'],
    ['a lower entry alone', square('symmetric', [0, 0, 0, 1], [1], [5]), 'A[2, 1] = 5 without it'],
    ['an upper entry alone', square('symmetric', [0, 0, 1, 1], [2], [5]), 'A[1, 2] = 5 without it'],
    ['an upper entry alone, others behind it', square('symmetric', [0, 2, 2, 3], [1, 2, 0], [5, 6, 6]), 'A[0, 1] = 5'],
    ['the same sign', square('skew-symmetric', [0, 1, 2, 2], [1, 0], [1, 1]), 'A[1, 0] = 1 without it'],
    ['a diagonal', square('skew-symmetric', [0, 0, 1, 1], [1], [1]), 'A[1, 1] = 1 without it'],
  ])('%s', (_, matrix, message) => {
    expect(() => writeMatrixMarket(matrix)).toThrow(
      `matrix: expected an entry and its mirror image (${matrix.symmetry})`,
    );
    expect(() => writeMatrixMarket(matrix)).toThrow(message);
  });

  it('a fraction in a matrix of integers, in the stream', async () => {
    const matrix = csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1], values: [1, 1.5], field: 'integer' });
    const { code, message } = await failure(collected(writeMatrixMarket(matrix)));
    expect([code, message]).toEqual(['structure', "values[1]: expected an integer, since field is 'integer', got 1.5"]);
  });
});

describe('written matrices are read back, bit by bit', () => {
  const size = 8;
  const anyValue = fc.oneof(fc.double(), fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 1e21, 5e-324));
  const values: Record<Field, fc.Arbitrary<number>> = {
    real: anyValue,
    integer: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(-0, 2 ** 80, -1e300)),
    pattern: fc.constant(1),
  };
  const index = fc.nat({ max: size - 1 });
  const kinds = (['real', 'integer', 'pattern'] as const).flatMap((field) =>
    (['general', 'symmetric', 'skew-symmetric'] as const).map((symmetry) => ({ field, symmetry })),
  );

  it.each(kinds.filter(({ field, symmetry }) => field !== 'pattern' || symmetry !== 'skew-symmetric'))(
    '$field $symmetry',
    async ({ field, symmetry }) => {
      const entries = fc.uniqueArray(fc.tuple(index, index, values[field]), {
        maxLength: 30,
        selector: ([row, col]) => (symmetry === 'general' ? `${row} ${col}` : [row, col].sort().join()),
      });
      await fc.assert(
        fc.asyncProperty(entries, async (list) => {
          const builder = new CsrBuilder(size, size, { field, symmetry });
          for (const [row, col, value] of list) {
            if (symmetry !== 'skew-symmetric' || row !== col) builder.add(row, col, value);
          }
          const matrix = builder.build();
          expect(await readMatrixMarket(writeMatrixMarket(matrix))).toEqual(matrix);
        }),
        { numRuns: 200 },
      );
    },
  );

  it('values of 32 bits', async () => {
    const matrix = csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1], values: Float32Array.of(0.1, 1 / 3) });
    expect(Float32Array.from((await readMatrixMarket(writeMatrixMarket(matrix))).values)).toEqual(matrix.values);
  });

  it('a matrix of more than a piece of text', async () => {
    const rows = 30_000;
    const builder = new CsrBuilder(rows, rows, { symmetry: 'symmetric' });
    for (let i = 0; i < rows; i++) {
      builder.add(i, i, Math.sqrt(i));
      if (i > 0) builder.add(i, (i * 7919) % i, -Math.log(i));
    }
    const matrix = builder.build();
    expect(await readMatrixMarket(writeMatrixMarket(matrix))).toEqual(matrix);
  });

  it('vectors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.float64Array(), async (vector) => {
        expect(await readMatrixMarketVector(writeMatrixMarketVector(vector, { comment: 'x' }))).toEqual(vector);
      }),
    );
    const long = Float64Array.from({ length: 20_000 }, (_, k) => Math.sin(k));
    expect(await readMatrixMarketVector(writeMatrixMarketVector(long))).toEqual(long);
  });
});

describe('writeMatrixMarketVector', () => {
  it('writes 17 digits', async () => {
    expect(await textOf(writeMatrixMarketVector(Float64Array.of(1 / 3, -2, 0, -0, NaN, -Infinity)))).toBe(
      '%%MatrixMarket matrix array real general\n6 1\n3.3333333333333331e-1\n-2.0000000000000000e+0\n0\n-0\nnan\n-inf\n',
    );
    expect(await textOf(writeMatrixMarketVector(new Float32Array(0)))).toBe(
      '%%MatrixMarket matrix array real general\n0 1\n',
    );
  });

  it('refuses other vectors than floats', () => {
    expect(() => writeMatrixMarketVector('1 2 3' as unknown as Float64Array)).toThrow(
      'values: expected an array of numbers',
    );
  });
});

describe('an unwritable matrix is an error before anything is written', () => {
  const thrown = (action: () => unknown): unknown => {
    try {
      return action();
    } catch (error) {
      return error;
    }
  };
  it.each<[string, () => unknown, string]>([
    [
      'no matrix',
      () => writeMatrixMarket(undefined as never),
      'matrix: expected the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO), got undefined',
    ],
    [
      'a promise of one',
      () => writeMatrixMarket(Promise.resolve(EXAMPLE) as never),
      'matrix: expected the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO), got none',
    ],
    [
      'half of one',
      () => writeMatrixMarket({ rows: 1, cols: 1 } as never),
      'matrix: expected the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO), got rows, cols',
    ],
    [
      'a matrix that is none',
      () => writeMatrixMarket({ ...EXAMPLE, rows: 3 }),
      'rowPtr: expected length rows + 1 = 4, got Uint32Array of length 5',
    ],
    [
      'no vector',
      () => writeMatrixMarketVector(undefined as never),
      'values: expected an array of numbers, got undefined',
    ],
    ['text', () => writeMatrixMarketVector('text' as never), "values: expected an array of numbers, got 'text'"],
    [
      'a comment of another kind',
      () => writeMatrixMarketVector([1], { comment: 5 as never }),
      'comment: expected a string, got 5',
    ],
    ['no options', () => writeMatrixMarket(EXAMPLE, null as never), 'options: expected an object, got null'],
    [
      'a misspelt option',
      () => writeMatrixMarketVector([1], { comments: 'x' } as never),
      "options: expected only the options comment, got 'comments'",
    ],
  ])('%s', (_, write, message) => {
    expect(thrown(write)).toMatchObject({ name: 'SparlaneError', message });
  });
});

it('numbers in any array are written', async () => {
  expect(await textOf(writeMatrixMarketVector([1, -0]))).toBe(
    '%%MatrixMarket matrix array real general\n2 1\n1.0000000000000000e+0\n-0\n',
  );
  const matrix = { rows: 1, cols: 3, rowPtr: [0, 2], colIdx: [2, 0], values: [5, 7] };
  expect(await textOf(writeMatrixMarket(matrix))).toBe(
    '%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 7\n1 3 5\n',
  );
});

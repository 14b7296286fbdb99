/** Products, transposes, diagonals, sums and norms on ranks have the bits of one process. */
import { describe, expect, test } from 'vitest';
import {
  type CsrMatrix,
  csrMatrix,
  diagonalOf,
  gallery,
  multiplyMatrices,
  normsOf,
  runRanks,
  sumsOf,
  transposeMatrix,
} from '#dist/index.node.js';
import { program } from './conform.js';

interface Part {
  readonly firstRow: number;
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: readonly number[];
  readonly colIdx: readonly number[];
  readonly values: readonly number[];
  readonly symmetry: string;
}

interface Found {
  readonly results: Readonly<Record<'product' | 'squared' | 'transposed' | 'turned' | 'coarse', Part>>;
  readonly numbers: Readonly<Record<string, readonly number[]>>;
  readonly messages: readonly string[];
}

const CASES = [
  { square: ['convection2d', { nx: 9, ny: 7 }], cols: 20 },
  { square: ['rmat', { scale: 7 }], cols: 41 },
  // Some ranks get no row of these.
  { square: ['laplace1d3', { nx: 3 }], cols: 2 },
] as const;

/** Makes a matrix with one to three entries in each row, some of them duplicates. */
function tallMatrix(rows: number, cols: number): CsrMatrix {
  const lengths = Array.from({ length: rows }, (_, i) => 1 + (i % 3));
  const rowIdx = lengths.flatMap((length, i) => Array<number>(length).fill(i));
  const colIdx = rowIdx.map((row, k) => (5 * row + 7 * k) % cols);
  return csrMatrix({ rows, cols, rowIdx, colIdx, values: rowIdx.map((row, k) => 1 / (1 + row + k)) });
}

describe.each([1, 2, 3, 5])('%d ranks', (ranks) => {
  test.each(CASES)('$square', async ({ square, cols }) => {
    const A = gallery(square[0], square[1] as never);
    const P = tallMatrix(A.rows, cols);
    const data = { square, tall: P };
    const all = (await runRanks(program('algebra.mjs'), { ranks, threads: 1, data })) as Found[];
    const AP = multiplyMatrices(A, P);
    const expected = {
      product: AP,
      squared: multiplyMatrices(A, A),
      transposed: transposeMatrix(P),
      turned: transposeMatrix(A),
      coarse: multiplyMatrices(transposeMatrix(P), AP),
    };
    for (const [name, matrix] of Object.entries(expected)) {
      const parts = all.map(({ results }) => results[name as keyof typeof expected]);
      let [rows, before] = [0, 0];
      for (const part of parts) {
        expect(part.firstRow).toBe(rows);
        expect(part.cols).toBe(matrix.cols);
        expect(part.rowPtr.map((k) => k + before)).toEqual([...matrix.rowPtr.subarray(rows, rows + part.rows + 1)]);
        rows += part.rows;
        before += part.colIdx.length;
      }
      expect(rows).toBe(matrix.rows);
      expect(
        parts.flatMap(({ colIdx }) => colIdx),
        name,
      ).toEqual([...matrix.colIdx]);
      expect(
        parts.flatMap(({ values }) => values),
        name,
      ).toEqual([...matrix.values]);
    }
    const numbers = {
      diagonal: diagonalOf(A),
      tallDiagonal: diagonalOf(P),
      rowSums: sumsOf(P, 'rows'),
      columnSums: sumsOf(P, 'columns'),
      rowNorms: normsOf(A, 'rows', 'one'),
      columnNorms: normsOf(P, 'columns'),
    };
    for (const [name, own] of Object.entries(numbers))
      expect(
        all.flatMap((rank) => rank.numbers[name]!),
        name,
      ).toEqual([...own]);
    for (const { messages } of all) {
      expect(messages).toEqual(all[0]!.messages);
      expect(messages[0]).toMatch(/B: expected \d+ rows, as A has columns, got \d+/);
      expect(messages[1]).toMatch(/^rank 0: rowPtr/);
      expect(messages[2]).toMatch(/^rank \d: /);
      expect(messages[3]).toBe("rank 0: lines: expected rows | columns, got 'lines'");
      expect(messages[4]).toBe("rank 0: norm: expected one | two | max, got 'three'");
    }
  });
});

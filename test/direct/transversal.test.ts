/** Row permutations with entries on the diagonal, and block triangular forms: by definition on small patterns, and on long paths. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pattern } from '#dist/core/transpose.js';
import { blockTriangular } from '#dist/direct/lu/blocks.js';
import { largestProduct } from '#dist/direct/lu/matching.js';
import { transversal, UNMATCHED } from '#dist/direct/lu/transversal.js';

/** Values of a small square matrix; 0: no entry. */
type Square = readonly (readonly number[])[];

/** The columns of a matrix. */
function columnsOf(matrix: Square): Pattern & { readonly source: Uint32Array; readonly values: Float64Array } {
  const n = matrix.length;
  const ptr = [0];
  const idx: number[] = [];
  const values: number[] = [];
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      if (matrix[i]![j] === 0) continue;
      idx.push(i);
      values.push(matrix[i]![j]!);
    }
    ptr.push(idx.length);
  }
  const source = Uint32Array.from(idx, (_, k) => k);
  return { ptr: Uint32Array.from(ptr), idx: Uint32Array.from(idx), source, values: Float64Array.from(values) };
}

function squareOf(value: fc.Arbitrary<number>, most: number): fc.Arbitrary<Square> {
  return fc
    .integer({ min: 0, max: most })
    .chain((n) => fc.array(fc.array(value, { minLength: n, maxLength: n }), { minLength: n, maxLength: n }));
}

/** 0 in most places. */
const sparse = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
const scaled = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.double({ min: 1, max: 1.999, noNaN: true }), fc.integer({ min: -30, max: 30 }))
      .map(([m, e]) => m * 2 ** e),
  },
);

/** All ways to choose a row for each column. */
function* permutations(n: number): Generator<number[]> {
  if (n === 0) yield [];
  else
    for (const rest of permutations(n - 1))
      for (let at = 0; at < n; at++) yield [...rest.slice(0, at), n - 1, ...rest.slice(at)];
}

/** The largest number of entries on a diagonal, by all permutations. */
function rankOf(matrix: Square): number {
  const counts = [...permutations(matrix.length)].map((rows) => rows.filter((i, j) => matrix[i]![j] !== 0).length);
  return Math.max(...counts);
}

/** log₂ as the upper word of a number has it: exact at powers of two, and linear between them. */
function linearLog2(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  return exponent + value / 2 ** exponent - 1;
}

test('a transversal is as long as the longest one, and consists of entries', () => {
  fc.assert(
    fc.property(squareOf(sparse, 6), (matrix) => {
      const { rowOf, rank } = transversal(columnsOf(matrix));
      const matched = [...rowOf].flatMap((i, j) => (i === UNMATCHED ? [] : [[i, j] as const]));
      expect(matched).toHaveLength(rank);
      expect(new Set(matched.map(([i]) => i)).size).toBe(rank);
      for (const [i, j] of matched) expect(matrix[i]![j]).not.toBe(0);
      expect(rank).toBe(rankOf(matrix));
    }),
    { numRuns: 500 },
  );
});

test('a diagonal that exists stays', () => {
  expect([
    ...transversal(
      columnsOf([
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 1],
      ]),
    ).rowOf,
  ]).toEqual([0, 1, 2]);
});

test('failed searches cost O(nnz) together: half of the columns of a full matrix are empty but for one row', () => {
  const n = 4000;
  // Columns 0 … n/2 − 1 have all rows up to n/2 − 1, the others only row 0: each of their searches would visit all others.
  const ptr = new Uint32Array(n + 1);
  const idx: number[] = [];
  for (let j = 0; j < n; j++) {
    if (j < n / 2) for (let i = j; i < Math.min(j + 50, n / 2); i++) idx.push(i);
    if (j >= n / 2) idx.push(j % 50);
    ptr[j + 1] = idx.length;
  }
  const { rank } = transversal({ ptr, idx: Uint32Array.from(idx) });
  expect(rank).toBe(n / 2);
});

describe('the largest product', () => {
  test('is the largest one of all permutations', () => {
    fc.assert(
      fc.property(squareOf(scaled, 5), (matrix) => {
        const n = matrix.length;
        const columns = columnsOf(matrix);
        const found = largestProduct(columns, columns.source, columns.values);
        expect(found === undefined).toBe(rankOf(matrix) < n);
        if (found === undefined) return;
        const product = (rows: ArrayLike<number>) => {
          let sum = 0;
          for (let j = 0; j < n; j++) sum += matrix[rows[j]!]![j] === 0 ? -Infinity : linearLog2(matrix[rows[j]!]![j]!);
          return sum;
        };
        const best = Math.max(...[...permutations(n)].map(product));
        expect(product(found)).toBeGreaterThanOrEqual(best - 1e-4);
      }),
      { numRuns: 500 },
    );
  });

  test('signs do not matter, and an explicit zero is the last choice', () => {
    const columns = columnsOf([
      [-8, 1],
      [-1, 4],
    ]);
    expect([...largestProduct(columns, columns.source, columns.values)!]).toEqual([0, 1]);
    // Column 0 has rows 0 and 1, the first one a zero; column 1 has both, too.
    columns.values[0] = 0;
    expect([...largestProduct(columns, columns.source, columns.values)!]).toEqual([1, 0]);
  });

  test('a path through all columns', () => {
    // Each column prefers the row of the next one; the last one has no row but its own predecessor's.
    const n = 3000;
    const ptr = Uint32Array.from({ length: n + 1 }, (_, j) => Math.min(2 * j, 2 * n - 1));
    const idx: number[] = [];
    const values: number[] = [];
    for (let j = 0; j < n; j++) {
      idx.push(j);
      values.push(1);
      if (j < n - 1) {
        idx.push(j + 1);
        values.push(2);
      }
    }
    const source = Uint32Array.from(idx, (_, k) => k);
    const found = largestProduct({ ptr, idx: Uint32Array.from(idx) }, source, Float64Array.from(values))!;
    expect([...found]).toEqual(Array.from({ length: n }, (_, j) => j));
  });
});

describe('block triangular form', () => {
  /** Which vertices are reached from each one, by squaring. */
  function closure(edges: boolean[][]): boolean[][] {
    const reached = edges.map((row, i) => row.map((edge, j) => edge || i === j));
    const n = reached.length;
    for (let m = 0; m < n; m++)
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) if (reached[i]![m] && reached[m]![j]) reached[i]![j] = true;
    return reached;
  }

  test('no entries below blocks, and blocks cannot be divided', () => {
    fc.assert(
      fc.property(squareOf(sparse, 9), (drawn) => {
        const matrix = drawn.map((row, i) => row.map((value, j) => (i === (j + 3) % drawn.length ? 1 : value)));
        const columns = columnsOf(matrix);
        const { rowOf } = transversal(columns);
        const { order, blockPtr } = blockTriangular(columns, rowOf);
        const n = matrix.length;
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, j) => j));
        expect(blockPtr[0]).toBe(0);
        expect(blockPtr.at(-1)).toBe(n);
        const entry = (r: number, c: number) => matrix[rowOf[order[r]!]!]![order[c]!] !== 0;
        const blockOf = (k: number) => blockPtr.findLastIndex((first) => first <= k);
        const edges = Array.from({ length: n }, (_, r) => Array.from({ length: n }, (_, c) => entry(r, c)));
        const reached = closure(edges);
        for (let r = 0; r < n; r++)
          for (let c = 0; c < n; c++) {
            if (blockOf(r) > blockOf(c)) expect(edges[r]![c]).toBe(false);
            expect(reached[r]![c]! && reached[c]![r]!).toBe(blockOf(r) === blockOf(c));
          }
      }),
      { numRuns: 500 },
    );
  });

  test('long paths and one long cycle, without recursion', () => {
    const n = 300_000;
    const rowOf = Uint32Array.from({ length: n }, (_, j) => j);
    const neighbour = (step: number) => {
      const ptr = Uint32Array.from({ length: n + 1 }, (_, j) => 2 * j);
      const idx = Uint32Array.from({ length: 2 * n }, (_, k) => (k % 2 === 0 ? k / 2 : ((k - 1) / 2 + step + n) % n));
      return { ptr, idx };
    };
    for (const step of [1, -1]) {
      expect(blockTriangular(neighbour(step), rowOf).blockPtr).toHaveLength(2);
      const path = neighbour(step);
      // Without the entry that closes the cycle.
      const last = step === 1 ? n - 1 : 0;
      path.idx[2 * last + 1] = last;
      expect(blockTriangular(path, rowOf).blockPtr).toHaveLength(n + 1);
    }
  });
});

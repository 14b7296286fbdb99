import { describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { Draws } from '../../bench/kinds/draws.mjs';
import { kind, STRUCTURES } from '../../bench/kinds/kinds.mjs';
import { TRANSFORMS } from '../../bench/kinds/transforms.mjs';
import { VALUES, withValues } from '../../bench/kinds/values.mjs';

interface Pattern extends Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx'> {
  readonly symmetric?: boolean;
}
type Make = (entries: number, draws: unknown) => [pattern: Pattern, words: string];
type Apply = (pattern: Pattern, draws: unknown) => [pattern: Pattern, words: string] | undefined;

const ENTRIES = 12_000;
const SEEDS = [1, 2, 3, 4, 5, 6];
const STRUCTURE_NAMES = Object.keys(STRUCTURES);
const made = STRUCTURE_NAMES.flatMap((name) => {
  const [make] = STRUCTURES[name] as [Make];
  return SEEDS.map((seed) => ({ name, seed, pattern: make(ENTRIES, new Draws(seed))[0] }));
});

/** With `symmetric` values: they exist only if the pattern is symmetric, as stated. */
function matrixOf(pattern: Pattern): CsrMatrix {
  return withValues(pattern, 'symmetric', new Draws(1)).matrix;
}

/** @throws unless the columns ascend, all are in range, and a stated symmetry is true */
function check(pattern: Pattern, what: string): void {
  const matrix = matrixOf(pattern);
  expect(csrMatrix(matrix).colIdx === matrix.colIdx, what).toBe(true);
  if (pattern.symmetric) expect(matrixStatistics(matrix).symmetry, what).toBe('symmetric');
}

describe('structures', () => {
  test.each(STRUCTURE_NAMES)('%s: canonical, symmetric as stated, about as large as asked for', (name) => {
    const own = made.filter((one) => one.name === name);
    for (const { pattern, seed } of own) check(pattern, `seed ${seed}`);
    const sizes = own.map(({ pattern }) => pattern.colIdx.length).sort((a, b) => a - b);
    expect(sizes[3]).toBeGreaterThan(ENTRIES / 4);
    expect(sizes[3]).toBeLessThan(3 * ENTRIES);
  });
});

describe('transforms', () => {
  test.each(TRANSFORMS as { name: string; apply: Apply }[])('$name: canonical, symmetric as stated', ({ apply }) => {
    const results = made.filter(({ seed }) => seed <= 2).map(({ pattern, seed }) => apply(pattern, new Draws(seed)));
    const applied = results.filter((result) => result !== undefined);
    expect(applied.length).toBeGreaterThan(2);
    for (const [pattern, words] of applied) check(pattern, words);
  });
});

describe('kinds', () => {
  const kinds = Array.from({ length: 50 }, (_, place) => {
    const { matrix, ...about } = kind(5000 + place) as { matrix: CsrMatrix; transforms: string[]; values: string };
    const { rows, cols, nnz, symmetry } = matrix;
    return { ...about, rows, cols, nnz, symmetry };
  });

  test('a seed gives the same matrix again, another seed another one', () => {
    const [first, again, other] = [14, 14, 15].map((seed) => kind(seed));
    expect(again).toEqual(first);
    expect(other.description).not.toBe(first.description);
  });

  test('every transform and kind of values occurs', () => {
    const names = TRANSFORMS.map(({ name }: { name: string }) => name);
    expect(new Set(kinds.flatMap(({ transforms }) => transforms))).toEqual(new Set(names));
    expect(new Set(kinds.map(({ values }) => values))).toEqual(new Set(VALUES.map(([name]: [string]) => name)));
  });

  test('sizes reach from some 10⁴ to millions of entries; some matrices are wide, some tall', () => {
    const share = (holds: (one: (typeof kinds)[number]) => boolean) => kinds.filter(holds).length / kinds.length;
    expect(Math.min(...kinds.map(({ nnz }) => nnz))).toBeGreaterThanOrEqual(8000);
    expect(Math.max(...kinds.map(({ nnz }) => nnz))).toBeLessThan(2e7);
    expect(share(({ nnz }) => nnz < 1e5)).toBeGreaterThan(0.15);
    expect(share(({ nnz }) => nnz > 1e6)).toBeGreaterThan(0.15);
    expect(share(({ rows, cols }) => cols > 3 * rows)).toBeGreaterThan(0.03);
    expect(share(({ rows, cols }) => rows > 3 * cols)).toBeGreaterThan(0.03);
    expect(share(({ symmetry }) => symmetry === 'symmetric')).toBeGreaterThan(0.1);
  });
});

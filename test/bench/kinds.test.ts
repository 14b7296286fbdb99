import { describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { Draws } from '../../bench/matrices/kinds/draws.mjs';
import { STRUCTURES } from '../../bench/matrices/kinds/kinds.mjs';
import { TRANSFORMS } from '../../bench/matrices/kinds/transforms.mjs';
import { withDrawnValues } from '../../bench/matrices/values.mjs';

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
  return withDrawnValues(pattern, 'symmetric', new Draws(1)).matrix;
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

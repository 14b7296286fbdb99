/** Random matrices, of up to 20 million entries. */
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { kind } from '../../bench/matrices/kinds/kinds.mjs';
import { TRANSFORMS } from '../../bench/matrices/kinds/transforms.mjs';
import { VALUES } from '../../bench/matrices/values.mjs';

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

/** Schwarz preconditioners with one level of overlap. */
import { gallery, runRanks } from 'sparlane';
import { describe, expect, test } from 'vitest';
import { relativeResidual } from '../solvers/residual.js';

interface Solved {
  readonly z: Float64Array;
  readonly x: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

type Case = readonly [name: string, given: Record<string, number>, spec: string];

async function solve(ranks: number, cases: readonly Case[]): Promise<readonly (readonly Solved[])[]> {
  const program = new URL('./programs/overlap.mjs', import.meta.url);
  const results = await runRanks(program, { ranks, threads: 1, data: cases });
  const all = results as { readonly solved: readonly Solved[][]; readonly leaked: number }[];
  for (const { solved, leaked } of all) {
    expect(solved).toEqual(all[0]!.solved);
    // The space keeps room for sums.
    expect(leaked).toBeLessThanOrEqual(4096);
  }
  return all[0]!.solved;
}

describe('overlap', () => {
  test('of a tridiagonal matrix, whose factors are exact, by hand', async () => {
    const line = { nx: 4 };
    const solved = await solve(2, [
      ['laplace1d3', line, 'ic0'],
      ['laplace1d3', line, 'ilu0'],
      ['laplace1d3', { nx: 1 }, 'ic0'],
    ]);
    // Each rank has 3 elements, of which the middle ones are shared: 4 A⁻¹ is [3 2 1; 2 4 2; 1 2 3]. The last has a rank without rows.
    const s = Math.SQRT1_2;
    const expected = [[3 + 3 * s, 5.5 + 3 * s, 5.5 + 3 * s, 3 + 3 * s], [6, 8, 8, 6], [2]];
    for (const [i, [, overlapped]] of solved.entries()) {
      expect(overlapped!.z.length).toBe(expected[i]!.length);
      overlapped!.z.forEach((value, k) => {
        expect(value).toBeCloseTo(expected[i]![k]!, 12);
      });
    }
  });

  test('takes fewer iterations, and has the same bits in every run', async () => {
    const cases: Case[] = [
      ['laplace2d5', { nx: 40, ny: 40 }, 'ic0'],
      ['laplace2d5', { nx: 40, ny: 40 }, 'ilu0'],
      ['laplace3d27', { nx: 9, ny: 9, nz: 12 }, 'ic0'],
    ];
    const once = await solve(4, cases);
    expect(await solve(4, cases)).toEqual(once);
    for (const [i, [without, overlapped]] of once.entries()) {
      expect(overlapped!.converged).toBe(true);
      expect(overlapped!.iterations).toBeLessThan(without!.iterations);
      const [name, given] = cases[i]!;
      const matrix = gallery(name, given);
      expect(relativeResidual(matrix, overlapped!.x, new Float64Array(matrix.rows).fill(4))).toBeLessThan(1.0001e-8);
    }
  });
});

/** Eigenvalues over ranks, as threads of this process. */
import { runRanks } from 'sparlane';
import { expect, test } from 'vitest';
import { grid } from '../eigen/spectra.js';
import { program, ranksInTurn, runInTurn } from './conform.js';

interface Found {
  readonly values: Float64Array;
  readonly residualNorms: Float64Array;
  readonly reason: string;
  readonly converged: number;
  readonly vectors: Float64Array;
}

const K = 6;
const CASES = [
  { which: 'smallest' },
  { which: 'largest' },
  { which: 'smallest', method: 'lobpcg' },
  { which: 'smallest', preconditioner: 'ic0' },
  { which: 'largest', method: 'lobpcg' },
];

const foundBy = runInTurn<Found>(
  'eigs.mjs',
  CASES.map((one) => ({ ...one, k: K })),
);

test.each(CASES.map((one, place) => ({ ...one, place, counts: ranksInTurn(place) })))(
  '$which, $method, $preconditioner, on $counts ranks',
  async ({ which, place, counts }) => {
    const { values } = grid(24, 24);
    const known = which === 'smallest' ? values : values.toReversed();
    for (const ranks of counts) {
      const all = await foundBy(place, ranks);
      for (const found of all) {
        expect([found.reason, found.converged]).toEqual(['tolerance', K]);
        for (const [j, value] of found.values.entries()) expect(Math.abs(value - known[j]!)).toBeLessThan(1e-9);
        expect(found.values).toEqual(all[0]!.values);
      }
      const { vectors } = all[0]!;
      for (let i = 0; i < K; i++)
        for (let j = 0; j <= i; j++) {
          let sum = 0;
          for (let row = 0; row < 576; row++) sum += vectors[row * K + i]! * vectors[row * K + j]!;
          expect(sum).toBeCloseTo(i === j ? 1 : 0, 10);
        }
    }
  },
);

interface FoundGeneral {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly residualNorms: Float64Array;
  readonly reason: string;
  readonly converged: number;
  /** Of eigenvalues, by their left vectors. */
  readonly conditions: Float64Array;
  readonly ofLeft: number;
}

test('matrices that are not symmetric', async () => {
  const expected = new Map<string, readonly number[]>();
  for (const ranks of [1, 2, 3]) {
    const data = { which: 'largest', k: 4 };
    const all = (await runRanks(program('eigs-general.mjs'), { ranks, threads: 1, data })) as FoundGeneral[];
    for (const { real, imaginary, reason, converged, conditions, ofLeft } of all) {
      expect([reason, converged, ofLeft]).toEqual(['tolerance', real.length, real.length]);
      expect([real, imaginary]).toEqual([all[0]!.real, all[0]!.imaginary]);
      for (const [name, numbers] of Object.entries({ real, imaginary, conditions })) {
        const known = expected.get(name) ?? Array.from(numbers);
        expected.set(name, known);
        expect(numbers).toHaveLength(known.length);
        for (const [j, value] of numbers.entries())
          expect(Math.abs(value - known[j]!)).toBeLessThan(1e-7 * Math.max(1, Math.abs(value)));
      }
    }
  }
});

/** Multigrid over ranks: as good as that of one process, whatever rows the ranks have. */
import { runRanks } from 'sparlane';
import { describe, expect, test } from 'vitest';

interface Case {
  readonly name: string;
  readonly given: Readonly<Record<string, number>>;
  readonly spec: string;
  readonly bounds?: readonly number[];
  readonly order?: string;
  readonly dtype?: string;
  readonly modes?: boolean;
  readonly isSingular?: boolean;
  readonly method?: 'gmres';
}

interface Solved {
  readonly z: Float64Array;
  readonly updated: Float64Array;
  readonly dots: readonly [Muv: number, uMv: number, uMu: number];
  readonly iterations: number;
  readonly converged: boolean;
  readonly levels: readonly { readonly rows: number; readonly nnz: number }[];
  readonly made: string;
}

/** What all ranks find, which is the same. */
async function solve(ranks: number, cases: readonly Case[], threads = 1): Promise<readonly Solved[]> {
  const program = new URL('./programs/multigrid.mjs', import.meta.url);
  const results = await runRanks(program, { ranks, threads, data: cases });
  const all = results as { readonly solved: readonly Solved[]; readonly leaked: number }[];
  for (const { solved, leaked } of all) {
    expect(solved).toEqual(all[0]!.solved);
    // The space keeps room for sums.
    expect(leaked).toBeLessThanOrEqual(4096);
  }
  return all[0]!.solved;
}

const grid = { name: 'laplace2d5', given: { nx: 100, ny: 100 } };
const cube = { name: 'laplace3d7', given: { nx: 20, ny: 20, nz: 20 } };
const body = { name: 'elasticity3d', given: { nx: 8, ny: 8, nz: 8 } };

const CASES: readonly Case[] = [
  { ...grid, spec: 'amg' },
  { ...grid, spec: 'amg?coarsest=50&smoother=chebyshev' },
  { ...grid, spec: 'amg?coarsest=50&theta=0.25' },
  { ...grid, spec: 'amg', isSingular: true },
  { ...grid, spec: 'amg', dtype: 'mixed' },
  { ...cube, spec: 'amg?coarsest=100' },
  { name: 'laplace3d27', given: { nx: 12, ny: 12, nz: 12 }, spec: 'amg?coarsest=100' },
  { ...body, spec: 'amg?block=3&coarsest=200', modes: true },
  { ...body, spec: 'amg?block=3&coarsest=200' },
  { name: 'diffusion2d', given: { nx: 41, ny: 41 }, spec: 'amg?coarsest=100' },
];

describe('on several ranks', () => {
  test('takes about the iterations of one process, and is symmetric', async () => {
    const alone = await solve(1, CASES);
    // The cases on two and on four ranks in turn.
    for (const [turn, ranks] of [2, 4].entries()) {
      const mine = [...CASES.keys()].filter((k) => k % 2 === turn);
      const solved = await solve(
        ranks,
        mine.map((k) => CASES[k]!),
      );
      for (const [place, { iterations, converged, dots, levels, z, updated }] of solved.entries()) {
        const i = mine[place]!;
        const what = `${JSON.stringify(CASES[i])} on ${ranks} ranks`;
        expect(converged, what).toBe(true);
        expect(iterations, what).toBeLessThanOrEqual(1.2 * alone[i]!.iterations);
        const [Muv, uMv, uMu] = dots;
        const isMixed = CASES[i]!.dtype === 'mixed';
        expect(Math.abs(Muv - uMv), what).toBeLessThan((isMixed ? 1e-4 : 1e-9) * uMu);
        expect(levels[0], what).toEqual(alone[i]!.levels[0]);
        expect(levels.length, what).toBeGreaterThan(1);
        // Four times the matrix is a quarter of M, bit by bit.
        expect(updated, what).toEqual(z.map((value) => value / 4));
      }
    }
  }, 120_000);

  test('has the same bits in every run, and on any number of threads', async () => {
    const cases = [CASES[1]!, CASES[7]!];
    const once = await solve(3, cases);
    expect(await solve(3, cases)).toEqual(once);
    expect(await solve(3, cases, 2)).toEqual(once);
  }, 60_000);

  test('finds nodes of several unknowns if no rank has a part of one', async () => {
    const bounds = [0, 900, 900, 1944];
    const specs = ['amg?block=3&coarsest=200', 'amg?coarsest=200', 'amg?block=1&coarsest=200'];
    const whole: Case[] = specs.map((spec) => ({ ...body, spec, bounds }));
    const [given, found, scalar] = (await solve(3, whole)) as [Solved, Solved, Solved];
    expect({ ...found, made: '' }).toEqual({ ...given, made: '' });
    expect(found.iterations).toBeLessThan(0.7 * scalar.iterations);
    const cut: Case[] = specs.slice(1).map((spec) => ({ ...body, spec, bounds: [0, 901, 1300, 1944] }));
    const [divided, alone] = (await solve(3, cut)) as [Solved, Solved];
    expect({ ...divided, made: '' }).toEqual({ ...alone, made: '' });
  }, 60_000);

  test('of orders in which neighbours are on other ranks', async () => {
    const cases: Case[] = ['rcm', 'kway'].map((order) => ({ ...grid, spec: 'amg', order }));
    const alone = await solve(1, cases);
    for (const [i, { iterations }] of (await solve(4, cases)).entries())
      expect(iterations).toBeLessThanOrEqual(1.22 * alone[i]!.iterations);
  });

  test('of f32', async () => {
    const [one] = await solve(2, [{ ...grid, spec: 'amg', dtype: 'f32' }]);
    expect(one!.converged).toBe(true);
    expect(one!.iterations).toBeLessThan(15);
  });
});

describe('ranks without rows', () => {
  const small = { name: 'laplace2d5', given: { nx: 20, ny: 18 } };

  test('beside one that has all: the same as in one process', async () => {
    const cases: Case[] = ['amg?coarsest=20', 'amg?coarsest=20&smoother=chebyshev'].map((spec) => ({ ...small, spec }));
    const alone = await solve(1, cases);
    for (const bounds of [
      [0, 360, 360, 360],
      [0, 0, 360, 360],
    ]) {
      const dealt = await solve(
        3,
        cases.map((one) => ({ ...one, bounds })),
      );
      for (const [i, { z, iterations, levels }] of dealt.entries()) {
        expect(levels).toEqual(alone[i]!.levels);
        expect(iterations).toBe(alone[i]!.iterations);
        z.forEach((value, row) => {
          expect(Math.abs(value - alone[i]!.z[row]!)).toBeLessThan(1e-12);
        });
      }
    }
  });

  test('among others that have some', async () => {
    for (const bounds of [
      [0, 0, 350, 351, 360],
      [0, 180, 180, 181, 360],
    ]) {
      const [one] = await solve(4, [{ ...small, spec: 'amg?coarsest=20', bounds }]);
      expect(one!.converged).toBe(true);
      expect(one!.iterations).toBeLessThan(15);
    }
  });

  test('of chebyshev, too', async () => {
    const [one] = await solve(3, [{ ...small, spec: 'chebyshev', bounds: [0, 180, 180, 360] }]);
    expect(one!.converged).toBe(true);
  });

  test('of matrices with fewer rows than ranks', async () => {
    const solved = await solve(4, [
      { name: 'laplace2d5', given: { nx: 3, ny: 1 }, spec: 'amg' },
      { name: 'laplace2d5', given: { nx: 1, ny: 1 }, spec: 'amg' },
    ]);
    for (const { converged, iterations } of solved) expect([converged, iterations]).toEqual([true, 1]);
  });
});

test('what it refuses is the same error on all ranks, after which they go on', async () => {
  const ranks = await runRanks(new URL('./programs/multigrid-errors.mjs', import.meta.url), { ranks: 3, threads: 1 });
  const all = ranks as { readonly errors: unknown; readonly leaked: number; readonly levels: number }[];
  for (const { errors, leaked, levels } of all) {
    expect(errors).toEqual(
      [
        ['a smoother of triangles', "rank 0: smoother: expected auto | spai0 | chebyshev on several ranks, got 'ssor'"],
        ['overlap', 'overlap: expected 0 for amg, which spans all ranks, got 1'],
        ['a block that cuts nodes', "rank 0: block: expected a divisor of this rank's 140 rows, got 3"],
        ['a parameter', "rank 0: preconditioner amg theta: expected a number from 0 to 1, got '2'"],
        ['different numbers of modes', 'nearNullSpace of preconditioner 5: expected 1 as on rank 0, got 2 on rank 1'],
        ['a vector of another length on one rank', 'rank 1: nearNullSpace[0]: expected length 140, got 139'],
        ['a dtype', "rank 0: dtype: expected f64 | f32 | mixed, got 'f16'"],
        ['a negative diagonal entry on one rank', 'rank 1: matrix: expected a positive diagonal, got -4 in row 7'],
        ['an infinite number on one rank', 'rank 1: matrix: expected finite numbers, got Infinity as entry 3'],
        ['too few values on one rank', 'rank 1: values: expected length nnz = 686, got 3'],
      ].map(([name, message]) => [name, `SparlaneError: ${message}`]),
    );
    // The space keeps room for sums.
    expect(leaked).toBeLessThanOrEqual(4096);
    expect(levels).toBeGreaterThan(1);
  }
});

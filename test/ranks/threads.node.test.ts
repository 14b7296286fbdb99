/** Ranks as threads of this process: what they tell each other, a solve, and ranks that fail. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DistributionReport, gallery, runRanks, type SparlaneError } from 'sparlane';
import { describe, expect, test } from 'vitest';
import { allOrAgain, isSoak } from '../soak.js';
import { relativeResidual } from '../solvers/residual.js';
import { conform, once, program, type Run, runSeveral } from './conform.js';
import { DEEDS, expectDisagreements } from './disagreements.js';
import { expectGroups, type FoundGroups } from './groups.js';
import { expectMessages, type FoundMessages } from './messages.js';
import { DEVIATIONS, expectErrors, linesByRank } from './out-of-step.js';
import { docsProgram, programPath, run } from './run-program.js';

test.each(allOrAgain([1, 2, 4, 3]))('calls and sums of %d ranks, and of groups of four', async (ranks) => {
  const calls = { check: 'calls' };
  const reports = await conform(ranks, calls, ...(ranks === 4 ? [{ ...calls, groups: 2 }] : []));
  for (const { checks } of reports) expect(checks).toBeGreaterThan(60);
});

describe.each(allOrAgain([1, 2, 5, 4, 3], 2))('%d ranks', (ranks) => {
  const PROGRAMS: readonly Run[] = [['messages.mjs'], ['groups.mjs'], ['pipelined.mjs', { preconditioner: 'jacobi' }]];
  const found = once(() => runSeveral(ranks, PROGRAMS));

  test('messages from rank to rank', async () => {
    const [all] = (await found(ranks)) as [FoundMessages[]];
    for (const one of all) expectMessages({ ...one, wrong: [...one.wrong] }, ranks);
  });

  test.skipIf(ranks === 1)('groups', async () => {
    const [, all] = (await found(ranks)) as [unknown, FoundGroups[]];
    for (const one of all) expectGroups(one);
  });

  test('pipelined cg: sums are on their way during a product', async () => {
    const [, , all] = (await found(ranks)) as [unknown, unknown, Pipelined[]];
    const matrix = gallery('laplace2d5', { nx: 40, ny: 30 });
    const { x, iterations, waits, started, during } = all[0]!;
    expect(relativeResidual(matrix, x, new Float64Array(matrix.rows).fill(1))).toBeLessThan(1.0001e-8);
    for (const one of all) expect(one).toEqual(all[0]);
    if (ranks === 1) return;
    // One when the last step has arrived; at once are those of the start, of the true residual and of replacements.
    expect(started).toBe(iterations + 1);
    expect(waits).toBeLessThan(iterations / 4);
    expect(during).toEqual([1]);
  });
});

interface Pipelined {
  readonly x: Float64Array;
  readonly iterations: number;
  readonly waits: number;
  readonly started: number;
  readonly during: readonly number[];
}

interface Solved {
  readonly x: Float64Array;
  readonly iterations: number;
  readonly report: DistributionReport;
  readonly halo: readonly number[];
}

describe('a solve', () => {
  const solve = (ranks: number, order: string, preconditioner: string) =>
    runRanks(program('solve.mjs'), { ranks, threads: 1, data: { order, preconditioner } }) as Promise<Solved[]>;

  test.each(allOrAgain(['natural', 'rcm', 'bandk', 'kway']))('in the order %s solves the system', async (order) => {
    const [first, second] = await solve(2, order, 'ic0');
    const matrix = gallery('laplace2d5', { nx: 60, ny: 50 });
    const b = Float64Array.from({ length: matrix.rows }, (_, i) => 1 + (i % 7));
    expect(relativeResidual(matrix, first!.x, b)).toBeLessThan(1.0001e-8);
    expect(second!.x).toEqual(first!.x);
    expect([first!.report.halo.own, second!.report.halo.own]).toEqual(first!.halo);
  });

  test('has the same bits in every run', async () => {
    const [once] = await solve(3, 'natural', 'jacobi');
    const [again] = await solve(3, 'natural', 'jacobi');
    expect(again!.x).toEqual(once!.x);
  });

  test('reports its distribution', async () => {
    const solved = await solve(3, 'natural', 'jacobi');
    const [, middle] = solved.map(({ report }) => report);
    expect(middle).toMatchObject({
      rank: 1,
      ranks: 3,
      rows: 3000,
      cols: 3000,
      halo: { own: 120, most: 120, total: 240 },
    });
    expect(middle!.ghost).toMatchObject({ nnz: 122, rows: 120, columns: 120 });
    expect(middle!.neighbours).toEqual([
      { rank: 0, sends: 60, receives: 60 },
      { rank: 2, sends: 60, receives: 60 },
    ]);
    const rows = solved.reduce((sum, { report }) => sum + report.ownRows, 0);
    expect(rows).toBe(3000);
  });
});

describe('a rank that fails', () => {
  const attempt = (data: string) => runRanks(program('unfaithful.mjs'), { ranks: 3, threads: 1, data });

  test.each([
    ['throws', 'the end of rank 1: Error: boom'],
    ['exits', 'the end of rank 1: exit code 3'],
    ['rejects later', 'the end of rank 1: Error: later'],
    ['computes for ever', 'the end of rank 1: Error: enough'],
  ])('%s: all ranks end, and the error names it', async (deed, message) => {
    const error: SparlaneError = await attempt(deed).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toMatchObject({ name: 'SparlaneError', code: 'backend', detail: { rank: 1 } });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('\n');
  });

  test.each([
    ['ends', 'the end of rank 1', 'ended'],
    ['disagrees', 'barrier on rank 1', undefined],
    ['has rows that do not follow', 'firstRow of rank 1: expected 1, the rows of the ranks before, got 5', undefined],
    ['has a wrong column', 'rank 1: colIdx[0]: expected a column below cols = 3, got 3', undefined],
    ['has a zero on its diagonal', 'rank 1: matrix: expected a diagonal of finite numbers other than 0', undefined],
    ['gives too many', 'expected equally many numbers for sum on all ranks', undefined],
  ])('%s: the others get an error, and none waits for ever', async (deed, message, ofRank1) => {
    const [first, second, third] = await attempt(deed);
    expect(first).toContain(message);
    expect(third).toContain(message);
    if (ofRank1 === undefined)
      expect(second).toContain(deed === 'disagrees' ? 'sum of 1 number on' : message.slice(-20));
    else expect(second).toBe(ofRank1);
  });
});

describe('a program that joins ranks', () => {
  const join = (...args: string[]) => run(process.execPath, [programPath('joins.mjs'), ...args]);

  test.each(allOrAgain(['1', '2', '3']))('runs on %s', async (ranks) => {
    const { code, stdout } = await join(ranks);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${ranks} ranks by ${ranks === '1' ? 'alone' : 'threads'}: true [0-9.]+\n$`));
  });

  test('is that of the documentation', async () => {
    const program = docsProgram();
    const { code, stdout, stderr } = await run(process.execPath, [program]);
    rmSync(dirname(program), { recursive: true });
    expect(stdout, stderr).toMatch(/^\d+ 90000 \{ own: \d+, most: \d+, total: \d+ \}\n$/);
    expect(code).toBe(0);
  });

  test.each([
    ['a job of 4 tasks started this program without srun, so it is one rank', { SLURM_NTASKS: '4', SLURM_PROCID: '0' }],
    [
      'Flux started this program as one of 3 processes, and its ranks are not found, so it is one rank',
      { FLUX_JOB_SIZE: '3' },
    ],
  ])('alone, where it may not be meant to be, gets the hint: %s', async (message, env) => {
    const { stdout, stderr } = await run(process.execPath, [programPath('hints.mjs')], env);
    const [line] = linesByRank(stdout);
    expect(JSON.parse(line || '{}'), stderr).toMatchObject({ size: 1, hints: [['one-rank', message]] });
  });

  test.each([
    ['throws', 'got the end of rank 1: Error: boom'],
    ['exits', 'got the end of rank 1: exit code 3'],
    ['0 ends', ''],
    ['1 ends', 'got the end of rank 1'],
    ['2 ends', 'got the end of rank 2'],
  ])('and ends if rank 1 %s', async (deed, message) => {
    const { code, stdout, stderr } = await join('3', deed);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(deed === '0 ends' ? 0 : 1);
  });
});

test('ranks that disagree get the same error, which says about what, and go on', async () => {
  const ranks = await runRanks(program('disagrees.mjs'), { ranks: 3, threads: 1, data: DEEDS });
  for (const got of ranks) expectDisagreements(got as unknown[][]);
});

describe('a rank out of step', () => {
  const deviate = (deed: string) =>
    runRanks(program('deviates.mjs'), { ranks: 3, threads: 1, data: deed }) as Promise<string[]>;

  test.each(
    allOrAgain(
      DEVIATIONS.filter(({ isBasic, only }) => (isSoak || isBasic) && only !== 'mpi'),
      4,
    ),
  )('$deed: each rank has an error that says what they did', async (deviation) => {
    expectErrors(await deviate(deviation.deed), deviation);
  });

  test('is rank 0, and ends: the process ends, too', async () => {
    const { code, stdout } = await run(process.execPath, [programPath('deviates.mjs'), 'is rank 0, and ends']);
    expect(code).toBe(0);
    expect(linesByRank(stdout)).toEqual([
      'no error',
      ...Array(2).fill(expect.stringMatching(/the end of rank 0 and /)),
    ]);
  });

  test('is late: it is waited for', async () => {
    expect(await deviate('is late')).toEqual(Array(3).fill('no error'));
  });
});

test('wrong arguments are refused', async () => {
  const refuse = async (promise: Promise<unknown>, message: string) =>
    expect(await promise.catch((error: unknown) => `${error}`)).toContain(message);
  await refuse(runRanks('programs', { ranks: 2 }), 'program: expected an absolute URL');
  await refuse(runRanks(program('joins.mjs'), { ranks: 0 }), 'ranks: expected an integer from 1 to 256');
  await refuse(runRanks(program('joins.mjs'), { ranks: 2, rank: 1 } as never), 'options: expected only the options');
});

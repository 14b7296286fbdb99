/**
 * Ranks on devices: halos and sums from memory to memory, and through the host where devices do not reach each other, or are shared. The devices are
 * none, but their queues are threads, which do some operations late, so that what is not waited for is missed.
 */
import { describe, expect, test } from 'vitest';
import { gallery, runRanks } from '#dist/index.node.js';
import { METHODS } from '#dist/solvers/methods.js';
import { isSoak } from '../soak.js';
import { relativeResidual } from '../solvers/residual.js';
import { once, program } from './conform.js';

interface Report {
  readonly hasPeers: boolean;
  readonly place: number;
  readonly checks: number;
}

const WAYS = ['linked', 'apart'] as const;
type Way = (typeof WAYS)[number] | 'shared';

const OF_THREE = ['vectors', 'sequences', 'recorded', 'solves'];
/** What ranks check in one start. After the last check of two ranks they are out of step. */
const CHECKS: Readonly<Record<Way, Readonly<Record<number, readonly string[]>>>> = {
  linked: { 2: ['products', 'refused', 'unrecorded'], 3: OF_THREE },
  apart: { 3: OF_THREE },
  shared: { 3: ['vectors'] },
};

/** Of the matrices, each so manieth is tried: threads try all. */
const EVERY = isSoak ? 1 : 3;

const start = once((how: Way) =>
  once(async (ranks: number) => {
    const devices = new URL(`${program('on-devices.mjs')}${how === 'linked' ? '' : `?${how}`}`);
    const data = { checks: CHECKS[how][ranks], every: EVERY };
    return (await runRanks(devices, { ranks, threads: 1, device: 'cuda', data })) as unknown[][];
  }),
);

/** What each rank finds. */
async function onDevices<T>(ranks: number, how: Way, check: string): Promise<(Report & T)[]> {
  const place = CHECKS[how][ranks]!.indexOf(check);
  return (await start(how)(ranks)).map((found) => found[place] as Report & T);
}

describe('conformance', () => {
  test.each([...WAYS, 'shared'] as const)('sums over vectors of 3 ranks, %s', async (how) => {
    const reports = await onDevices(3, how, 'vectors');
    expect(reports.map(({ place }) => place)).toEqual(how === 'shared' ? [0, 1, 0] : [0, 1, 2]);
    for (const report of reports) expect(report).toMatchObject({ hasPeers: how === 'linked', failed: 0, failures: [] });
    expect(reports[0]!.checks).toBeGreaterThan(30);
  });

  test('products of 2 ranks', async () => {
    const reports = await onDevices(2, 'linked', 'products');
    for (const report of reports) expect(report).toMatchObject({ failed: 0, refused: 0, failures: [] });
    expect(reports[0]!.checks).toBeGreaterThan(1_000);
  }, 300_000); // In full 35 s on two idle cores.
});

test.each(WAYS)('products of 3 ranks one after the other, without a wait, %s', async (how) => {
  for (const { wrong } of await onDevices<{ wrong: number }>(3, how, 'sequences')) expect(wrong).toBe(0);
});

test.each(WAYS)('recorded products of 3 ranks, and others between them, %s', async (how) => {
  for (const { wrong } of await onDevices<{ wrong: number }>(3, how, 'recorded')) expect(wrong).toBe(0);
});

test('what ranks cannot record, different recordings, and launches of one rank alone', async () => {
  const reports = await onDevices<{ refused: string; different: string; alone: string }>(2, 'linked', 'unrecorded');
  for (const { refused, different, alone } of reports) {
    expect(refused).toContain('recording: expected an operation on the device, got a download');
    expect(different).toBe('sums of the recording: expected 0 as on rank 0, got 1 on rank 1');
    expect(alone).toContain('expected the same call on all ranks, got');
    expect(alone).toContain('launch on rank 0');
  }
});

interface Solves {
  readonly all: readonly {
    readonly name: string;
    readonly iterations: number;
    readonly expected: number;
    readonly isErratic: boolean;
    readonly converged: boolean;
    readonly x: readonly number[];
  }[];
  readonly data: Float64Array;
}

test.each(WAYS)('solves on 3 ranks take the iterations of one process, %s', async (how) => {
  const ranks = await onDevices<Solves>(3, how, 'solves');
  const matrix = gallery('laplace2d5', { nx: 14, ny: 9 });
  const { all, data } = ranks[0]!;
  expect(new Set(all.map(({ name }) => name.split(' ')[0]))).toEqual(new Set(METHODS.map(({ name }) => name)));
  for (const { name, iterations, expected, isErratic, converged, x } of all) {
    expect([name, converged]).toEqual([name, true]);
    if (!isErratic) expect([name, Math.abs(iterations - expected) <= 1 + 0.05 * expected]).toEqual([name, true]);
    expect(relativeResidual(matrix, Float64Array.from(x), data)).toBeLessThan(1e-6);
  }
  for (const other of ranks) expect(other.all).toEqual(all);
});

test('overlap is refused', async () => {
  const reports = await onDevices<{ message: string }>(2, 'linked', 'refused');
  for (const { message } of reports) expect(message).toContain('overlap: expected 0 on a device, got 1');
});

test('without a device', async () => {
  const data = { order: 'natural', preconditioner: 'jacobi' };
  // A machine with a GPU solves.
  const outcome = await runRanks(program('solve.mjs'), { ranks: 2, threads: 1, device: 'cuda', data }).catch(
    (error) => error.message,
  );
  if (typeof outcome === 'string') expect(outcome).toContain('device: expected a CUDA device, got none');
});

/** Whatever one rank does otherwise than the others, nobody waits for ever: random programs on threads. Those on MPI are in mpi.long.test.ts. */
import fc from 'fast-check';
import { runRanks } from 'sparlane';
import { expect, test } from 'vitest';
import { fewOrAll } from '../soak.js';
import {
  deviatingCalls,
  expectErrorsOf,
  expectResults,
  type RandomCalls,
  sameCalls,
  type Told,
} from './random-calls.js';

/** Each takes a second. */
const RUNS = fewOrAll(4, 24);

/** Time in which errors must have come, on a busy machine. */
const SOON_MS = 60_000;

async function tell(data: RandomCalls): Promise<Told[]> {
  const program = new URL('./programs/random-calls.mjs', import.meta.url);
  const run = runRanks(program, { ranks: data.ranks, threads: 1, data }) as Promise<Told[]>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), SOON_MS);
  });
  return await Promise.race([run, hang]).finally(() => clearTimeout(timer));
}

test('ranks that make the same calls get the same results', async () => {
  await fc.assert(
    fc.asyncProperty(sameCalls, async (data) => expectResults(await tell(data), data)),
    { numRuns: RUNS / 2 },
  );
});

test('if one rank makes other calls, every rank gets an error', async () => {
  await fc.assert(
    fc.asyncProperty(deviatingCalls, async (data) => expectErrorsOf(await tell(data), data)),
    { numRuns: RUNS },
  );
}, 300_000);

test('the programs of both kinds have what they are about', () => {
  const kinds = fc.sample(deviatingCalls, 200).map(({ deviation }) => deviation.kind);
  expect(new Set(kinds).size).toBe(5);
});

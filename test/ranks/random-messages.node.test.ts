/** Random messages between ranks that are threads. Those on MPI are in mpi.long.test.ts. */
import fc from 'fast-check';
import { runRanks } from 'sparlane';
import { test } from 'vitest';
import { fewOrAll } from '../soak.js';
import { program } from './conform.js';
import { expectRandomMessages, type FoundRandomMessages, randomMessages } from './random-messages.js';

test('every rank receives what was sent to it, each sender and tag in order', async () => {
  await fc.assert(
    fc.asyncProperty(randomMessages, async (data) => {
      const given = { ranks: data.ranks, threads: 1, data };
      const all = (await runRanks(program('random-messages.mjs'), given)) as FoundRandomMessages[];
      for (const found of all) expectRandomMessages(found, data);
    }),
    { numRuns: fewOrAll(4, 24), endOnFailure: true },
  );
});

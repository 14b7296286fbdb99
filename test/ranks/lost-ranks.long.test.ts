/**
 * A rank that is lost in a step, by each transport on one host: all ranks end within five seconds, and one line names the rank. `cluster.long.test.ts` has
 * several hosts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ENV, FLAGS, findMpi, mpirun } from './find-mpi.js';
import { type Ended, MOST_MS, ownLines, programPath, run } from './run-program.js';

const libraries = { openmpi: await findMpi('openmpi'), mpich: await findMpi('mpich') };

/** The rank said when it died. */
function expectEnd({ stdout }: Ended): void {
  const now = Date.now();
  const [died] = /^\d{13}$/m.exec(stdout) ?? [];
  expect(now - Number(died)).toBeLessThan(MOST_MS);
}

describe.each(['openmpi', 'mpich'] as const)('%s', { concurrent: true }, (library) => {
  const testMpi = test.skipIf(!libraries[library]);

  testMpi.each([0, 1, 2])('rank %d is killed: one line names it, its host and a call', async (rank) => {
    const ended = await mpirun(library, 3, 'steps.mjs', '0', `${rank}`, 'is killed');
    expectEnd(ended);
    expect(ended.code).toBeGreaterThan(0);
    const line = `^sparlane: rank ${rank} of 3 on ${hostname()} died; the last call of rank 0 was (sum|product|agreement|comparison) `;
    expect(ownLines(ended)).toEqual([expect.stringMatching(line)]);
  });

  testMpi('a rank that exits has its own line, and no other', async () => {
    const ended = await mpirun(library, 3, 'steps.mjs', '0', '1', 'exits');
    expectEnd(ended);
    expect(ended.code).toBe(3);
    expect(ownLines(ended)).toEqual(['sparlane: rank 1 of 3 ended with exit code 3']);
  });

  testMpi.each(['SIGINT', 'SIGTERM'] as const)('%s to mpirun is no loss', async (signal) => {
    const command = [...FLAGS[library], '-n', '3', process.execPath, programPath('steps.mjs'), '0'];
    const child = spawn(`mpirun.${library}`, command, { env: { ...process.env, ...ENV } });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const closed = once(child, 'close');
    expect(`${await once(child.stdout, 'data')}`).toBe('steps\n');
    child.stdout.resume();
    child.kill(signal);
    const [code] = await closed;
    expect(code).toBeGreaterThan(0);
    expect(ownLines({ stderr })).toEqual([]);
  });
});

// The line of mpirun's own would follow.
test.skipIf(!libraries.openmpi)('mpirun --quiet of Open MPI leaves one line in all', async () => {
  const command = [...FLAGS.openmpi, '--quiet', '-n', '3', process.execPath, programPath('steps.mjs'), '0', '1'];
  const { stderr } = await run('mpirun.openmpi', command, ENV);
  expect(stderr).toMatch(/^sparlane: rank 1 of 3 on .* died; .*\n$/);
});

test.each([0, 1])('threads: rank %d exits, and all end; one error names another rank', async (rank) => {
  const ended = await run(process.execPath, [programPath('steps.mjs'), '3', `${rank}`, 'exits']);
  expectEnd(ended);
  // Rank 0 is the program.
  expect(ended.code).toBe(rank === 0 ? 3 : 1);
  const errors = ended.stderr.split('\n').filter((line) => line.startsWith('SparlaneError'));
  const message = /expected all ranks to go on, got the end of rank 1: exit code 3 and .* on rank 0$/;
  expect(errors).toEqual(rank === 0 ? [] : [expect.stringMatching(message)]);
});

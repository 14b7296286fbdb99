/**
 * What starts and ends ranks of Open MPI and of MPICH, where both the addon and mpirun are there: else these tests are skipped, and say so. What ranks do meanwhile is in
 * `mpi-programs.long.test.ts`.
 */
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { availableCores } from '#dist/execution/cores.node.js';
import { mpiStatus } from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';
import { ENV, FLAGS, findMpi, mpirun, onMpi } from './find-mpi.js';
import { DEVIATIONS, expectErrors, linesByRank } from './out-of-step.js';
import {
  deviatingCalls,
  expectErrorsOf,
  expectResults,
  type RandomCalls,
  sameCalls,
  type Told,
} from './random-calls.js';
import { expectRandomMessages, type FoundRandomMessages, randomMessages } from './random-messages.js';
import { docsProgram, programPath, run } from './run-program.js';

/** Rank 0 ends where the others make a product without messages and meet: they are in the same meeting, after different numbers of calls. */
const endsBeforeAProduct: Required<RandomCalls> = {
  ranks: 3,
  calls: [
    ['product', 3],
    ['together', 0],
  ],
  deviation: { rank: 0, at: 0, kind: 'end', call: ['broadcast', 2] },
};

/** Rank 4 has no message to rank 0 in the last turn of a sum, for which rank 0 waits. */
const waitsDuringASum: Required<RandomCalls> = {
  ranks: 5,
  calls: [['sum', 1]],
  deviation: { rank: 0, at: 0, kind: 'insert', call: ['receive', 3] },
};

/** Random programs of each kind. */
const RUNS = fewOrAll(1, 4);

const libraries = { openmpi: await findMpi('openmpi'), mpich: await findMpi('mpich') };

// Several at a time: mpirun of Open MPI mostly waits for seconds before it starts its processes.
describe.each(['openmpi', 'mpich'] as const)('%s', { timeout: 240_000, concurrent: true }, (library) => {
  const testMpi = test.skipIf(!libraries[library]);

  testMpi('random messages', async () => {
    await fc.assert(
      fc.asyncProperty(randomMessages, async (data) => {
        const [found] = (await onMpi(library, data.ranks, [['random-messages.mjs', data]])) as [FoundRandomMessages];
        expectRandomMessages(found, data);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  testMpi.each([
    ['throws', 1, 'sparlane: rank 1 of 3 ended: Error: boom'],
    ['exits', 3, 'sparlane: rank 1 of 3 ended with exit code 3'],
    ['2 ends', 1, 'on rank 2'],
  ])('a rank that fails (%s) ends the others, and is named', async (deed, expected, message) => {
    const { code, stdout, stderr } = await mpirun(library, 3, 'joins.mjs', '0', deed);
    expect(stdout).toBe('');
    expect(code).toBe(expected);
    expect(stderr.replace('rank 2 of 3 ended', 'on rank 2')).toContain(message);
  });

  // How ranks notice it does not depend on the library: each is tried with one of them.
  const mine = (_: unknown, k: number) => k % 2 === (library === 'openmpi' ? 0 : 1);
  testMpi.each(DEVIATIONS.filter(({ isBasic, only }) => isBasic && only !== 'threads').filter(mine))(
    '$deed: each rank has an error that says what they did',
    async (deviation) => {
      const { code, stdout, stderr } = await mpirun(library, 3, 'deviates.mjs', deviation.deed);
      expectErrors(linesByRank(stdout), deviation, `${stdout}${stderr}`);
      expect(code).toBe(1);
      expect(stderr).toMatch(/sparlane: rank \d of 3 ended: SparlaneError: ranks: expected/);
    },
  );

  const tell = async (data: RandomCalls): Promise<Told[]> => {
    const { code, stdout, stderr } = await mpirun(library, data.ranks, 'random-calls.mjs', JSON.stringify(data));
    expect(code, `it hangs: ${JSON.stringify(data)}; ${stdout} ${stderr}`).not.toBe(-1);
    return linesByRank(stdout, data.ranks).map((line) => (line === '' ? { got: [], error: stderr } : JSON.parse(line)));
  };

  // A program that hangs is not made smaller: each trial would take as long.
  testMpi(
    'random calls',
    async () => {
      await fc.assert(
        fc.asyncProperty(sameCalls, async (data) => expectResults(await tell(data), data)),
        { numRuns: fewOrAll(1, 2), endOnFailure: true },
      );
      await fc.assert(
        fc.asyncProperty(deviatingCalls, async (data) => expectErrorsOf(await tell(data), data)),
        { numRuns: RUNS + 2, endOnFailure: true, examples: [[endsBeforeAProduct], [waitsDuringASum]] },
      );
    },
    300_000,
  );

  testMpi.each(library === 'openmpi' ? [2] : [3])(
    'mpirun starts %d ranks, whatever the program says, with the bits of as many threads',
    async (ranks) => {
      const byMpi = await mpirun(library, ranks, 'joins.mjs', '4');
      const byThreads = await run(process.execPath, [programPath('joins.mjs'), `${ranks}`]);
      expect(byMpi.code, byMpi.stderr).toBe(0);
      expect(byMpi.stdout).toBe(byThreads.stdout.replace('threads', 'mpi'));
    },
  );

  testMpi('ranks that one core is left to are told so', async () => {
    // Bound by the shell, as a launcher does it.
    const [, core] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))!;
    const bound = ['taskset', '-c', core!, process.execPath, programPath('hints.mjs')];
    const { stdout, stderr } = await run(`mpirun.${library}`, [...FLAGS[library], '-n', '1', ...bound], ENV);
    const { threads, hints } = JSON.parse(linesByRank(stdout)[0] || '{}');
    expect(threads, stderr).toBe(1);
    const cores = availableParallelism();
    const name = library === 'openmpi' ? "Open MPI's mpirun" : "MPICH's mpirun";
    const message = expect.stringMatching(
      `rank 0 of 1 has 1 of ${cores} cores, to which ${name} bound it: .*bind-to none`,
    );
    expect(hints).toEqual(cores > 1 ? [['bound-to-cores', message]] : []);
  });

  testMpi('ranks that share all cores divide them', async () => {
    const program = [process.execPath, programPath('hints.mjs')];
    const { stdout, stderr } = await run(`mpirun.${library}`, [...FLAGS[library], '-n', '2', ...program], ENV);
    for (const line of linesByRank(stdout).slice(0, 2)) {
      const { threads, hints } = JSON.parse(line || '{}');
      expect([threads, hints], stderr).toEqual([Math.max(1, Math.floor(availableCores() / 2)), []]);
    }
  });
});

// What does not depend on the library is tested with one of them.

/** These are many more ranks than cores. Only Open MPI starts them: ranks of MPICH keep their cores while they wait. */
const MANY = fewOrAll(9, 33);
test.skipIf(!libraries.openmpi)(`${MANY} ranks have the bits of as many threads`, async () => {
  const byMpi = await mpirun('openmpi', MANY, 'joins.mjs', '0');
  const byThreads = await run(process.execPath, [programPath('joins.mjs'), `${MANY}`]);
  expect(byMpi.stdout, byMpi.stderr).toBe(byThreads.stdout.replace('threads', 'mpi'));
  expect(byMpi.code).toBe(0);
});

test.skipIf(!libraries.mpich)('a rank that is late is waited for', async () => {
  const { code, stdout, stderr } = await mpirun('mpich', 3, 'deviates.mjs', 'is late');
  expect(linesByRank(stdout), stderr).toEqual(Array(3).fill('no error'));
  expect(code).toBe(0);
});

test.skipIf(!libraries.openmpi)('the command line has the answer of as many threads', async () => {
  const bin = fileURLToPath(new URL('../../dist/bin.node.js', import.meta.url));
  const args = ['solve', 'gallery:laplace2d5?nx=40&ny=30', '--json', '--ranks'];
  const byMpi = await run('mpirun.openmpi', [...FLAGS.openmpi, '-n', '3', process.execPath, bin, ...args], ENV);
  const byThreads = await run(process.execPath, [bin, ...args, '3']);
  const pick = (stdout: string) => {
    const { ranks, iterations, relativeResidual, halo } = JSON.parse(stdout);
    return { ranks, iterations, relativeResidual, halo };
  };
  expect(byMpi.code, byMpi.stderr).toBe(0);
  expect(pick(byMpi.stdout)).toEqual(pick(byThreads.stdout));
});

test.skipIf(!libraries.mpich)(
  'the program of the documentation, which asks for 4 threads, runs on 2 processes',
  async () => {
    const program = docsProgram();
    const command = [...FLAGS.mpich, '-n', '2', process.execPath, program];
    const { code, stdout, stderr } = await run('mpirun.mpich', command, ENV);
    rmSync(dirname(program), { recursive: true });
    expect(stdout, stderr).toMatch(/^\d+ 90000 \{ own: 300, most: 300, total: 600 \}\n$/);
    expect(code).toBe(0);
  },
);

/** Sets the variables of srun, and those of mpirun not: as PMIx starts the processes of both. */
const SRUN = `unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK
  export SLURM_PROCID=$PMIX_RANK SLURM_NTASKS=3 SLURM_STEP_NUM_TASKS=3
  exec "$@"`;

test.skipIf(!libraries.openmpi)('srun with PMIx is a launcher', async () => {
  const command = ['sh', '-c', SRUN, 'sh', process.execPath, programPath('joins.mjs'), '4'];
  const { stdout, stderr } = await run('mpirun.openmpi', [...FLAGS.openmpi, '-n', '3', ...command], ENV);
  expect(stdout, stderr).toContain('3 ranks by mpi: true');
});

test.skipIf(!(libraries.openmpi || libraries.mpich))(
  'tasks of srun that do not find each other are an error on each',
  async () => {
    const tasks = ['0', '1'].map((rank) => {
      const env = { ...ENV, PMIX_RANK: rank, SLURM_PROCID: rank, SLURM_NTASKS: '2' };
      return run(process.execPath, [programPath('joins.mjs'), '2'], env);
    });
    for (const { code, stdout, stderr } of await Promise.all(tasks)) {
      expect(stderr).toMatch(
        /mpi: expected the 2 ranks of srun, got 1 by an addon for .*: srun --mpi=pmix for Open MPI/,
      );
      expect([code, stdout]).toEqual([1, '']);
    }
  },
);

test.skipIf(!libraries.openmpi)('a process of PMIx that finds no other gets a hint', async () => {
  const { stdout, stderr } = await run(process.execPath, [programPath('hints.mjs')], { ...ENV, PMIX_RANK: '0' });
  const message = 'a launcher with PMIx started this program, and MPI finds no other process, so it is one rank';
  expect(JSON.parse(linesByRank(stdout)[0] || '{}'), stderr).toMatchObject({ size: 1, hints: [['one-rank', message]] });
});

test.skipIf(!(libraries.openmpi && libraries.mpich))(
  'the addon of another MPI than that of mpirun is an error',
  async () => {
    const command = ['env', 'OMPI_COMM_WORLD_SIZE=2', process.execPath, programPath('joins.mjs'), '0'];
    const { code, stdout, stderr } = await run('mpirun.mpich', ['-n', '2', ...command], ENV);
    expect(stdout).toBe('');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/mpi: expected the 2 ranks of Open MPI's mpirun, got 1 by an addon for Open MPI v\d/);
  },
);

test.each([
  ['n', []],
  ['y', ['UCX_MEM_EVENTS=y']],
])('the loader of the addon sets UCX_MEM_EVENTS: %s, where the environment has %j', async (expected, set) => {
  const loader = new URL('../../mpi/index.js', import.meta.url).href;
  const load = `import { loadAddon } from '${loader}'; try { loadAddon() } catch {} console.log(process.env.UCX_MEM_EVENTS)`;
  const node = [process.execPath, '--input-type=module', '-e', load];
  const { stdout } = await run('env', ['-u', 'UCX_MEM_EVENTS', ...set, ...node]);
  expect(stdout).toBe(`${expected}\n`);
});

test('the status says what there is', async () => {
  const status = await mpiStatus();
  expect(status.startedBy).toBeUndefined();
  if (libraries.openmpi || libraries.mpich) expect(status).toMatchObject({ state: 'ok', message: status.library });
  else expect(status.state).not.toBe('ok');
  expect(status.message).toMatch(/MPI|@sparlane\/mpi/);
});

/**
 * Ranks on several hosts, which are namespaces of this machine: by Open MPI and by MPICH. Where namespaces are not allowed, or an MPI or its addon is missing,
 * these tests are skipped, and say so.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { MpiLibrary } from '#dist/index.node.js';
import { compareWithModel, measureNetwork, networkOf, SLOW } from '../../bench/ranks/network.mjs';
import { withHosts } from '../../scripts/cluster/hosts.mjs';
import { findMpi } from './find-mpi.js';
import { MOST_MS, ownLines, programPath, run } from './run-program.js';

interface Cluster {
  mpirun(library: MpiLibrary, ranks: number, ...command: string[]): string[];
  onHost(host: string, command: string): Promise<unknown>;
  kill(host: string): Promise<void>;
  unplug(host: string): Promise<void>;
}

const whyNoHosts: string | undefined = await withHosts({ hosts: 2 }, () => undefined).catch(
  ({ message }: Error) => message,
);
if (whyNoHosts !== undefined) process.stderr.write(`SKIPPED: tests of ranks on hosts of namespaces: ${whyNoHosts}\n`);
const libraries = { openmpi: await findMpi('openmpi'), mpich: await findMpi('mpich') };

/** Starts a program on as many ranks as there are hosts. */
function start(cluster: Cluster, library: MpiLibrary, hosts: number, ...program: string[]) {
  const [command, ...args] = cluster.mpirun(library, hosts, process.execPath, ...program);
  const child = spawn(command!, args);
  return { child, closed: once(child, 'close').then(([code]) => code as number | null) };
}

async function firstLine({ stdout, stderr }: ChildProcess, closed: Promise<unknown>): Promise<string> {
  let errors = '';
  stderr!.on('data', (chunk) => {
    errors += chunk;
  });
  const line = await Promise.race([once(stdout!, 'data'), closed.then(() => errors)]);
  return `${line}`;
}

const PATIENCE_MS = 4 * MOST_MS;
const POLL_MS = 100;
/** Linux acknowledges data at most 200 ms after they have arrived. */
const ACKNOWLEDGED_MS = 300;

/** Returns the time until it happens, or more than `PATIENCE_MS`. */
async function msUntil(isSo: () => boolean | Promise<boolean>): Promise<number> {
  const begin = performance.now();
  while (performance.now() - begin < PATIENCE_MS && !(await isSo())) await setTimeout(POLL_MS);
  return performance.now() - begin;
}

/** Whether ranks run on a host; false if it was killed. */
async function hasRanks(cluster: Cluster, host: string): Promise<boolean> {
  return cluster.onHost(host, 'pidof node').then(
    () => true,
    () => false,
  );
}

describe.each(['openmpi', 'mpich'] as const)('%s', (library) => {
  const testHosts = test.skipIf(whyNoHosts !== undefined || !libraries[library]);

  testHosts.each([2, 4])('cg on %d hosts has the bits of as many threads', async (hosts) => {
    const threads = await run(process.execPath, [programPath('joins.mjs'), `${hosts}`]);
    await withHosts({ hosts }, async (cluster: Cluster) => {
      // MPI_Finalize of MPICH before 4.2 did not return in a third of the runs.
      const times = library === 'mpich' && hosts === 2 ? 3 : 1;
      for (let time = 0; time < times; time++) {
        const { child, closed } = start(cluster, library, hosts, programPath('joins.mjs'), '0');
        expect(await firstLine(child, closed)).toBe(threads.stdout.replace('threads', 'mpi'));
        expect(await closed).toBe(0);
      }
    });
  });

  const LOSSES = {
    'rank is killed': (cluster: Cluster, host: string) => cluster.onHost(host, 'kill -KILL $(pidof node)'),
    'host is killed': (cluster: Cluster, host: string) => cluster.kill(host),
    'host is cut off': (cluster: Cluster, host: string) => cluster.unplug(host),
  };
  // Ranks that are killed on one host are in `lost-ranks.long.test.ts`.
  testHosts.each([
    [1, 2, 'rank is killed'],
    [0, 2, 'host is killed'],
    [1, 3, 'host is killed'],
    [0, 2, 'host is cut off'],
    [1, 2, 'host is cut off'],
  ] as const)(
    'of rank %d on %d hosts in a step, the %s: all ranks end, and one line says why',
    async (rank, size, what) => {
      await withHosts({ hosts: size }, async (cluster: Cluster) => {
        const { child, closed } = start(cluster, library, size, programPath('steps.mjs'), '0');
        let stderr = '';
        child.stderr!.on('data', (chunk) => {
          stderr += chunk;
        });
        expect(await firstLine(child, closed)).toBe('steps\n');
        const host = `host${rank + 1}`;
        // While the line is not acknowledged, the daemon of Open MPI repeats it, for a quarter of an hour, and sends no probes.
        await setTimeout(ACKNOWLEDGED_MS);
        await LOSSES[what](cluster, host);
        const hosts = Array.from({ length: size }, (_, i) => `host${i + 1}`);
        const anyRuns = async () => (await Promise.all(hosts.map((name) => hasRanks(cluster, name)))).includes(true);
        expect(await msUntil(async () => !(await anyRuns())), stderr).toBeLessThan(MOST_MS);
        const isCutOff = what === 'host is cut off';
        // mpirun of MPICH waits for a host that does not answer.
        if (library === 'openmpi' || !isCutOff) {
          expect(await msUntil(() => child.exitCode !== null), stderr).toBeLessThan(MOST_MS);
          expect(child.exitCode).toBeGreaterThan(0);
          await closed;
        }
        // The guard is on the host of rank 0. If that is lost, the first rank of another host speaks.
        const speaks = rank === 0 ? 1 : 0;
        const how = isCutOff ? 'does not answer' : 'died';
        const line = `^sparlane: rank ${rank} of ${size} on ${host} ${how}; the last call of rank ${speaks} was `;
        const lines = ownLines({ stderr });
        if (library === 'openmpi' && isCutOff) {
          // Here mpirun names the host.
          expect(lines).toEqual([]);
          expect(stderr).toContain(`on node ${host}`);
        } else if (lines.length === 0 && !isCutOff && (library === 'mpich' || what === 'host is killed')) {
          // mpirun may end by an error of its own before it has passed on what ranks have printed.
          expect(stderr).toMatch(/^\[mpiexec@|^ORTE /m);
        } else expect(lines).toEqual([expect.stringMatching(line)]);
      });
    },
  );

  // Times of messages mean nothing beside other tests: SPARLANE_QUIET=1 says that this one has the machine to itself.
  const testTimes = test.skipIf(whyNoHosts !== undefined || !libraries[library] || process.env.SPARLANE_QUIET !== '1');
  testTimes('communication takes the time of the model', { retry: 2 }, async () => {
    const ofTwo = await measureNetwork(library, 2, SLOW);
    const network = networkOf(library, ofTwo);
    const compared = [
      ...compareWithModel(network, 2, ofTwo),
      ...compareWithModel(network, 4, await measureNetwork(library, 4, SLOW)),
    ];
    const far = compared.filter(({ measured, expected }) => Math.abs(measured / expected - 1) > 0.2);
    expect(far).toEqual([]);
  });
});

/**
 * Ranks on several hosts, which are namespaces of this machine: by Open MPI and by MPICH. Where namespaces are not allowed, or an MPI or its addon is missing,
 * these tests are skipped, and say so.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { MpiLibrary } from '#dist/index.node.js';
import { compareWithModel, measureNetwork, networkOf, SLOW } from '../../bench/ranks/network.mjs';
import { withHosts } from '../../scripts/cluster/hosts.mjs';
import { findMpi } from './find-mpi.js';
import { programPath, run } from './run-program.js';

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

const MOST_MS = 5000;

async function msUntil(end: Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let timer: NodeJS.Timeout;
  const tooLong = new Promise((resolve) => {
    timer = setTimeout(resolve, 4 * MOST_MS);
  });
  await Promise.race([end, tooLong]);
  clearTimeout(timer!);
  return performance.now() - begin;
}

describe.each(['openmpi', 'mpich'] as const)('%s', (library) => {
  const testHosts = test.skipIf(whyNoHosts !== undefined || !libraries[library]);

  testHosts.each([2, 4])('cg on %d hosts has the bits of as many threads', async (hosts) => {
    const threads = await run(process.execPath, [programPath('joins.mjs'), `${hosts}`]);
    await withHosts({ hosts }, async (cluster: Cluster) => {
      // MPI_Finalize of MPICH before 4.2 did not return in a third of the runs.
      const times = library === 'mpich' ? 3 : 1;
      for (let time = 0; time < times; time++) {
        const { child, closed } = start(cluster, library, hosts, programPath('joins.mjs'), '0');
        expect(await firstLine(child, closed)).toBe(threads.stdout.replace('threads', 'mpi'));
        expect(await closed).toBe(0);
      }
    });
  });

  const kills: [string, (cluster: Cluster) => Promise<unknown>][] = [
    ['rank is killed', (cluster) => cluster.onHost('host2', 'kill -KILL $(pidof node)')],
    ['host is killed', (cluster) => cluster.kill('host2')],
  ];
  // MPICH does not notice a host that says nothing.
  if (library === 'openmpi') kills.push(['host is cut off', (cluster) => cluster.unplug('host2')]);

  testHosts.each(kills)('a %s in a step: all ranks end', async (_, end) => {
    await withHosts({ hosts: 3 }, async (cluster: Cluster) => {
      const { child, closed } = start(cluster, library, 3, programPath('steps.mjs'), '0');
      expect(await firstLine(child, closed)).toBe('steps\n');
      await end(cluster);
      expect(await msUntil(closed)).toBeLessThan(MOST_MS);
      expect(child.exitCode).toBeGreaterThan(0);
    });
  });

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

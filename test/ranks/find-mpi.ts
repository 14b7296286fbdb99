/** Ranks of an MPI are tested where its addon and its mpirun are there; and how they are started. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { MpiLibrary } from '#dist/index.node.js';
import type { Run } from './conform.js';
import { type Ended, programPath, run } from './run-program.js';

/** Open MPI refuses to run as root, or more ranks than cores, unless it is told. */
export const ENV = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', NO_COLOR: '1' };
/** Ranks that are bound to cores which other tests use would wait for their turns at each wait for each other. */
export const FLAGS = { openmpi: ['--oversubscribe', '--bind-to', 'none'], mpich: [] } as const;

const addon = (library: MpiLibrary) =>
  fileURLToPath(new URL(`../../mpi/${process.platform}-${process.arch}/sparlane_mpi.${library}.node`, import.meta.url));

/** Returns whether both the addon and mpirun are there. If not, a line says that tests are skipped; with SPARLANE_REQUIRE_MPI this is an error. */
export async function findMpi(library: MpiLibrary): Promise<boolean> {
  const isBuilt = existsSync(addon(library));
  const { code } = await run(`mpirun.${library}`, ['--version']);
  if (isBuilt && code === 0) return true;
  const what = isBuilt ? `there is no mpirun.${library}` : `${addon(library)} is not built (npm run build:mpi)`;
  if (process.env.SPARLANE_REQUIRE_MPI) throw new Error(`tests of MPI: ${what}`);
  process.stderr.write(`SKIPPED: tests of ranks by ${library}: ${what}\n`);
  return false;
}

/** Runs a program of the tests on ranks of this host. */
export function mpirun(library: MpiLibrary, ranks: number, program: string, ...args: string[]): Promise<Ended> {
  const command = [process.execPath, programPath(program), ...args];
  return run(`mpirun.${library}`, [...FLAGS[library], '-n', `${ranks}`, ...command], ENV);
}

/** Runs programs on the same ranks of this host, one after the other. @returns what each of them returned, which must be the same on every rank */
export async function onMpi(library: MpiLibrary, ranks: number, programs: readonly Run[]): Promise<unknown[]> {
  const { stdout, stderr } = await mpirun(library, ranks, 'on-mpi.mjs', JSON.stringify(programs));
  const lines = stdout.trimEnd().split('\n');
  return programs.map(([name], k) => {
    expect(lines[k], `${name}: ${stderr}`).toMatch(/^true ./);
    return JSON.parse(lines[k]!.slice('true '.length));
  });
}

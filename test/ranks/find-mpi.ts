/** Ranks of an MPI are tested where its addon and its mpirun are there. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MpiLibrary } from '#dist/index.node.js';
import { run } from './run-program.js';

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

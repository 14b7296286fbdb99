/** Ranks that `mpirun` started, by the addon of `@sparlane/mpi`. Detects what is missing. */
import type { Addon } from '@sparlane/mpi';
import { SparlaneError } from '../core/errors.js';
import { MpiTransport } from './mpi-transport.js';

/** The implementations of MPI that differ in how a program is started and linked. */
export type MpiLibrary = 'openmpi' | 'mpich';

/**
 * - `not-installed`: `@sparlane/mpi` is not installed
 * - `cannot-load`: it is installed, but its addon cannot be loaded: not built, or a missing library
 * - `ok`: it can be used
 */
export type MpiState = 'not-installed' | 'cannot-load' | 'ok';

export interface MpiStatus {
  readonly state: MpiState;
  /** One sentence for the user. */
  readonly message: string;
  /** The mpirun that started this program. */
  readonly startedBy?: MpiLibrary;
  /** What the MPI of the addon says that it is. */
  readonly library?: string;
}

/** The state of MPI in this process. Never throws, and does not join. */
export async function mpiStatus(): Promise<MpiStatus> {
  return (await find()).status;
}

/** The mpirun that started this program, by what it sets in the environment. */
export function startedByMpi(): MpiLibrary | undefined {
  const { env } = process;
  if (env.OMPI_COMM_WORLD_SIZE !== undefined) return 'openmpi';
  return env.PMI_SIZE !== undefined ? 'mpich' : undefined;
}

/** Not a literal in the import, which compilers and bundlers would try to resolve. */
const PACKAGE = '@sparlane/mpi';

async function find(): Promise<{ readonly status: MpiStatus; readonly native?: Addon }> {
  const startedBy = startedByMpi();
  const known = startedBy === undefined ? {} : { startedBy };
  let loadAddon: (library?: MpiLibrary) => Addon;
  try {
    ({ loadAddon } = await import(PACKAGE));
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    const message = isMissing ? `${PACKAGE} is not installed` : `${error}`;
    return { status: { state: isMissing ? 'not-installed' : 'cannot-load', message, ...known } };
  }
  try {
    const native = loadAddon(startedBy);
    const library = native.library().split(/[\n,]/)[0]!.replace(/\s+/g, ' ').trim();
    return { status: { state: 'ok', message: library, library, ...known }, native };
  } catch (error) {
    const message = `the addon of ${PACKAGE} cannot be loaded: ${(error as Error).message.split('\n')[0]}`;
    return { status: { state: 'cannot-load', message, ...known } };
  }
}

/**
 * Joins the ranks that mpirun started.
 *
 * @throws SparlaneError `backend` if there is no addon, or if its MPI is not that of mpirun
 */
export async function joinMpi(): Promise<MpiTransport> {
  const { status, native } = await find();
  if (native === undefined)
    throw new SparlaneError('backend', `mpi: expected an addon for ${status.startedBy}, got none: ${status.message}`);
  const { rank, size, neighbours } = native.init();
  const started = Number(process.env.OMPI_COMM_WORLD_SIZE ?? process.env.PMI_SIZE);
  if (size !== started) {
    const message = `mpi: expected the ${started} ranks of ${status.startedBy}'s mpirun, got ${size} by an addon for ${status.library}`;
    throw new SparlaneError('backend', message, { started, size });
  }
  const { OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID } = process.env;
  const place = Number(OMPI_COMM_WORLD_LOCAL_RANK ?? MPI_LOCALRANKID ?? rank % neighbours);
  return new MpiTransport(native, { rank, size, place, neighbours });
}

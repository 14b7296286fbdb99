/** Finds the addon of `@sparlane/mpi`, and joins the ranks that a launcher of MPI started. Detects what is missing. */
import type { Addon } from '@sparlane/mpi';
import { SparlaneError } from '../core/errors.js';
import { LAUNCHERS, type Launched, launchedBy, type MpiLauncher, type MpiLibrary } from './launcher.node.js';
import { joinGuard, startGuard } from './mpi-guard.node.js';
import { MpiTransport } from './mpi-transport.js';
import type { Transport } from './transport.js';

/**
 * - `not-installed`: `@sparlane/mpi` is not installed
 * - `cannot-load`: it is installed, but its addon cannot be loaded: not built, or a missing library
 * - `ok`: it can be used
 */
export type MpiState = 'not-installed' | 'cannot-load' | 'ok';

/** Whether ranks of MPI can be used, and if not, why. */
export interface MpiStatus {
  readonly state: MpiState;
  /** One sentence for the user. */
  readonly message: string;
  /** What started this program as one of several processes. */
  readonly startedBy?: MpiLauncher;
  /** What the MPI of the addon says that it is. */
  readonly library?: string;
}

/** The state of MPI in this process. Never throws, and does not join. */
export async function mpiStatus(): Promise<MpiStatus> {
  const launched = launchedBy();
  const { status } = await find(launched?.library);
  return launched === undefined ? status : { ...status, startedBy: launched.by };
}

/** Not a literal in the import, which compilers and bundlers would try to resolve. */
const PACKAGE = '@sparlane/mpi';

interface Found {
  readonly status: MpiStatus;
  readonly native?: Addon;
  /** The program of the guard. */
  readonly guardPath?: string;
}

async function find(wanted: MpiLibrary | undefined): Promise<Found> {
  let loadAddon: (library?: MpiLibrary) => Addon;
  let guardPath: () => string;
  try {
    ({ loadAddon, guardPath } = await import(PACKAGE));
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    const message = isMissing ? `${PACKAGE} is not installed` : `${error}`;
    return { status: { state: isMissing ? 'not-installed' : 'cannot-load', message } };
  }
  try {
    const native = loadAddon(wanted);
    const library = native.library().split(/[\n,]/)[0]!.replace(/\s+/g, ' ').trim();
    return { status: { state: 'ok', message: library, library }, native, guardPath: guardPath() };
  } catch (error) {
    const message = `the addon of ${PACKAGE} cannot be loaded: ${(error as Error).message.split('\n')[0]}`;
    return { status: { state: 'cannot-load', message } };
  }
}

/**
 * Joins the ranks that a launcher started.
 *
 * @returns an `MpiTransport`; the declarations of the package must not need those of the addon, which is optional
 * @throws SparlaneError `backend` if there is no addon, or if its MPI does not find the processes of the launcher
 */
export async function joinMpi({ by, library, size: started, rank: place }: Launched): Promise<Transport> {
  const { name, advice } = LAUNCHERS[by];
  const { status, native, guardPath } = await find(library);
  if (native === undefined || guardPath === undefined)
    throw new SparlaneError('backend', `mpi: expected an addon for ${name}, got none: ${status.message}`);
  const guard = place === 0 && started !== 1 ? await startGuard(native, guardPath) : undefined;
  const joined = native.init();
  const { size } = joined;
  // A process that is not the first one is not alone.
  if (started === undefined ? place >= size : started !== size) {
    const expected = started === undefined ? `rank ${place} and those before` : `the ${started} ranks`;
    const message = `mpi: expected ${expected} of ${name}, got ${size} by an addon for ${status.library}: ${advice}`;
    throw new SparlaneError('backend', message, { size, ...(started !== undefined && { started }) });
  }
  const transport = new MpiTransport(native, joined);
  if (size > 1) joinGuard(transport, guard, by);
  return transport;
}

/** Ranks that `mpirun` started, by the addon of `@sparlane/mpi`. Detects what is missing. */
import type { Addon } from '@sparlane/mpi';
import { SparlaneError } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { END, type Exchange, FRAME, type Received, type Sent, type Transport } from './transport.js';

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
 * Joins the ranks that mpirun started. The rank leaves when the process ends; if it ends with an error, it says so in a line and ends the others.
 *
 * @throws SparlaneError `backend` if there is no addon, or if its MPI is not that of mpirun
 */
export async function joinMpi(): Promise<Transport> {
  const { status, native } = await find();
  if (native === undefined)
    throw new SparlaneError('backend', `mpi: expected an addon for ${status.startedBy}, got none: ${status.message}`);
  const { rank, size, neighbours } = native.init();
  const started = Number(process.env.OMPI_COMM_WORLD_SIZE ?? process.env.PMI_SIZE);
  if (size !== started) {
    const message = `mpi: expected the ${started} ranks of ${status.startedBy}'s mpirun, got ${size} by an addon for ${status.library}`;
    throw new SparlaneError('backend', message, { started, size });
  }
  leaveAtExit(native, rank, size);
  return new MpiTransport(native, rank, size, neighbours);
}

function leaveAtExit(native: Addon, rank: number, size: number): void {
  let hasLeft = false;
  const leave = () => {
    hasLeft = true;
    const all = new Float64Array(FRAME * size);
    const frame = new Float64Array(FRAME);
    frame[0] = END;
    native.gather(bytesOf(frame), bytesOf(all));
    const other = Array.from({ length: size }, (_, r) => r).find((r) => all[r * FRAME] !== END);
    if (other === undefined) native.finalize();
    else abort(`ended, and rank ${other} goes on`, 1);
  };
  const abort = (what: string, code: number, stack = '') => {
    process.stderr.write(`sparlane: rank ${rank} of ${size} ${what}\n${stack}`);
    native.abort(code);
  };
  let problem: Error | undefined;
  process.on('uncaughtExceptionMonitor', (error) => {
    problem = error;
  });
  // An end without an error or a call of process.exit, whatever its code.
  process.once('beforeExit', leave);
  process.once('exit', (code) => {
    if (hasLeft) return;
    if (code === 0) leave();
    else if (problem === undefined) abort(`ended with exit code ${code}`, code);
    // Node would print the stack after this.
    else abort(`ended: ${String(problem).split('\n')[0]}`, code, `${problem.stack ?? ''}\n`);
  });
}

/** MPI counts bytes by 32-bit numbers. */
const MOST_BYTES = 2 ** 30;

/** A tag that every MPI allows. */
const MOST_TAGS = 32_768;

class MpiTransport implements Transport {
  readonly kind = 'mpi';
  readonly rank: number;
  readonly size: number;
  readonly neighbours: number;
  readonly place: number;
  readonly #native: Addon;
  #exchanges = 0;

  constructor(native: Addon, rank: number, size: number, neighbours: number) {
    this.#native = native;
    this.rank = rank;
    this.size = size;
    this.neighbours = neighbours;
    const { OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID } = process.env;
    this.place = Number(OMPI_COMM_WORLD_LOCAL_RANK ?? MPI_LOCALRANKID ?? rank % neighbours);
  }

  setCrowded(isCrowded: boolean): void {
    this.#native.setCrowded(isCrowded);
  }

  gatherFrames(frame: Float64Array, all: Float64Array): void {
    this.#native.gather(bytesOf(frame), bytesOf(all));
  }

  gatherBytes(mine: Uint8Array, counts: readonly number[], all: Uint8Array): void {
    if (all.length <= MOST_BYTES) {
      this.#native.gatherCounts(mine, Int32Array.from(counts), all);
      return;
    }
    let first = 0;
    counts.forEach((count, rank) => {
      const part = all.subarray(first, first + count);
      if (rank === this.rank) part.set(mine);
      this.broadcast(part, rank);
      first += count;
    });
  }

  broadcast(bytes: Uint8Array, root: number): void {
    for (let done = 0; done < bytes.length; done += MOST_BYTES)
      this.#native.broadcast(bytes.subarray(done, done + MOST_BYTES), root);
  }

  exchange(type: FloatArrayConstructor, sends: readonly Sent[], receives: readonly Received[]): Exchange {
    const native = this.#native;
    const buffers: readonly FloatArray[] = sends.map(({ count }) => new type(count));
    const handle = native.exchange(
      this.#exchanges++ % MOST_TAGS,
      Int32Array.from(sends, ({ rank }) => rank),
      buffers.map(bytesOf),
      Int32Array.from(receives, ({ rank }) => rank),
      receives.map(({ into }) => bytesOf(into)),
    );
    return {
      outgoing: (i) => buffers[i]!,
      start: () => native.start(handle),
      finish: () => native.finish(handle),
      [Symbol.dispose]: () => native.release(handle),
    };
  }

  /** A process leaves when it ends. */
  leave(): void {}
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * The guard of ranks under MPI: a process that rank 0 starts, and that outlives ranks which are killed. It names the first rank that is lost in one line, and
 * the others end, unless the launcher is quicker. Where it does not start, or a rank does not reach it, the launcher alone notices that a rank is lost.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, hostname } from 'node:os';
import type { Addon } from '@sparlane/mpi';
import type { MpiLauncher } from './launcher.node.js';
import type { MpiTransport } from './mpi-transport.js';

/** Where ranks find the guard. */
interface Guard {
  readonly host: string;
  readonly port: string;
  /** A rank sends this word first, so that the guard knows it from other programs. */
  readonly word: string;
}

/** Bytes in which rank 0 tells the others of the guard. The name of a host has at most 64. */
const GUARD_BYTES = 256;

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Called before MPI is initialized, which some libraries beneath it need of a process that starts another one. */
export async function startGuard(native: Addon, path: string): Promise<Guard | undefined> {
  try {
    // A session of its own, since launchers kill whole groups of processes.
    const guard = spawn(path, { detached: true, stdio: ['pipe', 'pipe', 'inherit', native.openLastCall()] });
    const failed = once(guard, 'exit').then(() => undefined);
    const line = await Promise.race([once(guard.stdout!, 'data'), failed]);
    guard.unref();
    const [port, word] = `${line}`.trim().split(' ');
    return line && { host: hostname(), port: port!, word: word! };
  } catch {
    return undefined;
  }
}

/**
 * Connects this rank with the guard. Called by all ranks.
 *
 * @param started on rank 0
 * @param by Open MPI's mpirun ends all ranks, also when a host is cut off. If they end before, or if a daemon on that host has still to send what a rank has
 *   printed, it does not notice that (4.1)
 */
export function joinGuard(transport: MpiTransport, started: Guard | undefined, by: MpiLauncher): void {
  const { native, rank } = transport;
  const bytes = new Uint8Array(GUARD_BYTES).fill(' '.charCodeAt(0));
  new TextEncoder().encodeInto(JSON.stringify(started ?? null), bytes);
  transport.broadcast(bytes, 0);
  const guard: Guard | null = JSON.parse(new TextDecoder().decode(bytes));
  if (guard === null) return;
  const name = hostname();
  const isBeside = name === guard.host;
  const all = new Uint8Array(transport.size);
  transport.gatherBytes(Uint8Array.of(isBeside ? 0 : 1), new Array<number>(transport.size).fill(1), all);
  // The first rank of another host reports that of the guard.
  const reports = all.indexOf(1) === rank ? guard.host : '';
  if (reports !== '') native.openLastCall();
  const signals = ENDING_SIGNALS.filter((signal) => process.listenerCount(signal) === 0);
  const numbers = Int32Array.from(signals, (signal) => constants.signals[signal]);
  const host = isBeside ? '127.0.0.1' : guard.host;
  native.joinGuard(host, guard.port, guard.word, name, reports, numbers, by !== 'openmpi');
}

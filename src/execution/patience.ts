/**
 * The time that rank 0 waits for a part of a thread that makes no progress. A thread that is alive may be kept off its
 * core, by other processes or by a debugger, for seconds. A thread that has ended never finishes its part.
 */
import { SparlaneError } from '../core/errors.js';
import { WAIT_MS } from './control.js';
import type { Pool } from './pool.js';

/** Number of consecutive waits without another finished part, after which a part is given up. */
const PATIENCE = {
  /** A thread has ended. */
  lost: 8,
  /** The platform does not report whether a thread has ended. */
  unknown: 12,
  /** No thread has ended. */
  alive: 600,
};

/** The allowed number of waits without progress, for the present state of a pool. */
export function patienceWith(pool: Pool): number {
  if (pool.hasLost === undefined) return PATIENCE.unknown;
  return pool.hasLost() ? PATIENCE.lost : PATIENCE.alive;
}

/** The error for a part that was given up after `waits` waits without progress. */
export function silentPart(part: number, parts: number, rank: number, waits: number): SparlaneError {
  const expected = `its result within ${waits * WAIT_MS} ms of the others`;
  const got = waits === PATIENCE.lost ? 'the end of a thread' : 'no answer';
  const message = `part ${part} of ${parts} on thread ${rank}: expected ${expected}, got ${got}`;
  return new SparlaneError('backend', message, { part, parts, rank });
}

/** The error for a part whose kernel trapped. */
export function trappedPart(part: number, parts: number, rank: number, cause: unknown): SparlaneError {
  const message = `part ${part} of ${parts} on thread ${rank}: expected sums, got ${cause}`;
  return new SparlaneError('kernel', message, { part, parts, rank }, { cause });
}

/**
 * How long rank 0 waits for a part that a silent thread has taken. A thread that is alive may have been kept off its core,
 * by other processes or by a debugger, which can take seconds; one that has ended never brings its part.
 */
import { SparlaneError } from '../core/errors.js';
import { WAIT_MS } from './control.js';
import type { Pool } from './pool.js';

/** Waits in a row without another part finished, after which a part is given up. */
const PATIENCE = {
  /** A thread has ended. */
  lost: 8,
  /** The platform does not say whether one has. */
  unknown: 12,
  /** None has. */
  alive: 600,
};

/** How many silent waits a pool's threads may cost now. */
export function patienceWith(pool: Pool): number {
  if (pool.hasLost === undefined) return PATIENCE.unknown;
  return pool.hasLost() ? PATIENCE.lost : PATIENCE.alive;
}

/** The error for a part that was given up after so many silent waits. */
export function silentPart(part: number, parts: number, rank: number, waits: number): SparlaneError {
  const expected = `it within ${waits * WAIT_MS} ms of the others`;
  const got = waits === PATIENCE.lost ? 'the end of a thread' : 'silence';
  const message = `part ${part} of ${parts} on thread ${rank}: expected ${expected}, got ${got}`;
  return new SparlaneError('backend', message, { part, parts, rank });
}

/**
 * How many steps are queued between two checks of the residual. In the heap a check costs nothing. On a device it waits until all steps are done, and
 * the device until the next ones are queued, some 30 µs; steps after the last one that was needed are lost. So the steps between two checks
 * are to take some 30 times as long as a check. Their number depends on the sizes of A and M alone, so a solve has the same steps every time.
 */

import { MatrixOperator } from '../operators/matrix-operator.js';
import type { LinearOperator } from '../operators/operator.js';
import { Preconditioner } from '../preconditioners/preconditioner.js';

/** A step takes the time of its launches, and of its bytes; the steps between two checks are to take the last of these times. Measured on an H200 (`bench/cuda/steps.mjs`). */
const LAUNCHES_US = 10;
const BYTES_PER_US = 4e6;
const BETWEEN_CHECKS_US = 1000;
/** Vectors that a step reads and writes. */
const VECTORS = 15;
const MOST = 16;
/** Ranks have parts of different sizes, so they all take this number. */
const OF_RANKS = 8;

export function stepsBetweenChecks(A: LinearOperator, M: LinearOperator | undefined): number {
  if (A.space.heap !== undefined) return 1;
  if (A.space.ranks !== undefined) return OF_RANKS;
  const matrixBytes = A instanceof MatrixOperator ? A.matrix.cost().bytes : 0;
  const preconditionerBytes = M instanceof Preconditioner ? M.bytes : 0;
  const bytes = matrixBytes + preconditionerBytes + VECTORS * A.rows * A.vectorType.BYTES_PER_ELEMENT;
  const stepUs = LAUNCHES_US + bytes / BYTES_PER_US;
  return Math.min(MOST, Math.max(1, Math.round(BETWEEN_CHECKS_US / stepUs)));
}

/** What a frame says at a meeting: the call, and the exchanges before. */
import type { SparlaneError } from '../core/errors.js';
import { CALLS, type Call, describeMeeting, exchangesIn, outOfStepError } from './calls.js';
import { FRAME, type Transport } from './transport.js';

/** Every count of numbers in a call is below this one. Chosen. */
const COUNTS = 2 ** 16;

/** A frame has so many numbers after those that say what it is about. */
export const ROOM: number = FRAME - 2;

/** The first number of a frame. @param numbers their count */
export function headOf(call: Call, numbers: number): number {
  return CALLS.indexOf(call) * COUNTS + numbers;
}

/** Checks that all ranks are in the call of this one. @throws SparlaneError `backend` if one is not; all of them learn of it */
export function checkFrames(transport: Transport, mine: Float64Array, all: Float64Array): void {
  for (let rank = 0; rank < transport.size; rank++)
    checkFrame(transport, mine, rank, all.subarray(rank * FRAME, (rank + 1) * FRAME));
}

/** Checks that one other rank is in the call of this one. @throws as `checkFrames` */
export function checkFrame(transport: Transport, mine: Float64Array, other: number, theirs: Float64Array): void {
  if (theirs[0] !== mine[0] || theirs[1] !== mine[1])
    throw transport.breakUp(differenceOf(transport, mine, other, theirs));
}

/** The error of ranks that call different things, or that have made different exchanges before. */
function differenceOf(
  { rank, members, calls }: Transport,
  mine: Float64Array,
  other: number,
  theirs: Float64Array,
): SparlaneError {
  const [me, them] = [members[rank]!, members[other]!];
  const call = (head: number) => `${describeMeeting(CALLS[Math.floor(head / COUNTS)]!, head % COUNTS)}${calls.where}`;
  if (mine[0] !== theirs[0]) {
    const both = `${call(mine[0]!)} on rank ${me} and ${call(theirs[0]!)} on rank ${them}`;
    return outOfStepError(`ranks: expected the same call on all ranks, got ${both}`, me, them);
  }
  const [before, theirBefore] = [exchangesIn(mine[1]!), exchangesIn(theirs[1]!)];
  const both =
    before === theirBefore
      ? `another order on rank ${them} than on rank ${me}`
      : `${before} on rank ${me} and ${theirBefore} on rank ${them}`;
  const text = `ranks: expected the same products and other exchanges before ${call(mine[0]!)}, got ${both}`;
  return outOfStepError(text, me, them);
}

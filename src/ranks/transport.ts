/**
 * How ranks reach each other: by MPI, through memory that threads of one process share, or not at all. `Communicator` checks that all
 * ranks call the same and builds everything else of these few calls, each of which is made by all ranks in the same order and waits.
 */
import type { SparlaneError } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { Calls } from './calls.js';

/** A launcher starts at most so many ranks. Chosen. */
export const MAX_RANKS = 4096;

/** Ranks that are threads share one process, and every pair of them may have buffers in it. Chosen. */
export const MAX_THREADS = 256;

/** Numbers of a frame: what ranks tell each other before everything else. */
export const FRAME = 16;

/** `alone`: one rank. */
export type TransportKind = 'mpi' | 'threads' | 'alone';

export interface Transport {
  readonly kind: TransportKind;
  /** From 0 to `size` − 1. */
  readonly rank: number;
  readonly size: number;
  /** Of each rank: its number among all ranks that have joined. Errors about ranks that are out of step name those. */
  readonly members: readonly number[];
  /** What this rank does with the others. Every wait belongs to the present call, so a wait for what another rank never does is an error. */
  readonly calls: Calls;
  /**
   * all[r FRAME …] ← the frame of rank r
   *
   * @param all length FRAME · size
   * @throws SparlaneError `backend` if another rank has ended or failed, or the ranks are out of step, as do the other calls
   */
  gatherFrames(frame: Float64Array, all: Float64Array): void;
  /** The same in two calls: this one waits for nothing, and is followed by `awaitFrames` before it is called again. The frame is copied. */
  startFrames(frame: Float64Array): void;
  /** all ← the frames that all ranks have started. @param call the number of the call in which they did */
  awaitFrames(all: Float64Array, call: number): void;
  /** all ← the bytes of rank 0, those of rank 1, … @param counts bytes of each rank: the same on all of them */
  gatherBytes(mine: Uint8Array, counts: readonly number[], all: Uint8Array): void;
  /** bytes ← those of rank `root`; equally many on every rank */
  broadcast(bytes: Uint8Array, root: number): void;
  /** Tells some ranks a count, each less than 2³¹. @returns what others have told this one, in the order of the ranks. Called by all ranks after a meeting */
  tellCounts(counts: readonly Told[]): readonly Told[];
  /** Prepares an exchange with neighbours that is repeated. What one rank sends to another is what that one receives from it. */
  exchange(type: FloatArrayConstructor, sends: readonly Sent[], receives: readonly Received[]): Exchange;
  /** A copy of the bytes is on its way to another rank: nobody waits. Those to one rank arrive in their order. Not a call of all ranks, as `receive` */
  send(to: number, bytes: Uint8Array): void;
  /** Waits for the next bytes of another rank, and returns them in a buffer of their own. @param what is awaited, for errors */
  receive(from: number, what: string): Uint8Array;
  /** Ranks of this machine, this one included. */
  readonly neighbours: number;
  /** The number of this rank among them, from 0. */
  readonly place: number;
  /** Whether threads outnumber cores: waits then sleep or yield at once. */
  setCrowded(isCrowded: boolean): void;
  /** This rank can be in so many groups more. */
  readonly groupsLeft: number;
  /**
   * The transport of a group of these ranks. Called by all ranks after a meeting, each with its own group.
   *
   * @param group undefined: this rank is in none, and gets no transport
   */
  split(group: RankGroup | undefined): Transport | undefined;
  /** The ranks are out of step: every wait of any rank throws from now on. @returns the problem, for the caller to throw */
  breakUp(problem: SparlaneError): SparlaneError;
  /** This rank takes no further part; it waits for nothing. */
  leave(): void;
}

/** A group of ranks that a split makes. */
export interface RankGroup {
  /** Its ranks, in their order in the group, by their numbers in the transport that is split. */
  readonly members: readonly number[];
  /** The number of this rank among them. */
  readonly rank: number;
  /** From 0 on; another group of the split has another one. */
  readonly color: number;
  /** As of `Calls`. */
  readonly where: string;
}

/** A count is told to a rank, or comes from it. */
export interface Told {
  readonly rank: number;
  readonly count: number;
}

/** Elements for another rank. */
export interface Sent {
  readonly rank: number;
  readonly count: number;
}

/** Elements from another rank, and where they belong. */
export interface Received {
  readonly rank: number;
  readonly into: FloatArray;
}

/** An exchange: fill `outgoing(i)` for all i, `start`, compute, `finish`; then again. */
export interface Exchange extends Disposable {
  /** Where the elements of send `i` must be written before the next `start`. */
  outgoing(i: number): FloatArray;
  start(): void;
  /** Returns when all elements have arrived. */
  finish(): void;
}

/** The transport of one rank. @param member its number among all ranks @param where as of `Calls` */
export function alone(member = 0, where = ''): Transport {
  const started = new Float64Array(FRAME);
  return {
    kind: 'alone',
    rank: 0,
    size: 1,
    members: [member],
    neighbours: 1,
    place: 0,
    calls: new Calls(where),
    setCrowded() {},
    gatherFrames: (frame, all) => all.set(frame),
    startFrames: (frame) => started.set(frame),
    awaitFrames: (all) => all.set(started),
    gatherBytes: (mine, _, all) => all.set(mine),
    broadcast() {},
    tellCounts: (counts) => counts,
    exchange: () => ({ outgoing: () => new Float64Array(), start() {}, finish() {}, [Symbol.dispose]() {} }),
    // There is no other rank.
    send() {},
    receive: () => new Uint8Array(),
    groupsLeft: Number.POSITIVE_INFINITY,
    split: (group) => group && alone(member, group.where),
    breakUp: (problem) => problem,
    leave() {},
  };
}

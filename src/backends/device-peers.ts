/**
 * What devices of one machine do for each other: ranks, threads or processes, exchange elements and add numbers from memory to memory. Blocks of memory are
 * offered by tickets.
 *
 * A device writes elements into *frames* on other devices, each with the number of the turn, by which these know that it has arrived. Turns are
 * counted on the devices, so what is queued here may be recorded, and launched again and again. Every rank must queue as many turns.
 */
import type { DeviceSpace } from './backend.js';

/** What devices of several ranks offer each other: blocks of memory, and transfers without the host. */
export interface DevicePeers {
  /** Returns the bytes by which every process of every machine knows this device. */
  identity(): Uint8Array;
  /** Whether this device can access the memory of the one with an identity. */
  reaches(identity: Uint8Array): boolean;
  /** Returns a new block of zeros that other ranks can take, in units of 2 MiB: others must write nothing more when it is released. */
  zeros(bytes: number): number;
  /** Offers a block of zeros, or a slice of it. @returns the `TICKET` bytes by which others take it */
  offerBlock(block: number): Uint8Array;
  /**
   * A block of another device. It is released like one's own.
   *
   * @throws SparlaneError `backend` if processes of this machine may not open memory of each other
   */
  takeBlock(ticket: Uint8Array): number;
  /**
   * Begins a turn of an exchange: queues writes of x[places[i]], elements of `width` bytes, those below `ends[0]` to the first frame, and so on.
   *
   * @param turns a block of `TURNS` zeros at first
   * @param places a block of 32-bit numbers; `NO_PLACE` stands for 0
   * @param frames two of each end, for even and odd turns: blocks of `frameBytes`, zeros at first
   */
  push(width: number, turns: number, x: number, places: number, ends: Uint32Array, frames: Uint32Array): void;
  /** Ends a turn: queues a wait until a frame of this device, the even or the odd one, is complete, and copies of its first `length` elements to y. */
  take(width: number, turns: number, y: number, length: number, even: number, odd: number): void;
  /**
   * Dot products of this queue are from now on sums over ranks, by halves, with the same bits on all of them.
   *
   * @param frames a block of each rank, of `SUM_FRAME` zeros at first
   */
  sumDots(frames: Uint32Array, rank: number): void;
}

/** A ticket has so many bytes. */
export const TICKET = 112;

/** A device counts the turns of an exchange in so many bytes. */
export const TURNS = 8;

/** This place stands for the number 0. */
export const NO_PLACE: number = 2 ** 32 - 1;

/** At most so many ranks exchange elements on devices, because their frames are arguments of a kernel. */
export const MOST_PEERS = 16;

/** Returns the bytes of a frame of `length` elements, in which the number of the turn follows each 4 bytes. */
export function frameBytes(width: number, length: number): number {
  return 2 * width * length;
}

/** A frame for sums has so many bytes: it holds 16 dot products of each rank. */
export const SUM_FRAME: number = frameBytes(Float64Array.BYTES_PER_ELEMENT, 16 * MOST_PEERS);

/** Ranks meet on the host before their devices wait for each other, so that a rank that does something else is an error. The host waits for no device. */
export interface PeerCalls extends Disposable {
  /** Called before dot products are queued. @throws SparlaneError `backend` if a rank does anything else */
  sum(dots: number): void;
  /** Called before a recording is launched. @throws SparlaneError `backend` if a rank does anything else */
  launch(): void;
}

/** A rank counts what it records that waits for other ranks: all ranks must record as much. */
export interface RecordedTogether {
  sums: number;
  products: number;
}

/** The device of a rank. */
export interface RankedSpace extends DeviceSpace {
  /** Whether the devices of all ranks are different ones and reach each other's memory. */
  readonly hasPeers: boolean;
  /** Undefined unless a graph is being recorded. */
  readonly recorded: RecordedTogether | undefined;
  /** The devices of all ranks reach each other's memory, and add dot products. Takes ownership. */
  joinPeers(calls: PeerCalls): void;
}

export function isRanked(space: object): space is RankedSpace {
  return 'joinPeers' in space;
}

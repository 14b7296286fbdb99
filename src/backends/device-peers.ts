/**
 * What devices of one process do for each other: ranks that are threads exchange elements and add numbers from memory to memory. Blocks of memory and
 * events are offered by tickets, each of which is taken once. An event is a point in a queue: `signal` sets it, and `await` has a queue wait for it.
 */
import type { DeviceSpace } from './backend.js';

export interface DevicePeers {
  /** Whether the device of this number can access the memory of this one. */
  reaches(place: number): boolean;
  /** A new event of the queue. It is released like a block. */
  event(): number;
  /** Queues that an event has happened. */
  signal(event: number): void;
  /** Queues a wait for an event, of this device or of another one. */
  await(event: number): void;
  /** Offers a block of this device. @returns its ticket */
  offerBlock(block: number): number;
  /** Offers an event of this queue. @returns its ticket */
  offerEvent(event: number): number;
  /** A block of another device. It is released like one's own. */
  takeBlock(ticket: number): number;
  /** An event of another device. It is released like one's own. */
  takeEvent(ticket: number): number;
  /** Queues a copy of `bytes` from a block of another device. */
  draw(block: number, offsetBytes: number, from: number, fromOffsetBytes: number, bytes: number): void;
  /** Queues copies of the scalars of `slots` to place `first` of every block of f64. */
  spread(first: number, slots: Uint32Array, blocks: Uint32Array): void;
  /**
   * Queues sums over ranks, by halves: the scalar of slot i ← the sum of `block[first + rank * stride + i]` over `size` ranks, with the same bits on all
   * of them.
   */
  addRanks(block: number, first: number, size: number, stride: number, slots: Uint32Array): void;
}

/** Adds scalars over the ranks, in an order that depends on nothing but their number. */
export interface SlotSums extends Disposable {
  /** Each slot ← its sum over all ranks; on a device, it may be queued. */
  add(slots: readonly number[]): void;
}

/** The device of a rank. */
export interface RankedSpace extends DeviceSpace {
  /** Whether the devices of all ranks reach each other's memory, in one process. */
  readonly hasPeers: boolean;
  /** The devices of all ranks reach each other's memory: it adds by `sums` from now on, which it then owns. */
  joinPeers(sums: SlotSums): void;
}

export function isRanked(space: object): space is RankedSpace {
  return 'joinPeers' in space;
}

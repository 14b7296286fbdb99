/** Ranks of one machine offer each other frames for exchanges between their devices, by tickets. */
import type { DeviceSpace } from '../backends/backend.js';
import { frameBytes, TICKET } from '../backends/device-peers.js';
import type { Owned } from '../core/owned.js';
import { arraysOf, type Gathered } from './meeting.js';

/** A device has two blocks, for even and odd turns. */
export type Frames = readonly [even: number, odd: number];

/** Makes objects of a device, which are released with `owned`. */
export function objectsOn(device: DeviceSpace, owned: Owned): (make: () => number) => number {
  return (make) => {
    const object = make();
    owned.own({ [Symbol.dispose]: () => device.release(object) });
    return object;
  };
}

/** A neighbour writes the elements from `begin` to `end` − 1 of a frame. */
export interface Written {
  readonly rank: number;
  readonly begin: number;
  readonly end: number;
}

/** An offer has so many bytes: the rank to which it is made, and tickets of its part of both frames. */
const OFFER = 1 + 2 * TICKET;

/** Returns an offer for each neighbour, one after the other. */
export function offersOf(device: DeviceSpace, frames: Frames, width: number, writers: readonly Written[]): Uint8Array {
  const offers = writers.flatMap(({ rank, begin, end }) => {
    const tickets = frames.map((frame) => {
      const part = device.slice(frame, frameBytes(width, begin), frameBytes(width, end - begin));
      const ticket = device.peers.offerBlock(part);
      device.releaseSlice(part);
      return [...ticket];
    });
    return [rank, ...tickets.flat()];
  });
  return Uint8Array.from(offers);
}

/**
 * Takes the frames that each of `neighbours` has offered to rank `me`: two of each.
 *
 * @param own makes an object that it owns
 * @param offers those of all ranks
 */
export function takeOffers(
  device: DeviceSpace,
  me: number,
  neighbours: readonly number[],
  own: (make: () => number) => number,
  offers: Gathered<Uint8Array>,
): Uint32Array {
  const byRank = arraysOf(offers);
  const taken = neighbours.flatMap((rank) => {
    const ofRank = byRank[rank]!;
    const at = Array.from({ length: ofRank.length / OFFER }, (_, i) => OFFER * i).find((i) => ofRank[i] === me)!;
    const tickets = [at + 1, at + 1 + TICKET].map((begin) => ofRank.slice(begin, begin + TICKET));
    return tickets.map((ticket) => own(() => device.peers.takeBlock(ticket)));
  });
  return Uint32Array.from(taken);
}

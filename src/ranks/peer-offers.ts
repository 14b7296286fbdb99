/** What ranks of one process offer each other for exchanges between their devices: memory and events, by tickets that each are taken once. */
import type { DeviceSpace } from '../backends/backend.js';
import type { Owned } from '../core/owned.js';
import type { HaloPlan } from './halo.js';
import type { Meeting } from './meeting.js';

/** Objects of the two parities. */
export type Pair = readonly [number, number];

/** What a rank has made: the buffers into which it packs, and events. */
export interface PeerObjects {
  readonly buffers: Pair;
  readonly packed: Pair;
  readonly drawn: Pair;
}

/** What is drawn from a neighbour, in bytes. */
export interface Incoming {
  readonly buffers: Pair;
  readonly packed: Pair;
  readonly offset: number;
  readonly bytes: number;
}

/** Numbers of an offer: to whom; tickets of a pair of buffers, and of events `packed`; tickets of events `drawn`. 0: none. */
const OFFER = 7;

/** Makes objects of a device, which are released with `owned`. */
export function objectsOn(device: DeviceSpace, owned: Owned): (make: () => number) => number {
  return (make) => {
    const object = make();
    owned.own({ [Symbol.dispose]: () => device.release(object) });
    return object;
  };
}

/** An offer for each neighbour, one after the other: it draws what is sent to it, and tells when it has drawn what it sends. */
export function offersTo(
  neighbours: readonly number[],
  device: DeviceSpace,
  { sends, receives }: HaloPlan,
  width: number,
  { buffers, packed, drawn }: PeerObjects,
): Float64Array {
  const { peers } = device;
  const offers = new Float64Array(OFFER * neighbours.length);
  neighbours.forEach((rank, i) => {
    offers[OFFER * i] = rank;
    const sent = sends.findIndex((one) => one.rank === rank);
    const before = sends.slice(0, Math.max(sent, 0)).reduce((sum, { places }) => sum + places.length, 0);
    for (const parity of [0, 1] as const) {
      if (sent >= 0) {
        const part = device.slice(buffers[parity], width * before, width * sends[sent]!.places.length);
        offers[OFFER * i + 1 + parity] = peers.offerBlock(part);
        offers[OFFER * i + 3 + parity] = peers.offerEvent(packed[parity]);
        device.releaseSlice(part);
      }
      if (receives.some((one) => one.rank === rank)) offers[OFFER * i + 5 + parity] = peers.offerEvent(drawn[parity]);
    }
  });
  return offers;
}

/**
 * Takes what the neighbours have offered to this rank.
 *
 * @param pairOf makes an object for each parity, which it owns
 * @param offers those of all ranks
 */
export function takeOffers(
  { transport: { rank: me } }: Meeting,
  { peers }: DeviceSpace,
  { sends, receives }: HaloPlan,
  width: number,
  pairOf: (make: (parity: 0 | 1) => number) => Pair,
  { all, lengths }: { readonly all: Float64Array; readonly lengths: readonly number[] },
): { readonly incoming: readonly Incoming[]; readonly drawnByOthers: readonly Pair[] } {
  const offerOf = (rank: number): Float64Array => {
    const begin = lengths.slice(0, rank).reduce((sum, length) => sum + length, 0);
    const ofRank = all.subarray(begin, begin + lengths[rank]!);
    for (let at = 0; ; at += OFFER) if (ofRank[at] === me) return ofRank.subarray(at, at + OFFER);
  };
  const incoming = receives.map(({ rank, begin, end }): Incoming => {
    const offer = offerOf(rank);
    const buffers = pairOf((parity) => peers.takeBlock(offer[1 + parity]!));
    const packed = pairOf((parity) => peers.takeEvent(offer[3 + parity]!));
    return { buffers, packed, offset: width * begin, bytes: width * (end - begin) };
  });
  const drawnByOthers = sends.map(({ rank }) => {
    const offer = offerOf(rank);
    return pairOf((parity) => peers.takeEvent(offer[5 + parity]!));
  });
  return { incoming, drawnByOthers };
}

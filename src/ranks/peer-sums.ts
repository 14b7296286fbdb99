/**
 * Sums over ranks whose devices reach each other's memory. Each rank writes its numbers into a frame on every device; then each adds those of all
 * ranks, by halves, as ranks do on the host: the same bits on all of them. The host meets the others, so that each has queued its part, but waits for
 * no device.
 *
 * Frames and events are used in turn. What a rank writes in sum s + 2 comes, in its queue, after its wait for the others' events of sum s + 1, and
 * these come after their own sums s.
 */
import type { RankedSpace, SlotSums } from '../backends/device-peers.js';
import { Owned } from '../core/owned.js';
import type { Meeting } from './meeting.js';
import { objectsOn } from './peer-offers.js';

/** The most ranks, and the most numbers of a sum: they are arguments of a kernel. */
export const MOST_PEERS = 16;
const MOST_SLOTS = 16;

/** Called by all ranks. @throws SparlaneError `heap` on all if one has no room */
export function peerSums(meeting: Meeting, device: RankedSpace): SlotSums {
  const { peers } = device;
  const { rank: me, size } = meeting.transport;
  const owned = new Owned();
  const own = objectsOn(device, owned);
  const others = Array.from({ length: size }, (_, rank) => rank).filter((rank) => rank !== me);
  const { frames, written } = meeting.together(
    () => {
      const frames = own(() => device.allocate(2 * size * MOST_SLOTS * Float64Array.BYTES_PER_ELEMENT));
      const written = [own(() => peers.event()), own(() => peers.event())] as const;
      // The frames are there for all queues.
      device.synchronize();
      return { frames, written };
    },
    () => owned[Symbol.dispose](),
  );
  // For each rank: tickets of the frames and of the two events; none for itself.
  const offers = new Float64Array(3 * size);
  for (const rank of others) {
    const tickets = [peers.offerBlock(frames), peers.offerEvent(written[0]), peers.offerEvent(written[1])];
    offers.set(tickets, 3 * rank);
  }
  const { all } = meeting.gather(offers);
  const ticket = (rank: number, i: number) => all[3 * (rank * size + me) + i]!;
  const { targets, events } = meeting.together(
    () => ({
      targets: Uint32Array.from({ length: size }, (_, rank) =>
        rank === me ? frames : own(() => peers.takeBlock(ticket(rank, 0))),
      ),
      events: others.map((rank) => [1, 2].map((i) => own(() => peers.takeEvent(ticket(rank, i))))),
    }),
    () => owned[Symbol.dispose](),
  );
  let parity = 0;
  const addSome = (slots: Uint32Array) => {
    const first = parity * size * MOST_SLOTS;
    peers.spread(first + me * MOST_SLOTS, slots, targets);
    peers.signal(written[parity]!);
    meeting.meet('sum on devices', [slots.length]);
    for (const event of events) peers.await(event[parity]!);
    peers.addRanks(frames, first, size, MOST_SLOTS, slots);
    parity = 1 - parity;
  };
  return {
    add(slots) {
      for (let done = 0; done < slots.length; done += MOST_SLOTS)
        addSome(Uint32Array.from(slots.slice(done, done + MOST_SLOTS)));
    },
    [Symbol.dispose]() {
      device.synchronize();
      owned[Symbol.dispose]();
    },
  };
}

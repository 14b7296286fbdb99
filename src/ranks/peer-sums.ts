/**
 * Sums over ranks whose devices reach each other's memory. Each rank writes its numbers into a frame on every device, and adds those of all ranks when
 * they are there, by halves, as ranks do on the host: the same bits on all of them. The host waits for no device. It meets the other ranks before what is
 * queued waits for them, so that one that does something else is an error: at every sum, or for a recording at every launch.
 */
import { MOST_SLOTS, type PeerSums, type RankedSpace, SUM_FRAME, TURN } from '../backends/device-peers.js';
import { Owned } from '../core/owned.js';
import type { Meeting } from './meeting.js';
import { objectsOn } from './peer-offers.js';

/** Called by all ranks, at most `MOST_PEERS`. @throws SparlaneError `heap` on all if one has no room */
export function peerSums(meeting: Meeting, device: RankedSpace): PeerSums {
  const { peers } = device;
  const { rank: me, size } = meeting.transport;
  const owned = new Owned();
  const own = objectsOn(device, owned);
  const { frame, turn } = meeting.together(
    () => {
      const frame = own(() => peers.zeros(SUM_FRAME));
      const turn = own(() => peers.zeros(TURN));
      // The frame is there for all devices.
      device.synchronize();
      return { frame, turn };
    },
    () => owned[Symbol.dispose](),
  );
  // A ticket of the frame for each other rank.
  const offers = Float64Array.from({ length: size }, (_, rank) => (rank === me ? 0 : peers.offerBlock(frame)));
  const { all } = meeting.gather(offers);
  const frames = meeting.together(
    () =>
      Uint32Array.from({ length: size }, (_, rank) =>
        rank === me ? frame : own(() => peers.takeBlock(all[rank * size + me]!)),
      ),
    () => owned[Symbol.dispose](),
  );
  const addSome = (slots: Uint32Array) => {
    if (!device.isRecording) meeting.meet('sum on devices', [slots.length]);
    peers.sumRanks(turn, frames, me, slots);
  };
  return {
    add(slots) {
      for (let done = 0; done < slots.length; done += MOST_SLOTS)
        addSome(Uint32Array.from(slots.slice(done, done + MOST_SLOTS)));
    },
    meet() {
      meeting.meet('launch');
    },
    [Symbol.dispose]() {
      device.synchronize();
      owned[Symbol.dispose]();
    },
  };
}

/**
 * Sums over ranks whose devices reach each other's memory. Each device writes its dot products into a frame on every other one, and adds those of all ranks
 * when they are there, by halves, as ranks do on the host: the same bits on all of them. The host waits for no device. It meets the other ranks before
 * what is queued waits for them: at every sum, or for a recording at every launch.
 */
import { type PeerCalls, type RankedSpace, SUM_FRAME } from '../backends/device-peers.js';
import { Owned } from '../core/owned.js';
import { arraysOf, type Meeting } from './meeting.js';
import { objectsOn } from './peer-offers.js';

/**
 * Called by all ranks, at most `MOST_PEERS`.
 *
 * @throws SparlaneError on all ranks: `heap` if one has no room, `backend` if one may not open memory of another one
 */
export function sumByPeers(meeting: Meeting, device: RankedSpace): PeerCalls {
  const { peers } = device;
  const { rank: me, size } = meeting.transport;
  const owned = new Owned();
  const own = objectsOn(device, owned);
  const undo = () => owned[Symbol.dispose]();
  const frame = meeting.together(() => {
    const made = own(() => peers.zeros(SUM_FRAME));
    // From here on all devices see the zeros.
    device.synchronize();
    return made;
  }, undo);
  const tickets = arraysOf(meeting.gather(meeting.together(() => peers.offerBlock(frame), undo)));
  meeting.together(() => {
    const taken = (rank: number) => own(() => peers.takeBlock(tickets[rank]!));
    const frames = Uint32Array.from({ length: size }, (_, rank) => (rank === me ? frame : taken(rank)));
    peers.sumDots(frames, me);
  }, undo);
  return {
    sum(dots) {
      meeting.meet('sum on devices', [dots]);
    },
    launch() {
      meeting.meet('launch');
    },
    [Symbol.dispose]() {
      device.synchronize();
      owned[Symbol.dispose]();
    },
  };
}

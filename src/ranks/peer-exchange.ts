/**
 * An exchange between devices that reach each other's memory, of ranks of one machine. Every rank writes its elements into frames on the
 * devices of its neighbours, and copies what they wrote into its own from there to the target when it has arrived. Nobody waits on the host for a
 * device, and both may be recorded.
 *
 * Neighbours write to each other in both directions, at least a zero: a rank that has what its neighbour wrote in turn t knows that the neighbour has
 * taken what it got in turn t − 1, in the same frame as turn t + 1.
 */
import type { DeviceSpace } from '../backends/backend.js';
import { frameBytes, NO_PLACE, type RankedSpace, TURNS } from '../backends/device-peers.js';
import type { Owned } from '../core/owned.js';
import type { Vector } from '../memory/vector.js';
import { AtPlaces } from './at-places.js';
import type { ElementExchange, Title } from './element-exchange.js';
import { type HaloPlan, placesOf } from './halo.js';
import type { Meeting } from './meeting.js';
import { type Frames, objectsOn, offersOf, takeOffers, type Written } from './peer-offers.js';
import type { Exchange } from './transport.js';

export class PeerExchange implements ElementExchange {
  readonly #engine: RankedSpace;
  readonly #device: DeviceSpace;
  readonly #target: Vector;
  readonly #places: AtPlaces;
  readonly #turns: number;
  readonly #frames: Frames;
  /** The places for each neighbour end here, and each neighbour has two frames. */
  readonly #ends: Uint32Array;
  readonly #targets: Uint32Array;
  /** Neighbours tell each other on the host, by messages without elements, that they queue a turn: one that does not is an error. */
  readonly #calls: Exchange;
  readonly #owned: Owned;

  /**
   * @param engine the space of the rank's vectors
   * @param device the queue of the exchange, in whose space the target is
   * @param owned gets what the exchange needs
   */
  constructor(
    meeting: Meeting,
    engine: RankedSpace,
    device: DeviceSpace,
    plan: HaloPlan,
    target: Vector,
    title: Title,
    owned: Owned,
  ) {
    const { type } = target;
    const width = type.BYTES_PER_ELEMENT;
    const own = objectsOn(device, owned);
    const neighbours = [...new Set([...plan.sends, ...plan.receives].map(({ rank }) => rank))];
    const { sends, writers, length } = bothWays(plan, neighbours, target.length);
    const made = meeting.together(
      () => {
        const frame = frameBytes(width, length);
        const zeros = own(() => device.peers.zeros(2 * frame + TURNS));
        const frames: Frames = [own(() => device.slice(zeros, 0, frame)), own(() => device.slice(zeros, frame, frame))];
        const turns = own(() => device.slice(zeros, 2 * frame, TURNS));
        // AtPlaces waits for the device, so the frames are there for all devices.
        return { frames, turns, places: owned.own(new AtPlaces(device, placesOf(sends))) };
      },
      () => {},
    );
    const offers = meeting.gather(offersOf(device, made.frames, width, writers));
    this.#targets = meeting.together(
      () => takeOffers(device, meeting.transport.rank, neighbours, own, offers),
      () => {},
    );
    this.#calls = owned.own(
      meeting.exchange(
        ...title,
        type,
        neighbours.map((rank) => ({ rank, count: 0 })),
        neighbours.map((rank) => ({ rank, into: new type(0) })),
      ),
    );
    let end = 0;
    this.#ends = Uint32Array.from(sends, ({ places }) => (end += places.length));
    [this.#engine, this.#device, this.#target, this.#owned] = [engine, device, target, owned];
    [this.#places, this.#turns, this.#frames] = [made.places, made.turns, made.frames];
  }

  start(x: Vector): void {
    const device = this.#device;
    // What arrived last may still be in use, too.
    if (x.space !== device) device.after(x.space);
    const { recorded } = this.#engine;
    if (recorded === undefined) this.#calls.start();
    else recorded.products++;
    if (this.#ends.length === 0) return;
    const { type, block } = x;
    device.peers.push(type.BYTES_PER_ELEMENT, this.#turns, block, this.#places.block, this.#ends, this.#targets);
  }

  finish(): void {
    if (this.#engine.recorded === undefined) this.#calls.finish();
    if (this.#ends.length === 0) return;
    const { type, block, length } = this.#target;
    this.#device.peers.take(type.BYTES_PER_ELEMENT, this.#turns, block, length, ...this.#frames);
  }

  [Symbol.dispose](): void {
    // What others write to must not be freed by them before.
    this.#device.synchronize();
    this.#owned[Symbol.dispose]();
  }
}

const NOTHING = Uint32Array.of(NO_PLACE);

/** Returns what is sent to each neighbour, and who writes which elements of this rank's frames: those of the target, then zeros of other neighbours. */
function bothWays({ sends, receives }: HaloPlan, neighbours: readonly number[], targetLength: number) {
  let length = targetLength;
  const writers = neighbours.map((rank): Written => {
    const found = receives.find((one) => one.rank === rank);
    return found ?? { rank, begin: length, end: ++length };
  });
  const sent = (rank: number) => sends.find((one) => one.rank === rank)?.places ?? NOTHING;
  return { sends: neighbours.map((rank) => ({ rank, places: sent(rank) })), writers, length };
}

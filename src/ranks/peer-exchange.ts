/**
 * An exchange between devices that reach each other's memory, of ranks that are threads of one process. Every rank packs its elements into a buffer on its
 * device, and each neighbour draws its part from there. Nobody waits on the host for a device: queues wait for events of each other.
 *
 * Two buffers and two events of each kind are used in turn. In turn t, a rank
 *   start:  waits (its queue) until what it packed in turn t − 2 has been drawn; packs; records `packed`; tells its neighbours so on the host
 *   finish: waits (the host) until its neighbours have told so; waits (its queue) for their `packed`; draws; records `drawn`
 * Neighbours tell each other in both directions, whoever sends. So a rank that has finished turn t − 1 knows that each neighbour has queued
 * all of turn t − 2: it may wait for `drawn` of that turn, and record its `packed` anew, for which the neighbour has queued its wait.
 */
import type { DeviceSpace } from '../backends/backend.js';
import type { Owned } from '../core/owned.js';
import type { Vector } from '../memory/vector.js';
import { AtPlaces } from './at-places.js';
import type { ElementExchange, Title } from './element-exchange.js';
import { type HaloPlan, placesOf } from './halo.js';
import type { Meeting } from './meeting.js';
import { type Incoming, objectsOn, offersTo, type Pair, takeOffers } from './peer-offers.js';
import type { Exchange } from './transport.js';

export class PeerExchange implements ElementExchange {
  readonly #device: DeviceSpace;
  readonly #target: Vector;
  readonly #places: AtPlaces;
  readonly #buffers: Pair;
  readonly #packed: Pair;
  readonly #drawn: Pair;
  readonly #incoming: readonly Incoming[];
  /** Events of those who draw from this rank. */
  readonly #drawnByOthers: readonly Pair[];
  /** Of no elements: neighbours tell each other that they have queued a turn. */
  readonly #turns: Exchange;
  readonly #owned: Owned;
  #turn = 1;

  /** @param device the queue of the exchange, in whose space the target is @param owned gets what the exchange needs */
  constructor(meeting: Meeting, device: DeviceSpace, plan: HaloPlan, target: Vector, title: Title, owned: Owned) {
    const { peers } = device;
    const width = target.type.BYTES_PER_ELEMENT;
    const own = objectsOn(device, owned);
    const pairOf = (make: (parity: 0 | 1) => number): Pair => [own(() => make(0)), own(() => make(1))];
    const { sends, receives } = plan;
    const neighbours = [...new Set([...sends, ...receives].map(({ rank }) => rank))];
    const made = meeting.together(
      () => {
        const places = placesOf(sends);
        const buffers = pairOf(() => device.allocate(width * places.length));
        const [packed, drawn] = [pairOf(() => peers.event()), pairOf(() => peers.event())];
        return { buffers, packed, drawn, atPlaces: owned.own(new AtPlaces(device, places)) };
      },
      () => {},
    );
    const offers = meeting.gather(offersTo(neighbours, device, plan, width, made));
    const taken = meeting.together(
      () => takeOffers(meeting, device, plan, width, pairOf, offers),
      () => {},
    );
    this.#turns = owned.own(
      meeting.exchange(
        ...title,
        target.type,
        neighbours.map((rank) => ({ rank, count: 0 })),
        neighbours.map((rank) => ({ rank, into: new target.type(0) })),
      ),
    );
    [this.#device, this.#target, this.#owned, this.#places] = [device, target, owned, made.atPlaces];
    [this.#buffers, this.#packed, this.#drawn] = [made.buffers, made.packed, made.drawn];
    [this.#incoming, this.#drawnByOthers] = [taken.incoming, taken.drawnByOthers];
  }

  start(x: Vector): void {
    const device = this.#device;
    const { peers } = device;
    const parity = (this.#turn & 1) as 0 | 1;
    if (this.#turn > 2) for (const drawn of this.#drawnByOthers) peers.await(drawn[parity]);
    if (this.#drawnByOthers.length > 0) {
      this.#places.pickTo(x, device, this.#buffers[parity]);
      peers.signal(this.#packed[parity]);
    } else {
      // What was drawn last may still be in use.
      device.after(x.space);
    }
    this.#turns.start();
  }

  finish(): void {
    const { peers } = this.#device;
    const { block } = this.#target;
    const parity = (this.#turn & 1) as 0 | 1;
    this.#turn++;
    this.#turns.finish();
    if (this.#incoming.length === 0) return;
    for (const { buffers, packed, offset, bytes } of this.#incoming) {
      peers.await(packed[parity]);
      peers.draw(block, offset, buffers[parity], 0, bytes);
    }
    peers.signal(this.#drawn[parity]);
  }

  [Symbol.dispose](): void {
    // What is drawn from others must not be freed by them before.
    this.#device.synchronize();
    this.#owned[Symbol.dispose]();
  }
}

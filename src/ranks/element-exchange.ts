/**
 * Elements of vectors that ranks send each other, again and again: from places of a vector of each rank to ranges of another one. Vectors in
 * the heap go by the transport's messages; those of devices from memory to memory where devices reach each other, else through the host.
 */
import type { DeviceSpace } from '../backends/backend.js';
import { isRanked } from '../backends/device-peers.js';
import { assemble, type Owned } from '../core/owned.js';
import type { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import { AtPlaces, deviceOf, pack } from './at-places.js';
import { type HaloPlan, placesOf } from './halo.js';
import type { Meeting } from './meeting.js';
import { PeerExchange } from './peer-exchange.js';
import type { Exchange } from './transport.js';

export interface ElementExchange extends Disposable {
  /** Sends elements of x, and may return before they have arrived. On a device x must not change before `finish` and what is queued after it. */
  start(x: Vector): void;
  /** Must follow every `start`, whatever fails in between. The target has the elements: on a device, for what is queued on its space from now on. */
  finish(): void;
}

/** What one turn of an exchange is called, as a part of something: `product` of `operator 1`. */
export type Title = readonly [noun: string, of: string];

/**
 * Called by all ranks.
 *
 * @param target where elements arrive; on a device, in the space beside that of the vectors that are sent
 * @throws SparlaneError `heap` on all ranks if one has no room
 */
export function exchangeOf(
  meeting: Meeting,
  engine: Engine,
  plan: HaloPlan,
  target: Vector,
  title: Title,
): ElementExchange {
  const device = deviceOf(target.space);
  if (device === undefined) return new MessageExchange(messagesOf(meeting, plan, target, title), plan);
  const { space } = engine;
  return assemble((owned) =>
    isRanked(space) && space.hasPeers
      ? new PeerExchange(meeting, space, device, plan, target, title, owned)
      : new StagedExchange(meeting, engine, device, plan, target, title, owned),
  );
}

function messagesOf(meeting: Meeting, { sends, receives }: HaloPlan, target: Vector, title: Title): Exchange {
  return meeting.exchange(
    ...title,
    target.type,
    sends.map(({ rank, places }) => ({ rank, count: places.length })),
    receives.map(({ rank, begin, end }) => ({ rank, into: target.data.subarray(begin, end) })),
  );
}

/** In the heap. */
class MessageExchange implements ElementExchange {
  readonly #messages: Exchange;
  readonly #sends: HaloPlan['sends'];

  constructor(messages: Exchange, { sends }: HaloPlan) {
    this.#messages = messages;
    this.#sends = sends;
  }

  start(x: Vector): void {
    for (let i = 0; i < this.#sends.length; i++) pack(x.data, this.#sends[i]!.places, this.#messages.outgoing(i));
    this.#messages.start();
  }

  finish(): void {
    this.#messages.finish();
  }

  [Symbol.dispose](): void {
    this.#messages[Symbol.dispose]();
  }
}

/** On devices that do not reach each other: packed there, copied to the host, sent by messages, and copied to the target. */
class StagedExchange implements ElementExchange {
  readonly #device: DeviceSpace;
  readonly #plan: HaloPlan;
  readonly #target: Vector;
  readonly #places: AtPlaces;
  readonly #packed: Vector;
  /** In the heap. */
  readonly #arrived: Vector;
  readonly #messages: Exchange;
  readonly #owned: Owned;

  constructor(
    meeting: Meeting,
    engine: Engine,
    device: DeviceSpace,
    plan: HaloPlan,
    target: Vector,
    title: Title,
    owned: Owned,
  ) {
    const { type, length } = target;
    const places = placesOf(plan.sends);
    const made = meeting.together(
      () => ({
        places: owned.own(new AtPlaces(device, places)),
        packed: owned.own(new Vector(device, type, places.length)),
        arrived: owned.own(new Vector(engine.cpu.space, type, length)),
      }),
      () => {},
    );
    this.#messages = owned.own(messagesOf(meeting, plan, made.arrived, title));
    [this.#places, this.#packed, this.#arrived] = [made.places, made.packed, made.arrived];
    [this.#device, this.#plan, this.#target, this.#owned] = [device, plan, target, owned];
  }

  start(x: Vector): void {
    if (this.#packed.length > 0) this.#fetch(x);
    this.#messages.start();
  }

  #fetch(x: Vector): void {
    const { block, type } = this.#packed;
    this.#places.pick(x, this.#packed);
    let at = 0;
    this.#plan.sends.forEach(({ places: { length } }, i) => {
      this.#device.fetch(block, type.BYTES_PER_ELEMENT * at, this.#messages.outgoing(i));
      at += length;
    });
    this.#device.synchronize();
  }

  finish(): void {
    this.#messages.finish();
    const { block, type } = this.#target;
    for (const { begin, end } of this.#plan.receives)
      this.#device.upload(block, type.BYTES_PER_ELEMENT * begin, this.#arrived.data.subarray(begin, end));
  }

  [Symbol.dispose](): void {
    this.#device.synchronize();
    this.#owned[Symbol.dispose]();
  }
}

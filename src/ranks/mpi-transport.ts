/** Ranks that are processes of MPI. */
import type { Addon } from '@sparlane/mpi';
import type { SparlaneError } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { Calls } from './calls.js';
import { bytesOf } from './elements.js';
import { allOf, MpiWatch, type Partners, type WatchedGroup } from './mpi-watch.js';
import {
  alone,
  type Exchange,
  FRAME,
  type RankGroup,
  type Received,
  type Sent,
  type Told,
  type Transport,
} from './transport.js';

/** MPI counts bytes by 32-bit numbers. */
const MOST_BYTES = 2 ** 30;

/** A rank is in so many groups at most: MPICH has 2048 communicators. Chosen. */
const MOST_GROUPS = 2000;

/** All ranks, as the addon numbers groups. */
const ALL = 0;

/** These ranks are a group of others. */
interface Within {
  /** Its number in the addon. */
  readonly group: number;
  readonly watch: MpiWatch;
  readonly members: readonly number[];
  readonly where: string;
}

export class MpiTransport implements Transport, WatchedGroup {
  readonly kind = 'mpi';
  readonly rank: number;
  readonly size: number;
  readonly neighbours: number;
  readonly place: number;
  readonly members: readonly number[];
  readonly calls: Calls;
  readonly native: Addon;
  readonly watch: MpiWatch;
  readonly sent: number[];
  readonly #group: number;
  readonly #tags: number;
  #exchanges = 0;
  /** This rank has received so many messages from each rank. */
  readonly #received: number[];
  /** What calls use that were given up: MPI may still write there. */
  readonly #kept: unknown[] = [];
  readonly #goOn: () => boolean;
  /** The frame that was started, and those of all ranks. */
  readonly #started: { readonly mine: Float64Array; readonly all: Float64Array };

  constructor(native: Addon, { rank, size, place, neighbours, tags }: ReturnType<Addon['init']>, within?: Within) {
    this.native = native;
    this.#group = within?.group ?? ALL;
    this.members = within?.members ?? Array.from({ length: size }, (_, r) => r);
    this.calls = new Calls(within?.where);
    this.sent = new Array<number>(size).fill(0);
    this.rank = rank;
    this.size = size;
    this.neighbours = neighbours;
    this.place = place;
    this.#tags = tags;
    this.watch = within?.watch ?? new MpiWatch(native, rank, size);
    this.watch.add(this);
    this.#goOn = () => native.goOn();
    this.#started = { mine: new Float64Array(FRAME), all: new Float64Array(FRAME * size) };
    this.#received = new Array<number>(size).fill(0);
  }

  setCrowded(isCrowded: boolean): void {
    this.native.setCrowded(isCrowded);
  }

  gatherFrames(frame: Float64Array, all: Float64Array): void {
    this.watch.check();
    this.#note();
    const [mine, ofAll] = [bytesOf(frame), bytesOf(all)];
    this.#complete(this.native.gather(this.#group, mine, ofAll), [mine, ofAll]);
  }

  startFrames(frame: Float64Array): void {
    this.watch.check();
    const { mine, all } = this.#started;
    mine.set(frame);
    this.native.startGather(this.#group, bytesOf(mine), bytesOf(all));
  }

  awaitFrames(all: Float64Array, call: number): void {
    this.watch.check();
    this.#note();
    const finish = () => this.native.finishGather(this.#group);
    if (!finish()) this.watch.wait(this, finish, undefined, call);
    all.set(this.#started.all);
  }

  gatherBytes(mine: Uint8Array, counts: readonly number[], all: Uint8Array): void {
    if (all.length <= MOST_BYTES) {
      this.watch.check();
      const lengths = Int32Array.from(counts);
      this.#complete(this.native.gatherCounts(this.#group, mine, lengths, all), [mine, lengths, all]);
      return;
    }
    let first = 0;
    counts.forEach((count, rank) => {
      const part = all.subarray(first, first + count);
      if (rank === this.rank) part.set(mine);
      this.broadcast(part, rank);
      first += count;
    });
  }

  broadcast(bytes: Uint8Array, root: number): void {
    for (let done = 0; done < bytes.length; done += MOST_BYTES) {
      this.watch.check();
      this.#complete(this.native.broadcast(this.#group, bytes.subarray(done, done + MOST_BYTES), root), [bytes]);
    }
  }

  tellCounts(counts: readonly Told[]): readonly Told[] {
    const { native } = this;
    const ranks = Int32Array.from(counts, ({ rank }) => rank);
    if (
      !native.tellCounts(
        this.#group,
        ranks,
        Int32Array.from(counts, ({ count }) => count),
      )
    )
      this.#wait(() => native.goOnCounts(), []);
    const found = native.foundCounts();
    const told = Array.from({ length: found.length / 2 }, (_, i) => ({
      rank: found[2 * i]!,
      count: found[2 * i + 1]!,
    }));
    return told.sort((a, b) => a.rank - b.rank);
  }

  /** Notes the present call for the guard. */
  #note(): void {
    this.native.noteCall(this.calls.position.what);
  }

  #complete(isComplete: boolean, used: readonly unknown[]): void {
    if (!isComplete) this.#wait(this.#goOn, used);
  }

  /** @param used what MPI writes or reads @param partners as of the watch */
  #wait(goOn: () => boolean, used: readonly unknown[], partners?: Partners): void {
    try {
      this.watch.wait(this, goOn, partners);
    } catch (error) {
      this.#kept.push(used);
      throw error;
    }
  }

  exchange(type: FloatArrayConstructor, sends: readonly Sent[], receives: readonly Received[]): Exchange {
    const { native, watch } = this;
    const buffers: readonly FloatArray[] = sends.map(({ count }) => new type(count));
    const ranks = [...receives, ...sends].map(({ rank }) => rank);
    const handle = native.exchange(
      this.#group,
      this.#exchanges++ % this.#tags,
      Int32Array.from(sends, ({ rank }) => rank),
      buffers.map(bytesOf),
      Int32Array.from(receives, ({ rank }) => rank),
      receives.map(({ into }) => bytesOf(into)),
    );
    const goOn = () => native.finish(handle);
    const owing = () => Array.from(native.unfinished(handle), (i) => ranks[i]!);
    const partners: Partners = { needed: [...new Set(ranks)], owing };
    return {
      outgoing: (i) => buffers[i]!,
      start: () => {
        watch.check();
        this.#note();
        native.start(handle);
      },
      finish: () => {
        if (!goOn()) this.#wait(goOn, buffers, partners);
      },
      [Symbol.dispose]: () => native.release(handle),
    };
  }

  send(to: number, bytes: Uint8Array): void {
    this.watch.check();
    this.native.send(this.#group, to, bytes);
    this.sent[to]!++;
  }

  receive(from: number, what: string): Uint8Array {
    this.watch.check();
    const turn = this.#received[from]! + 1;
    let bytes = this.native.receive(this.#group, from);
    const goOn = () => {
      bytes = this.native.receive(this.#group, from);
      return bytes !== undefined;
    };
    const wait = () => {
      this.#note();
      this.watch.wait(this, goOn, allOf([from]));
    };
    if (bytes === undefined) this.calls.awaitMessage(turn, what, wait);
    this.#received[from] = turn;
    return bytes!;
  }

  get groupsLeft(): number {
    return MOST_GROUPS - this.watch.groups;
  }

  split(group: RankGroup | undefined): Transport | undefined {
    const { native, watch, neighbours, place } = this;
    const { members, rank = 0, color = -1, where = '' } = group ?? { members: [] };
    const size = members.length;
    // One rank needs no communicator.
    const made = native.split(this.#group, size > 1 ? color : -1, rank);
    if (size < 2) return group && alone(this.members[this.rank], where);
    const within = { group: made, watch, members: members.map((other) => this.members[other]!), where };
    return new MpiTransport(native, { rank, size, place, neighbours, tags: this.#tags }, within);
  }

  breakUp(problem: SparlaneError): SparlaneError {
    this.watch.breakUp(problem);
    return problem;
  }

  /** A process leaves when it ends. */
  leave(): void {}
}

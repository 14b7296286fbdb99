/**
 * Meetings of all ranks. Each begins with a frame of numbers from every rank, which says what the rank calls: ranks that call different
 * things all get an error that names them, and none of them waits for ever.
 */
import { SparlaneError } from '../core/errors.js';
import { sum } from '../core/sum.js';
import type { FloatArrayConstructor } from '../core/types.js';
import type { Call } from './calls.js';
import { bytesOf, type ElementArray, nameOfType, typeOf } from './elements.js';
import { checkFrame, checkFrames, headOf, ROOM } from './frames.js';
import { COMBINE, type Combine, type Reduction, ReductionTree, tree } from './reduction-tree.js';
import { decodeError, encodeError } from './shared-error.js';
import { StartedReductions } from './started-reductions.js';
import { type Exchange, FRAME, type Received, type Sent, type Transport } from './transport.js';

export class Meeting {
  readonly transport: Transport;
  readonly #frame: Float64Array = new Float64Array(FRAME);
  readonly #all: Float64Array;
  /** One tree is for meetings, one for pieces of long arrays; all ranks make them when they are first used. */
  #frames: ReductionTree | undefined;
  #pieces: ReductionTree | undefined;
  readonly #started: StartedReductions;

  constructor(transport: Transport) {
    this.transport = transport;
    this.#all = new Float64Array(FRAME * transport.size);
    this.#started = new StartedReductions(transport);
  }

  /**
   * Waits until all ranks call the same.
   *
   * @param numbers up to 14, equally many on every rank
   * @returns a function that gives number `i` of a rank; valid until the next meeting
   * @throws SparlaneError `backend` if a rank calls something else, has ended or failed
   */
  meet(call: Call, numbers: ArrayLike<number> = []): (rank: number, i: number) => number {
    const frame = this.#begin(call, numbers);
    const all = this.#all;
    this.transport.gatherFrames(frame, all);
    checkFrames(this.transport, frame, all);
    return (rank, i) => all[rank * FRAME + 2 + i]!;
  }

  /** Begins a meeting. @returns its frame */
  #begin(call: Call, numbers: ArrayLike<number>): Float64Array {
    const frame = this.#frame;
    const { calls } = this.transport;
    frame[0] = headOf(call, numbers.length);
    frame[1] = calls.history;
    for (let i = 0; i < numbers.length; i++) frame[2 + i] = numbers[i]!;
    calls.meet(call, numbers.length);
    return frame;
  }

  /**
   * A meeting that combines numbers: numbers[i] ← those of all ranks, the same bits on each. Ranks are combined by a tree that depends on nothing but
   * their number. Threads read the numbers of all ranks, which are in their memory; under MPI each rank exchanges log₂ size messages.
   *
   * @param numbers up to 14, equally many on every rank
   * @throws as `meet`
   */
  combine(call: Call, numbers: Float64Array, combine: Combine): void {
    const { size, kind } = this.transport;
    if (kind !== 'mpi') {
      const of = this.meet(call, numbers);
      for (let i = 0; i < numbers.length; i++) numbers[i] = tree(0, size, (rank) => of(rank, i), combine);
      return;
    }
    const frame = this.#begin(call, numbers);
    this.#frames ??= new ReductionTree(this.transport, FRAME);
    this.#frames.run(frame, 2, combine, (rank, theirs) => checkFrame(this.transport, frame, rank, theirs));
    numbers.set(frame.subarray(2, 2 + numbers.length));
  }

  /**
   * Prepares an exchange with neighbours that is repeated. Called by all ranks after a meeting, as is every turn of it. A turn that has begun must be finished,
   * whatever happens in between.
   *
   * @param noun what one turn is called, as a part of `of`: `product` of `operator 1`
   */
  exchange(
    noun: string,
    of: string,
    type: FloatArrayConstructor,
    sends: readonly Sent[],
    receives: readonly Received[],
  ): Exchange {
    const { calls } = this.transport;
    const channel = calls.open(noun, of);
    const messages = this.transport.exchange(type, sends, receives);
    let hasBegun = false;
    const begin = () => {
      if (!hasBegun) calls.exchange(channel);
      hasBegun = true;
    };
    return {
      outgoing: (i) => {
        begin();
        return messages.outgoing(i);
      },
      start: () => {
        begin();
        messages.start();
      },
      finish: () => {
        hasBegun = false;
        messages.finish();
      },
      [Symbol.dispose]: () => messages[Symbol.dispose](),
    };
  }

  /**
   * numbers ← their sums, maxima or minima over all ranks: the same bits on each, as `combine`. A maximum or minimum with NaN is NaN.
   *
   * @throws SparlaneError `shape` if the ranks have differently many numbers
   */
  reduce(call: Reduction, numbers: Float64Array): void {
    const how = COMBINE[call];
    if (numbers.length <= ROOM) {
      this.combine(call, numbers, how);
      return;
    }
    const { size, kind } = this.transport;
    const of = this.meet(`long ${call}`, [numbers.length]);
    this.#checkSame(call, of);
    if (kind === 'mpi') this.#pieces ??= new ReductionTree(this.transport, PIECE);
    const piece = new Float64Array(kind === 'mpi' ? 0 : PIECE * size);
    for (let done = 0; done < numbers.length; done += PIECE) {
      const mine = numbers.slice(done, done + PIECE);
      if (this.#pieces === undefined) this.#combineAll(mine, piece.subarray(0, mine.length * size), how);
      else this.#pieces.run(mine, 0, how, () => {});
      numbers.set(mine, done);
    }
  }

  /**
   * The same without a wait, of up to 14 numbers.
   *
   * @returns a function that all ranks call, too, before they start another one: it waits, and numbers ← their sums, maxima or minima
   * @throws SparlaneError `argument` if there is another one
   */
  startReduce(call: Reduction, numbers: Float64Array): () => void {
    return this.#started.start(call, numbers);
  }

  /** @param all room for the numbers of all ranks */
  #combineAll(mine: Float64Array, all: Float64Array, how: Combine): void {
    const { size } = this.transport;
    this.transport.gatherBytes(bytesOf(mine), new Array<number>(size).fill(mine.byteLength), bytesOf(all));
    for (let i = 0; i < mine.length; i++) mine[i] = tree(0, size, (rank) => all[rank * mine.length + i]!, how);
  }

  /**
   * Makes something on every rank. If it fails on one, it fails on all with the same error, so that ranks stay together.
   *
   * @param undo called where it was made, if it failed elsewhere
   * @throws the error of the first rank on which `make` throws one, with that rank
   */
  together<T>(make: () => T, undo: (made: T) => void): T {
    let made: { readonly value: T } | undefined;
    let problem: unknown;
    try {
      made = { value: make() };
    } catch (error) {
      problem = error;
    }
    const { size, rank } = this.transport;
    const first = this.#agree(made === undefined, problem);
    if (first === size) return made!.value;
    if (made !== undefined) undo(made.value);
    const { all } = this.gather(rank === first ? encodeError(problem) : new Uint8Array());
    throw decodeError(all, first, rank === first ? problem : undefined);
  }

  /** Returns the first rank that has failed, or the number of ranks. @param problem of this rank, which would be lost if others call something else */
  #agree(hasFailed: boolean, problem: unknown): number {
    const { rank, size } = this.transport;
    const first = Float64Array.of(hasFailed ? rank : size);
    try {
      this.combine('agreement', first, Math.min);
      return first[0]!;
    } catch (error) {
      if (hasFailed && error instanceof Error) error.cause = problem;
      throw error;
    }
  }

  /** Checks that the first number of a frame is the same on all ranks. */
  #checkSame(call: Call, of: (rank: number, i: number) => number): void {
    const { rank, size } = this.transport;
    for (let other = 0; other < size; other++) {
      if (of(other, 0) === of(rank, 0)) continue;
      const text = `ranks: expected equally many numbers for ${call} on all ranks, got ${of(rank, 0)} on rank ${rank} and ${of(other, 0)} on rank ${other}`;
      throw new SparlaneError('shape', text, { rank, other });
    }
  }

  /** Checks that the first number of a frame, a type of elements, is the same on all ranks. */
  #checkTypes(call: Call, of: (rank: number, i: number) => number): void {
    for (let rank = 1; rank < this.transport.size; rank++) {
      const [first, other] = [of(0, 0), of(rank, 0)];
      if (first === other) continue;
      const text = `array of ${call}: expected ${nameOfType(first)} as on rank 0, got ${nameOfType(other)} on rank ${rank}`;
      throw new SparlaneError('argument', text, { rank });
    }
  }

  /** The arrays of all ranks, one after the other; their lengths may differ. */
  gather<A extends ElementArray>(mine: A): Gathered<A> {
    const { size } = this.transport;
    const of = this.meet('allgather', [typeOf(mine), mine.length]);
    this.#checkTypes('allgather', of);
    const lengths = Array.from({ length: size }, (_, rank) => of(rank, 1));
    const type = mine.constructor as new (length: number) => A;
    const all = new type(sum(lengths));
    this.#gatherBytes(mine, lengths, all);
    return { all, lengths };
  }

  /** all ← the arrays of all ranks, one after the other. @param lengths of each, as known on all ranks */
  gatherInto<A extends ElementArray>(mine: A, lengths: readonly number[], all: A): void {
    this.meet('allgather', [typeOf(mine), mine.length]);
    this.#gatherBytes(mine, lengths, all);
  }

  #gatherBytes<A extends ElementArray>(mine: A, lengths: readonly number[], all: A): void {
    const counts = lengths.map((length) => length * mine.BYTES_PER_ELEMENT);
    this.transport.gatherBytes(bytesOf(mine), counts, bytesOf(all));
  }

  /** What every rank has for this one; only ranks that have something for each other send it. @param parts what this rank has for each */
  allToAll(parts: readonly Float64Array[]): readonly Float64Array[] {
    const { rank, calls } = this.transport;
    this.combine('alltoall', new Float64Array(), Math.max);
    const isSent = ({ length }: Float64Array, other: number) => other !== rank && length > 0;
    const sends = parts.flatMap((part, to) => (isSent(part, to) ? { rank: to, count: part.length } : []));
    const received = parts.map((part, from) => (from === rank ? part : new Float64Array()));
    const receives = this.transport.tellCounts(sends).map(({ rank: from, count }) => {
      const into = new Float64Array(count);
      received[from] = into;
      return { rank: from, into };
    });
    using messages = this.exchange('turn', calls.name('all to all'), Float64Array, sends, receives);
    sends.forEach(({ rank: to }, i) => {
      messages.outgoing(i).set(parts[to]!);
    });
    messages.start();
    messages.finish();
    return received;
  }

  broadcast<A extends ElementArray>(array: A, root: number): void {
    const of = this.meet('broadcast', [array.length, root, typeOf(array)]);
    this.#checkTypes('broadcast', (rank) => of(rank, 2));
    this.#checkSame('broadcast', of);
    const { rank, size } = this.transport;
    for (let other = 0; other < size; other++)
      if (of(other, 1) !== root)
        throw new SparlaneError(
          'backend',
          `ranks: expected one root, got ${root} on rank ${rank} and ${of(other, 1)} on rank ${other}`,
        );
    this.transport.broadcast(bytesOf(array), root);
  }
}

export interface Gathered<A> {
  readonly all: A;
  /** Elements of each rank. */
  readonly lengths: readonly number[];
}

/** Returns the array of each rank. */
export function arraysOf<A extends ElementArray>({ all, lengths }: Gathered<A>): A[] {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return all.slice(end - length, end) as A;
  });
}

/** Numbers of a rank that are reduced at a time. */
const PIECE = 4096;

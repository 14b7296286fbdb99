/**
 * Meetings of all ranks. Each begins with a frame of numbers from every rank, which says what the rank calls: ranks that call different
 * things all get an error that names them, and none of them waits for ever.
 */
import { SparlaneError } from '../core/errors.js';
import { FRAME, type Transport } from './transport.js';

/** What ranks do together. */
const CALLS = [
  'end',
  'barrier',
  'broadcast',
  'allgather',
  'sum',
  'max',
  'long sum',
  'long max',
  'agreement',
  'shape',
  'sum on devices',
] as const;

export type Call = (typeof CALLS)[number];

/** Numbers of a frame after the call and their count. */
const ROOM = FRAME - 2;

export class Meeting {
  readonly transport: Transport;
  readonly #frame: Float64Array = new Float64Array(FRAME);
  readonly #all: Float64Array;

  constructor(transport: Transport) {
    this.transport = transport;
    this.#all = new Float64Array(FRAME * transport.size);
  }

  /**
   * Waits until all ranks call the same.
   *
   * @param numbers up to 14, equally many on every rank
   * @returns a function that gives number `i` of a rank; valid until the next meeting
   * @throws SparlaneError `backend` if a rank calls something else, has ended or failed
   */
  meet(call: Call, numbers: ArrayLike<number> = []): (rank: number, i: number) => number {
    const frame = this.#frame;
    const all = this.#all;
    frame[0] = CALLS.indexOf(call);
    frame[1] = numbers.length;
    for (let i = 0; i < numbers.length; i++) frame[2 + i] = numbers[i]!;
    this.transport.gatherFrames(frame, all);
    for (let at = 0; at < all.length; at += FRAME)
      if (all[at] !== frame[0] || all[at + 1] !== frame[1]) throw this.#disagreement(at / FRAME);
    return (rank, i) => all[rank * FRAME + 2 + i]!;
  }

  #disagreement(other: number): SparlaneError {
    const all = this.#all;
    const { rank } = this.transport;
    const callOf = (r: number) => CALLS[all[r * FRAME]!]!;
    const described = (r: number) =>
      `${callOf(r) === 'end' ? 'its end' : `${callOf(r)} of ${all[r * FRAME + 1]} numbers`} on rank ${r}`;
    const text = `ranks: expected the same call on all ranks, got ${described(rank)} and ${described(other)}`;
    return new SparlaneError('backend', text, { rank, other });
  }

  /**
   * numbers ← their sums, or maxima, over all ranks: the same bits on each. Ranks are added by a tree that depends on nothing but
   * their number. A maximum with NaN is NaN.
   */
  reduce(call: 'sum' | 'max', numbers: Float64Array): void {
    const combine = call === 'sum' ? add : Math.max;
    const { size } = this.transport;
    if (numbers.length <= ROOM) {
      const of = this.meet(call, numbers);
      for (let i = 0; i < numbers.length; i++) numbers[i] = tree(0, size, (rank) => of(rank, i), combine);
      return;
    }
    const of = this.meet(`long ${call}`, [numbers.length]);
    this.#checkSame(call, of);
    const piece = new Float64Array(PIECE * size);
    for (let done = 0; done < numbers.length; done += PIECE) {
      const mine = numbers.slice(done, done + PIECE);
      const all = piece.subarray(0, mine.length * size);
      const counts = new Array<number>(size).fill(mine.byteLength);
      this.transport.gatherBytes(bytesOf(mine), counts, bytesOf(all));
      for (let i = 0; i < mine.length; i++)
        numbers[done + i] = tree(0, size, (rank) => all[rank * mine.length + i]!, combine);
    }
  }

  /**
   * Makes something on every rank. If it fails on one, it fails on all with the same error, so that ranks stay together.
   *
   * @param undo called where it was made, if it failed elsewhere
   * @throws SparlaneError of the first rank on which `make` throws one; other errors end this rank
   */
  together<T>(make: () => T, undo: (made: T) => void): T {
    let made: { readonly value: T } | undefined;
    let problem: SparlaneError | undefined;
    try {
      made = { value: make() };
    } catch (error) {
      if (!(error instanceof SparlaneError)) throw error;
      problem = error;
    }
    const failed = this.meet('agreement', [problem === undefined ? 0 : 1]);
    const { size } = this.transport;
    const first = Array.from({ length: size }, (_, rank) => rank).find((rank) => failed(rank, 0) === 1);
    if (first === undefined) return made!.value;
    if (made !== undefined) undo(made.value);
    throw this.#shared(problem, first);
  }

  /** The error of rank `first`, on every rank. */
  #shared(problem: SparlaneError | undefined, first: number): SparlaneError {
    const { rank } = this.transport;
    const told = problem && JSON.stringify({ code: problem.code, message: problem.message, detail: problem.detail });
    const { all, lengths } = this.gather(new TextEncoder().encode(rank === first ? told : ''));
    const { code, message, detail } = JSON.parse(new TextDecoder().decode(all.subarray(0, lengths[first])));
    return new SparlaneError(code, `rank ${first}: ${message}`, { ...detail, rank: first });
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

  /** The arrays of all ranks, one after the other; their lengths may differ. */
  gather<A extends ElementArray>(mine: A): Gathered<A> {
    const { size } = this.transport;
    const { BYTES_PER_ELEMENT: width } = mine;
    const of = this.meet('allgather', [width, mine.length]);
    this.#checkSame('allgather', of);
    const lengths = Array.from({ length: size }, (_, rank) => of(rank, 1));
    const type = mine.constructor as new (length: number) => A;
    const all = new type(lengths.reduce((sum, length) => sum + length, 0));
    this.transport.gatherBytes(
      bytesOf(mine),
      lengths.map((length) => length * width),
      bytesOf(all),
    );
    return { all, lengths };
  }

  broadcast<A extends ElementArray>(array: A, root: number): void {
    const of = this.meet('broadcast', [array.byteLength, root]);
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

/** The arrays that ranks send each other. */
export type ElementArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

/** Numbers of a rank that are reduced at a time. */
const PIECE = 4096;

function add(a: number, b: number): number {
  return a + b;
}

/** Combines the numbers of the ranks [begin, end) by halves. */
function tree(
  begin: number,
  end: number,
  of: (rank: number) => number,
  combine: (a: number, b: number) => number,
): number {
  if (end - begin === 1) return of(begin);
  const middle = (begin + end) >>> 1;
  return combine(tree(begin, middle, of, combine), tree(middle, end, of, combine));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

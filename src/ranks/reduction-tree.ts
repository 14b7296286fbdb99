/**
 * Numbers of all ranks combined by messages between pairs of them, in ⌈log₂ ranks⌉ turns: every rank ends with the same bits as if all numbers were
 * combined by halves of the ranks, the halves of these, and so on.
 *
 * A range of ranks has two halves, the upper one with as many ranks or one more. When each rank of a half has the result of its half, rank i of one
 * half exchanges it with rank i of the other; the last rank of a longer half gets it, too, and sends nothing.
 *
 * Source: recursive doubling (Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19, 2005).
 * Differs: any number of ranks without a turn before and after; the order depends on nothing but this number.
 */
import type { Exchange, Transport } from './transport.js';

export type Combine = (a: number, b: number) => number;

/** A rank sends to some ranks, and receives from one, where two halves are joined. */
export interface Joint {
  readonly from: number;
  readonly to: readonly number[];
  /** Whether this rank is in the lower half, whose numbers come first. */
  readonly isLower: boolean;
}

/** Returns the joints of a rank, from that of all ranks to that of two or three. */
export function jointsOf(rank: number, size: number): readonly Joint[] {
  const joints: Joint[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = (begin + end) >>> 1;
    const [lower, upper] = [middle - begin, end - middle];
    const isLower = rank < middle;
    const place = isLower ? rank - begin : rank - middle;
    const hasTwo = isLower && upper > lower && place === lower - 1;
    const opposite = isLower ? middle + place : begin + place;
    const to = hasTwo ? [opposite, end - 1] : isLower || place < lower ? [opposite] : [];
    joints.push({ isLower, to, from: isLower ? opposite : begin + Math.min(place, lower - 1) });
    [begin, end] = isLower ? [begin, middle] : [middle, end];
  }
  return joints;
}

interface Turn extends Joint {
  readonly into: Float64Array;
  readonly messages: Exchange;
}

export class ReductionTree {
  readonly #turns: readonly Turn[];

  /** Made by all ranks. @param length numbers of a message */
  constructor(transport: Transport, length: number) {
    const { rank, size } = transport;
    const joints = jointsOf(rank, size);
    // Every rank makes as many exchanges, because they are numbered.
    const turns = Array.from({ length: Math.ceil(Math.log2(size)) }, (_, depth) => {
      const joint = joints[depth];
      const into = new Float64Array(length);
      const to = (joint?.to ?? []).map((other) => ({ rank: other, count: length }));
      const messages = transport.exchange(Float64Array, to, joint === undefined ? [] : [{ rank: joint.from, into }]);
      return joint && { ...joint, into, messages };
    });
    this.#turns = turns.filter((turn) => turn !== undefined).reverse();
  }

  /**
   * numbers[i] ← those of all ranks combined, for i ≥ `first`. Called by all ranks.
   *
   * @param numbers at most as many as a message has
   * @param check called with what another rank has sent
   */
  run(
    numbers: Float64Array,
    first: number,
    combine: Combine,
    check: (rank: number, theirs: Float64Array) => void,
  ): void {
    for (const { from, to, isLower, into, messages } of this.#turns) {
      for (let i = 0; i < to.length; i++) messages.outgoing(i).set(numbers);
      messages.start();
      messages.finish();
      check(from, into);
      for (let i = first; i < numbers.length; i++)
        numbers[i] = isLower ? combine(numbers[i]!, into[i]!) : combine(into[i]!, numbers[i]!);
    }
  }
}

/** The numbers of all ranks are added, or the greatest or the least of them is found. */
export type Reduction = 'sum' | 'max' | 'min';

export const COMBINE: Readonly<Record<Reduction, Combine>> = { sum: (a, b) => a + b, max: Math.max, min: Math.min };

/** These are the names of all reductions. */
export const REDUCTIONS = Object.keys(COMBINE) as Reduction[];

/** Combines the numbers of the ranks [begin, end) by halves. */
export function tree(begin: number, end: number, of: (rank: number) => number, combine: Combine): number {
  if (end - begin === 1) return of(begin);
  const middle = (begin + end) >>> 1;
  return combine(tree(begin, middle, of, combine), tree(middle, end, of, combine));
}

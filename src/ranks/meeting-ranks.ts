/** The ranks that share the vectors of a space: what the space knows of their meetings. */
import type { RankFacts, Ranks } from '../memory/space.js';
import { compare } from './comparison.js';
import type { Meeting } from './meeting.js';

/** Dot products of this rank, and what gives their sums a place. */
interface Dots {
  readonly numbers: Float64Array;
  readonly place: () => void;
}

export class MeetingRanks implements Ranks {
  readonly rank: number;
  readonly #meeting: Meeting;
  /** During `startSums` dot products are collected here, to be summed together. */
  #together: Dots[] | undefined;

  constructor(meeting: Meeting) {
    this.rank = meeting.transport.rank;
    this.#meeting = meeting;
  }

  sum(numbers: Float64Array): void {
    this.#meeting.reduce('sum', numbers);
  }

  complete(numbers: Float64Array, place: () => void): void {
    if (this.#together !== undefined) {
      this.#together.push({ numbers, place });
      return;
    }
    this.sum(numbers);
    place();
  }

  startSums(dots: () => void): () => void {
    const together: Dots[] = [];
    this.#together = together;
    try {
      dots();
    } finally {
      this.#together = undefined;
    }
    if (together.length === 0) return () => {};
    const all = Float64Array.from(together.flatMap(({ numbers }) => [...numbers]));
    const wait = this.#meeting.startReduce('sum', all);
    return () => {
      wait();
      let at = 0;
      for (const { numbers, place } of together) {
        numbers.set(all.subarray(at, at + numbers.length));
        at += numbers.length;
        place();
      }
    };
  }

  compare(what: string, facts: RankFacts): void {
    compare(this.#meeting, what, facts);
  }
}

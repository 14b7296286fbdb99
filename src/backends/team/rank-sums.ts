/** Dot products of a program that are completed over the ranks that share the space. */
import type { Heap } from '../../memory/heap.js';
import { resultsOf } from '../../memory/operation-blocks.js';
import type { Ranks, VectorOperation } from '../../memory/space.js';

/** A run of f64 in the heap. */
interface Results {
  readonly address: number;
  readonly count: number;
}

function placesOf(operation: VectorOperation): readonly Results[] {
  if (operation.kind !== 'gram') return resultsOf(operation).map((address) => ({ address, count: 1 }));
  const { x, c } = operation;
  // Padding is zero, and so are its sums.
  return [{ address: c.block, count: x.columns * c.stride }];
}

/** The results of some operations, one after the other. */
export class RankSums {
  readonly #places: readonly Float64Array[];
  readonly #numbers: Float64Array;

  constructor(places: readonly Float64Array[]) {
    this.#places = places;
    this.#numbers = new Float64Array(places.reduce((sum, { length }) => sum + length, 0));
  }

  /** Of several programs. */
  static of(all: readonly RankSums[]): RankSums {
    return new RankSums(all.flatMap((sums) => sums.#places));
  }

  /** The results of this rank. */
  #read(): Float64Array {
    let at = 0;
    for (const place of this.#places) {
      this.#numbers.set(place, at);
      at += place.length;
    }
    return this.#numbers;
  }

  /** Gives the operations their results. */
  #place(): void {
    let at = 0;
    for (const place of this.#places) {
      place.set(this.#numbers.subarray(at, at + place.length));
      at += place.length;
    }
  }

  /** One sum for all of them. */
  complete(ranks: Ranks): void {
    ranks.sum(this.#read());
    this.#place();
  }

  /** @returns what waits for the sums */
  start(ranks: Ranks): () => void {
    const wait = ranks.startSum(this.#read());
    return () => {
      wait();
      this.#place();
    };
  }
}

/** @returns undefined if the operations have no results */
export function sumsOver(heap: Heap, operations: readonly VectorOperation[]): RankSums | undefined {
  const places = operations.flatMap(placesOf).map(({ address, count }) => heap.view(Float64Array, address, count));
  return places.length === 0 ? undefined : new RankSums(places);
}

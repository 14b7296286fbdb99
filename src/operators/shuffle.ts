/** A permutation of vectors, in their space. */
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import { inversePermutation } from '../reorder/permutation.js';

export class Shuffle implements Disposable {
  readonly #space: Space;
  readonly #length: number;
  readonly #order: number;
  readonly #inverse: number;

  /**
   * @param order a permutation: position i of a shuffled vector is element order[i] of the original
   * @throws SparlaneError `heap` if it does not fit
   */
  constructor(space: Space, order: Uint32Array) {
    this.#space = space;
    this.#length = order.length;
    this.#order = placed(space, order);
    try {
      this.#inverse = placed(space, inversePermutation(order));
    } catch (error) {
      space.release(this.#order);
      throw error;
    }
  }

  /** to[i] ← from[order[i]] */
  gather(from: Vector, to: Vector): void {
    this.#run(this.#inverse, from, to);
  }

  /** to[order[i]] ← from[i] */
  scatter(from: Vector, to: Vector): void {
    this.#run(this.#order, from, to);
  }

  #run(order: number, from: Vector, to: Vector): void {
    const { BYTES_PER_ELEMENT } = from.type;
    this.#space.run(BYTES_PER_ELEMENT, this.#length, [{ kind: 'scatter', order, x: from.block, y: to.block }]);
  }

  /** Frees the memory; called once. */
  [Symbol.dispose](): void {
    this.#space.release(this.#order);
    this.#space.release(this.#inverse);
  }
}

function placed(space: Space, numbers: Uint32Array): number {
  const block = space.allocate(numbers.byteLength);
  space.upload(block, 0, numbers);
  return block;
}

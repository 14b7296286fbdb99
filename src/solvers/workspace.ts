/** The vectors and scalars of a solve, freed together. */
import { Owned } from '../core/owned.js';
import { Scalar, ScalarGroup } from '../memory/scalar.js';
import type { Recording } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';

export class Workspace implements Disposable {
  readonly #operator: LinearOperator;
  readonly #records: boolean;
  readonly #owned: Owned = new Owned();

  /** @param records whether a step is recorded; otherwise each launch runs it anew */
  constructor(operator: LinearOperator, records = true) {
    this.#operator = operator;
    this.#records = records;
  }

  /**
   * A vector of A's space and type, as long as x or as b; its contents are undefined.
   *
   * @param columns more than 1: a block of vectors
   * @throws SparlaneError `heap`
   */
  vector(like: 'x' | 'b' = 'x', columns = 1): Vector {
    const { space, vectorType, rows, cols } = this.#operator;
    return this.#owned.own(new Vector(space, vectorType, like === 'x' ? cols : rows, undefined, columns));
  }

  /** A small dense matrix of f64 for `gram` and `combine`. @throws SparlaneError `heap` */
  small(size: number): Vector {
    return this.#owned.own(new Vector(this.#operator.space, Float64Array, size, undefined, size));
  }

  /** The same, several. @throws SparlaneError `heap` */
  vectors(count: number, like: 'x' | 'b' = 'x'): Vector[] {
    return Array.from({ length: count }, () => this.vector(like));
  }

  /** @throws SparlaneError `heap` */
  scalar(): Scalar {
    return this.#owned.own(new Scalar(this.#operator.space));
  }

  /** Scalars whose numbers `Scalar.values` reads at once. @throws SparlaneError `heap` */
  scalars(count: number): Scalar[] {
    return [...this.#owned.own(new ScalarGroup(this.#operator.space, count)).scalars];
  }

  /** @throws as `engine.record` */
  record(step: () => void): Pick<Recording, 'launch'> {
    return this.#records ? this.#owned.own(this.#operator.space.record(step)) : { launch: step };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

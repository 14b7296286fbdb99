/** The vectors and scalars of a solve, freed together. */
import { Owned } from '../core/owned.js';
import { Scalar } from '../memory/scalar.js';
import type { Recording } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';

export class Workspace implements Disposable {
  readonly #operator: LinearOperator;
  readonly #owned: Owned = new Owned();

  constructor(operator: LinearOperator) {
    this.#operator = operator;
  }

  /** Vectors of A's space and type, as long as its columns; their contents are undefined. @throws SparlaneError `heap` */
  vectors(count: number): Vector[] {
    const { space, vectorType, cols } = this.#operator;
    return Array.from({ length: count }, () => this.#owned.own(new Vector(space, vectorType, cols)));
  }

  /** @throws SparlaneError `heap` */
  scalars(count: number): Scalar[] {
    return Array.from({ length: count }, () => this.#owned.own(new Scalar(this.#operator.space)));
  }

  /** @throws as `engine.record` */
  record(step: () => void): Recording {
    return this.#owned.own(this.#operator.space.record(step));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

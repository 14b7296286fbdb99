/** An operator that measures the time of its products. A device waits before and after each of them. */
import type { Vector } from '../memory/vector.js';
import { LinearOperator } from '../operators/operator.js';

export class MeteredOperator extends LinearOperator {
  readonly #inner: LinearOperator;
  #ms = 0;

  constructor(inner: LinearOperator) {
    super(inner.space, inner.rows, inner.cols, inner.vectorType);
    this.#inner = inner;
  }

  /** Time of all products. */
  get ms(): number {
    return this.#ms;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { space } = this;
    space.synchronize();
    const begin = performance.now();
    this.#inner.apply(x, y, alpha, beta);
    space.synchronize();
    this.#ms += performance.now() - begin;
  }
}

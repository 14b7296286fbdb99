/** Operators that measure the time of their products. A device waits before and after each of them. */
import type { Vector } from '../memory/vector.js';
import { LinearOperator } from '../operators/operator.js';
import type { System } from './method.js';
import type { SolveTiming } from './solution.js';

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

/** The operators of a solve, each with its time. */
export class Meters {
  readonly operators: Pick<System, 'A' | 'At' | 'M'>;
  readonly #products: readonly MeteredOperator[];
  readonly #M: MeteredOperator | undefined;

  constructor(A: LinearOperator, At: LinearOperator | undefined, M: LinearOperator | undefined) {
    const of = (operator: LinearOperator | undefined) => operator && new MeteredOperator(operator);
    const [meteredA, meteredAt] = [new MeteredOperator(A), of(At)];
    this.#products = meteredAt === undefined ? [meteredA] : [meteredA, meteredAt];
    this.#M = of(M);
    this.operators = { A: meteredA, At: meteredAt, M: this.#M };
  }

  /** The parts of a time. */
  split(totalMs: number): SolveTiming {
    const products = this.#products.reduce((sum, { ms }) => sum + ms, 0);
    const preconditioner = this.#M?.ms ?? 0;
    return { products, preconditioner, vectors: totalMs - products - preconditioner };
  }
}

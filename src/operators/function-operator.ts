/** Matrix-free operators: a function that computes y ← A x. */
import { callback, knownKeys, oneOf } from '../core/checks.js';
import { type FloatArrayConstructor, vectorArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import { LinearOperator } from './operator.js';

/** `functionOperator` takes these options. */
export interface FunctionOperatorOptions {
  /** The type of x and y. Default `f64`. */
  readonly dtype?: 'f64' | 'f32';
}

const OPTIONS = { dtype: true } satisfies Record<keyof FunctionOperatorOptions, true>;

/**
 * The operator of a function: a stencil, a product of operators, a black box.
 *
 * @param owner an engine, a vector or another operator: the operator's vectors live in its space
 * @param product computes y ← A x, and overwrites y. Both are vectors of the space; x must not be changed. In the heap,
 *   `x.data` and `y.data` are their numbers
 * @throws SparlaneError `argument` for wrong rows, cols, product or options
 *
 * @example
 * const laplacian = functionOperator(engine, n, n, ({ data: x }, { data: y }) => {
 *   for (let i = 0; i < n; i++) y[i] = 2 * x[i] - (x[i - 1] ?? 0) - (x[i + 1] ?? 0);
 * });
 */
export function functionOperator(
  owner: { readonly space: Space },
  rows: number,
  cols: number,
  product: (x: Vector, y: Vector) => void,
  options: FunctionOperatorOptions = {},
): LinearOperator {
  knownKeys('options', options, OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', ['f64', 'f32']);
  return new FunctionOperator(owner?.space, rows, cols, vectorArray(dtype), callback('product', product));
}

class FunctionOperator extends LinearOperator {
  readonly #compute: (x: Vector, y: Vector) => void;
  /** A x, if it is scaled or added. */
  #product: Vector | undefined;

  constructor(
    space: Space,
    rows: number,
    cols: number,
    type: FloatArrayConstructor,
    compute: (x: Vector, y: Vector) => void,
  ) {
    super(space, rows, cols, type);
    this.#compute = compute;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) {
      this.#compute(x, y);
      return;
    }
    this.#product ??= y.like();
    this.#compute(x, this.#product);
    y.axpby(alpha, this.#product, beta);
  }

  protected override release(): void {
    this.#product?.dispose();
  }
}

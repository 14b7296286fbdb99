/** A stored matrix and the plan of its products. */
import type { Plan } from '../backends/plan.js';
import type { Decision } from '../choice/choose.js';
import type { Hint } from '../core/hints.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import type { SharedSpace } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { Ordering } from '../reorder/permutation.js';
import { LinearOperator, sayAfterProduct } from './operator.js';

/** A stored matrix, and how its format was selected. */
export interface Made {
  readonly stored: StoredMatrix;
  readonly decision?: Decision | undefined;
  readonly ordering?: Ordering | undefined;
}

export class MatrixOperator extends LinearOperator {
  /** Format and parameters, given or selected: `csrk?k=3`. */
  readonly format: string;
  /** The matrix as stored in the shared heap. */
  readonly matrix: StoredMatrix;
  /** The reason for this format; undefined if the caller named it. */
  readonly decision: Decision | undefined;
  /**
   * Defined if a permutation was allowed and worthwhile. The operator is then P A Pᵀ. `permuted(operator, ordering)`
   * converts it to an operator for A; `permuteVector` converts vectors.
   */
  readonly ordering: Ordering | undefined;
  readonly plan: Plan;
  /** Time of validation, conversion and inspection together. */
  readonly setupMs: number;
  readonly #onHint: (hint: Hint) => void;
  /** Number of products until another format would have paid off; counts down. */
  #untilLate: number;

  /** Made by `engine.operator`. Takes ownership of the matrix. */
  constructor(shared: SharedSpace, made: Made, plan: Plan, setupMs: number, onHint: (hint: Hint) => void) {
    const { stored, decision, ordering } = made;
    super(shared, stored.rows, stored.cols, vectorArray(stored.dtype), plan.space);
    this.format = stored.spec;
    this.matrix = stored;
    this.decision = decision;
    this.ordering = ordering;
    this.#untilLate = decision?.late?.products ?? Number.POSITIVE_INFINITY;
    this.plan = plan;
    this.setupMs = setupMs;
    this.#onHint = onHint;
  }

  protected override run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void {
    this.plan.run(x, y, alpha, beta);
    if (--this.#untilLate === 0) this.#sayLate();
  }

  protected override queue(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.plan.queue!(x, y, alpha, beta);
  }

  #sayLate(): void {
    const { late, products } = this.decision!;
    const message = `${late!.products} products, ${products} were expected: ${late!.spec} would have paid off`;
    sayAfterProduct(() => this.#onHint({ name: 'converted-late', message }));
  }

  protected override onCopy(name: 'x' | 'y'): void {
    const message = `${name} is copied with every product; a vector of engine.vector() would not be copied`;
    sayAfterProduct(() => this.#onHint({ name: 'copying-vectors', message }));
  }

  protected override release(): void {
    this.plan[Symbol.dispose]?.();
    this.matrix[Symbol.dispose]();
  }
}

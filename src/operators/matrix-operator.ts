/** A stored matrix and the plan of its products. */
import type { Plan } from '../backends/plan.js';
import type { Hint } from '../core/hints.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import type { Heap } from '../memory/heap.js';
import { LinearOperator } from './operator.js';

export class MatrixOperator extends LinearOperator {
  /** The matrix as it lies in the shared heap. */
  readonly matrix: StoredMatrix;
  readonly plan: Plan;
  /** What validation, conversion and inspection took together. */
  readonly setupMs: number;
  readonly #onHint: (hint: Hint) => void;

  /** Made by `engine.operator`. The matrix is the operator's from here on. */
  constructor(heap: Heap, matrix: StoredMatrix, plan: Plan, setupMs: number, onHint: (hint: Hint) => void) {
    super(heap, matrix.rows, matrix.cols, vectorArray(matrix.dtype));
    this.matrix = matrix;
    this.plan = plan;
    this.setupMs = setupMs;
    this.#onHint = onHint;
  }

  protected override run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void {
    this.plan.run(x, y, alpha, beta);
  }

  protected override onCopy(name: 'x' | 'y'): void {
    const message = `${name} is copied with every product; a vector of engine.vector() is not`;
    this.#onHint({ name: 'copying-vectors', message });
  }

  protected override release(): void {
    this.matrix[Symbol.dispose]();
  }
}

/** Operators of matrices: a stored matrix and the plan of its products. `by-rows.ts` has those of several devices or memories. */
import type { Plan, PlanReport } from '../backends/plan.js';
import type { Decision } from '../choice/choose.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { vectorArray } from '../core/types.js';
import { type MatrixInfo, type StoredMatrix, toCsr } from '../formats/format.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { Ordering } from '../reorder/permutation.js';
import { LinearOperator, sayAfterProduct } from './operator.js';
import { type CheckedTransposeOptions, checkTransposeOptions, type TransposeOptions } from './transpose-options.js';

/** How the format of a matrix was selected. */
export interface Selection {
  readonly decision?: Decision | undefined;
  readonly ordering?: Ordering | undefined;
}

/** A linear operator whose entries are known. */
export abstract class MatrixOperator extends LinearOperator {
  /** Entries of the matrix. */
  readonly nnz: number;
  /** Format and parameters, given or selected: `csrk?k=3`. */
  readonly format: string;
  /** The matrix as stored in the shared heap. */
  readonly matrix: MatrixInfo;
  /** The reason for this format; undefined if the caller named it. */
  readonly decision: Decision | undefined;
  /**
   * Defined if a permutation was allowed and worthwhile. The operator is then P A Pᵀ. `permuted(operator, ordering)`
   * converts it to an operator for A; `permuteVector` converts vectors.
   */
  readonly ordering: Ordering | undefined;
  readonly plan: PlanReport;
  /** Time of validation, conversion and inspection together. */
  readonly setupMs: number;
  #transpose: ((options: CheckedTransposeOptions) => MatrixOperator) | undefined;
  /** The operator of which this one is the transpose. */
  #original: MatrixOperator | undefined;
  /** The operators that `transposed` has made, by options. */
  readonly #transposes = new Map<string, MatrixOperator>();

  protected constructor(space: Space, matrix: MatrixInfo, plan: PlanReport, selection: Selection, setupMs: number) {
    super(space, matrix.rows, matrix.cols, vectorArray(matrix.dtype));
    this.nnz = matrix.nnz;
    this.format = matrix.spec;
    this.matrix = matrix;
    this.plan = plan;
    this.decision = selection.decision;
    this.ordering = selection.ordering;
    this.setupMs = setupMs;
  }

  /** Defines how `transposed` makes an operator. Called by the engine. */
  static connect(operator: MatrixOperator, transpose: (options: CheckedTransposeOptions) => MatrixOperator): void {
    operator.#transpose = transpose;
  }

  /**
   * The operator of Aᵀ, in the same space and of the same dtype: y ← α Aᵀ x + β y. It is made once for the same options, and disposed
   * with this operator if not before. `A.transposed().transposed()` is A.
   *
   * If the matrix is symmetric or skew-symmetric, as its source or its format states, no options are needed: the entries of A are used
   * as they are. By default the entries are transposed once, which takes the time of 4 to 10 products, and laid out by the
   * options of A; after trials of A, without trials if Aᵀ is predicted to take the same times. An operator of P A Pᵀ (`ordering`) gives P Aᵀ Pᵀ.
   *
   * @throws SparlaneError `argument` for a wrong option, for `memory: 'shared'` if the format or the device has no kernels for it, or
   *   if the operator is disposed; `heap` if it does not fit; and as `engine.operator` for the format
   */
  transposed(options: TransposeOptions = {}): MatrixOperator {
    if (this.disposed) throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
    const checked = checkTransposeOptions(options);
    const { format, products, memory } = checked;
    if (this.#original !== undefined && Object.keys(options).length === 0) return this.#original;
    const key = JSON.stringify([format, products, memory]);
    const known = this.#transposes.get(key);
    if (known !== undefined && !known.disposed) return known;
    if (this.#transpose === undefined) throw mismatch('argument', 'operator', 'one of an engine', this);
    const made = this.#transpose(checked);
    made.#original = this;
    this.#transposes.set(key, made);
    return made;
  }

  /** The entries, converted back from the layout to CSR in canonical order. Values are those of the operator's dtype. */
  toCsr(): CsrMatrix {
    return toCsr(this.matrix);
  }

  override dispose(): void {
    for (const operator of this.#transposes.values()) operator.dispose();
    this.#transposes.clear();
    super.dispose();
  }

  /** One line, also for `console.log` in Node: `MatrixOperator (4 × 3, 6 entries, csr, f64, wasm)`. */
  override toString(): string {
    const { rows, cols, nnz, format, matrix, plan } = this;
    const threads = plan.threads > 1 ? `, ${plan.threads} threads` : '';
    const memories = plan.memories === undefined ? '' : `, ${plan.memories} memories`;
    const where = `${plan.backend}${threads}${memories}`;
    return `MatrixOperator (${rows} × ${cols}, ${nnz} entries, ${format}, ${matrix.dtype}, ${where})`;
  }
}

/** Plans the block products of a number of columns. */
export type PlanBlocks = (columns: number) => Plan;

/** A matrix stored for one backend. Made by `engine.operator`. */
export class StoredOperator extends MatrixOperator {
  declare readonly matrix: StoredMatrix;
  declare readonly plan: Plan;
  readonly #onHint: (hint: Hint) => void;
  readonly #planBlocks: PlanBlocks | undefined;
  /** The plans of block products, by the number of columns; on a device one for all. */
  readonly #blocks = new Map<number, Plan>();
  /** Number of products until another format would have paid off; counts down. */
  #untilLate: number;

  /** Takes ownership of the matrix and of its plan. @param planBlocks undefined if there is no kernel for blocks */
  constructor(
    space: Space,
    stored: StoredMatrix,
    plan: Plan,
    selection: Selection,
    setupMs: number,
    onHint: (hint: Hint) => void,
    planBlocks?: PlanBlocks,
  ) {
    super(space, stored, plan, selection, setupMs);
    this.#untilLate = selection.decision?.late?.products ?? Number.POSITIVE_INFINITY;
    this.#onHint = onHint;
    this.#planBlocks = planBlocks;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.plan.run(x, y, alpha, beta);
    if (--this.#untilLate === 0) this.#sayLate();
  }

  protected override get isPlanned(): boolean {
    return true;
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (this.#planBlocks === undefined) {
      super.runBlock(x, y, alpha, beta);
      return;
    }
    // On a device a plan has a copy of the matrix, and serves any number of columns.
    const key = this.space.heap === undefined ? 0 : x.columns;
    let plan = this.#blocks.get(key);
    if (plan === undefined) {
      plan = this.#planBlocks(x.columns);
      this.#blocks.set(key, plan);
    }
    plan.run(x, y, alpha, beta);
    if (--this.#untilLate === 0) this.#sayLate();
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

  protected override onColumns(): void {
    const message = `${this.format} has no kernel for blocks of vectors: each column is copied and multiplied by itself`;
    sayAfterProduct(() => this.#onHint({ name: 'fell-back', message }));
  }

  protected override release(): void {
    for (const plan of this.#blocks.values()) plan[Symbol.dispose]();
    this.plan[Symbol.dispose]();
    this.matrix[Symbol.dispose]();
  }
}

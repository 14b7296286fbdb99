/**
 * Block conjugate gradients: several right-hand sides that search one common space.
 *
 * Source: O'Leary 1980; without breakdowns: Ji & Li 2017 (BFBCG). The directions P are an orthonormal basis of the columns of Z + P β, as many
 *   as are independent; a direction that is left out is a column of zeros.
 * Differs from Ji & Li: the basis is that of a Cholesky factorization with pivots of the Gram matrix of the scaled columns, and a column
 *   that has converged adds no directions and is changed no more.
 * For: symmetric positive definite A, and M likewise, where rows have many entries or M is dear. On 14³ nodes of elasticity with ic0 and 8 columns it
 *   takes 0.43 of the time of `cg` for each; on the 5-point 300², 1.3 times that (November 2026, Xeon, one thread).
 * Cost: a step is a product with a block, M for each column, four Gram matrices and four products with small matrices: some 16 k² n operations
 *   beside the 2 k nnz of the product. The small problems are solved on the host, which waits for a device five times in a step.
 */
import { drain } from '../core/drain.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import type { BlockInput, ColumnState, ManyOptions, ManySolution } from './columns.js';
import { GramFactor, INDEPENDENT } from './gram-factor.js';
import { iterateMany, type ManyMethod, type ManySystem } from './iterate-many.js';
import { readColumnNorms } from './norms.js';
import type { Reason, Step } from './solution.js';

/** The least squared sine of the angle between directions in the norm of A, whose Gram matrix is as exact as that. */
const CONJUGATE = 1e-14;

/**
 * Solves A X = B for a symmetric positive definite A, in fewer iterations than the columns need alone. The options hold for every column;
 * `checkEvery` is 1. Columns of B may be dependent, equal or zero.
 *
 * @param A square; its symmetry is not checked
 * @param B a block of vectors in A's space: `engine.vector(n, { columns })`; or an array of rows
 * @throws as `cg`
 *
 * @example
 * const { x, columns } = blockCg(A, B, { preconditioner: M });
 */
export function blockCg(A: LinearOperator, B: BlockInput, options: ManyOptions = {}): ManySolution {
  return drain(blockCgSteps(A, B, options));
}

/** The same step by step. */
export function blockCgSteps(A: LinearOperator, B: BlockInput, options: ManyOptions): Generator<Step, ManySolution> {
  return iterateMany(blockwise, A, B, options);
}

const blockwise: ManyMethod = (system) => {
  const block = new Block(system);
  return function* (columns) {
    block.begin(columns);
    for (let running = columns; running.length > 0; ) {
      const failure = block.advance(running);
      for (const column of running) {
        if (failure === undefined) block.check(column);
        else column.fail(failure);
      }
      yield { iterations: failure === undefined ? 1 : 0, products: 1 };
      running = running.filter(({ goesOn }) => goesOn);
      if (running.length > 0) block.turn(running);
    }
  };
};

class Block {
  readonly #system: ManySystem;
  readonly #size: number;
  /** The directions, A P, and M⁻¹ R. */
  readonly #P: Vector;
  readonly #Q: Vector;
  readonly #Z: Vector;
  readonly #column: Vector;
  readonly #small: Vector;
  readonly #norms: readonly Scalar[];
  /** The norms of R. */
  #residuals: readonly number[] = [];
  /** Pᵀ A P */
  #energy: GramFactor | undefined;

  constructor(system: ManySystem) {
    const { X, work } = system;
    this.#system = system;
    this.#size = X.columns;
    [this.#P, this.#Q, this.#Z] = [1, 2, 3].map(() => work.vector('x', X.columns)) as [Vector, Vector, Vector];
    this.#column = work.vector();
    this.#small = work.small(X.columns);
    this.#norms = work.scalars(X.columns);
  }

  /** The first directions, from R. */
  begin(columns: readonly ColumnState[]): void {
    this.#column.fill(0);
    const { R } = this.#system;
    // Those that have ended may hold NaN, which no factor hides.
    for (let index = 0; index < this.#size; index++)
      if (!columns.some((column) => column.index === index)) R.setColumn(index, this.#column);
    this.#precondition();
    this.#setDirections(columns);
  }

  /** X ← X + P α and R ← R − A P α for the best α. @returns the reason why there is none; X is then as before */
  advance(columns: readonly ColumnState[]): Reason | undefined {
    const { A, X, R } = this.#system;
    const [P, Q, small] = [this.#P, this.#Q, this.#small];
    A.apply(P, Q);
    const energy = this.#gram(P, Q);
    const residual = this.#gram(P, R);
    const factor = new GramFactor(energy, this.#size, CONJUGATE);
    const alpha = this.#only(columns, factor.solve(residual));
    if (![energy, residual, alpha].every((numbers) => numbers.every(Number.isFinite))) return 'not-finite';
    if (factor.isIndefinite) return 'not-definite';
    if (factor.rank === 0) return 'breakdown';
    this.#energy = factor;
    small.set(alpha);
    X.combine(P, small, 1, 1);
    R.combine(Q, small, -1, 1);
    this.#residuals = readColumnNorms(R, this.#norms);
    return undefined;
  }

  check(column: ColumnState): void {
    const { X, best } = this.#system;
    column.check(this.#residuals[column.index]!, 1);
    if (!column.improves()) return;
    X.copyColumnTo(column.index, this.#column);
    best.setColumn(column.index, this.#column);
  }

  /** P ← a basis of Z + P β, conjugate to P. */
  turn(columns: readonly ColumnState[]): void {
    this.#precondition();
    const beta = this.#energy!.solve(this.#gram(this.#Q, this.#Z));
    this.#Z.combine(this.#P, this.#small.set(beta), -1, 1);
    this.#setDirections(columns);
  }

  #precondition(): void {
    const { M, R } = this.#system;
    if (M === undefined) this.#Z.copyFrom(R);
    else M.apply(R, this.#Z);
  }

  #setDirections(columns: readonly ColumnState[]): void {
    const isUsed = (index: number) => columns.some((column) => column.index === index);
    const factor = new GramFactor(this.#gram(this.#Z, this.#Z), this.#size, INDEPENDENT, isUsed);
    this.#P.combine(this.#Z, this.#small.set(factor.inverseRoot()));
  }

  /** The columns of a small matrix that belong to these; zeros in the others. */
  #only(columns: readonly ColumnState[], numbers: Float64Array): Float64Array {
    const kept = new Float64Array(numbers.length);
    for (const { index } of columns)
      for (let at = index; at < numbers.length; at += this.#size) kept[at] = numbers[at]!;
    return kept;
  }

  #gram(x: Vector, y: Vector): Float64Array {
    x.gram(y, this.#small);
    return this.#small.toArray() as Float64Array;
  }
}

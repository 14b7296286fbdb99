/**
 * Runs a method for several right-hand sides, each to its tolerance, as `iterate` does for one: true residuals before a column ends, restarts
 * from x where the recurrence was wrong, and the best x of a column that fails.
 */
import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { denseRows, isDense } from '../memory/dense-rows.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { type Checked, checkSolve, copyInto, SOLVE_OPTIONS } from './arguments.js';
import { type BlockInput, ColumnState, type ManyOptions, type ManySolution } from './columns.js';
import type { Progress } from './method.js';
import { readColumnNorms } from './norms.js';
import { scaleOf } from './scale.js';
import type { Step } from './solution.js';
import { Workspace } from './workspace.js';

/** A X = B, with the preconditioner z ← M⁻¹ r of each column. */
export interface ManySystem {
  readonly A: LinearOperator;
  readonly M: LinearOperator | undefined;
  readonly X: Vector;
  /** B − A X when a run begins. The method may use it as it likes. */
  readonly R: Vector;
  /** Copies of the best columns: where `ColumnState.improves`, the method copies its x there. */
  readonly best: Vector;
  readonly work: Workspace;
  /** Iterations between two checks. */
  readonly every: number;
}

/** Steps until every column has ended, or claims to have converged; X has their x then. */
export type ManyMethod = (
  system: ManySystem,
) => (columns: readonly ColumnState[]) => Generator<Pick<Progress, 'iterations' | 'products'>, void>;

const { timing: _, ...OPTIONS } = SOLVE_OPTIONS;

/** Step by step. `residualNorm` of a step: the greatest of the columns that have not ended. */
export function* iterateMany(
  method: ManyMethod,
  A: LinearOperator,
  sides: BlockInput,
  options: ManyOptions,
): Generator<Step, ManySolution> {
  knownKeys<ManyOptions>('options', options, OPTIONS);
  const { x0: start, ...others } = options;
  const checked = checkSolve(A, 'square', others, method.name);
  const begin = performance.now();
  using work = new Workspace(A);
  const B = blockOf('B', A, sides, work);
  if (B.space !== A.space) throw mismatch('argument', 'B', "a block in A's space", sides);
  const x0 = start && blockOf('x0', A, start, work);
  const [right, R, best] = Array.from({ length: 3 }, () => work.vector('x', B.columns)) as [Vector, Vector, Vector];
  copyInto('B', right, B);
  const X = right.like();
  let finished = false;
  try {
    if (x0 === undefined) X.fill(0);
    else copyInto('x0', X, x0);
    const system = { A, M: checked.M, X, R, best, work, every: checked.every };
    const solve = new ManySolve(system, right, x0, checked);
    const steps = method(system);
    for (let isFirst = true; ; isFirst = false) {
      solve.measure();
      if (isFirst) yield* solve.observe(solve.columns);
      const running = solve.columns.filter(({ reason }) => reason === undefined);
      if (running.length === 0) break;
      for (const { iterations, products } of steps(running)) {
        solve.iterations += iterations;
        solve.products += products;
        yield* solve.observe(running);
      }
    }
    solve.finish();
    finished = true;
    const columns = solve.columns.map((column) => column.end());
    const converged = columns.every((end) => end.converged);
    const { iterations, products } = solve;
    return { x: X, converged, columns, iterations, products, solveMs: performance.now() - begin };
  } finally {
    if (!finished) X.dispose();
  }
}

/** @throws SparlaneError `argument` or `shape` */
function blockOf(name: string, A: LinearOperator, given: BlockInput, work: Workspace): Vector {
  if (given instanceof Vector) return given;
  if (!isDense(given)) throw mismatch('argument', name, "a block in A's space, or an array of rows", given);
  const { rows, columns } = denseRows(name, given);
  if (rows !== A.cols) throw mismatch('shape', name, `${A.cols} rows`, rows, { rows });
  return work.vector('x', columns).set(given);
}

class ManySolve {
  readonly columns: readonly ColumnState[];
  iterations = 0;
  products = 0;
  readonly #checked: Checked;
  readonly #residual: (X: Vector) => readonly number[];
  readonly #X: Vector;
  readonly #x0: Vector | undefined;
  readonly #best: Vector;
  readonly #column: Vector;

  /** @param X x0, or zeros */
  constructor(
    { A, X, R, best, work }: Pick<ManySystem, 'A' | 'X' | 'R' | 'best' | 'work'>,
    B: Vector,
    x0: Vector | undefined,
    checked: Checked,
  ) {
    const scalars = work.scalars(B.columns);
    const normsOf = (block: Vector) => readColumnNorms(block, scalars);
    this.#checked = checked;
    this.#residual = (of) => {
      this.products++;
      R.copyFrom(B);
      A.apply(of, R, -1, 1);
      return normsOf(R);
    };
    this.#X = X;
    this.#x0 = x0;
    this.#best = best;
    this.#column = work.vector();
    const x0Norms = x0 === undefined ? undefined : normsOf(X);
    const scales = normsOf(B).map((bNorm, j) => scaleOf(B.type, bNorm, x0Norms?.[j] ?? 0));
    for (const [index, scale] of scales.entries()) for (const block of [B, X]) this.#multiply(block, index, scale);
    const bNorms = normsOf(B);
    this.columns = bNorms.map((bNorm, index) => new ColumnState(index, bNorm, scales[index]!, checked));
    // With b = 0 and atol = 0 only x = 0 is within the tolerance, which a method would not reach.
    if (checked.atol === 0) bNorms.forEach((bNorm, index) => void (bNorm === 0 && this.#clear(index)));
  }

  /** The true residuals of all columns. */
  measure(): void {
    const norms = this.#residual(this.#X);
    for (const column of this.columns) {
      column.measure(norms[column.index]!);
      if (column.reason === undefined && column.improves()) this.#copy(column, this.#X, this.#best);
    }
  }

  /** Tells the caller about a step, who may stop all columns. */
  *observe(columns: readonly ColumnState[]): Generator<Step, void> {
    const { onStep, signal } = this.#checked;
    const residualNorm = Math.max(0, ...columns.map(({ norm, scale }) => norm / scale));
    const step = { iteration: this.iterations, residualNorm };
    if (onStep?.(step) === false || signal?.aborted) for (const column of columns) column.fail('stopped');
    else if (columns.some(({ goesOn }) => goesOn)) yield step;
  }

  /** The best x of the columns that failed, and all x in the units of the caller. */
  finish(): void {
    this.#restore();
    const scaled = this.columns.filter(({ scale }) => scale !== 1);
    if (scaled.length === 0) return;
    // Elements may have lost bits, or overflow.
    for (const { index, scale } of scaled)
      for (const factor of [1 / scale, scale]) this.#multiply(this.#X, index, factor);
    const norms = this.#residual(this.#X);
    for (const column of scaled) {
      column.round(norms[column.index]!);
      if (!(column.norm <= column.firstNorm)) this.#toStart(column);
      this.#multiply(this.#X, column.index, 1 / column.scale);
    }
  }

  #restore(): void {
    const failed = this.columns.filter(({ mayBeRestored }) => mayBeRestored);
    const norms = failed.length > 0 ? this.#residual(this.#best) : [];
    for (const column of failed) {
      const norm = norms[column.index]!;
      if (column.norm <= norm || !Number.isFinite(norm)) continue;
      this.#copy(column, this.#best, this.#X);
      column.restore(norm);
    }
    for (const column of this.columns) {
      // Also if no norm is finite: x0 is.
      if (column.reason !== 'tolerance' && !(column.norm <= column.firstNorm)) this.#toStart(column);
    }
  }

  /** x ← x0, scaled */
  #toStart(column: ColumnState): void {
    if (this.#x0 === undefined) this.#clear(column.index);
    else {
      this.#copy(column, this.#x0, this.#X);
      this.#multiply(this.#X, column.index, column.scale);
    }
    column.restore(column.firstNorm);
  }

  #multiply(block: Vector, index: number, factor: number): void {
    if (factor === 1) return;
    block.copyColumnTo(index, this.#column);
    block.setColumn(index, this.#column.scale(factor));
  }

  #copy({ index }: ColumnState, from: Vector, to: Vector): void {
    from.copyColumnTo(index, this.#column);
    to.setColumn(index, this.#column);
  }

  #clear(index: number): void {
    this.#X.setColumn(index, this.#column.fill(0));
  }
}

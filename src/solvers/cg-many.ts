/**
 * Conjugate gradients for several right-hand sides at once.
 *
 * Every column is a recurrence of its own, as `cg` would run it; they share the products, one block product for all columns in a step.
 * Differs from block CG (O'Leary 1980): the columns do not search one common space, so they take no fewer iterations than alone;
 *   nothing breaks down when columns become dependent, and every column has the iterations of `cg`.
 * Cost: a step is a product with a block, and for each column what `cg` does with its vectors and two copies. The block product
 *   computes columns that have converged, too.
 */

import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { type Checked, checkSolve, copyInto, SOLVE_OPTIONS } from './arguments.js';
import { drain } from './drain.js';
import { IMPROVEMENT, TINY } from './iterate.js';
import type { Reason, Solution, SolveOptions, Step } from './solution.js';
import { Workspace } from './workspace.js';

export interface ManyOptions extends Omit<SolveOptions, 'x0' | 'timing'> {
  /** The first block. Default: zeros. It is not changed. */
  readonly x0?: Vector;
}

/** The end of one column. */
export type ColumnSolution = Pick<
  Solution,
  'converged' | 'reason' | 'iterations' | 'relativeResidual' | 'residualNorms'
>;

export interface ManySolution {
  /** A block in the space of A; the caller disposes it. */
  readonly x: Vector;
  /** Whether all columns did. */
  readonly converged: boolean;
  readonly columns: readonly ColumnSolution[];
  /** Of the slowest column. */
  readonly iterations: number;
  /** Block products, those that compute the true residuals included. */
  readonly products: number;
  readonly solveMs: number;
}

/**
 * Solves A X = B for a symmetric positive definite A. The options hold for every column.
 *
 * @param A square; its symmetry is not checked
 * @param B a block of vectors in A's space: `engine.vector(n, { columns })`
 * @throws as `cg`
 */
export function cgMany(A: LinearOperator, B: Vector, options: ManyOptions = {}): ManySolution {
  return drain(cgManySteps(A, B, options));
}

const { timing: _, ...OPTIONS } = SOLVE_OPTIONS;

/** The same step by step. `residualNorm` of a step: the greatest of the columns that have not ended. */
export function* cgManySteps(A: LinearOperator, B: Vector, options: ManyOptions): Generator<Step, ManySolution> {
  knownKeys<ManyOptions>('options', options, OPTIONS);
  const { x0, ...others } = options;
  const checked = checkSolve(A, 'square', others);
  if (!(B instanceof Vector) || B.space !== A.space) throw mismatch('argument', 'B', "a block in A's space", B);
  const begin = performance.now();
  using work = new Workspace(A);
  const [P, Q] = [work.vector('x', B.columns), work.vector('x', B.columns)];
  copyInto('B', Q, B);
  const X = P.like();
  let finished = false;
  try {
    if (x0 === undefined) X.fill(0);
    else copyInto('x0', X, x0);
    const columns = Array.from({ length: B.columns }, (_, index) => new Column(work, Q, X, index, checked));
    const solve: Many = { A, P, Q, columns, checked, done: { iterations: 0, products: 0 } };
    for (let isFirst = true; ; isFirst = false) {
      measure(solve);
      if (isFirst) yield* observe(solve, columns);
      const running = columns.filter(({ reason }) => reason === undefined);
      if (running.length === 0) break;
      yield* run(solve, running);
    }
    for (const { x, index } of columns) X.setColumn(index, x);
    finished = true;
    const ends = columns.map((column) => column.end());
    const converged = ends.every((end) => end.converged);
    return { x: X, converged, columns: ends, ...solve.done, solveMs: performance.now() - begin };
  } finally {
    if (!finished) X.dispose();
  }
}

const SCALARS = ['rr', 'rz', 'rzBefore', 'pq', 'alpha', 'beta'] as const;

interface Many {
  readonly A: LinearOperator;
  /** The directions p of all columns, and A P. */
  readonly P: Vector;
  readonly Q: Vector;
  readonly columns: readonly Column[];
  readonly checked: Checked;
  readonly done: { iterations: number; products: number };
}

/** The true residuals of all columns. */
function measure({ A, P, Q, columns, done }: Many): void {
  for (const { x, index } of columns) P.setColumn(index, x);
  A.apply(P, Q);
  done.products++;
  for (const column of columns) column.measure(Q);
}

/** Steps until every column has ended, or claims to have converged. */
function* run(solve: Many, columns: readonly Column[]): Generator<Step, void> {
  const { A, P, Q, checked, done } = solve;
  for (const column of columns) column.begin();
  for (let running = columns; running.length > 0; ) {
    // A device does not record the copies of columns.
    using own = new Workspace(A, A.space.heap !== undefined);
    const step = own.record(() => {
      for (const { p, index } of running) P.setColumn(index, p);
      A.apply(P, Q);
      for (const column of running) column.advance(Q);
    });
    let still = running;
    while (still.length === running.length) {
      for (let k = 0; k < checked.every; k++) step.launch();
      done.iterations += checked.every;
      done.products += checked.every;
      for (const column of running) column.check(checked.every);
      yield* observe(solve, running);
      still = running.filter(({ goesOn }) => goesOn);
    }
    running = still;
  }
}

/** Tells the caller about a step, who may stop all columns. */
function* observe({ checked: { onStep, signal }, done }: Many, columns: readonly Column[]): Generator<Step, void> {
  const step = { iteration: done.iterations, residualNorm: Math.max(0, ...columns.map((column) => column.norm)) };
  if (onStep?.(step) === false || signal?.aborted) for (const column of columns) column.stop();
  else if (columns.some(({ goesOn }) => goesOn)) yield step;
}

/** One right-hand side. */
class Column {
  readonly index: number;
  readonly x: Vector;
  readonly p: Vector;
  readonly #b: Vector;
  readonly #r: Vector;
  readonly #z: Vector;
  readonly #q: Vector;
  readonly #scalars: Readonly<Record<(typeof SCALARS)[number], Scalar>>;
  readonly #checked: Checked;
  readonly #norms: number[] = [];
  #iterations = 0;
  #bNorm: number;
  #trueNorm: number = Number.POSITIVE_INFINITY;
  #claims = false;
  /** ‖r‖₂ as last computed. */
  norm: number = Number.POSITIVE_INFINITY;
  reason: Reason | undefined;

  /** @param B the right-hand sides @param X the first block */
  constructor(work: Workspace, B: Vector, X: Vector, index: number, checked: Checked) {
    this.index = index;
    this.#checked = checked;
    [this.x, this.p, this.#b, this.#r, this.#q] = work.vectors(5) as [Vector, Vector, Vector, Vector, Vector];
    this.#z = checked.M === undefined ? this.#r : work.vector();
    this.#scalars = Object.fromEntries(SCALARS.map((name) => [name, work.scalar()])) as never;
    B.copyColumnTo(index, this.#b);
    X.copyColumnTo(index, this.x);
    this.#bNorm = this.#b.norm(this.#scalars.rr).value;
    if (this.#bNorm === 0 && checked.atol === 0) this.x.fill(0);
  }

  get goesOn(): boolean {
    return this.reason === undefined && !this.#claims;
  }

  get #hasArrived(): boolean {
    return Number.isFinite(this.norm) && this.norm <= Math.max(this.#checked.rtol * this.#bNorm, this.#checked.atol);
  }

  /** r ← b − A x, and what follows from its norm. @param product A X */
  measure(product: Vector): void {
    product.copyColumnTo(this.index, this.#q);
    const before = this.#trueNorm;
    this.norm = this.#r.copyFrom(this.#b).axpy(-1, this.#q).norm(this.#scalars.rr).value;
    this.#trueNorm = this.norm;
    if (this.#norms.length === 0) this.#norms.push(this.norm);
    if (this.#hasArrived) this.reason = 'tolerance';
    else if (!Number.isFinite(this.norm)) this.reason = 'not-finite';
    else if (this.#iterations >= this.#checked.limit) this.reason ??= 'iterations';
    else if (!(this.norm < IMPROVEMENT * before)) this.reason ??= 'stagnated';
    this.#claims = false;
  }

  /** The first direction, from r. */
  begin(): void {
    const { rz } = this.#scalars;
    this.#checked.M?.apply(this.#r, this.#z);
    if (this.p.copyFrom(this.#z).dot(this.#r, rz).value < 0) this.reason = 'not-definite';
  }

  /** A step of `cg`. @param product A P */
  advance(product: Vector): void {
    const { rr, rz, rzBefore, pq, alpha, beta } = this.#scalars;
    const { M } = this.#checked;
    const [p, q, r, z] = [this.p, this.#q, this.#r, this.#z];
    product.copyColumnTo(this.index, q);
    p.dot(q, pq);
    pq.setSum(pq, TINY);
    alpha.setQuotient(rz, pq); // α ← (r, z) / (p, A p)
    this.x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    M?.apply(r, z);
    rzBefore.setSum(rz, TINY);
    r.dots(M === undefined ? [r] : [r, z], M === undefined ? [rr] : [rr, rz]);
    if (M === undefined) rz.setSum(rr, 0);
    beta.setQuotient(rz, rzBefore);
    p.axpby(1, z, beta); // p ← z + β p
  }

  /** Whether the column ends after `steps` more steps, or claims to have converged. */
  check(steps: number): void {
    const { rr, rz, pq } = this.#scalars;
    this.#iterations += steps;
    this.norm = Math.sqrt(rr.value);
    this.#norms.push(this.norm);
    if (this.#hasArrived) this.#claims = true;
    else if (pq.value < 0 || rz.value < 0) this.reason = 'not-definite';
    else if (pq.value <= TINY) this.reason = 'breakdown';
    else if (!Number.isFinite(this.norm)) this.reason = 'not-finite';
    else if (this.#iterations >= this.#checked.limit) this.reason = 'iterations';
  }

  stop(): void {
    if (this.goesOn) this.reason = 'stopped';
  }

  end(): ColumnSolution {
    return {
      converged: this.reason === 'tolerance',
      reason: this.reason!,
      iterations: this.#iterations,
      relativeResidual: this.#bNorm === 0 ? this.norm : this.norm / this.#bNorm,
      residualNorms: Float64Array.from(this.#norms),
    };
  }
}

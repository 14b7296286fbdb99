/**
 * Conjugate gradients for several right-hand sides at once.
 *
 * Every column is a recurrence of its own, as `cg` would run it; they share the products, one block product for all columns in a step.
 * Differs from `blockCg`: the columns do not search one common space, so they take no fewer iterations than alone; nothing breaks down when
 *   columns become dependent, a column that fails does not concern the others, and a device needs no host between two checks.
 * Cost: a step is a product with a block, and for each column what `cg` does with its vectors and two copies. The block product
 *   computes columns that have converged, too.
 */

import { drain } from '../core/drain.js';
import { type Scalar, TINY } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import type { BlockInput, ColumnState, ManyOptions, ManySolution } from './columns.js';
import { iterateMany, type ManyMethod, type ManySystem } from './iterate-many.js';
import type { Reason, Step } from './solution.js';
import { Workspace } from './workspace.js';

/**
 * Solves A X = B for a symmetric positive definite A, column by column as `cg`. The options hold for every column.
 *
 * @param A square; its symmetry is not checked
 * @param B a block of vectors in A's space: `engine.vector(n, { columns })`; or an array of rows
 * @throws as `cg`
 */
export function cgMany(A: LinearOperator, B: BlockInput, options: ManyOptions = {}): ManySolution {
  return drain(cgManySteps(A, B, options));
}

/** The same step by step. */
export function cgManySteps(A: LinearOperator, B: BlockInput, options: ManyOptions): Generator<Step, ManySolution> {
  return iterateMany(columnwise, A, B, options);
}

const columnwise: ManyMethod = (system) => {
  const { A, X, work, every } = system;
  const [P, Q] = [work.vector('x', X.columns), work.vector('x', X.columns)];
  const all = Array.from({ length: X.columns }, (_, index) => new Recurrence(system, index));
  return function* (columns) {
    const goingOn = () => columns.filter(({ goesOn }) => goesOn);
    for (const column of columns) if (!all[column.index]!.begin()) column.fail('not-definite');
    for (let running = goingOn(); running.length > 0; running = goingOn()) {
      // A device does not record the copies of columns.
      using own = new Workspace(A, A.space.heap !== undefined);
      const step = own.record(() => {
        for (const { index } of running) P.setColumn(index, all[index]!.p);
        A.apply(P, Q);
        for (const { index } of running) all[index]!.advance(Q);
      });
      while (running.every(({ goesOn }) => goesOn)) {
        for (let k = 0; k < every; k++) step.launch();
        for (const column of running) all[column.index]!.check(column, every);
        yield { iterations: every, products: every };
      }
    }
    for (const { index } of columns) X.setColumn(index, all[index]!.x);
  };
};

const SCALARS = ['rr', 'rz', 'rzBefore', 'pq', 'alpha', 'beta'] as const;

/** The vectors of one right-hand side. */
class Recurrence {
  readonly x: Vector;
  readonly p: Vector;
  readonly #r: Vector;
  readonly #z: Vector;
  readonly #q: Vector;
  readonly #scalars: Readonly<Record<(typeof SCALARS)[number], Scalar>>;
  readonly #system: ManySystem;
  readonly #index: number;

  constructor(system: ManySystem, index: number) {
    const { work, M } = system;
    this.#system = system;
    this.#index = index;
    [this.x, this.p, this.#r, this.#q] = work.vectors(4) as [Vector, Vector, Vector, Vector];
    this.#z = M === undefined ? this.#r : work.vector();
    this.#scalars = Object.fromEntries(SCALARS.map((name) => [name, work.scalar()])) as never;
  }

  /** The first direction. @returns false if M is not definite */
  begin(): boolean {
    const { X, R, M } = this.#system;
    X.copyColumnTo(this.#index, this.x);
    R.copyColumnTo(this.#index, this.#r);
    M?.apply(this.#r, this.#z);
    return !(this.p.copyFrom(this.#z).dot(this.#r, this.#scalars.rz).value < 0);
  }

  /** A step of `cg`. @param product A P */
  advance(product: Vector): void {
    const { rr, rz, rzBefore, pq, alpha, beta } = this.#scalars;
    const { M } = this.#system;
    const [p, q, r, z] = [this.p, this.#q, this.#r, this.#z];
    product.copyColumnTo(this.#index, q);
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

  /** @param column its state, after `steps` more steps */
  check(column: ColumnState, steps: number): void {
    column.check(Math.sqrt(this.#scalars.rr.value), steps, this.#failure());
    if (column.improves()) this.#system.best.setColumn(this.#index, this.x);
  }

  #failure(): Reason | undefined {
    const { rz, pq } = this.#scalars;
    if (pq.value < 0 || rz.value < 0) return 'not-definite';
    return pq.value <= TINY ? 'breakdown' : undefined;
  }
}

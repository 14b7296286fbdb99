/**
 * The smallest or largest eigenvalues of a symmetric A, or of A x = λ B x, by locally optimal block preconditioned conjugate gradients.
 *
 * Source: Knyazev 2001; the basis as in Duersch, Shao, Yang & Gu 2018 (`lobpcg-block.ts`).
 * Differs: columns that have converged give no more directions, but stay in the block (soft locking, Knyazev et al. 2007). What recurrences claim is
 *   checked by new products before the end. Random vectors beside those that are asked for keep the last ones from converging slowly.
 * For: large A with a good preconditioner, of which no factors are wanted; multiple and clustered eigenvalues, which a block finds together.
 * Cost: see `lobpcg-block.ts`. Without a preconditioner it takes more products than Lanczos's method.
 */
import { diagonalOf } from '../../algebra/diagonal.js';
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { Declined } from '../../direct/choose.js';
import type { Vector } from '../../memory/vector.js';
import { copyInto } from '../../solvers/arguments.js';
import { IMPROVEMENT } from '../../solvers/method.js';
import { Workspace } from '../../solvers/workspace.js';
import type { EigenMethod, EigenOutcome, EigenProblem, EigenReason, EigenStep } from '../method.js';
import { drawVector } from '../random.js';
import { Residuals } from '../residuals.js';
import { LobpcgBlock, NotFinite } from './lobpcg-block.js';
import { preconditionerFor } from './lobpcg-preconditioner.js';

/** Vectors beside those that are asked for, at least, and as a share of these. Chosen. */
const LEAST_GUARD = 2;
const GUARD_SHARE = 0.2;

/** Random columns that depend on others are drawn anew so often. */
const ATTEMPTS = 5;

export const LOBPCG: EigenMethod = {
  name: 'lobpcg',
  summary: 'block conjugate gradients with a preconditioner: for the smallest or largest eigenvalues, without factors',
  source: 'Knyazev 2001; Duersch, Shao, Yang & Gu 2018',
  steps: lobpcgSteps,
};

/** Returns `lobpcg` with a limit: it declines after so many iterations, if another method follows. */
export function lobpcgWithin(iterations: number): EigenMethod {
  return { ...LOBPCG, steps: (problem) => lobpcgSteps(problem, iterations) };
}

/** @throws Declined, if another method follows, after more iterations than its patience */
function* lobpcgSteps(problem: EigenProblem, patience = Number.POSITIVE_INFINITY): Generator<EigenStep, EigenOutcome> {
  const { A, size, k, which, shift } = problem;
  if (which === 'nearest') throw mismatch('argument', 'which', "'smallest' or 'largest' for lobpcg", which);
  checkDiagonal(problem.mass);
  if (shift !== undefined) throw mismatch('argument', 'shift', 'none for lobpcg', shift);
  const begin = performance.now();
  using made = yield* preconditionerFor(problem);
  if (problem.mayDecline && made.M === undefined) throw new Declined('there is no preconditioner');
  const setupMs = performance.now() - begin;
  using work = new Workspace(A);
  const columns = blockColumns(k, size);
  const X = work.vector('x', columns);
  const block = new LobpcgBlock({ A, B: problem.B, M: made.M }, which, X, work);
  using run = new LobpcgRun(problem, block);
  const ended = yield* run.steps(X, work.vector(), problem.mayDecline ? patience : Number.POSITIVE_INFINITY);
  const counts = { products: block.products, solves: 0, setupMs, normOfA: run.normOfA };
  return { ...ended, values: run.values, vectors: firstColumns(X, k, work.vector()), ...counts };
}

/** The number of columns of the block for k pairs of a problem of this size. */
export function blockColumns(k: number, size: number): number {
  return Math.min(k + Math.max(LEAST_GUARD, Math.ceil(GUARD_SHARE * k)), size);
}

/** @throws SparlaneError `structure` for a B with a negative number on its diagonal, which a block might not come across */
function checkDiagonal(mass: CsrMatrix | undefined): void {
  const row = mass === undefined ? -1 : diagonalOf(mass).findIndex((value) => value < 0);
  if (row >= 0)
    throw mismatch(
      'structure',
      'B',
      'a symmetric positive definite matrix',
      `${diagonalOf(mass!)[row]} on the diagonal, row ${row}`,
    );
}

/** A new block of the first columns. @param x to copy with */
function firstColumns(X: Vector, count: number, x: Vector): Vector {
  const vectors = X.like(count);
  for (let j = 0; j < count; j++) {
    X.copyColumnTo(j, x);
    vectors.setColumn(j, x);
  }
  return vectors;
}

class LobpcgRun implements Disposable {
  readonly #problem: EigenProblem;
  readonly #block: LobpcgBlock;
  readonly #residuals: Residuals;
  /** A lower bound of ‖A‖₂. */
  #normOfA = 0;
  #worst = Number.NaN;
  #isArrived: readonly boolean[] = [];
  /** Whether the residuals come from new products, not from recurrences. */
  #isTrue = true;

  constructor(problem: EigenProblem, block: LobpcgBlock) {
    this.#problem = problem;
    this.#block = block;
    this.#residuals = new Residuals(problem);
  }

  get values(): Float64Array {
    return this.#block.values.slice(0, this.#problem.k);
  }

  get normOfA(): number {
    return this.#normOfA;
  }

  get #arrived(): number {
    return this.#isArrived.slice(0, this.#problem.k).filter(Boolean).length;
  }

  get #hasArrived(): boolean {
    return this.#arrived === this.#problem.k;
  }

  /** @param X the block @param x to copy with @throws Declined after more iterations than its patience */
  *steps(X: Vector, x: Vector, patience: number): Generator<EigenStep, Pick<EigenOutcome, 'reason' | 'iterations'>> {
    const { limit, isStopped, report } = this.#problem;
    let iteration = 0;
    try {
      this.#begin(X, x);
      for (let claimed = Number.POSITIVE_INFINITY; ; iteration++) {
        let reason: EigenReason | undefined;
        if (this.#hasArrived) {
          reason = this.#verify(claimed);
          claimed = this.#worst;
        } else if (iteration >= limit) reason = 'iterations';
        else if (iteration > patience)
          throw new Declined(`it takes more than the ${patience} iterations expected at most`);
        const step: EigenStep = { stage: 'iterations', iteration, converged: this.#arrived };
        report(step);
        if (isStopped()) reason ??= 'stopped';
        else if (reason === undefined) yield step;
        if (reason === undefined && !this.#advance()) reason = 'stagnated';
        if (reason === undefined) continue;
        if (!this.#isTrue) this.#renew();
        return { reason: this.#hasArrived ? 'tolerance' : reason, iterations: iteration };
      }
    } catch (error) {
      if (error instanceof NotFinite) return { reason: 'not-finite', iterations: iteration };
      throw error;
    }
  }

  /** The first block: random columns, and the start of the caller as the first one. */
  #begin(X: Vector, x: Vector): void {
    const { start } = this.#problem;
    let draws = 0;
    if (start !== undefined) {
      copyInto('start', x, start);
      X.setColumn(0, x);
    }
    let rank = start === undefined ? 0 : 1;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (let j = rank; j < X.columns; j++) {
        drawVector(x, draws++);
        X.setColumn(j, x);
      }
      rank = this.#block.begin();
      if (rank < X.columns) continue;
      this.#normOfA = this.#block.normOfA();
      this.#residuals.raise(this.#normOfA);
      this.#measure();
      return;
    }
    const name = this.#problem.B === undefined ? 'A' : 'B';
    throw mismatch('structure', name, `a rank of at least ${X.columns}, the columns of a block`, rank);
  }

  #measure(): void {
    const { residuals, images, lengths } = this.#block.measure();
    const { values } = this.#block;
    if (!residuals.every(Number.isFinite)) throw new NotFinite();
    this.#worst = Math.max(...residuals.slice(0, this.#problem.k));
    this.#isArrived = residuals.map(
      (residual, j) => residual <= this.#residuals.target(values[j]!, images[j]!, lengths[j]!),
    );
  }

  /** Computes the residuals anew. @param claimed the worst true one of the last claim @returns why the run ends, if it does */
  #verify(claimed: number): 'tolerance' | 'stagnated' | undefined {
    this.#renew();
    if (this.#hasArrived) return 'tolerance';
    return this.#worst < IMPROVEMENT * claimed ? undefined : 'stagnated';
  }

  /** @returns whether there was a direction */
  #advance(): boolean {
    this.#isTrue = false;
    if (!this.#block.advance((j) => !this.#isArrived[j])) return false;
    this.#measure();
    return true;
  }

  #renew(): void {
    this.#block.renew();
    this.#isTrue = true;
    this.#measure();
  }

  [Symbol.dispose](): void {
    this.#residuals[Symbol.dispose]();
  }
}

/**
 * A cycle of multigrid over the levels. V: the problem of a coarser level is solved by one cycle that begins there. W: by two, the second of which corrects the
 * first. K: by two steps of a Krylov method whose preconditioner is such a cycle, so M⁻¹ r is not linear in r. The factors of the coarsest level solve once.
 *
 * Source: Notay & Vassilevski, "Recursive Krylov-based multigrid cycles", Numer. Linear Algebra Appl. 15, 2008, algorithm 3.2.
 * Differs: the steps are always two, because a recorded step has no branches. A second direction that is almost the first one gets a smaller coefficient, so that its
 *   divisor is never a rounding error. A level that has more than half of the entries of the finer one is visited once by it, which bounds the work.
 * Cost: with c times fewer entries on each level, V takes c / (c − 1) times the work of the finest level, W takes c / (c − 2). K has two products and five dot products more than
 *   W on each level between the finest and the coarsest. In two dimensions c is 3 to 9.
 */
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import type { Owned } from '../../core/owned.js';
import { vectorArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapMatrix } from '../../matrices/heap-matrix.js';
import { Scalar, TINY } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import type { MatrixOperator } from '../../operators/matrix-operator.js';
import type { LinearOperator } from '../../operators/operator.js';
import { ChangingOperator } from '../composed.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';
import { type Level, viewOf } from './hierarchy.js';

export const CYCLES = ['v', 'w', 'k'] as const;

export type CycleName = (typeof CYCLES)[number];

/** What a cycle uses on a level that has a coarser one, in any space: of one memory, or of vectors of which each rank has a part. */
export interface CycleLevel {
  /** Of A. */
  readonly entries: number;
  readonly A: { readonly operator: LinearOperator };
  /** From the coarser level, and to it. */
  readonly P: LinearOperator;
  readonly R: LinearOperator;
  /** The smoother, in sweeps x ← x + S (r − A x). */
  readonly S: LinearOperator;
  readonly residual: Vector;
  readonly correction: Vector;
  /** The right-hand side of the coarser level, and its solution. */
  readonly coarseResidual: Vector;
  readonly coarse: Vector;
}

/** A level whose values may be replaced. */
export interface ChangingLevel extends CycleLevel {
  readonly matrix: HeapMatrix;
  readonly A: ChangingOperator;
  readonly P: MatrixOperator;
  readonly R: MatrixOperator;
  readonly S: Preconditioner;
}

/** x ← an approximation of A⁻¹ r. */
type Approximate = (r: Vector, x: Vector) => void;

/** The same by two steps, of which the second is preconditioned or corrected by a cycle as the first. r is overwritten. */
interface InnerSolve {
  run(cycle: Approximate, r: Vector, x: Vector): void;
  readonly bytes: number;
}

export interface CycleWish {
  readonly cycle: CycleName;
  readonly isSymmetric: boolean;
}

export class Cycle {
  readonly #levels: readonly CycleLevel[];
  readonly #coarsest: LinearOperator;
  /** How the coarser problem of each level is solved; undefined: by one cycle. */
  readonly #inner: readonly (InnerSolve | undefined)[];

  /** @param owned gets what it makes @throws SparlaneError `heap` */
  constructor(
    levels: readonly CycleLevel[],
    coarsest: LinearOperator,
    { cycle, isSymmetric }: CycleWish,
    owned: Owned,
  ) {
    this.#levels = levels;
    this.#coarsest = coarsest;
    this.#inner = levels.map(({ entries, coarse }, at) => {
      const coarser = levels[at + 1];
      if (cycle === 'v' || coarser === undefined || 2 * coarser.entries > entries) return undefined;
      return cycle === 'w'
        ? new Twice(coarser.A, coarse, owned)
        : new KrylovSteps(coarser.A, coarse, isSymmetric, owned);
    });
  }

  /** x ← M⁻¹ r */
  run(r: Vector, x: Vector): void {
    this.#run(0, r, x);
  }

  #run(at: number, r: Vector, x: Vector): void {
    const level = this.#levels[at];
    if (level === undefined) {
      this.#coarsest.apply(r, x);
      return;
    }
    const { A, P, R, S, residual, correction, coarseResidual, coarse } = level;
    const coarser: Approximate = (right, solution) => this.#run(at + 1, right, solution);
    S.apply(r, x);
    residual.copyFrom(r);
    A.operator.apply(x, residual, -1, 1);
    R.apply(residual, coarseResidual);
    const inner = this.#inner[at];
    if (inner === undefined) coarser(coarseResidual, coarse);
    else inner.run(coarser, coarseResidual, coarse);
    P.apply(coarse, x, 1, 1);
    residual.copyFrom(r);
    A.operator.apply(x, residual, -1, 1);
    S.apply(residual, correction);
    x.axpy(1, correction);
  }

  /** Of what it makes beside the levels. */
  get bytes(): number {
    return this.#inner.reduce((sum, inner) => sum + (inner?.bytes ?? 0), 0);
  }
}

/** @param smoother owned by the level @param owned gets what it makes */
export function cycleLevel(
  engine: Engine,
  { matrix, prolongation, restriction }: Level,
  smoother: Preconditioner,
  { dtype }: Preparation,
  owned: Owned,
): ChangingLevel {
  const transfer = (rows: HeapMatrix) => owned.own(engine.operator(rows, { format: 'csr', dtype }));
  const vector = (length: number) => owned.own(new Vector(engine.space, vectorArray(dtype), length));
  return {
    ...{ matrix, entries: matrix.nnz },
    ...{ S: owned.own(smoother), A: owned.own(new ChangingOperator(engine, viewOf(matrix), dtype)) },
    ...{ P: transfer(prolongation), R: transfer(restriction) },
    ...{ residual: vector(matrix.rows), correction: vector(matrix.rows) },
    ...{ coarseResidual: vector(prolongation.cols), coarse: vector(prolongation.cols) },
  };
}

export function bytesOfLevel({ A, P, R, S, residual, coarse }: ChangingLevel): number {
  return A.bytes + P.matrix.bytes + R.matrix.bytes + S.bytes + 2 * (residual.byteLength + coarse.byteLength);
}

/** Two cycles: x ← B r, x ← x + B (r − A x). */
class Twice implements InnerSolve {
  readonly #A: CycleLevel['A'];
  readonly #correction: Vector;

  constructor(A: CycleLevel['A'], like: Vector, owned: Owned) {
    this.#A = A;
    this.#correction = owned.own(like.like());
  }

  run(cycle: Approximate, r: Vector, x: Vector): void {
    cycle(r, x);
    this.#A.operator.apply(x, r, -1, 1);
    cycle(r, this.#correction);
    x.axpy(1, this.#correction);
  }

  get bytes(): number {
    return this.#correction.byteLength;
  }
}

/**
 * Two steps of flexible conjugate gradients, or of generalized conjugate residuals for a matrix that is not symmetric: x is the best combination of two
 * directions c = B r and d = B r₁, in the norm of A, or by the norm of its residual. Both have the same formulas, with other dot products.
 */
class KrylovSteps implements InnerSolve {
  readonly #A: CycleLevel['A'];
  readonly #isSymmetric: boolean;
  /** A c, the second direction d, and A d. */
  readonly #vectors: readonly [Vector, Vector, Vector];
  readonly #scalars: readonly Scalar[];
  /** A share of the square of the second direction, which is added to it. */
  readonly #margin: number;

  constructor(A: CycleLevel['A'], like: Vector, isSymmetric: boolean, owned: Owned) {
    this.#A = A;
    this.#isSymmetric = isSymmetric;
    this.#vectors = [owned.own(like.like()), owned.own(like.like()), owned.own(like.like())];
    this.#scalars = Array.from({ length: 6 }, () => owned.own(new Scalar(like.space)));
    this.#margin = Math.sqrt(UNIT_ROUNDOFF[like.type === Float32Array ? 'f32' : 'f64']);
  }

  run(cycle: Approximate, r: Vector, x: Vector): void {
    const [Ac, d, Ad] = this.#vectors;
    const [square, along, gamma, share, first, second] = this.#scalars as [
      Scalar,
      Scalar,
      Scalar,
      Scalar,
      Scalar,
      Scalar,
    ];
    const A = this.#A.operator;
    cycle(r, x);
    A.apply(x, Ac);
    (this.#isSymmetric ? x : Ac).dots([Ac, r], [square, along]);
    square.setSum(square, TINY);
    first.setQuotient(along, square); // c times this is the first step
    r.axpy(first.times(-1), Ac);
    cycle(r, d);
    A.apply(d, Ad);
    (this.#isSymmetric ? d : Ad).dots([Ac, Ad, r], [gamma, second, along]);
    share.setQuotient(gamma, square); // d − share c is conjugate to c
    gamma.setProduct(gamma, share);
    square.setDifference(second.times(1 + this.#margin), gamma);
    square.setSum(square, TINY);
    second.setQuotient(along, square);
    share.setProduct(share, second);
    first.setDifference(first, share);
    x.axpby(second, d, first);
  }

  get bytes(): number {
    return this.#vectors.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}

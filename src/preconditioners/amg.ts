/**
 * Algebraic multigrid by smoothed aggregation: a V-cycle. Each level smooths once before and once after the coarser one; the coarsest level is factored.
 *
 * Source: Vaněk, Mandel & Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems".
 * Differs: aggregates in one pass (`assembly/multigrid/aggregate.ts`); rows without strong couplings are left to the smoother; ω follows from
 *   an upper bound of the eigenvalues of D⁻¹ A (`largest-eigenvalue.ts`). Of a matrix that is not symmetric, couplings are those of (A + Aᵀ) / 2, and the
 *   smoother is `ilu0`.
 * For: symmetric positive definite matrices of elliptic problems, large ones above all: iterations hardly grow with the size. Elasticity
 *   needs `block` and its rigid body modes. Convection with diffusion, with bicgstab or gmres.
 * Cost: a cycle takes as long as some five products with A, the set-up as 120 in two dimensions (5 points 1000²), and 220 in three (7 points 100³).
 */
import { mismatch } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import type { ParameterValues } from '../core/parameters.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { HeapMatrix } from '../matrices/heap-matrix.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { Hierarchy, type Level } from './amg/hierarchy.js';
import { SMOOTHERS, type SmootherName, smootherFor } from './amg/smoother.js';
import { ChangingOperator, ComposedPreconditioner } from './composed.js';
import { DIRECT } from './direct.js';
import type {
  LevelReport,
  Preconditioner,
  PreconditionerKind,
  PreconditionerReport,
  Preparation,
} from './preconditioner.js';

export const AMG: PreconditionerKind = {
  name: 'amg',
  summary: 'multigrid by smoothed aggregation',
  source: 'Vaněk, Mandel & Brezina 1996',
  suits: 'elliptic problems, large ones above all',
  parameters: {
    theta: { kind: 'number', default: 0.08, min: 0, max: 1, doc: 'threshold of strong couplings, halved by level' },
    block: { kind: 'integer', default: 1, min: 1, max: 8, doc: 'unknowns of a node' },
    smoother: {
      kind: 'word',
      default: 'auto',
      allowed: SMOOTHERS,
      doc: 'what smooths on each level: spai0, of a matrix that is not symmetric ilu0',
    },
    degree: { kind: 'integer', default: 2, min: 1, max: 10, doc: 'products of a sweep with chebyshev' },
    coarsest: { kind: 'integer', default: 1000, min: 1, max: 100_000, doc: 'rows of the coarsest level, at most' },
  },
  matrices: 'square',
  isSymmetric: true,
  hasNearNullSpace: true,
  prepare: (engine, preparation, values) => assemble((owned) => new Multigrid(engine, preparation, values, owned)),
};

class Multigrid extends ComposedPreconditioner {
  readonly #hierarchy: Hierarchy;
  readonly #levels: readonly CycleLevel[];
  readonly #coarsest: Preconditioner;
  readonly #owned: Owned;

  /** Takes ownership of what `owned` gets. */
  constructor(engine: Engine, preparation: Preparation, values: ParameterValues, owned: Owned) {
    const { theta, block, coarsest, smoother, degree } = values as unknown as MultigridParameters;
    const { matrix, nearNullSpace: near } = preparation;
    if (engine.space.heap === undefined)
      throw mismatch('backend', 'amg', "an engine with device: 'cpu'", engine.device);
    if (matrix.rows % block !== 0) throw mismatch('shape', 'block', `a divisor of ${matrix.rows} rows`, block);
    const isSymmetric = likenessOfTranspose(matrix) !== 'none';
    const hierarchy = new Hierarchy(engine, matrix, { theta, block, coarsest, near, isSymmetric }, owned);
    const levels = hierarchy.levels.map((level) => {
      const S = smootherFor(engine, level.matrix, preparation, { smoother, degree, isSymmetric });
      return cycleLevel(engine, level, S, preparation, owned);
    });
    const dtype = preparation.dtype === 'mixed' ? 'f64' : preparation.dtype;
    const last = { ...preparation, matrix: hierarchy.coarsest, dtype, spec: 'direct' };
    const factors = owned.own(DIRECT.prepare(engine, last, { method: 'auto', order: 'auto' }));
    super(
      engine.space,
      preparation,
      levels.every(({ S }) => S.isSymmetric),
    );
    this.#hierarchy = hierarchy;
    this.#levels = levels;
    this.#coarsest = factors;
    this.#owned = owned;
  }

  protected override compute(r: Vector, z: Vector): void {
    this.#cycle(0, r, z);
  }

  /** x ← an approximation of A⁻¹ r on a level. */
  #cycle(at: number, r: Vector, x: Vector): void {
    const level = this.#levels[at];
    if (level === undefined) {
      this.#coarsest.apply(r, x);
      return;
    }
    const { A, P, R, S, residual, correction, coarseResidual, coarse } = level;
    S.apply(r, x);
    residual.copyFrom(r);
    A.operator.apply(x, residual, -1, 1);
    R.apply(residual, coarseResidual);
    this.#cycle(at + 1, coarseResidual, coarse);
    P.apply(coarse, x, 1, 1);
    residual.copyFrom(r);
    A.operator.apply(x, residual, -1, 1);
    S.apply(residual, correction);
    x.axpy(1, correction);
  }

  protected override refill(values: FloatArray): void {
    this.#hierarchy.update(values);
    for (const { matrix, A, S } of this.#levels) {
      A.refill(matrix.values);
      S.update(matrix.values);
    }
    this.#coarsest.update(this.#hierarchy.coarsest.values);
  }

  override get bytes(): number {
    return this.#levels.reduce((sum, level) => sum + bytesOf(level), this.#coarsest.bytes);
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { levels, coarsest } = this.#hierarchy;
    const matrices = [...levels.map(({ matrix }) => matrix), coarsest];
    const report = matrices.map((matrix): LevelReport => ({ rows: matrix.rows, nnz: matrix.nnz }));
    const entries = report.reduce((sum, { nnz }) => sum + nnz, 0);
    return { spec, rows, entries, levels: report, bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#owned[Symbol.dispose]();
  }
}

interface MultigridParameters {
  readonly theta: number;
  readonly block: number;
  readonly smoother: SmootherName;
  readonly degree: number;
  readonly coarsest: number;
}

/** What a cycle uses on a level that has a coarser one. */
interface CycleLevel {
  readonly matrix: HeapMatrix;
  readonly A: ChangingOperator;
  readonly P: MatrixOperator;
  readonly R: MatrixOperator;
  /** The smoother. */
  readonly S: Preconditioner;
  readonly residual: Vector;
  readonly correction: Vector;
  /** The right-hand side of the coarser level, and its solution. */
  readonly coarseResidual: Vector;
  readonly coarse: Vector;
}

function cycleLevel(
  engine: Engine,
  { matrix, prolongation, restriction }: Level,
  smoother: Preconditioner,
  { dtype }: Preparation,
  owned: Owned,
): CycleLevel {
  const transfer = (rows: HeapMatrix) => owned.own(engine.operator(rows, { format: 'csr', dtype }));
  const vector = (length: number) => owned.own(new Vector(engine.space, vectorArray(dtype), length));
  return {
    ...{ matrix, S: owned.own(smoother), A: owned.own(new ChangingOperator(engine, matrix, dtype)) },
    ...{ P: transfer(prolongation), R: transfer(restriction) },
    ...{ residual: vector(matrix.rows), correction: vector(matrix.rows) },
    ...{ coarseResidual: vector(prolongation.cols), coarse: vector(prolongation.cols) },
  };
}

function bytesOf({ A, P, R, S, residual, coarse }: CycleLevel): number {
  return A.bytes + P.matrix.bytes + R.matrix.bytes + S.bytes + 2 * (residual.byteLength + coarse.byteLength);
}

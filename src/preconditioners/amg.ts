/**
 * Algebraic multigrid by smoothed aggregation: a cycle, by default V. Each level smooths once before and once after the coarser one; the coarsest level is factored.
 *
 * Source: Vaněk, Mandel & Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems".
 * Differs: aggregates in one pass (`assembly/multigrid/aggregate.ts`); rows without strong couplings are left to the smoother; ω follows from
 *   an upper bound of the eigenvalues of D⁻¹ A (`largest-eigenvalue.ts`). Of a matrix that is not symmetric, couplings are those of (A + Aᵀ) / 2, and the
 *   smoother is `ilu0`.
 * For: symmetric positive definite matrices of elliptic problems, large ones above all: iterations hardly grow with the size. Elasticity
 *   needs its rigid body modes; the unknowns of its nodes are found (`nodes.ts`). Convection with diffusion, with bicgstab or gmres.
 * Cost: a cycle takes as long as some five products with A, the set-up as 110 in two dimensions (5 points 1000²), and 165 in three (7 points 100³); an update a quarter of it
 *   in two dimensions and with 27 points, 0.4 of it with 7 points and for elasticity.
 */
import { mismatch } from '../core/errors.js';
import { assembleSteps, type Owned } from '../core/owned.js';
import type { Parameters, ParameterValues } from '../core/parameters.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import { bytesOfLevel, type ChangingLevel, CYCLES, Cycle, type CycleName, cycleLevel } from './amg/cycle.js';
import { denseInverse } from './amg/dense-inverse.js';
import { Hierarchy, type HierarchyWish, viewOf } from './amg/hierarchy.js';
import { MOST_UNKNOWNS, unknownsOfNode } from './amg/nodes.js';
import { smoothedAggregation } from './amg/smoothed-aggregation.js';
import { SMOOTHERS, type SmootherName, smootherFor } from './amg/smoother.js';
import { ComposedPreconditioner } from './composed.js';
import { DIRECT } from './direct.js';
import {
  inSteps,
  type LevelReport,
  type Preconditioner,
  type PreconditionerKind,
  type PreconditionerReport,
  type Preparation,
  preparing,
  type SetupStep,
} from './preconditioner.js';

/** The parameters of a cycle, however its levels were made. */
export const CYCLE_PARAMETERS: Parameters = {
  smoother: {
    kind: 'word',
    default: 'auto',
    allowed: SMOOTHERS,
    doc: 'what smooths on each level: spai0, of a matrix that is not symmetric ilu0',
  },
  degree: { kind: 'integer', default: 2, min: 1, max: 10, doc: 'products of a sweep with chebyshev' },
  cycle: {
    kind: 'word',
    default: 'v',
    allowed: CYCLES,
    doc: 'a coarser level is solved by one cycle, two, or a Krylov method',
  },
  coarsest: { kind: 'integer', default: 1000, min: 1, max: 100_000, doc: 'rows of the coarsest level, at most' },
};

export const AMG: PreconditionerKind = {
  name: 'amg',
  summary: 'multigrid by smoothed aggregation',
  source: 'Vaněk, Mandel & Brezina 1996',
  suits: 'elliptic problems, large ones above all',
  parameters: {
    theta: { kind: 'number', default: 0.08, min: 0, max: 1, doc: 'threshold of strong couplings, halved by level' },
    block: {
      kind: 'integer',
      default: 0,
      min: 0,
      max: MOST_UNKNOWNS,
      doc: 'unknowns of a node; 0: found in the pattern',
    },
    ...CYCLE_PARAMETERS,
  },
  matrices: 'square',
  isSymmetric: true,
  usesNearNullSpace: () => true,
  knowsPlaces: ({ block }, matrix) => ((block as number) || unknownsOfNode(matrix)) > 1,
  ...inSteps((engine, preparation, values) => {
    const { theta, block: given } = values as unknown as MultigridParameters;
    const { rows } = preparation.matrix;
    if (given > 0 && rows % given !== 0) throw mismatch('shape', 'block', `a divisor of ${rows} rows`, given);
    const block = given || unknownsOfNode(preparation.matrix);
    const making = { name: 'amg', coarsen: smoothedAggregation(theta, block), block };
    return assembleSteps((owned) => Multigrid.steps(engine, preparation, values, making, owned));
  }),
};

/** The parameters of `amg`, checked. */
export interface MultigridParameters extends CycleParameters {
  readonly theta: number;
  /** 0: found in the pattern. */
  readonly block: number;
}

/** How the levels of a kind are made. */
export interface LevelMaking extends Pick<HierarchyWish, 'coarsen' | 'block'> {
  /** The kind. */
  readonly name: string;
}

/** What multigrid consists of. */
interface MultigridParts {
  readonly hierarchy: Hierarchy;
  /** Unknowns of a node. */
  readonly block: number;
  readonly levels: readonly ChangingLevel[];
  readonly cycle: Cycle;
  /** Solves on the coarsest level. */
  readonly coarsest: Preconditioner;
  readonly owned: Owned;
}

/** A cycle over the levels that a way of coarsening makes. */
export class Multigrid extends ComposedPreconditioner {
  readonly #hierarchy: Hierarchy;
  /** Unknowns of a node. */
  readonly #block: number;
  readonly #levels: readonly ChangingLevel[];
  readonly #cycle: Cycle;
  readonly #coarsest: Preconditioner;
  readonly #owned: Owned;

  private constructor(engine: Engine, preparation: Preparation, isSymmetric: boolean, parts: MultigridParts) {
    super(engine.space, preparation, isSymmetric);
    this.#hierarchy = parts.hierarchy;
    this.#block = parts.block;
    this.#levels = parts.levels;
    this.#cycle = parts.cycle;
    this.#coarsest = parts.coarsest;
    this.#owned = parts.owned;
  }

  /** The set-up step by step. The result takes ownership of what `owned` gets. */
  static *steps(
    engine: Engine,
    preparation: Preparation,
    values: ParameterValues,
    { name, coarsen, block }: LevelMaking,
    owned: Owned,
  ): Generator<SetupStep, Multigrid> {
    const { coarsest, smoother, degree, cycle } = values as unknown as CycleParameters;
    const { matrix, nearNullSpace: near } = preparation;
    if (cycle === 'k' && engine.space.ranks !== undefined)
      throw mismatch(
        'backend',
        `${name} cycle`,
        'v | w where ranks share the vectors, since they have different levels',
        cycle,
      );
    const isSymmetric = preparation.isKnownSymmetric ?? likenessOfTranspose(matrix) !== 'none';
    const wish = { coarsen, block, coarsest, near, isSymmetric };
    const hierarchy = yield* Hierarchy.steps(engine, matrix, wish, owned);
    const levels: ChangingLevel[] = [];
    for (const level of hierarchy.levels) {
      const S = smootherFor(engine, level.matrix, preparation, { smoother, degree, isSymmetric });
      levels.push(cycleLevel(engine, level, S, preparation, owned));
      yield { stage: 'smoothers', done: levels.length / hierarchy.levels.length };
    }
    const dtype = preparation.dtype === 'mixed' ? 'f64' : preparation.dtype;
    const last = { ...preparation, matrix: viewOf(hierarchy.coarsest), dtype, spec: 'direct' };
    const factors = owned.own(
      engine.space.heap === undefined
        ? denseInverse(engine, last)
        : yield* preparing(DIRECT, engine, last, { method: 'auto', order: 'auto' }),
    );
    const cycles = new Cycle(levels, factors, { cycle, isSymmetric }, owned);
    const parts = { hierarchy, block, levels, cycle: cycles, coarsest: factors, owned };
    return new Multigrid(engine, preparation, cycle !== 'k' && levels.every(({ S }) => S.isSymmetric), parts);
  }

  protected override compute(r: Vector, z: Vector): void {
    this.#cycle.run(r, z);
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
    const besideLevels = this.#cycle.bytes + this.#coarsest.bytes;
    return this.#levels.reduce((sum, level) => sum + bytesOfLevel(level), besideLevels);
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { levels, coarsest } = this.#hierarchy;
    const matrices = [...levels.map(({ matrix }) => matrix), coarsest];
    const report = matrices.map((matrix): LevelReport => ({ rows: matrix.rows, nnz: matrix.nnz }));
    const entries = report.reduce((sum, { nnz }) => sum + nnz, 0);
    const gridComplexity = report.reduce((sum, level) => sum + level.rows, 0) / Math.max(1, rows);
    const operatorComplexity = entries / Math.max(1, report[0]!.nnz);
    const nodes = this.#block > 1 && { blockRows: this.#block };
    return { spec, rows, entries, ...nodes, levels: report, gridComplexity, operatorComplexity, bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#owned[Symbol.dispose]();
  }
}

interface CycleParameters {
  readonly smoother: SmootherName;
  readonly degree: number;
  readonly cycle: CycleName;
  readonly coarsest: number;
}

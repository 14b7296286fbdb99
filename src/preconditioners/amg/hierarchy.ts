/** The levels of multigrid, from the matrix to the coarsest one: matrices in the heap, made by the team. */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { TeamContext } from '../../backends/team/backend.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { Owned } from '../../core/owned.js';
import { lowerBound } from '../../core/search.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import { HeapMatrix } from '../../matrices/heap-matrix.js';
import type { HeapScope } from '../../memory/heap.js';
import { largestEigenvalue, largestRowSum } from '../largest-eigenvalue.js';
import type { NearNullSpace, SetupStep } from '../preconditioner.js';
import { galerkinProduct, refillGalerkin } from './galerkin.js';

/** A prolongation, and what the next one is made of. */
export interface Coarsened {
  readonly prolongation: HeapMatrix;
  /** Of the coarse level. */
  readonly near: NearNullSpace;
}

/** A level, to make a coarser one of. */
export interface Uncoarsened {
  readonly matrix: HeapMatrix;
  readonly near: NearNullSpace;
  /** 0 for the finest one. */
  readonly depth: number;
  readonly isSymmetric: boolean;
  /** How far the set-up has come, for those who watch it. */
  readonly step: SetupStep;
}

/**
 * A way to make the prolongation from a coarser level, step by step.
 *
 * @param work gets the near-null space of the coarser level
 * @returns undefined if no level is coarser by enough (`LEAST_COARSENING`)
 */
export type Coarsen = (
  engine: Engine,
  level: Uncoarsened,
  work: HeapScope,
) => Generator<SetupStep, Coarsened | undefined>;

export interface HierarchyWish {
  readonly coarsen: Coarsen;
  /** Unknowns of a node of the finest level. */
  readonly block: number;
  /** Default: constants by unknown of a node. */
  readonly near: NearNullSpace | undefined;
  /** A level of at most so many rows is the coarsest. */
  readonly coarsest: number;
  /** Whether the matrix is symmetric, and so those of all levels. */
  readonly isSymmetric: boolean;
}

/** A level that has a coarser one. */
export interface Level {
  readonly matrix: HeapMatrix;
  /** From the coarser level. */
  readonly prolongation: HeapMatrix;
  /** To the coarser level: the transpose. */
  readonly restriction: HeapMatrix;
}

/** A hierarchy has no more levels. Chosen: 5 were made of a million rows. */
export const MOST_LEVELS: number = 25;

/** A level that has more than this share of the rows of the finer one is not made. Chosen. */
export const LEAST_COARSENING: number = 0.8;

/** A vector is in the null space if its residual is at most this share of the norms of matrix and vector. Chosen: rounding errors of the levels are 1e-14 of them. */
const NULL = 1e-10;

export class Hierarchy {
  readonly levels: readonly Level[];
  readonly coarsest: HeapMatrix;
  /** Rows of the coarsest level whose diagonal entries are doubled, because it has a null space. */
  readonly #pins: readonly number[];
  readonly #context: TeamContext;

  private constructor(context: TeamContext, levels: readonly Level[], coarsest: HeapMatrix, near: NearNullSpace) {
    this.#context = context;
    this.levels = levels;
    this.coarsest = coarsest;
    this.#pins = pinsOf(coarsest, near);
    this.#pin();
  }

  /** Makes the levels: a step is a part of one, of some kernels over its rows. @param owned gets all matrices @throws SparlaneError `heap` */
  static *steps(engine: Engine, fine: CsrMatrix, wish: HierarchyWish, owned: Owned): Generator<SetupStep, Hierarchy> {
    const inF64 = fine.values instanceof Float64Array ? fine : { ...fine, values: Float64Array.from(fine.values) };
    let matrix = owned.own(engine.matrix(inF64));
    const { context, cpu } = engine;
    using work = context.heap.scope();
    let near = nearNullSpace(work, matrix.rows, wish);
    const { isSymmetric } = wish;
    const levels: Level[] = [];
    while (matrix.rows > wish.coarsest && levels.length < MOST_LEVELS) {
      const step: SetupStep = { stage: 'levels', done: 1 - matrix.rows / fine.rows };
      yield step;
      const made = yield* wish.coarsen(engine, { matrix, near, depth: levels.length, isSymmetric, step }, work);
      if (made === undefined) break;
      const prolongation = owned.own(made.prolongation);
      yield step;
      const restriction = owned.own(prolongation.transposed());
      yield step;
      const level = { matrix, prolongation, restriction };
      levels.push(level);
      const product = context.heap.build(
        (own) => new HeapMatrix(context, cpu.space, own, newMatrix(galerkinProduct(context, own, level))),
      );
      matrix = owned.own(product);
      fillDiagonal(matrix);
      near = made.near;
    }
    return new Hierarchy(context, levels, matrix, near);
  }

  /** Computes all matrices again from other values of the finest one. Prolongations stay. */
  update(values: FloatArray): void {
    let target = this.levels[0]?.matrix ?? this.coarsest;
    target.values.set(values);
    for (const [l, level] of this.levels.entries()) {
      target = this.levels[l + 1]?.matrix ?? this.coarsest;
      refillGalerkin(this.#context, level, target);
      fillDiagonal(target);
    }
    this.#pin();
  }

  #pin(): void {
    const { rowPtr, colIdx, values } = this.coarsest;
    for (const row of this.#pins) values[lowerBound(colIdx, row, rowPtr[row]!, rowPtr[row + 1]!)]! *= 2;
  }
}

/** Replaces zeros on the diagonal by ones: the rows and columns of dependent modes are 0. */
export function fillDiagonal(coarse: HeapMatrix): void {
  using diagonal = coarse.diagonal();
  const { rowPtr, colIdx, values } = coarse;
  diagonal.data.forEach((value, row) => {
    if (value !== 0) return;
    const place = lowerBound(colIdx, row, rowPtr[row]!, rowPtr[row + 1]!);
    if (colIdx[place] === row) values[place] = 1;
  });
}

/** A bound up to this one is taken as it is. Where no entry beside the diagonal is positive, the bound is at most 2, and near the largest eigenvalue. */
export const USUAL: number = 2.1;

/**
 * Bounds the eigenvalues of diag(m) A from above: by sums of rows, where Lanczos has no symmetric matrix to find less. A power iteration finds half of them
 * on convection 200², and `amg` then takes as many iterations.
 *
 * @param factors m
 * @param rowSums of |A|
 */
export function spectralBound(
  engine: Engine,
  matrix: HeapMatrix,
  isSymmetric: boolean,
  factors: Float64Array,
  rowSums: Float64Array,
): number {
  const bound = largestRowSum(factors, rowSums);
  if (!isSymmetric || !(bound > USUAL)) return bound === 0 ? 1 : bound;
  using A = engine.operatorOn(engine.cpu, matrix, { format: 'csr' });
  return largestEigenvalue(A, factors, rowSums);
}

/** Makes the near-null space of the finest level. @param scope gets its numbers */
export function nearNullSpace(
  scope: HeapScope,
  rows: number,
  { block, near }: Pick<HierarchyWish, 'block' | 'near'>,
): NearNullSpace {
  if (near !== undefined) return { modes: near.modes, numbers: scope.copy(Float64Array, near.numbers) };
  const numbers = scope.array(Float64Array, rows * block).fill(block === 1 ? 1 : 0);
  if (block > 1) for (let i = 0; i < rows; i++) numbers[i * block + (i % block)] = 1;
  return { modes: block, numbers };
}

/** A row for each mode that the matrix maps to 0: that in which the mode is largest, of those that are left. */
function pinsOf({ rows, rowPtr, colIdx, values }: CsrMatrix, { modes, numbers }: NearNullSpace): number[] {
  const pins: number[] = [];
  for (let mode = 0; mode < modes; mode++) {
    let [largest, residual, size, pin] = [0, 0, 0, -1];
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        sum += values[k]! * numbers[colIdx[k]! * modes + mode]!;
        size = Math.max(size, Math.abs(values[k]!));
      }
      residual = Math.max(residual, Math.abs(sum));
      const number = Math.abs(numbers[i * modes + mode]!);
      if (number > largest && !pins.includes(i)) [largest, pin] = [number, i];
    }
    if (pin >= 0 && residual <= NULL * size * largest) pins.push(pin);
  }
  return pins;
}

/** The same arrays as a plain object. */
export function viewOf({ rows, cols, nnz, field, symmetry, rowPtr, colIdx, values }: HeapMatrix): CsrMatrix {
  return { rows, cols, nnz, field, symmetry, rowPtr, colIdx, values };
}

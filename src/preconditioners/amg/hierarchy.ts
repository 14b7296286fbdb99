/** The levels of smoothed aggregation, from the matrix to the coarsest one: matrices in the heap, made by the team. */
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
import type { NearNullSpace } from '../preconditioner.js';
import { type Aggregates, aggregate, tentativeProlongation } from './aggregates.js';
import { galerkinProduct, refillGalerkin } from './galerkin.js';
import { condense, type Strong, smoothingMatrix, strongCouplings } from './strength.js';

export interface HierarchyWish {
  /** Threshold of strong couplings on the finest level; half of it on each further one. */
  readonly theta: number;
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

const MOST_LEVELS = 25;

/** A level that has more than this share of the rows of the finer one is not made. Chosen. */
const LEAST_COARSENING = 0.8;

/** The threshold of strong couplings is too high if less than this share of the nodes is in aggregates: it is halved down to the least one, and then is 0. Chosen. */
const LEAST_MEMBERS = 0.5;
const LEAST_THETA = 1e-3;

/** 4/3 by the largest eigenvalue of D⁻¹ A makes the smoothed prolongation have the least energy. */
const OMEGA = 4 / 3;

/** A vector is in the null space if its residual is at most this share of the norms of matrix and vector. Chosen: rounding errors of the levels are 1e-14 of them. */
const NULL = 1e-10;

export class Hierarchy {
  readonly levels: readonly Level[];
  readonly coarsest: HeapMatrix;
  /** Rows of the coarsest level whose diagonal entries are doubled, because it has a null space. */
  readonly #pins: readonly number[];
  readonly #context: TeamContext;

  /** @param owned gets all matrices @throws SparlaneError `heap` */
  constructor(engine: Engine, fine: CsrMatrix, wish: HierarchyWish, owned: Owned) {
    const inF64 = fine.values instanceof Float64Array ? fine : { ...fine, values: Float64Array.from(fine.values) };
    let matrix = owned.own(engine.matrix(inF64));
    const { context, cpu } = engine;
    this.#context = context;
    using work = context.heap.scope();
    let near = nearNullSpace(work, matrix.rows, wish);
    const { isSymmetric } = wish;
    let { block, theta } = wish;
    const levels: Level[] = [];
    while (matrix.rows > wish.coarsest && levels.length < MOST_LEVELS) {
      const made = coarsen(engine, matrix, { near, block, theta, isSymmetric }, work);
      if (made === undefined) break;
      const prolongation = owned.own(made.prolongation);
      const restriction = owned.own(prolongation.transposed());
      const level = { matrix, prolongation, restriction };
      levels.push(level);
      const product = context.heap.build(
        (own) => new HeapMatrix(context, cpu.space, own, newMatrix(galerkinProduct(context, own, level))),
      );
      matrix = owned.own(product);
      fillEmptyRows(matrix);
      [near, block, theta] = [made.near, made.near.modes, theta / 2];
    }
    this.levels = levels;
    this.coarsest = matrix;
    this.#pins = pinsOf(matrix, near);
    this.#pin();
  }

  /** Computes all matrices again from other values of the finest one. Prolongations stay. */
  update(values: FloatArray): void {
    let target = this.levels[0]?.matrix ?? this.coarsest;
    target.values.set(values);
    for (const [l, level] of this.levels.entries()) {
      target = this.levels[l + 1]?.matrix ?? this.coarsest;
      refillGalerkin(this.#context, level, target);
      fillEmptyRows(target);
    }
    this.#pin();
  }

  #pin(): void {
    const { rowPtr, colIdx, values } = this.coarsest;
    for (const row of this.#pins) values[lowerBound(colIdx, row, rowPtr[row]!, rowPtr[row + 1]!)]! *= 2;
  }
}

/** Rows and columns of dependent modes, which are 0, get a diagonal of 1. */
function fillEmptyRows(coarse: HeapMatrix): void {
  using diagonal = coarse.diagonal();
  const { rowPtr, colIdx, values } = coarse;
  diagonal.data.forEach((value, row) => {
    if (value !== 0) return;
    const place = lowerBound(colIdx, row, rowPtr[row]!, rowPtr[row + 1]!);
    if (colIdx[place] === row) values[place] = 1;
  });
}

interface Coarsening {
  readonly near: NearNullSpace;
  readonly block: number;
  readonly theta: number;
  readonly isSymmetric: boolean;
}

interface Coarsened {
  readonly prolongation: HeapMatrix;
  /** Of the coarse level. */
  readonly near: NearNullSpace;
}

/** The prolongation to a level; undefined if there is no level that is coarser by enough. @param work gets the near-null space of the coarse level */
function coarsen(
  engine: Engine,
  matrix: HeapMatrix,
  { near, block, theta, isSymmetric }: Coarsening,
  work: HeapScope,
): Coarsened | undefined {
  const { context, cpu } = engine;
  using temporary = context.heap.scope();
  const view = (rows: Parameters<typeof newMatrix>[0]) =>
    new HeapMatrix(context, cpu.space, context.heap.scope(), newMatrix(rows));
  const nodes = block === 1 ? matrix : view(condense(context, temporary, matrix, block));
  using diagonal = nodes.diagonal();
  using symmetricPart = isSymmetric ? undefined : symmetrized(nodes);
  const [strong, aggregates] = strongAggregates(context, temporary, symmetricPart ?? nodes, diagonal.data, theta);
  if (aggregates.count === 0 || aggregates.count * near.modes > LEAST_COARSENING * matrix.rows) return undefined;
  const tentative = tentativeProlongation(context, temporary, work, aggregates, block, near);
  using own = matrix.diagonal();
  const inverse = own.data.map((value) => (value > 0 ? 1 / value : 0));
  using sums = matrix.norms('rows', 'one');
  const omega = OMEGA / spectralBound(engine, matrix, isSymmetric, inverse, sums.data);
  using smoothing = view(smoothingMatrix(context, temporary, matrix, block, strong, omega));
  return { prolongation: smoothing.multiply(newMatrix(tentative.prolongation)), near: tentative.near };
}

/**
 * (A + Aᵀ) / 2, whose strong couplings are the same in both directions. With those of A, where wind blows strongly, a row is coupled to what lies
 * upstream alone, and aggregates have two rows: 23 iterations instead of 14 (convection 200², ε = 1e-4, bicgstab and ilu0).
 */
function symmetrized(nodes: HeapMatrix): HeapMatrix {
  using transposed = nodes.transposed();
  return nodes.add(transposed, 0.5, 0.5);
}

/** Aggregates of most of the nodes, for which couplings are halved in strength where all are weak: each of 26 neighbours has 1/26 of the diagonal. */
function strongAggregates(
  context: TeamContext,
  scope: HeapScope,
  nodes: HeapMatrix,
  diagonal: Float64Array,
  theta: number,
): readonly [Strong, Aggregates] {
  for (let threshold = theta; ; threshold = threshold > LEAST_THETA ? threshold / 2 : 0) {
    const strong = strongCouplings(context, scope, nodes, diagonal, threshold);
    const aggregates = aggregate(context, scope, strong);
    const members = aggregates.memberPtr[aggregates.count]!;
    if (threshold === 0 || members >= LEAST_MEMBERS * nodes.rows) return [strong, aggregates];
  }
}

/** A bound up to this one is taken as it is. Where no entry beside the diagonal is positive, the bound is at most 2, and near the largest eigenvalue. */
const USUAL = 2.1;

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

/** The near-null space of the finest level, in the scope. */
function nearNullSpace(scope: HeapScope, rows: number, { block, near }: HierarchyWish): NearNullSpace {
  if (near !== undefined) return { modes: near.modes, numbers: scope.copy(Float64Array, near.numbers) };
  const numbers = scope.array(Float64Array, rows * block).fill(0);
  for (let i = 0; i < rows; i++) numbers[i * block + (i % block)] = 1;
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

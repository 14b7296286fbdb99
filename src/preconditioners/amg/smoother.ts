/** What smooths on a level: a preconditioner S of its matrix, in sweeps x ← x + S (r − A x). */
import { resolveParameters } from '../../core/parameters.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapMatrix } from '../../matrices/heap-matrix.js';
import { chunksOf } from '../../matrices/row-by-row.js';
import { CHEBYSHEV } from '../chebyshev.js';
import { DiagonalPreconditioner } from '../diagonal.js';
import { IC0 } from '../ic0.js';
import { ILU0 } from '../ilu0.js';
import { runOver } from '../over-pieces.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';
import { SSOR } from '../ssor.js';
import { spectralBound, viewOf } from './hierarchy.js';

export const NEAREST_DIAGONAL_HEADER = {
  rows: 'u32',
  /** The matrix, in f64. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** f64, one per row. */
  factors: 'usize',
  sums: 'usize',
} as const;

export const SMOOTHERS = ['auto', 'spai0', 'chebyshev', 'ssor', 'ic0', 'ilu0'] as const;

export type SmootherName = (typeof SMOOTHERS)[number];

const KINDS = { ssor: SSOR, ic0: IC0, ilu0: ILU0 } as const;

/** A Chebyshev smoother damps the eigenvalues down to this part of the largest one; coarser levels see to smaller ones. Chosen. */
export const CHEBYSHEV_RATIO: number = 10;

/** A diagonal matrix m smooths if the largest eigenvalue of diag(m) A is less than 2: m is made smaller until it is at most this. 5 and 7 points have 1.6 and 1.7. */
const MOST = 1.7;

export interface SmootherWish {
  /** `auto`: `spai0`, or `ilu0` for a matrix that is not symmetric. */
  readonly smoother: SmootherName;
  /** Products of a sweep with `chebyshev`. */
  readonly degree: number;
  readonly isSymmetric: boolean;
}

/** @throws SparlaneError `structure` as the kind; `heap` */
export function smootherFor(
  engine: Engine,
  matrix: HeapMatrix,
  { dtype, start }: Preparation,
  { smoother, degree, isSymmetric }: SmootherWish,
): Preconditioner {
  const name = smoother !== 'auto' ? smoother : isSymmetric ? 'spai0' : 'ilu0';
  const preparation = { matrix: viewOf(matrix), dtype, spec: name, start };
  if (name === 'spai0') {
    const boundOf = (m: Float64Array, sums: Float64Array) => spectralBound(engine, matrix, isSymmetric, m, sums);
    const compute = () => nearestDiagonal(engine, matrix, boundOf);
    return new DiagonalPreconditioner(engine.space, preparation, compute, compute());
  }
  if (name === 'chebyshev') return CHEBYSHEV.prepare(engine, preparation, { degree, ratio: CHEBYSHEV_RATIO });
  const kind = KINDS[name];
  return kind.prepare(engine, preparation, resolveParameters(name, kind.parameters, {}));
}

/** m = a_ii / Σ a_ij², of `spai0`; less where that is too much. @param boundOf bounds the eigenvalues of diag(m) A from above */
export function nearestDiagonal(
  { context }: Engine,
  matrix: HeapMatrix,
  boundOf: (m: Float64Array, rowSums: Float64Array) => number,
): Float64Array {
  using work = context.heap.scope();
  const { rows, rowPtr, colIdx, values } = matrix;
  const [factors, sums] = [work.array(Float64Array, rows), work.array(Float64Array, rows)];
  const words = { rows, rowPtr, colIdx, values, factors, sums };
  const span = chunksOf(rows, (row) => rowPtr[row]!);
  runOver(context, { kernel: 'nearest_diagonal', layout: NEAREST_DIAGONAL_HEADER, words }, span);
  const largest = boundOf(factors, sums);
  const scale = largest > MOST ? MOST / largest : 1;
  return factors.map((factor) => factor * scale);
}

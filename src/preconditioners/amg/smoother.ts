/** What smooths on a level: a preconditioner S of its matrix, in sweeps x ← x + S (r − A x). */
import { resolveParameters } from '../../core/parameters.js';
import { rowSpan } from '../../core/span.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapMatrix } from '../../matrices/heap-matrix.js';
import { CHUNK_ROWS } from '../../matrices/row-by-row.js';
import type { HeapScope } from '../../memory/heap.js';
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
    const compute = () => {
      using work = engine.context.heap.scope();
      const { factors, rowSums } = nearestDiagonal(engine, work, matrix);
      return damped(factors, spectralBound(engine, matrix, isSymmetric, factors, rowSums));
    };
    return new DiagonalPreconditioner(engine.space, preparation, compute, compute());
  }
  if (name === 'chebyshev') return CHEBYSHEV.prepare(engine, preparation, { degree, ratio: CHEBYSHEV_RATIO });
  const kind = KINDS[name];
  return kind.prepare(engine, preparation, resolveParameters(name, kind.parameters, {}));
}

/** What a matrix has for each of its rows. */
interface NearestDiagonal {
  /** m = a_ii / Σ a_ij², of `spai0`. */
  readonly factors: Float64Array;
  /** Σ |a_ij|. */
  readonly rowSums: Float64Array;
}

/** Makes the diagonal matrix that is nearest to the inverse. @param scope gets the result */
export function nearestDiagonal({ context }: Engine, scope: HeapScope, matrix: HeapMatrix): NearestDiagonal {
  const { rows, rowPtr, colIdx, values } = matrix;
  const [factors, rowSums] = [scope.array(Float64Array, rows), scope.array(Float64Array, rows)];
  const words = { rows, rowPtr, colIdx, values, factors, sums: rowSums };
  const step = { kernel: 'nearest_diagonal', layout: NEAREST_DIAGONAL_HEADER, words };
  runOver(context, step, rowSpan(matrix, CHUNK_ROWS));
  return { factors, rowSums };
}

/** Makes m smaller where it does not smooth. @param largest bounds the eigenvalues of diag(m) A from above */
export function damped(factors: Float64Array, largest: number): Float64Array {
  const scale = largest > MOST ? MOST / largest : 1;
  const scaled = new Float64Array(factors.length);
  // `map` takes three times as long.
  for (let i = 0; i < scaled.length; i++) scaled[i] = factors[i]! * scale;
  return scaled;
}

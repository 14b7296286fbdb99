/** What smooths on a level: a preconditioner S of its matrix, in sweeps x ← x + S (r − A x). */
import type { CsrMatrix } from '../../core/csr.js';
import { resolveParameters } from '../../core/parameters.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapMatrix } from '../../matrices/heap-matrix.js';
import { CHEBYSHEV } from '../chebyshev.js';
import { DiagonalPreconditioner } from '../diagonal.js';
import { IC0 } from '../ic0.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';
import { SSOR } from '../ssor.js';
import { spectralBound } from './hierarchy.js';

export const SMOOTHERS = ['spai0', 'chebyshev', 'ssor', 'ic0'] as const;

export type SmootherName = (typeof SMOOTHERS)[number];

/** A Chebyshev smoother damps the eigenvalues down to this part of the largest one; coarser levels see to smaller ones. Chosen. */
const CHEBYSHEV_RATIO = 10;

/** A diagonal matrix m smooths if the largest eigenvalue of diag(m) A is less than 2: m is made smaller until it is at most this. 5 and 7 points have 1.6 and 1.7. */
const MOST = 1.7;

/** @param degree of `chebyshev` @throws SparlaneError `structure` as the kind; `heap` */
export function smootherFor(
  engine: Engine,
  matrix: HeapMatrix,
  { dtype, start }: Preparation,
  name: SmootherName,
  degree: number,
): Preconditioner {
  const preparation = { matrix: viewOf(matrix), dtype, spec: name, start };
  if (name === 'spai0') {
    const compute = () => nearestDiagonal(engine, matrix);
    return new DiagonalPreconditioner(engine.space, preparation, compute, compute());
  }
  if (name === 'chebyshev') return CHEBYSHEV.prepare(engine, preparation, { degree, ratio: CHEBYSHEV_RATIO });
  const kind = name === 'ic0' ? IC0 : SSOR;
  return kind.prepare(engine, preparation, resolveParameters(name, kind.parameters, {}));
}

/** m = a_ii / Σ a_ij², of `spai0`; less where that is too much. */
function nearestDiagonal(engine: Engine, matrix: HeapMatrix): Float64Array {
  using diagonal = matrix.diagonal();
  using norms = matrix.norms('rows');
  const factors = diagonal.data.map((value, i) => (value > 0 ? value / norms.data[i]! / norms.data[i]! : 0));
  const largest = spectralBound(engine, matrix, factors);
  return largest > MOST ? factors.map((factor) => (factor * MOST) / largest) : factors;
}

/** The same arrays as a plain object. */
function viewOf({ rows, cols, nnz, field, symmetry, rowPtr, colIdx, values }: HeapMatrix): CsrMatrix {
  return { rows, cols, nnz, field, symmetry, rowPtr, colIdx, values };
}

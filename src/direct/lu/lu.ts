/**
 * Sparse LU for matrices that are not symmetric.
 *
 * Source: Davis & Palamadai Natarajan, "Algorithm 907: KLU, a direct sparse solver for circuit simulation problems", ACM TOMS 37, 2010.
 * Differs: all blocks are ordered at once; rows are scaled by powers of two; other values keep the pivots only while each is at least the
 *   share of its column that a first factorization accepts.
 * For: circuits, chemical plants, power networks, linear programs: short columns, little fill.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { Analysis, DirectMethod, FactorStep, Factors, FactorWish, Prediction } from '../method.js';
import { type Arrangement, arrange } from './arrange.js';
import { SparseLu } from './factors.js';
import { bytesOfFactors } from './layout.js';

export const LU: DirectMethod = {
  name: 'lu',
  summary: 'LU with partial pivoting, in blocks of a block triangular form',
  source: 'Davis & Palamadai Natarajan 2010 (KLU); Gilbert & Peierls 1988',
  analyse,
};

function* analyse(_engine: Engine, matrix: CsrMatrix, { order }: FactorWish): Generator<FactorStep, Analysis> {
  const arrangement = yield* arrange(matrix, order);
  const prediction: Prediction = {
    method: 'lu',
    stored: 'f64',
    order: `btf+${arrangement.order}`,
    ...arrangement.fill,
    bytes: bytesOfFactors(arrangement),
  };
  return { prediction, factor: (engine, values) => factor(engine, matrix, values, arrangement, prediction) };
}

function* factor(
  engine: Engine,
  { rowPtr }: CsrMatrix,
  values: FloatArray,
  arrangement: Arrangement,
  prediction: Prediction,
): Generator<FactorStep, Factors> {
  const factors = new SparseLu(engine.context, arrangement, rowPtr, prediction);
  let isComplete = false;
  try {
    yield* factors.refactor(values);
    isComplete = true;
    return factors;
  } finally {
    if (!isComplete) factors[Symbol.dispose]();
  }
}

/** The part of the host that is loaded with eigenvalues. */
import type { MatrixInput } from '../core/csr.js';
import { eigsSteps } from '../eigen/eigs.js';
import type { EigenStep, EigsOptions } from '../eigen/method.js';
import type { Engine } from '../engine/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { SentEigenSolution } from './protocol.js';

type Given = readonly [
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  k: number,
  options: EigsOptions,
  sourceMs: number,
];

/** @param given called at the first step: what the caller has disposed before is an error */
export function* eigenSteps(given: () => Given): Generator<EigenStep, SentEigenSolution> {
  const [engine, matrix, k, options, sourceMs] = given();
  const { vectors: block, ...solution } = yield* eigsSteps(engine, matrix, k, options);
  using vectors = block;
  return { ...solution, vectors: Float64Array.from(vectors.toArray({ order: 'column' })), sourceMs };
}

/** The part of the host that is loaded with eigenvalues and singular values. */
import type { MatrixInput } from '../core/csr.js';
import { eigsSteps } from '../eigen/eigs.js';
import { eigsGeneralSteps, type GeneralEigenSolution } from '../eigen/general/eigs-general.js';
import { svdsSteps } from '../eigen/singular/svds.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { VectorInput } from '../operators/operator.js';
import type { SearchName, SearchTypes } from './search-types.js';

type Matrix = MatrixInput | MatrixOperator;

/** The engine, A, k, and options, which the search checks. */
type Given<N extends SearchName> = readonly [
  engine: Engine,
  matrix: Matrix,
  k: number,
  options: SearchTypes[N]['options'] & { B?: Matrix; start?: VectorInput; signal: AbortSignal },
];

type Search<N extends SearchName> = (
  ...given: Given<N>
) => Generator<SearchTypes[N]['step'], Omit<SearchTypes[N]['result'], 'sourceMs'>>;

const SEARCHES: { readonly [N in SearchName]: Search<N> } = {
  *eigs(...given) {
    const { vectors, ...solution } = yield* eigsSteps(...given);
    return { ...solution, vectors: taken(vectors) };
  },
  *eigsGeneral(...given) {
    const { vectors, left, ...solution } = yield* eigsGeneralSteps(...given);
    const others = left && { left: { ...left, vectors: takenBoth(left.vectors) } };
    return { ...solution, ...others, vectors: takenBoth(vectors) };
  },
  *svds(...given) {
    const { U, V, ...solution } = yield* svdsSteps(...given);
    return { ...solution, U: taken(U), V: taken(V) };
  },
};

/** @param given called at the first step: what the caller has disposed before is an error */
export function* searchSteps<N extends SearchName>(
  name: N,
  given: () => Given<N>,
  sourceMs: number,
): Generator<SearchTypes[N]['step'], SearchTypes[N]['result']> {
  return { ...(yield* SEARCHES[name](...given())), sourceMs } as SearchTypes[N]['result'];
}

function takenBoth({ real, imaginary }: GeneralEigenSolution['vectors']) {
  return { real: taken(real), imaginary: taken(imaginary) };
}

/** The numbers of a block, column by column, which is disposed. */
function taken(block: Vector): Float64Array {
  using numbers = block;
  return Float64Array.from(numbers.toArray({ order: 'column' }));
}

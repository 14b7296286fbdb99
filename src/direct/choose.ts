/** Which direct method a matrix gets, and its factors. */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../operators/engine.js';
import type { DirectMethod, DirectName, FactorStep, Factors, FillOrder, Prediction } from './method.js';
import { DIRECT_METHODS } from './methods.js';

/** Time of each stage, in ms. */
export type StageTimes = Record<FactorStep['stage'], number>;

/** The factors of a matrix, and how they came about. */
export interface Factored {
  readonly factors: Factors;
  readonly prediction: Prediction;
  readonly times: StageTimes;
  /** A sentence for each choice and refusal. */
  readonly reasons: readonly string[];
}

/** The methods that may factor a matrix, the cheapest first. @throws SparlaneError `argument` for a method that does not exist */
export function methodsFor(name: DirectName | 'auto', matrix: CsrMatrix, reasons: string[]): readonly DirectMethod[] {
  const known = DIRECT_METHODS.map((method) => method.name);
  if (name !== 'auto') {
    const named = DIRECT_METHODS.find((method) => method.name === name);
    if (named === undefined) throw mismatch('argument', 'method', `auto | ${known.join(' | ')}`, name);
    return [named];
  }
  const { names, why } = namesFor(matrix);
  reasons.push(`${names[0]}: ${why}`);
  const methods = names.flatMap((each) => DIRECT_METHODS.filter((method) => method.name === each));
  if (methods.length === 0) throw mismatch('structure', 'matrix', 'a symmetric one', 'one that is not');
  return methods;
}

function namesFor(matrix: CsrMatrix): { readonly names: readonly DirectName[]; readonly why: string } {
  if (likenessOfTranspose(matrix) === 'none') return { names: ['lu'], why: 'the matrix is not symmetric' };
  if (hasPositiveDiagonal(matrix))
    return { names: ['cholesky', 'ldlt'], why: 'the matrix is symmetric, with a positive diagonal' };
  return { names: ['ldlt'], why: 'the matrix is symmetric, and its diagonal is not positive' };
}

function hasPositiveDiagonal({ rows, rowPtr, colIdx, values }: CsrMatrix): boolean {
  for (let i = 0; i < rows; i++) {
    let isPositive = false;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) if (colIdx[k] === i) isPositive = values[k]! > 0;
    if (!isPositive) return false;
  }
  return true;
}

/** What an analysis predicts is more than the caller wants to spend. */
export class Declined extends Error {}

/**
 * Factors a matrix by the first of the methods that can.
 *
 * @param values of the matrix
 * @param refuse says why the factors of a prediction are not wanted
 * @throws SparlaneError as the last method; `heap` as soon as memory does not suffice; Declined for what `refuse` says
 */
export function* factorSteps(
  engine: Engine,
  matrix: CsrMatrix,
  values: FloatArray,
  methods: readonly DirectMethod[],
  order: FillOrder,
  reasons: string[],
  refuse?: (prediction: Prediction) => string | undefined,
): Generator<FactorStep, Factored> {
  const times: StageTimes = { order: 0, analysis: 0, factor: 0 };
  for (const [place, method] of methods.entries()) {
    try {
      const analysis = yield* timed(method.analyse(engine, matrix, order), times, 'analysis');
      const why = refuse?.(analysis.prediction);
      if (why !== undefined) throw new Declined(why);
      const factors = yield* timed(analysis.factor(engine, values), times, 'factor');
      return { factors, prediction: analysis.prediction, times, reasons };
    } catch (error) {
      if (!(error instanceof SparlaneError && error.code === 'structure') || place === methods.length - 1) throw error;
      reasons.push(`not ${method.name}: ${error.message}`);
    }
  }
  throw mismatch('argument', 'methods', 'one at least', 'none');
}

/** Adds the time of each stage, without that between two steps. @param last the stage of what comes after the last step */
function* timed<T>(
  steps: Generator<FactorStep, T>,
  times: StageTimes,
  last: FactorStep['stage'],
): Generator<FactorStep, T> {
  try {
    for (;;) {
      const begin = performance.now();
      const { done, value } = steps.next();
      times[done ? last : value.stage] += performance.now() - begin;
      if (done) return value;
      yield value;
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** Which direct method a matrix gets, and its factors. */
import { diagonalFrom } from '../algebra/diagonal.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { equalsTranspose, likenessOfTranspose, symmetrizingSigns } from '../core/symmetry.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { DirectMethod, DirectName, FactorStep, Factors, FactorWish, Prediction } from './method.js';
import { DIRECT_METHODS } from './methods.js';
import { whyPoor } from './trial.js';

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

/** From the cheapest to the one that suits all matrices: if one cannot factor a matrix, the next one is tried. */
const CHEAPEST_FIRST: readonly DirectName[] = ['cholesky', 'ldlt', 'lu'];

/** The methods that may factor a matrix that this one cannot. */
export function methodsAfter(name: DirectName): readonly DirectMethod[] {
  return named(CHEAPEST_FIRST.slice(CHEAPEST_FIRST.indexOf(name) + 1));
}

function named(names: readonly DirectName[]): readonly DirectMethod[] {
  return names.flatMap((name) => DIRECT_METHODS.filter((method) => method.name === name));
}

/** The methods that may factor a matrix, the cheapest first. @throws SparlaneError `argument` for a method that does not exist */
export function methodsFor(name: DirectName | 'auto', matrix: CsrMatrix, reasons: string[]): readonly DirectMethod[] {
  const known = DIRECT_METHODS.map((method) => method.name);
  if (name !== 'auto') {
    if (!known.includes(name)) throw mismatch('argument', 'method', `auto | ${known.join(' | ')}`, name);
    return named([name]);
  }
  const { first, why } = firstFor(matrix);
  reasons.push(`${first}: ${why}`);
  return [...named([first]), ...methodsAfter(first)];
}

function firstFor(matrix: CsrMatrix): { readonly first: DirectName; readonly why: string } {
  // The factors of a symmetric matrix have no place for an entry without one across the diagonal, not even for a rounding error.
  if (!equalsTranspose(matrix, 'pattern')) return { first: 'lu', why: 'the pattern of the matrix is not symmetric' };
  if (likenessOfTranspose(matrix) === 'none') {
    if (symmetrizingSigns(matrix, matrix.values) === undefined)
      return { first: 'lu', why: 'the matrix is not symmetric' };
    return { first: 'ldlt', why: 'the matrix is symmetric with other signs of some columns' };
  }
  if (hasPositiveDiagonal(matrix))
    return { first: 'cholesky', why: 'the matrix is symmetric, with a positive diagonal' };
  return { first: 'ldlt', why: 'the matrix is symmetric, and its diagonal is not positive' };
}

function hasPositiveDiagonal(matrix: CsrMatrix): boolean {
  return diagonalFrom(matrix).every((value) => value > 0);
}

/** What an analysis predicts is more than the caller wants to spend. */
export class Declined extends Error {}

/** @throws SparlaneError `structure`: no method factors a matrix with Inf or NaN */
export function refuseNotFinite(values: FloatArray): void {
  let entry = 0;
  while (entry < values.length && Number.isFinite(values[entry]!)) entry++;
  if (entry === values.length) return;
  const text = `matrix: expected finite numbers, got ${values[entry]} as entry ${entry}`;
  throw new SparlaneError('structure', text, { entry });
}

/**
 * Factors a matrix by the first of the methods that can. Factors with replaced pivots that refinement does not make good give way to those of the
 * next method, if there are such.
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
  wish: FactorWish,
  reasons: string[],
  refuse?: (prediction: Prediction) => string | undefined,
): Generator<FactorStep, Factored> {
  refuseNotFinite(values);
  const times: StageTimes = { order: 0, analysis: 0, factor: 0 };
  let poor: Factored | undefined;
  try {
    for (const [place, method] of methods.entries()) {
      const isLast = place === methods.length - 1;
      try {
        const analysis = yield* timed(method.analyse(engine, matrix, wish), times, 'analysis');
        const declined = refuse?.(analysis.prediction);
        if (declined !== undefined) throw new Declined(declined);
        const factors = yield* timed(analysis.factor(engine, values), times, 'factor');
        const factored: Factored = { factors, prediction: analysis.prediction, times, reasons };
        // Factors in f32 are preconditioners, for which replaced pivots are good enough.
        if (isLast || analysis.prediction.stored === 'f32') return factored;
        // Until they are known to be good, so that an error of the trial does not lose them.
        poor = factored;
        const why = whyPoor(engine, matrix, values, factors);
        if (why === undefined) {
          poor = undefined;
          return factored;
        }
        reasons.push(`not ${method.name}: ${why}`);
      } catch (error) {
        if (poor === undefined && (isLast || !isOfMatrix(error))) throw error;
        if (poor !== undefined && !(error instanceof Declined || isRefusal(error))) throw error;
        reasons.push(`not ${method.name}: ${(error as Error).message}`);
        if (poor === undefined) continue;
        const kept = poor;
        poor = undefined;
        return kept;
      }
    }
  } finally {
    poor?.factors[Symbol.dispose]();
  }
  throw mismatch('argument', 'methods', 'one at least', 'none');
}

/** Whether a method cannot factor the matrix, so that another one may. */
export function isOfMatrix(error: unknown): boolean {
  return error instanceof SparlaneError && error.code === 'structure';
}

/** The same, or a lack of memory. */
export function isRefusal(error: unknown): boolean {
  return isOfMatrix(error) || (error instanceof SparlaneError && error.code === 'heap');
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

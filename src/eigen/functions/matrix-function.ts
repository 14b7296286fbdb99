/**
 * A function of a symmetric matrix as an operator, x ↦ f(A) x, for a smooth f: its Chebyshev series on an interval that has the spectrum.
 *
 * Source and cost: `chebyshev-series.ts`.
 */
import { callback } from '../../core/checks.js';
import { drain } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { Vector } from '../../memory/vector.js';
import { LinearOperator } from '../../operators/operator.js';
import type { EigenMatrix } from '../method.js';
import type { Moving } from '../moving.js';
import { Operand } from '../operand.js';
import { type ChebyshevSeries, chebyshevSeries, seriesSteps } from './chebyshev-series.js';
import { checkFunction, type MatrixFunctionOptions } from './function-options.js';

/** x ↦ f(A) x. Made by `matrixFunction`. */
export interface MatrixFunction extends LinearOperator {
  /** Where f is approximated. */
  readonly interval: readonly [least: number, greatest: number];
  /** The degree of the polynomial. A product with f(A) takes as many with A. */
  readonly degree: number;
}

/** x ↦ f(A) x, as soon as it has taken the series of f. */
export class SeriesOperator extends LinearOperator implements MatrixFunction, Moving {
  readonly #operand: Operand;
  #series: ChebyshevSeries | undefined;
  readonly interval: readonly [least: number, greatest: number];
  /** The error of the series beside the largest |f|. */
  readonly rtol: number;

  constructor(operand: Operand, interval: readonly [number, number], rtol: number) {
    const { A } = operand;
    super(A.space, A.rows, A.cols, A.vectorType);
    this.#operand = operand;
    this.interval = interval;
    this.rtol = Math.max(rtol, UNIT_ROUNDOFF[dtypeOf(A.vectorType)]);
  }

  /** @param series of f on the interval */
  take(series: ChebyshevSeries): this {
    this.#series = series;
    return this;
  }

  get degree(): number {
    return this.#series!.coefficients.length - 1;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.runBlock(x, y, alpha, beta);
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    using moved = x.like().copyFrom(x);
    drain(this.moveSteps(moved));
    y.axpby(alpha, moved, beta);
  }

  *moveSteps(y: Vector): Generator<void, void> {
    yield* seriesSteps(this.#operand.A, this.#series!, y);
  }

  protected override release(): void {
    this.#operand[Symbol.dispose]();
  }
}

/**
 * The operator x ↦ f(A) x, of vectors and of blocks.
 *
 * @param A symmetric: a matrix of the library, or the operator of one, also over ranks, which must outlive it
 * @param f finite and smooth on the interval. √ and log of a matrix with eigenvalues near 0 take many products
 * @throws SparlaneError `argument` for a wrong argument, an f that is not finite there or that no polynomial of a degree up to 6000 approximates;
 *   `structure` for an A that is not symmetric; as `engine.operator`
 *
 * @example
 * using root = matrixFunction(engine, A, Math.sqrt, { interval: [smallest, largest] });
 * root.apply(x, y);
 */
export function matrixFunction(
  engine: Engine,
  A: EigenMatrix,
  f: (value: number) => number,
  options: MatrixFunctionOptions = {},
): MatrixFunction {
  callback('f', f);
  const operator = functionOn(engine, A, options);
  try {
    const series = chebyshevSeries(f, operator.interval, operator.rtol);
    const { length } = series.coefficients;
    operator.space.ranks?.compare('the matrix function', { coefficients: length, first: series.coefficients[0]! });
    return operator.take(series);
  } catch (error) {
    operator.dispose();
    throw error;
  }
}

/** The operator without its series. @throws SparlaneError as `matrixFunction` */
export function functionOn(engine: Engine, A: EigenMatrix, options: MatrixFunctionOptions): SeriesOperator {
  const { interval: asked, rtol } = checkFunction(options);
  const operand = new Operand(engine, A);
  try {
    if (!operand.isSymmetric) throw mismatch('structure', 'A', 'a symmetric matrix', 'one that is not');
    const interval = asked ?? operand.interval;
    operand.A.space.ranks?.compare('the matrix function', { least: interval[0], greatest: interval[1] });
    return new SeriesOperator(operand, interval, rtol);
  } catch (error) {
    operand[Symbol.dispose]();
    throw error;
  }
}

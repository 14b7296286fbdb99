/**
 * A function of a symmetric matrix as an operator, x ↦ f(A) x, for a smooth f: its Chebyshev series on an interval that has the spectrum.
 *
 * Source and cost: `chebyshev-series.ts`.
 */
import { callback, finite, knownKeys, list, within } from '../../core/checks.js';
import { drain } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { Vector } from '../../memory/vector.js';
import { LinearOperator } from '../../operators/operator.js';
import type { SystemMatrix } from '../../solvers/system.js';
import { Operand } from '../operand.js';
import { type ChebyshevSeries, chebyshevSeries, seriesSteps } from './chebyshev-series.js';
import { gershgorin } from './spectrum-bounds.js';

export interface MatrixFunctionOptions {
  /** Numbers at most and at least as large as every eigenvalue. Default: Gershgorin's, which may be far off. */
  readonly interval?: readonly [least: number, greatest: number];
  /** The error of the polynomial beside the largest |f|, about: 2⁻⁵³ to 1. Default 2⁻⁵³ (f32: 2⁻²⁴). */
  readonly rtol?: number;
}

const OPTIONS: Record<keyof MatrixFunctionOptions, true> = { interval: true, rtol: true };

/** x ↦ f(A) x. Made by `matrixFunction`. */
export interface MatrixFunction extends LinearOperator {
  /** Where f is approximated. */
  readonly interval: readonly [least: number, greatest: number];
  /** The degree of the polynomial. A product with f(A) takes as many with A. */
  readonly degree: number;
}

class SeriesOperator extends LinearOperator implements MatrixFunction {
  readonly #operand: Operand;
  readonly #series: ChebyshevSeries;
  readonly interval: readonly [least: number, greatest: number];

  constructor(operand: Operand, series: ChebyshevSeries, interval: readonly [number, number]) {
    const { A } = operand;
    super(A.space, A.rows, A.cols, A.vectorType);
    this.#operand = operand;
    this.#series = series;
    this.interval = interval;
  }

  get degree(): number {
    return this.#series.coefficients.length - 1;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.runBlock(x, y, alpha, beta);
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    using moved = x.like().copyFrom(x);
    drain(seriesSteps(this.#operand.A, this.#series, moved));
    y.axpby(alpha, moved, beta);
  }

  protected override release(): void {
    this.#operand[Symbol.dispose]();
  }
}

/**
 * The operator x ↦ f(A) x, of vectors and of blocks.
 *
 * @param A symmetric: a matrix of the library, or the operator of one, which must outlive it
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
  A: SystemMatrix,
  f: (value: number) => number,
  options: MatrixFunctionOptions = {},
): MatrixFunction {
  knownKeys<MatrixFunctionOptions>('options', options, OPTIONS);
  callback('f', f);
  const given = within('rtol', options.rtol ?? UNIT_ROUNDOFF.f64, UNIT_ROUNDOFF.f64, 1);
  const asked = options.interval === undefined ? undefined : checkInterval(options.interval);
  const operand = Operand.square(engine, A);
  try {
    if (!operand.isSymmetric) throw mismatch('structure', 'A', 'a symmetric matrix', 'one that is not');
    const interval = asked ?? gershgorin(operand.matrix);
    const rtol = Math.max(given, UNIT_ROUNDOFF[dtypeOf(operand.A.vectorType)]);
    return new SeriesOperator(operand, chebyshevSeries(f, interval, rtol), interval);
  } catch (error) {
    operand[Symbol.dispose]();
    throw error;
  }
}

function checkInterval(interval: readonly [number, number]): readonly [number, number] {
  if (list('interval', interval).length !== 2) throw mismatch('argument', 'interval', 'two numbers', interval);
  const [least, greatest] = interval;
  finite('interval[0]', least);
  within('interval[1]', greatest, least, Number.MAX_VALUE);
  return [least, greatest];
}

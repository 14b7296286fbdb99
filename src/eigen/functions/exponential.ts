/**
 * The exponential of a matrix as an operator, x ↦ e^{tA} x: diffusion, Markov chains in continuous time, rotations, the centrality of vertices.
 *
 * Source: Al-Mohy & Higham 2011 (`taylor.ts`); of a symmetric A, where that takes fewer products, Chebyshev series (`chebyshev-series.ts`).
 * Differs: series in place of a Krylov space, which takes about as many products, but memory for a basis, and a basis for each column.
 */
import { finite, knownKeys, object, oneOf, within } from '../../core/checks.js';
import { checkSignal, drain, drainInSlices, untilAborted } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import { Vector } from '../../memory/vector.js';
import { LinearOperator, type VectorInput } from '../../operators/operator.js';
import { copyInto } from '../../solvers/arguments.js';
import type { EigenMatrix } from '../method.js';
import type { Moving } from '../moving.js';
import { Operand } from '../operand.js';
import { type ChebyshevSeries, degreeFor, exponentialSeries, seriesSteps } from './chebyshev-series.js';
import { RITZ_STEPS, ritzInterval } from './spectrum-bounds.js';
import { growthOf, planTaylor, type TaylorPlan, taylorSteps } from './taylor.js';

/** `expMultiply` takes these options. */
export interface ExponentialOptions {
  /** `taylor`: any square A; `chebyshev`: symmetric. Default `auto`: the one with fewer products. */
  readonly method?: ExponentialMethod | 'auto';
  /** The error beside ‖e^{tA}‖ ‖x‖ where it ends early: 2⁻⁵³ to 1. Default 2⁻⁵³ (f32: 2⁻²⁴). */
  readonly rtol?: number;
}

/** `expMultiplyAsync` takes these options. */
export interface ExponentialAsyncOptions extends ExponentialOptions {
  /** An abort rejects with its reason, and nothing stays allocated. */
  readonly signal?: AbortSignal;
}

/** How `expMultiply` computes: by Taylor's series, or by Chebyshev's. */
export type ExponentialMethod = 'taylor' | 'chebyshev';

const OPTIONS: Record<keyof ExponentialOptions, true> = { method: true, rtol: true };

/** Taylor polynomials of fewer products are taken at once, without a look at the spectrum. */
const FEW_PRODUCTS = 2 * RITZ_STEPS;
/** How far, as an exponent, the bound of the spectrum may be above it in one stage: e² in accuracy. */
const SLACK = 2;

/** x ↦ e^{tA} x. Made by `exponential`. */
export interface Exponential extends LinearOperator {
  readonly t: number;
  readonly method: ExponentialMethod;
  /** The degree of the polynomials. */
  readonly degree: number;
  /** How many times a polynomial is applied. */
  readonly stages: number;
  /** Products with A or Aᵀ so far, of vectors or of blocks: those of the plan, and of each application. */
  readonly products: number;
  /** Time of the operator of A, and of the plan. */
  readonly setupMs: number;
}

export class PlannedExponential extends LinearOperator implements Exponential, Moving {
  readonly #operand: Operand;
  readonly #plan: Plan;
  readonly #rtol: number;
  readonly t: number;
  readonly setupMs: number;
  products: number;

  constructor(operand: Operand, t: number, plan: Plan, rtol: number, setupMs: number) {
    const { A } = operand;
    super(A.space, A.rows, A.cols, A.vectorType);
    this.#operand = operand;
    this.#plan = plan;
    this.#rtol = rtol;
    this.t = t;
    this.setupMs = setupMs;
    this.products = plan.products;
  }

  get method(): ExponentialMethod {
    return 'series' in this.#plan ? 'chebyshev' : 'taylor';
  }

  get degree(): number {
    return 'series' in this.#plan ? this.#plan.series.coefficients.length - 1 : this.#plan.degree;
  }

  get stages(): number {
    return this.#plan.stages;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.runBlock(x, y, alpha, beta);
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) drain(this.moveSteps(y.copyFrom(x)));
    else {
      using moved = x.like().copyFrom(x);
      drain(this.moveSteps(moved));
      y.axpby(alpha, moved, beta);
    }
  }

  *moveSteps(y: Vector): Generator<void, void> {
    const { A } = this.#operand;
    const plan = this.#plan;
    if (!('series' in plan)) {
      this.products += yield* taylorSteps(A, plan, this.t, y, this.#rtol);
      return;
    }
    for (let stage = 0; stage < plan.stages; stage++) {
      this.products += yield* seriesSteps(A, plan.series, y);
      y.scale(plan.growth);
    }
  }

  protected override release(): void {
    this.#operand[Symbol.dispose]();
  }
}

type Plan = TaylorPlan | ChebyshevPlan;

interface ChebyshevPlan {
  readonly series: ChebyshevSeries;
  readonly stages: number;
  /** What each stage is multiplied by, so that the series has a largest value of 1. */
  readonly growth: number;
  /** Products with vectors that the plan took. */
  readonly products: number;
}

/**
 * The operator x ↦ e^{tA} x, of vectors and of blocks of them. It is planned once: for many x, or for `trace`.
 *
 * @param A square: a matrix of the library, or the operator of one, also over ranks, which must outlive it
 * @param t finite
 * @throws SparlaneError `argument` for a wrong argument, or a t for which e^{tA} overflows; `shape` for an A that is not square; as `engine.operator`
 *
 * @example
 * using heat = exponential(engine, laplacian, -0.1);
 * heat.apply(x, y);
 */
export function exponential(engine: Engine, A: EigenMatrix, t: number, options: ExponentialOptions = {}): Exponential {
  return exponentialOf(engine, A, t, options, 1);
}

/** Plans `exponential` for blocks of so many columns. */
export function exponentialOf(
  engine: Engine,
  A: EigenMatrix,
  t: number,
  options: ExponentialOptions,
  columns: number,
): PlannedExponential {
  const begin = performance.now();
  knownKeys<ExponentialOptions>('options', options, OPTIONS);
  finite('t', t);
  const method = oneOf('method', options.method ?? 'auto', ['auto', 'taylor', 'chebyshev']);
  const given = options.rtol === undefined ? UNIT_ROUNDOFF.f64 : within('rtol', options.rtol, UNIT_ROUNDOFF.f64, 1);
  const operand = new Operand(engine, A, columns);
  try {
    const { space } = operand.A;
    space.ranks?.compare('the exponential', { t, method, rtol: given, columns });
    const rtol = Math.max(given, UNIT_ROUNDOFF[dtypeOf(operand.A.vectorType)]);
    const plan = planFor(operand, t, method, rtol, columns);
    return new PlannedExponential(operand, t, plan, rtol, performance.now() - begin);
  } catch (error) {
    operand[Symbol.dispose]();
    throw error;
  }
}

/** Products that no program waits for. Chosen. */
const MOST_PRODUCTS = 1e6;

/** @throws SparlaneError `argument` */
function checkLength(t: number, products: number): void {
  if (products <= MOST_PRODUCTS) return;
  const expected = `one for which ${MOST_PRODUCTS} products suffice`;
  throw mismatch('argument', 't', expected, `${t}, which takes ${products.toExponential(0)}`);
}

function planFor(operand: Operand, t: number, method: ExponentialMethod | 'auto', rtol: number, columns: number): Plan {
  const { A } = operand;
  const isSymmetric = method !== 'taylor' && operand.isSymmetric;
  if (method === 'chebyshev' && isSymmetric) return planChebyshev(operand, t, rtol);
  if (method === 'chebyshev') oneOf('method', method, ['taylor, for an A that is not symmetric']);
  const taylor = planTaylor(A, operand.shiftedNorm, t, columns, () => (isSymmetric ? A : A.transposed()));
  const products = taylor.degree * taylor.stages;
  if (isSymmetric && products > FEW_PRODUCTS) {
    const series = planChebyshev(operand, t, rtol);
    if (method === 'auto' && series.stages * series.series.coefficients.length < products) return series;
  }
  checkLength(t, products);
  return taylor;
}

/** More stages where Gershgorin's bound of the dominant end of the spectrum is far from it: each stage loses that factor in accuracy. */
function planChebyshev({ A, interval }: Operand, t: number, rtol: number): ChebyshevPlan {
  const top = t > 0 ? interval[1] : interval[0];
  const ritz = ritzInterval(A);
  const slack = Math.abs(t) * Math.abs(top - (t > 0 ? ritz[1] : ritz[0]));
  const stages = Math.max(1, Math.ceil(slack / SLACK));
  const growth = growthOf((t * top) / stages, t);
  if (!Number.isFinite(t * (interval[1] - interval[0])))
    throw mismatch('argument', 't', 'one for which t A is finite', t);
  const middle = interval[0] / 2 + interval[1] / 2;
  const half = interval[1] / 2 - interval[0] / 2;
  const reach = (t * half) / stages;
  checkLength(t, stages * degreeFor(reach));
  const coefficients = exponentialSeries(reach, rtol);
  const series = { coefficients, middle, half: half || 1 };
  return { series, stages, growth, products: RITZ_STEPS };
}

/** y = e^{tA} x, and how it was computed. */
export interface ExponentialProduct {
  /** With as many columns as x, in the space of A; the caller disposes it. */
  readonly y: Vector;
  readonly method: ExponentialMethod;
  readonly degree: number;
  readonly stages: number;
  /** With A or Aᵀ, of vectors or of blocks. */
  readonly products: number;
  readonly setupMs: number;
  readonly solveMs: number;
}

/**
 * y = e^{tA} x without the matrix e^{tA}, which is dense.
 *
 * @param x of length `A.cols`: a vector, an array of numbers, or a block of vectors of the engine
 * @throws as `exponential`; `shape` for an x of a wrong length
 *
 * @example
 * const { y } = expMultiply(engine, laplacian, heat, -0.1); // heat after 0.1 seconds
 */
export function expMultiply(
  engine: Engine,
  A: EigenMatrix,
  x: VectorInput,
  t: number,
  options: ExponentialOptions = {},
): ExponentialProduct {
  return drain(expMultiplySteps(engine, A, x, t, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms; the plan, of some 100 products at most, is one slice.
 *
 * @throws never; the promise rejects with the errors of `expMultiply`, or the reason of the signal
 */
export async function expMultiplyAsync(
  engine: Engine,
  A: EigenMatrix,
  x: VectorInput,
  t: number,
  options: ExponentialAsyncOptions = {},
): Promise<ExponentialProduct> {
  const { signal, ...rest } = object('options', options);
  return drainInSlices(untilAborted(expMultiplySteps(engine, A, x, t, rest), checkSignal(signal)));
}

/** Computes `expMultiply` step by step. */
export function* expMultiplySteps(
  engine: Engine,
  A: EigenMatrix,
  x: VectorInput,
  t: number,
  options: ExponentialOptions,
): Generator<void, ExponentialProduct> {
  const columns = x instanceof Vector ? x.columns : 1;
  using operator = exponentialOf(engine, A, t, options, columns);
  const begin = performance.now();
  const { space, vectorType, rows, setupMs } = operator;
  const y = new Vector(space, vectorType, rows, undefined, columns);
  let isDone = false;
  try {
    copyInto('x', y, x);
    yield* operator.moveSteps(y);
    const { method, degree, stages, products } = operator;
    isDone = true;
    return { y, method, degree, stages, products, setupMs, solveMs: performance.now() - begin };
  } finally {
    if (!isDone) y.dispose();
  }
}

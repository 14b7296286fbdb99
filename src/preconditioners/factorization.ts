/**
 * The factors of a matrix as an operator, z ← A⁻¹ r: for many right-hand sides, and as a preconditioner. Made by `factor`, and by
 * `precondition(engine, A, 'direct')`. Methods: `src/direct/`.
 */

import type { NumberArray } from '../core/arrays.js';
import { callback, knownKeys } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { checkSignal, drain, drainInSlices, untilAborted } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import { type Dtype, dtypeOf, type FloatArray } from '../core/types.js';
import {
  type Factored,
  factorSteps,
  isOfMatrix,
  isRefusal,
  methodsAfter,
  methodsFor,
  refuseNotFinite,
} from '../direct/choose.js';
import type {
  DirectMethod,
  DirectName,
  FactorStep,
  Factors,
  FactorWish,
  FillOrder,
  Prediction,
} from '../direct/method.js';
import type { SolveQuality } from '../direct/refine.js';
import { whyPoor } from '../direct/trial.js';
import type { Engine } from '../engine/engine.js';
import type { FactorDtype } from '../kernels/abi.js';
import type { HeapScope } from '../memory/heap.js';
import { Vector } from '../memory/vector.js';
import { columnSteps, columnsOf, sidesOf } from './factored-columns.js';
import type { FactorizationReport } from './factorization-report.js';
import { Preconditioner, type Preparation } from './preconditioner.js';

/** Factorizations that do not block the event loop take these options. */
export interface FactorProgressOptions {
  /** An abort ends the factorization; the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called about every 50 ms. */
  readonly onProgress?: (step: FactorStep) => unknown;
}

const PROGRESS_OPTIONS: Record<keyof FactorProgressOptions, true> = { signal: true, onProgress: true };

const IN_F64 = 'in f64: lu stores no f32';

/** What `factor` makes factors of. */
export interface FactorizationRequest extends Preparation {
  readonly method: DirectName | 'auto';
  readonly order: FillOrder;
  /** How the numbers of the factors are stored. Default by `dtype`: `mixed` is f32 for vectors of f64. */
  readonly stored?: FactorWish['stored'];
  /** Says why the factors that an analysis predicts are not wanted. */
  readonly refuse?: ((prediction: Prediction) => string | undefined) | undefined;
}

function wishOf({ order, stored, dtype }: FactorizationRequest): FactorWish {
  return { order, stored: stored ?? (dtype === 'mixed' ? 'f32' : 'f64') };
}

export class Factorization extends Preconditioner {
  readonly #engine: Engine;
  readonly #matrix: CsrMatrix;
  readonly #method: DirectName | 'auto';
  readonly #wish: FactorWish;
  /** Those of the factors; of the caller. */
  #values: FloatArray;
  #factored: Factored;
  /** Why there are no factors at present. */
  #missing: 'updating' | 'failed' | undefined;
  #lastSolve: SolveQuality | undefined;

  private constructor(engine: Engine, { method, order, ...made }: FactorizationRequest, factored: Factored) {
    super(engine.space, made, factored.prediction.method !== 'lu');
    this.#engine = engine;
    this.#matrix = made.matrix;
    this.#method = method;
    this.#wish = wishOf({ ...made, method, order });
    this.#values = made.matrix.values;
    this.#factored = factored;
  }

  /**
   * Factors step by step.
   *
   * @throws SparlaneError `backend` for an engine on a device; `structure` for a matrix that is singular or that the method does not suit;
   *   `heap` with the bytes that it takes; Declined for what `refuse` says
   */
  static *steps(engine: Engine, request: FactorizationRequest): Generator<FactorStep, Factorization> {
    const { matrix, method, spec, refuse } = request;
    const wish = wishOf(request);
    if (engine.space.heap === undefined) throw mismatch('backend', spec, "an engine with device: 'cpu'", engine.device);
    const reasons: string[] = [];
    const methods = methodsFor(method, matrix, reasons);
    const factored = yield* factorSteps(engine, matrix, matrix.values, methods, wish, reasons, refuse);
    return new Factorization(engine, request, factored);
  }

  /** The method that was taken. */
  get method(): DirectName {
    return this.#factored.prediction.method;
  }

  /** How the numbers of the factors are stored. */
  get stored(): FactorDtype {
    return this.#factored.prediction.stored;
  }

  get bytes(): number {
    return this.#factored.factors.bytes;
  }

  /** log |det A| and the sign of det A. */
  get logDeterminant(): { readonly log: number; readonly sign: number } {
    return this.#checked().logDeterminant;
  }

  /** The numbers of positive, negative and zero eigenvalues; undefined for a matrix that is not symmetric. Pivots that were replaced count as zero: their sign is unknown. */
  get inertia(): Factors['inertia'] {
    return this.#checked().inertia;
  }

  /** How good the latest solution of `solve` is, the worst of its columns. */
  get lastSolve(): SolveQuality | undefined {
    return this.#lastSolve;
  }

  override explain(): FactorizationReport {
    const { spec, rows, bytes, setupMs, method } = this;
    const { factors, prediction, times, reasons } = this.#factored;
    const { entries, flops, pivots } = factors;
    const fill = entries / Math.max(this.#matrix.nnz, 1);
    const isMixed = this.vectorType === Float64Array && prediction.stored === 'f32';
    const dtype: Dtype = isMixed ? 'mixed' : dtypeOf(this.vectorType);
    const asked = this.#wish.stored === 'f32' && prediction.stored !== 'f32' ? { note: IN_F64 } : {};
    const made = { method, order: prediction.order, dtype, ...asked, entries, fill, flops, pivots };
    return { spec, rows, ...made, bytes, setupMs, times: { ...times }, reasons: [...reasons] };
  }

  /**
   * X of A X = B, with iterative refinement until it is as good as rounding allows; `lastSolve` says how good. `apply` solves without.
   *
   * @param b length `rows`: a vector or a block of vectors of the engine, which gives a vector or block that the caller disposes; or a typed
   *   array, of one column or of several, one after the other, which gives one of its type
   * @throws SparlaneError `argument` or `shape` for a wrong right-hand side
   */
  solve<B extends Vector | FloatArray>(b: B): B;
  solve(b: readonly number[]): Float64Array;
  solve<B extends Vector | FloatArray>(b: B | readonly number[]): B | Float64Array {
    const solved = drain(this.solveSteps(b));
    if (!(b instanceof Vector)) return solved as B;
    const x = b.like();
    x.set({ data: solved, shape: [b.length, b.columns], strides: [1, b.length] });
    return x as B;
  }

  /**
   * The same step by step, to the numbers of X, column after column. It yields the share of the columns that is solved; no update may come between.
   *
   * @throws as `solve`
   */
  *solveSteps(b: Vector | FloatArray | readonly number[]): Generator<number, FloatArray> {
    const factors = this.#checked();
    this.space.refuseRecording('a solve');
    const numbers = sidesOf(b, this);
    const columns = columnsOf(numbers, this.rows);
    const given = { matrix: this.#matrix, values: this.#values, factors, heap: this.#engine.context.heap };
    const { x, quality } = yield* columnSteps(given, numbers, columns);
    this.#lastSolve = quality;
    return numbers instanceof Float32Array ? Float32Array.from(x) : x;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const factors = this.#checked();
    const target = y.data;
    if (target instanceof Float64Array && alpha === 1 && beta === 0) {
      if (target !== x.data) target.set(x.data);
      factors.solve(target, 1);
      return;
    }
    using scope = this.#heapScope();
    const work = scope.copy(Float64Array, x.data);
    factors.solve(work, 1);
    for (let i = 0; i < work.length; i++)
      target[i] = beta === 0 ? alpha * work[i]! : alpha * work[i]! + beta * target[i]!;
  }

  #heapScope(): HeapScope {
    return this.#engine.context.heap.scope();
  }

  protected override refill(values: FloatArray): void {
    drain(this.#refillSteps(values));
  }

  /**
   * As `update`, without blocking the event loop, in slices of some 50 ms. Until it has ended there are no factors to solve with.
   *
   * @param values must not change before the end
   * @throws never; the promise rejects with the errors of `update`, or with the reason of the signal, and then an update must succeed before the factors
   *   are used again
   */
  async updateAsync(values: NumberArray, options: FactorProgressOptions = {}): Promise<void> {
    knownKeys<FactorProgressOptions>('options', options, PROGRESS_OPTIONS);
    const { signal, onProgress } = options;
    checkSignal(signal);
    if (onProgress !== undefined) callback('onProgress', onProgress);
    return drainInSlices(untilAborted(this.updateSteps(values), signal), onProgress);
  }

  /** The same step by step: the caller may do other work between two of them, or end it by `return()`. @throws as `update` */
  *updateSteps(values: NumberArray): Generator<FactorStep, void> {
    const steps = this.#refillSteps(this.checkValues(values));
    try {
      for (let step = steps.next(); !step.done; step = steps.next()) {
        yield step.value;
        if (this.disposed) throw mismatch('argument', 'factorization', 'one that is in use', 'a disposed one');
      }
    } finally {
      steps.return();
    }
  }

  /** Factors other values by the same method and analysis; where that cannot factor them, by the next one, unless it was named. */
  *#refillSteps(values: FloatArray): Generator<FactorStep, void> {
    if (this.#missing === 'updating')
      throw mismatch('argument', 'factorization', 'one that is not being updated', 'one that is');
    this.#missing = 'updating';
    try {
      yield* this.#refactor(values);
      this.#missing = undefined;
    } finally {
      this.#missing &&= 'failed';
    }
  }

  *#refactor(values: FloatArray): Generator<FactorStep, void> {
    const { factors, prediction, times, reasons } = this.#factored;
    const begin = performance.now();
    refuseNotFinite(values);
    const rest = this.#method === 'auto' ? methodsAfter(prediction.method) : [];
    const matrix = { ...this.#matrix, values };
    let why: string | undefined;
    try {
      yield* factors.refactor(values);
      if (rest.length > 0) why = whyPoor(this.#engine, matrix, values, factors);
      this.#factored = { ...this.#factored, times: { ...times, factor: performance.now() - begin } };
    } catch (error) {
      if (rest.length === 0 || !isOfMatrix(error)) throw error;
      yield* this.#replace(matrix, rest, [...reasons, `not ${prediction.method}: ${(error as Error).message}`]);
    }
    if (why !== undefined) {
      try {
        yield* this.#replace(matrix, rest, [...reasons, `not ${prediction.method}: ${why}`]);
      } catch (error) {
        // Poor factors are better than none.
        if (!isRefusal(error)) throw error;
      }
    }
    this.#values = values.slice();
  }

  *#replace(matrix: CsrMatrix, methods: readonly DirectMethod[], reasons: string[]): Generator<FactorStep, void> {
    const { factors } = this.#factored;
    this.#factored = yield* factorSteps(this.#engine, matrix, matrix.values, methods, this.#wish, reasons);
    factors[Symbol.dispose]();
  }

  /** The factors. @throws SparlaneError `argument` if they were disposed, or are not those of the latest values */
  #checked(): Factors {
    if (this.disposed) throw mismatch('argument', 'factorization', 'one that is in use', 'a disposed one');
    if (this.#missing === 'failed')
      throw mismatch('argument', 'factorization', 'one of a matrix that could be factored', 'one whose update failed');
    if (this.#missing === 'updating')
      throw mismatch('argument', 'factorization', 'one whose update has ended', 'one that is being updated');
    return this.#factored.factors;
  }

  protected override release(): void {
    this.#factored.factors[Symbol.dispose]();
  }

  /** One line: `Factorization (cholesky, 1000 × 1000)`. */
  override toString(): string {
    return `Factorization (${this.method}, ${this.rows} × ${this.cols})`;
  }
}

/**
 * A prepared solver: the operator of a matrix, the order of its unknowns, the method and the preconditioner, made once for many right-hand
 * sides. `solve` makes one for a single right-hand side.
 */

import type { Products } from '../choice/choose.js';
import { complexOperator } from '../complex/operator.js';
import type { NumberArray } from '../core/arrays.js';
import { integer, knownKeys, within } from '../core/checks.js';
import { type ComplexMatrix, isComplexMatrix } from '../core/complex.js';
import { drain, drainInSlices } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import { Engine } from '../engine/engine.js';
import { numbersOf } from '../operators/numbers.js';
import type { VectorInput } from '../operators/operator.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { Run, type SystemSolution } from './run.js';
import { Setup } from './setup.js';
import type { SolveOptions, Step } from './solution.js';
import type { SolveDecision, SolveSystemOptions, SystemMatrix } from './system.js';

export type { SystemSolution } from './run.js';

/** What holds for all right-hand sides; the tolerances and limits are defaults of each solve. */
export type SolverOptions = Omit<SolveSystemOptions, 'x0' | 'onStep' | 'signal' | 'timing'>;

type SolverLimits = Pick<SolveSystemOptions, 'rtol' | 'atol' | 'maxIterations' | 'limitMs' | 'checkEvery'>;

/** What holds for one right-hand side. */
export type SolverSolveOptions = Omit<SolveOptions, 'preconditioner'> & Pick<SolveSystemOptions, 'limitMs'>;

/** `signal` ends the solve between two steps. */
export interface SolverSolveAsyncOptions extends Omit<SolverSolveOptions, 'onStep'> {
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: Step) => unknown;
}

const { preconditioner: _M, ...EACH } = SOLVE_OPTIONS;
const EACH_OPTIONS: Record<keyof SolverSolveOptions, true> = { ...EACH, limitMs: true };
const { onStep: _onStep, ...WITHOUT_CALLBACK } = EACH_OPTIONS;
const ASYNC_OPTIONS: Record<keyof SolverSolveAsyncOptions, true> = { ...WITHOUT_CALLBACK, onProgress: true };
const LIMITS = { rtol: true, atol: true, maxIterations: true, limitMs: true, checkEvery: true } as const;
const SETUP = { method: true, preconditioner: true, format: true, order: true, nullSpace: true } as const;
const SOLVER_OPTIONS: Record<keyof SolverOptions, true> = { ...LIMITS, ...SETUP };

/**
 * Prepares A x = b for many right-hand sides, one after the other or interleaved. No option is needed.
 *
 * @param matrix a matrix of the library, or arrays, which must not change while the solver is in use; or the operator of a matrix, which must
 *   outlive it. Of a complex matrix right-hand sides and solutions are pairs (re, im)
 * @param options those of `solve`; `rtol`, `atol`, `maxIterations` and `checkEvery` are defaults
 * @throws SparlaneError as `solve` for the matrix and the options
 *
 * @example
 * using solver = createSolver(engine, matrix, { rtol: 1e-10 });
 * for (const b of sides) console.log(solver.solve(b).x.data);
 */
export function createSolver(
  engine: Engine,
  matrix: SystemMatrix | ComplexMatrix,
  options: SolverOptions = {},
): Solver {
  return drain(solverSteps(engine, matrix, options));
}

/** `createSolver` step by step. @throws as `createSolver` */
export function* solverSteps(
  engine: Engine,
  matrix: SystemMatrix | ComplexMatrix,
  options: SolverOptions,
): Generator<SetupStep, Solver> {
  knownKeys<SolverOptions>('options', options, SOLVER_OPTIONS);
  const solver = new Solver(engine, matrix, options, 'many');
  let isReady = false;
  try {
    yield* solver.prepare();
    isReady = true;
    return solver;
  } finally {
    if (!isReady) solver.dispose();
  }
}

/** What `createSolver` has prepared for a matrix: it solves with many right-hand sides, and with new values. */
export class Solver implements Disposable {
  readonly rows: number;
  readonly cols: number;
  readonly #setup: Setup;
  /** The set-up, and before it the operator of a complex matrix. */
  readonly #owned: Owned;
  readonly #limits: SolverLimits;
  /** Solves that have begun and not ended. */
  #running = 0;
  #disposed = false;
  #setupMs: number;

  /** Made by `createSolver`. The first plan is prepared by `prepare`, or by the first solve. @param products how many with A are expected */
  constructor(engine: Engine, matrix: SystemMatrix | ComplexMatrix, options: SolverOptions, products: Products) {
    if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
    const begin = performance.now();
    const {
      method: _method,
      preconditioner: _given,
      format = 'auto',
      order: _order,
      nullSpace: _z,
      ...limits
    } = options;
    checkLimits(limits);
    this.#limits = limits;
    [this.#owned, this.#setup] = assemble((owned) => {
      if (!isComplexMatrix(matrix)) return [owned, owned.own(new Setup(engine, matrix, options, products))];
      const { format: _, ...others } = options;
      const A = owned.own(complexOperator(engine, matrix, format === 'auto' ? { products } : { format }));
      return [owned, owned.own(new Setup(engine, A, others, products))];
    });
    this.rows = this.#setup.A.rows;
    this.cols = this.#setup.A.cols;
    this.#setupMs = performance.now() - begin;
  }

  /** Prepares the plan that solves begin with; what is left of a failure is disposed by the caller. */
  *prepare(): Generator<SetupStep, void> {
    const steps = this.#setup.prepareFirst();
    try {
      for (;;) {
        const begin = performance.now();
        const { done, value } = steps.next();
        this.#setupMs += performance.now() - begin;
        if (done) return;
        yield value;
      }
    } finally {
      steps.return(undefined as never);
    }
  }

  /** Time of the operator, the order and the preconditioner. */
  get setupMs(): number {
    return this.#setupMs;
  }

  /** What was chosen, and why, before anything was solved. */
  get decision(): SolveDecision {
    const setup = this.#setup;
    const prepared = drain(setup.prepareFirst());
    return setup.decision(prepared, [], prepared.reasons);
  }

  /** The format of the matrix. */
  get format(): string {
    return this.#setup.A.format;
  }

  /**
   * @param b length `rows`, in any space
   * @returns as `solve`; `setupMs` is the time of what this solve had to make in addition
   * @throws SparlaneError as `solve`
   */
  solve(b: VectorInput, options: SolverSolveOptions = {}): SystemSolution {
    return drain(this.steps(b, options));
  }

  /**
   * The same without blocking the event loop, in slices of some 50 ms.
   *
   * @throws never; the promise rejects with the errors of `solve`
   */
  async solveAsync(b: VectorInput, options: SolverSolveAsyncOptions = {}): Promise<SystemSolution> {
    knownKeys<SolverSolveAsyncOptions>('options', options, ASYNC_OPTIONS);
    const { onProgress, ...others } = options;
    return drainInSlices(this.steps(b, others), onProgress);
  }

  /** The same step by step: the caller may do other work between two of them, or end the solve by `return()`. */
  *steps(b: VectorInput, options: SolverSolveOptions): Generator<Step, SystemSolution> {
    this.#checkAlive();
    knownKeys<SolverSolveOptions>('options', options, EACH_OPTIONS);
    const setup = this.#setup;
    const { x0, ...limits } = { ...this.#limits, ...options };
    checkLimits(limits);
    this.#running++;
    try {
      const { vectorType } = setup.A;
      const given = { ...limits, ...(x0 && { x0: numbersOf('x0', vectorType, x0) }) };
      return yield* new Run(setup, numbersOf('b', vectorType, b), given).steps();
    } finally {
      this.#running--;
    }
  }

  /**
   * Other numbers in the same pattern, as in time steps and Newton's method. The order, the format, the method and the kind of preconditioner stay.
   * Only for a solver of a matrix, between two solves; a preconditioner of the caller is not changed.
   *
   * @param values length nnz, in the order of the matrix's rows with ascending columns (`csrMatrix`)
   * @throws SparlaneError `argument` or `shape` for wrong values, an operator's solver or while it solves; `structure` if the preconditioner cannot be made of them
   */
  update(values: NumberArray): void {
    drain(this.updateSteps(values));
  }

  /** The same step by step. The solver must not be used before the end. */
  *updateSteps(values: NumberArray): Generator<SetupStep, void> {
    this.#checkAlive();
    if (this.#running > 0) throw mismatch('argument', 'solver', 'one that does not solve', 'one that does');
    this.#running++;
    try {
      yield* this.#setup.update(values);
    } finally {
      this.#running--;
    }
  }

  /** Frees all memory. A second call has no effect. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#owned[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #checkAlive(): void {
    if (this.#disposed) throw mismatch('argument', 'solver', 'one that is in use', 'a disposed solver');
  }
}

/** @throws SparlaneError `argument` */
function checkLimits({ rtol = 0, atol = 0, maxIterations = 0, limitMs = 0, checkEvery = 1 }: SolverLimits): void {
  within('rtol', rtol, 0, 1);
  within('atol', atol, 0, Number.MAX_VALUE);
  integer('maxIterations', maxIterations);
  within('limitMs', limitMs, 0, Number.POSITIVE_INFINITY);
  integer('checkEvery', checkEvery, 1);
}

/** Chosen: with a preconditioner a solve has some dozens of products, without one some hundreds. Formats whose conversion is dearer are left out. */
const PRODUCTS_OF_SOLVE = 200;

/** `solve` step by step. @throws as `solve` */
export function* solveSteps(
  engine: Engine,
  matrix: SystemMatrix | ComplexMatrix,
  b: VectorInput,
  given: SolveSystemOptions,
): Generator<Step, SystemSolution> {
  const { method, preconditioner, format, order, nullSpace, ...options } = given;
  const named = {
    ...(method !== undefined && { method }),
    ...(preconditioner !== undefined && { preconditioner }),
    ...(format !== undefined && { format }),
    ...(order !== undefined && { order }),
    ...(nullSpace !== undefined && { nullSpace }),
  };
  using solver = new Solver(engine, matrix, named, PRODUCTS_OF_SOLVE);
  const solution = yield* solver.steps(b, options);
  return { ...solution, setupMs: solver.setupMs + solution.setupMs };
}

/**
 * `solve`: A x = b from a matrix. It makes the operator and the preconditioner, chooses what the caller does not name, and goes on with
 * another method if a chosen one finds that it cannot solve the system.
 */
import { knownKeys, oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import { Owned } from '../core/owned.js';
import type { Vector } from '../memory/vector.js';
import { Engine } from '../operators/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator, type VectorLike } from '../operators/operator.js';
import { precondition } from '../preconditioners/registry.js';
import type { OrderName } from '../preconditioners/triangular/order.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { factsOf, NONE, type Plan, plansFor, type SystemFacts } from './decide.js';
import { drain, drainInSlices } from './drain.js';
import { iterate } from './iterate.js';
import { methodOf, type NamedMethod } from './methods.js';
import { type OrderedSystem, orderUnknowns } from './ordered-system.js';
import type { Reason, Solution, SolveOptions, Step } from './solution.js';

export interface SolveSystemOptions extends Omit<SolveOptions, 'preconditioner'> {
  /** A method with its parameters: `cg`, `gmres?restart=50`. Default `auto`: chosen for the matrix. */
  readonly method?: string;
  /** A preconditioner by name, `none`, or the operator z ← M⁻¹ r. Default `auto`: chosen for the matrix. */
  readonly preconditioner?: string | LinearOperator;
  /** The format of the matrix. Default `auto`, for many products. Only for a matrix that is not an operator yet. */
  readonly format?: string;
  /**
   * The order of the unknowns within the solve: `natural`, that of the matrix; `rcm`, reverse Cuthill-McKee. Default `auto`: `rcm` if
   * neighbours are far from each other. Only for a matrix that is not an operator yet, and a preconditioner that is none; x comes in the order
   * of the matrix.
   */
  readonly order?: OrderName | 'auto';
}

/** A method that was run. */
export interface Attempt {
  readonly method: string;
  /** `none`, or `given` for an operator of the caller. */
  readonly preconditioner: string;
  readonly reason: Reason;
  readonly iterations: number;
}

/** What was chosen, and why. Plain data. */
export interface SolveDecision extends Pick<Attempt, 'method' | 'preconditioner'> {
  /** Of the matrix; undefined if both method and preconditioner were named. */
  readonly facts: SystemFacts | undefined;
  /** The order of the unknowns within the solve. */
  readonly order: OrderName;
  /** A sentence for each choice and refusal, in order. */
  readonly reasons: readonly string[];
  /** The methods that were run; the last one is `method`, and the solution is its own. */
  readonly attempts: readonly Attempt[];
}

/** `products`, `setupMs` and `solveMs` are those of all methods that were run. */
export interface SystemSolution extends Solution {
  readonly decision: SolveDecision;
  /** The format of the matrix. */
  readonly format: string;
}

/**
 * Solves A x = b for any matrix; in the sense of least squares if it is not square. No option is needed.
 *
 * @param matrix a matrix of the library, or arrays; or the operator of a matrix, which the next solve can use again
 * @param b length `rows`, in any space
 * @throws SparlaneError `structure`, `shape` or `argument` for an invalid matrix, vector or option; `heap`; errors of products. A solve that
 *   does not converge is not an error: see `Solution.reason`
 *
 * @example
 * const { x, converged, decision } = solve(engine, matrix, b);
 */
export function solve(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveSystemOptions = {},
): SystemSolution {
  return drain(solveSteps(engine, matrix, b, options));
}

/** `signal` ends the solve between two steps. */
export interface SolveAsyncOptions extends Omit<SolveSystemOptions, 'onStep'> {
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: Step) => unknown;
}

/**
 * The same without blocking the event loop: the iterations run in slices of some 50 ms, the set-up in one. An abort of the signal ends
 * the solve with the reason `stopped`, and x as it is.
 *
 * @throws never; the promise rejects with the errors of `solve`
 */
export async function solveAsync(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveAsyncOptions = {},
): Promise<SystemSolution> {
  knownKeys<SolveAsyncOptions>('options', options, ASYNC_OPTIONS);
  const { onProgress, ...others } = options;
  return drainInSlices(solveSteps(engine, matrix, b, others), onProgress);
}

const OPTIONS: Record<keyof SolveSystemOptions, true> = { ...SOLVE_OPTIONS, method: true, format: true, order: true };
const { onStep: _, ...WITHOUT_CALLBACK } = OPTIONS;
const ASYNC_OPTIONS: Record<keyof SolveAsyncOptions, true> = { ...WITHOUT_CALLBACK, onProgress: true };

/** The same step by step: the caller may do other work between two of them, or end the solve by `return()`. */
export function* solveSteps(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveSystemOptions = {},
): Generator<Step, SystemSolution> {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  knownKeys<SolveSystemOptions>('options', options, OPTIONS);
  const { method: _method, preconditioner: _given, format: _format, order: _order, ...given } = options;
  let begin = performance.now();
  using owned = new Owned();
  const setup = new Setup(engine, matrix, options, owned);
  const right = setup.there(b);
  const limits = given.x0 === undefined ? given : { ...given, x0: setup.there(given.x0) };
  let [setupMs, solveMs, products] = [0, 0, 0];
  for (let place = 0; ; place++) {
    const { method, M } = setup.prepare(place);
    const At = method.kind.solves === 'any' ? setup.A.transposed() : undefined;
    setupMs += performance.now() - begin;
    const solution = yield* iterate(method.steps, setup.A, right, { ...limits, ...(M && { preconditioner: M }) }, At);
    solveMs += solution.solveMs;
    products += solution.products;
    setup.note(solution);
    if (place + 1 < setup.plans.length && hasFailed(solution)) {
      solution.x.dispose();
      begin = performance.now();
      continue;
    }
    const { format } = setup.A;
    setup.back(solution.x);
    return { ...solution, products, setupMs, solveMs, decision: setup.decision(), format };
  }
}

/** Whether the method cannot solve the system, and another one may. */
function hasFailed({ reason, residualNorms }: Solution): boolean {
  if (reason === 'not-finite') return Number.isFinite(residualNorms[0]);
  return reason === 'not-definite' || reason === 'breakdown';
}

/** The errors with which a preconditioner refuses a matrix, or an engine a preconditioner. */
const REFUSALS: readonly ErrorCode[] = ['structure', 'heap', 'backend'];

/** The operators of a solve, and how they were chosen. */
class Setup {
  readonly A: MatrixOperator;
  readonly plans: readonly Plan[];
  readonly #engine: Engine;
  readonly #csr: () => CsrMatrix;
  readonly #given: SolveSystemOptions['preconditioner'];
  readonly #facts: SystemFacts | undefined;
  readonly #ordered: OrderedSystem | undefined;
  readonly #owned: Owned;
  readonly #reasons: string[] = [];
  readonly #attempts: Attempt[] = [];
  #now: Pick<Attempt, 'method' | 'preconditioner'> = { method: NONE, preconditioner: NONE };
  /** The latest preconditioner, which the next method may use as well. */
  #made: { readonly spec: string; readonly M: LinearOperator } | undefined;

  constructor(engine: Engine, matrix: MatrixInput | MatrixOperator, options: SolveSystemOptions, owned: Owned) {
    const { method = 'auto', preconditioner = 'auto', format } = options;
    const order = oneOf('order', options.order ?? 'auto', ['auto', 'natural', 'rcm']);
    this.#engine = engine;
    this.#owned = owned;
    this.#given = preconditioner;
    const named = method === 'auto' ? undefined : methodOf(method);
    const isOperator = matrix instanceof MatrixOperator;
    if (isOperator && format !== undefined) throw mismatch('argument', 'format', 'none for an operator', format);
    const mayReorder = !isOperator && !(preconditioner instanceof LinearOperator);
    if (!mayReorder && options.order !== undefined)
      throw mismatch('argument', 'order', 'none for an operator, or with an operator as preconditioner', order);
    const given = isOperator ? undefined : csrMatrix(matrix);
    this.#ordered = mayReorder && given!.rows === given!.cols ? orderUnknowns(given!, order) : undefined;
    const csr = this.#ordered?.matrix ?? given;
    if (this.#ordered !== undefined)
      this.#reasons.push(`rcm: ${order === 'auto' ? 'in the order of the matrix, neighbours are far apart' : 'named'}`);
    this.#csr = once(() => csr ?? (matrix as MatrixOperator).toCsr());
    const operatorOptions = format === undefined || format === 'auto' ? { products: 'many' as const } : { format };
    this.#facts = named === undefined || preconditioner === 'auto' ? factsOf(this.#csr()) : undefined;
    this.plans = named === undefined ? plansFor(this.#facts!) : [this.#planFor(named)];
    this.A = isOperator ? matrix : owned.own(engine.operator(csr!, operatorOptions));
  }

  /** For a method that the caller named: the preconditioners of a plan with it, or of the first one that fits. */
  #planFor({ kind, spec }: NamedMethod): Plan {
    const why = 'the method is named';
    if (this.#facts === undefined || kind.solves === 'any') return { method: spec, preconditioners: [], why };
    const facts = { ...this.#facts, symmetric: kind.solves === 'definite' || kind.solves === 'symmetric' };
    return { ...plansFor(facts)[0]!, method: spec, why };
  }

  /** The method in place `place` of the plans, with its preconditioner. */
  prepare(place: number): { readonly method: NamedMethod; readonly M: LinearOperator | undefined } {
    const { method: spec, preconditioners, why } = this.plans[place]!;
    const method = methodOf(spec);
    this.#reasons.push(`${method.spec}: ${why}`);
    const given = this.#given;
    if (method.kind.solves === 'any' && given !== 'auto' && given !== NONE)
      throw mismatch('argument', 'preconditioner', `none for ${method.kind.name}`, given);
    if (given instanceof LinearOperator) {
      this.#now = { method: method.spec, preconditioner: 'given' };
      return { method, M: given };
    }
    if (typeof given !== 'string') throw mismatch('argument', 'preconditioner', 'a name or a linear operator', given);
    const chosen = given === 'auto' ? this.#firstOf(preconditioners) : this.#make(given);
    this.#now = { method: method.spec, preconditioner: chosen?.spec ?? NONE };
    return { method, M: chosen?.M };
  }

  /** The first one that takes the matrix. */
  #firstOf(specs: readonly string[]): { readonly spec: string; readonly M: LinearOperator } | undefined {
    for (const spec of specs) {
      try {
        return this.#make(spec);
      } catch (error) {
        if (!(error instanceof SparlaneError && REFUSALS.includes(error.code))) throw error;
        this.#reasons.push(`not ${spec}: ${error.message}`);
      }
    }
    return undefined;
  }

  #make(spec: string): { readonly spec: string; readonly M: LinearOperator } | undefined {
    if (spec === NONE) return undefined;
    if (this.#made?.spec !== spec)
      this.#made = { spec, M: this.#owned.own(precondition(this.#engine, this.#csr(), spec)) };
    return this.#made;
  }

  /** A vector of the caller, in the order of A. */
  there(x: VectorLike): VectorLike {
    return this.#ordered?.there(x) ?? x;
  }

  back(x: Vector): void {
    this.#ordered?.back(x);
  }

  note({ reason, iterations }: Solution): void {
    this.#attempts.push({ ...this.#now, reason, iterations });
  }

  decision(): SolveDecision {
    const order = this.#ordered === undefined ? 'natural' : 'rcm';
    return { ...this.#now, facts: this.#facts, order, reasons: this.#reasons, attempts: this.#attempts };
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

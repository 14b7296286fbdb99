/** The set-up of `solve`: the operator of the matrix, and the methods and preconditioners that are named, or chosen for it. */
import { oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import type { Owned } from '../core/owned.js';
import type { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator, type VectorLike } from '../operators/operator.js';
import { normalJacobiOf } from '../preconditioners/normal-jacobi.js';
import { precondition } from '../preconditioners/registry.js';
import type { OrderName } from '../preconditioners/triangular/order.js';
import { columnScaling, factsOf, NONE, type Plan, plansFor, type SystemFacts } from './decide.js';
import { methodOf, type NamedMethod } from './methods.js';
import { type OrderedSystem, orderUnknowns } from './ordered-system.js';
import { incompleteOverJacobi, isWorthwhile } from './predict.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

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
  /**
   * The predicted time of the steps with `ic0` over that of those with `jacobi`, without the set-up; undefined if the choice was not between
   * them.
   */
  readonly predicted: number | undefined;
  /** A sentence for each choice and refusal, in order. */
  readonly reasons: readonly string[];
  /** The methods that were run; the last one is `method`, and the solution is its own. */
  readonly attempts: readonly Attempt[];
}

/** The errors with which a preconditioner refuses a matrix, or an engine a preconditioner. */
const REFUSALS: readonly ErrorCode[] = ['structure', 'heap', 'backend'];

/** The preconditioners by name of methods of least squares: for Aᵀ A. */
const LEAST_SQUARES: readonly string[] = ['auto', NONE, 'jacobi'];

/** The operators of a solve, and how they were chosen. */
export class Setup {
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
  #predicted: number | undefined;
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
    if (this.#facts === undefined) return { method: spec, preconditioners: [], why };
    if (kind.solves === 'any') return { method: spec, preconditioners: columnScaling(this.#facts), why };
    const facts = { ...this.#facts, symmetric: kind.solves === 'definite' || kind.solves === 'symmetric' };
    return { ...plansFor(facts)[0]!, method: spec, why };
  }

  /** The method in place `place` of the plans, with its preconditioner. */
  prepare(place: number): { readonly method: NamedMethod; readonly M: LinearOperator | undefined } {
    const { method: spec, preconditioners, why } = this.plans[place]!;
    const method = methodOf(spec);
    this.#reasons.push(`${method.spec}: ${why}`);
    const given = this.#given;
    const isLeastSquares = method.kind.solves === 'any';
    if (isLeastSquares && typeof given === 'string' && !LEAST_SQUARES.includes(given))
      throw mismatch('argument', 'preconditioner', `jacobi, none or an operator for ${method.kind.name}`, given);
    if (given instanceof LinearOperator) {
      this.#now = { method: method.spec, preconditioner: 'given' };
      return { method, M: given };
    }
    if (typeof given !== 'string') throw mismatch('argument', 'preconditioner', 'a name or a linear operator', given);
    const chosen =
      given === 'auto'
        ? this.#firstOf(this.#byTime(preconditioners), isLeastSquares)
        : this.#make(given, isLeastSquares);
    this.#now = { method: method.spec, preconditioner: chosen?.spec ?? NONE };
    return { method, M: chosen?.M };
  }

  /** On the CPU, `ic0` comes after `jacobi` if it does not save enough iterations. */
  #byTime(specs: readonly string[]): readonly string[] {
    if (specs[0] !== 'ic0' || !specs.includes('jacobi') || this.#engine.space.heap === undefined) return specs;
    this.#predicted = incompleteOverJacobi(this.A);
    const isFirst = isWorthwhile(this.#predicted);
    const share = this.#predicted.toFixed(2);
    this.#reasons.push(
      `${isFirst ? 'ic0' : 'jacobi'}: the steps with ic0 are predicted to take ${share} × the time of those with jacobi`,
    );
    return isFirst ? specs : ['jacobi', ...specs.filter((spec) => spec !== 'jacobi')];
  }

  /** The first one that takes the matrix. */
  #firstOf(
    specs: readonly string[],
    isLeastSquares: boolean,
  ): { readonly spec: string; readonly M: LinearOperator } | undefined {
    for (const spec of specs) {
      try {
        return this.#make(spec, isLeastSquares);
      } catch (error) {
        if (!(error instanceof SparlaneError && REFUSALS.includes(error.code))) throw error;
        this.#reasons.push(`not ${spec}: ${error.message}`);
      }
    }
    return undefined;
  }

  #make(spec: string, isLeastSquares: boolean): { readonly spec: string; readonly M: LinearOperator } | undefined {
    if (spec === NONE) return undefined;
    if (this.#made?.spec !== spec) {
      const make = () =>
        isLeastSquares ? normalJacobiOf(this.A, this.#csr()) : precondition(this.#engine, this.#csr(), spec);
      this.#made = { spec, M: this.#owned.own(make()) };
    }
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
    const [facts, predicted, reasons, attempts] = [this.#facts, this.#predicted, this.#reasons, this.#attempts];
    return { ...this.#now, facts, order, predicted, reasons, attempts };
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

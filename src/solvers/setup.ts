/** The set-up of a solver: the operator of the matrix, and the methods and preconditioners that are named, or chosen for it. */
import { oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import { trust } from '../core/trusted.js';
import type { FloatArray } from '../core/types.js';
import type { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator, type VectorLike } from '../operators/operator.js';
import { normalJacobiOf } from '../preconditioners/normal-jacobi.js';
import type { Preconditioner } from '../preconditioners/preconditioner.js';
import { precondition } from '../preconditioners/registry.js';
import type { OrderName } from '../preconditioners/triangular/order.js';
import { columnScaling, factsOf, NONE, type Plan, plansFor, type SystemFacts } from './decide.js';
import { methodOf, type NamedMethod } from './methods.js';
import { type OrderedSystem, orderUnknowns } from './ordered-system.js';
import { incompleteOverJacobi, isWorthwhile } from './predict.js';
import type { Reason, SolveOptions } from './solution.js';

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

/** The part of the options that a set-up depends on. */
export type SetupOptions = Pick<SolveSystemOptions, 'method' | 'preconditioner' | 'format' | 'order'>;

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

/** A method with its preconditioner. */
export interface Prepared {
  readonly method: NamedMethod;
  readonly M: LinearOperator | undefined;
  /** The name of M, `given` or `none`. */
  readonly preconditioner: string;
  /** A sentence for each choice and refusal. */
  readonly reasons: readonly string[];
}

/** The operators of a solver, and how they were chosen. */
export class Setup implements Disposable {
  readonly plans: readonly Plan[];
  readonly #engine: Engine;
  #A: MatrixOperator;
  #csr: () => CsrMatrix;
  /** Of the caller; undefined if it gave an operator. */
  #matrix: CsrMatrix | undefined;
  readonly #given: SolveSystemOptions['preconditioner'];
  readonly #facts: SystemFacts | undefined;
  readonly #ordered: OrderedSystem | undefined;
  readonly #reasons: string[] = [];
  /** By place in the plans. */
  readonly #prepared: Prepared[] = [];
  /** Preconditioners by name, which several methods may use. */
  readonly #made = new Map<string, Preconditioner>();
  #predicted: number | undefined;

  constructor(engine: Engine, matrix: MatrixInput | MatrixOperator, options: SetupOptions) {
    const { method = 'auto', preconditioner = 'auto', format } = options;
    const order = oneOf('order', options.order ?? 'auto', ['auto', 'natural', 'rcm']);
    this.#engine = engine;
    this.#given = preconditioner;
    const named = method === 'auto' ? undefined : methodOf(method);
    const isOperator = matrix instanceof MatrixOperator;
    if (isOperator && format !== undefined) throw mismatch('argument', 'format', 'none for an operator', format);
    const mayReorder = !isOperator && !(preconditioner instanceof LinearOperator);
    if (!mayReorder && options.order !== undefined)
      throw mismatch('argument', 'order', 'none for an operator, or with an operator as preconditioner', order);
    const given = isOperator ? undefined : csrMatrix(matrix);
    this.#matrix = given;
    this.#ordered = mayReorder && given!.rows === given!.cols ? orderUnknowns(given!, order) : undefined;
    const csr = this.#ordered?.matrix ?? given;
    if (this.#ordered !== undefined)
      this.#reasons.push(`rcm: ${order === 'auto' ? 'in the order of the matrix, neighbours are far apart' : 'named'}`);
    this.#csr = once(() => csr ?? (matrix as MatrixOperator).toCsr());
    const operatorOptions =
      format === undefined || format === 'auto' ? { products: 'many' as const, tune: false } : { format };
    this.#facts = named === undefined || preconditioner === 'auto' ? factsOf(this.#csr()) : undefined;
    if (this.#facts?.roundedSymmetry) this.#reasons.push('symmetric up to rounding: counted as symmetric');
    this.plans = named === undefined ? plansFor(this.#facts!) : [this.#planFor(named)];
    this.#A = isOperator ? matrix : engine.operator(csr!, operatorOptions);
  }

  get A(): MatrixOperator {
    return this.#A;
  }

  /** For a method that the caller named: the preconditioners of a plan with it, or of the first one that fits. */
  #planFor({ kind, spec }: NamedMethod): Plan {
    const why = 'the method is named';
    if (this.#facts === undefined) return { method: spec, preconditioners: [], why };
    if (kind.solves === 'any') return { method: spec, preconditioners: columnScaling(this.#facts), why };
    const facts = { ...this.#facts, symmetric: kind.solves === 'definite' || kind.solves === 'symmetric' };
    return { ...plansFor(facts)[0]!, method: spec, why };
  }

  /** The method in place `place` of the plans, with its preconditioner, which is made at the first call. */
  prepare(place: number): Prepared {
    this.#prepared[place] ??= this.#prepare(this.plans[place]!);
    return this.#prepared[place];
  }

  #prepare({ method: spec, preconditioners, why }: Plan): Prepared {
    const method = methodOf(spec);
    const reasons = [`${method.spec}: ${why}`];
    const given = this.#given;
    const isLeastSquares = method.kind.solves === 'any';
    if (isLeastSquares && typeof given === 'string' && !LEAST_SQUARES.includes(given))
      throw mismatch('argument', 'preconditioner', `jacobi, none or an operator for ${method.kind.name}`, given);
    if (given instanceof LinearOperator) return { method, M: given, preconditioner: 'given', reasons };
    if (typeof given !== 'string') throw mismatch('argument', 'preconditioner', 'a name or a linear operator', given);
    const M =
      given === 'auto'
        ? this.#firstOf(this.#byTime(preconditioners, reasons), isLeastSquares, reasons)
        : this.#make(given, isLeastSquares);
    return { method, M, preconditioner: M === undefined ? NONE : this.#nameOf(M), reasons };
  }

  /** On the CPU, `ic0` comes after `jacobi` if it does not save enough iterations. */
  #byTime(specs: readonly string[], reasons: string[]): readonly string[] {
    if (specs[0] !== 'ic0' || !specs.includes('jacobi') || this.#engine.space.heap === undefined) return specs;
    this.#predicted = incompleteOverJacobi(this.A, this.#csr());
    const isFirst = isWorthwhile(this.#predicted);
    const share = this.#predicted.toFixed(2);
    reasons.push(
      `${isFirst ? 'ic0' : 'jacobi'}: the steps with ic0 are predicted to take ${share} × the time of those with jacobi`,
    );
    return isFirst ? specs : ['jacobi', ...specs.filter((spec) => spec !== 'jacobi')];
  }

  /** The first one that takes the matrix. */
  #firstOf(specs: readonly string[], isLeastSquares: boolean, reasons: string[]): Preconditioner | undefined {
    for (const spec of specs) {
      try {
        return this.#make(spec, isLeastSquares);
      } catch (error) {
        if (!(error instanceof SparlaneError && REFUSALS.includes(error.code))) throw error;
        reasons.push(`not ${spec}: ${error.message}`);
      }
    }
    return undefined;
  }

  #make(spec: string, isLeastSquares: boolean): Preconditioner | undefined {
    if (spec === NONE) return undefined;
    const made =
      this.#made.get(spec) ??
      (isLeastSquares ? normalJacobiOf(this.A, this.#csr()) : precondition(this.#engine, this.#csr(), spec));
    this.#made.set(spec, made);
    return made;
  }

  /** As it was asked for. */
  #nameOf(M: Preconditioner): string {
    return [...this.#made].find(([, made]) => made === M)![0];
  }

  /**
   * Other values in the same pattern. Order, format, methods and preconditioners stay.
   *
   * @param values in the order of the caller's matrix, canonical
   */
  update(values: FloatArray): void {
    if (this.#matrix === undefined)
      throw mismatch('argument', 'solver', 'one that was made of a matrix, not of an operator', 'an operator');
    const { nnz } = this.#matrix;
    if (!(values instanceof Float64Array || values instanceof Float32Array))
      throw mismatch('argument', 'values', 'a Float64Array or a Float32Array', values);
    if (values.length !== nnz)
      throw mismatch('shape', 'values', `length nnz = ${nnz}`, values.length, { length: values.length });
    const changed = { ...this.#matrix, values };
    const given = changed.field === 'pattern' ? csrMatrix(changed) : trust(changed);
    const csr = this.#ordered?.reorder(given) ?? given;
    const A = this.#engine.operator(csr, { format: this.#A.format });
    this.#A.dispose();
    this.#A = A;
    this.#matrix = given;
    this.#csr = () => csr;
    for (const M of this.#made.values()) M.update(csr.values);
  }

  /** A vector of the caller, in the order of A. */
  there(x: VectorLike): VectorLike {
    return this.#ordered?.there(x) ?? x;
  }

  back(x: Vector): void {
    this.#ordered?.back(x);
  }

  /** @param attempts of a solve, the last one in place `place` of the plans */
  decision(attempts: readonly Attempt[], place: number): SolveDecision {
    const { method, preconditioner } = this.#prepared[place]!;
    const order = this.#ordered === undefined ? 'natural' : 'rcm';
    const reasons = [...this.#reasons, ...this.#prepared.slice(0, place + 1).flatMap((one) => one.reasons)];
    const [facts, predicted] = [this.#facts, this.#predicted];
    return { ...{ method: method.spec, preconditioner, facts, order, predicted, reasons }, attempts };
  }

  /** Frees what it made. */
  [Symbol.dispose](): void {
    for (const M of this.#made.values()) M.dispose();
    if (this.#matrix !== undefined) this.#A.dispose();
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The set-up of a solver: the operator of the matrix, and the methods and preconditioners that are named, or chosen for it. */
import type { Products } from '../choice/choose.js';
import { ComplexOperator } from '../complex/operator.js';
import { asFloats, type NumberArray } from '../core/arrays.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { SharedSteps } from '../core/shared-steps.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { trust } from '../core/trusted.js';
import { dtypeOf } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';
import type { Preparation, SetupStep } from '../preconditioners/preconditioner.js';
import { ArrangedSystem, type ArrangementWish, checkedOrder } from './arranged-system.js';
import { columnScaling, factsOf, plansFor, type SolvePlan, type SystemFacts } from './decide.js';
import { DIRECT_METHOD, systemMethodOf } from './direct.js';
import type { NamedMethod } from './methods.js';
import type { NullSpaceOption } from './null-space.js';
import { Race } from './race.js';
import type { Attempt, Prepared, SetupOptions, SolveDecision, SolveSystemOptions, SystemMatrix } from './system.js';
import { type Refuse, SystemFactors } from './system-factors.js';
import { isRefusal, SystemPreconditioners, sizesOfLevels } from './system-preconditioners.js';

const PROJECTS =
  'null space: b is projected, and x is the shortest one, with mean 0 in each part if constants are the null space';

/** Factors bring an order of their own, and need few products. */
const FOR_FACTORS = { order: 'natural', format: 'csr' } as const;
const FOR_ITERATIONS = { order: 'auto', format: 'auto' } as const;

/** The operators of a solver, and how they were chosen. */
export class Setup implements Disposable {
  readonly plans: readonly SolvePlan[];
  /** Of the plans by time; undefined if something is named, or they cannot be compared. */
  readonly race: Race | undefined;
  /** Whether the set-up reads the numbers of A. It does not for an operator whose method and preconditioner are named. */
  readonly readsNumbers: boolean;
  readonly #engine: Engine;
  /** The caller's. */
  #matrix: CsrMatrix | MatrixOperator;
  /** Gives the caller's matrix, also that of an operator. */
  readonly #read: () => CsrMatrix;
  #system: ArrangedSystem;
  readonly #wish: ArrangementWish;
  /** A is arranged for factors, the first plan. */
  #isForFactors: boolean;
  readonly #given: SolveSystemOptions['preconditioner'];
  readonly #facts: SystemFacts | undefined;
  readonly #named: NamedMethod | undefined;
  readonly #reasons: string[] = [];
  /** By place in the plans. */
  readonly #prepared: (Prepared | undefined)[] = [];
  /** By place: what interleaved solves are preparing. */
  readonly #preparing = new Map<number, SharedSteps<SetupStep, Prepared>>();
  readonly #preconditioners: SystemPreconditioners;
  readonly #factors: SystemFactors;
  /** The plan that solves begin with, without a race. */
  #first = 0;

  constructor(engine: Engine, matrix: SystemMatrix, options: SetupOptions, products: Products) {
    const { method = 'auto', preconditioner = 'auto', format = 'auto', nullSpace = 'auto' } = options;
    this.#engine = engine;
    this.#factors = new SystemFactors(engine);
    this.#preconditioners = new SystemPreconditioners(engine, this);
    this.#given = preconditioner;
    const named = method === 'auto' ? undefined : systemMethodOf(method);
    this.#named = named;
    const given = matrix instanceof MatrixOperator ? matrix : csrMatrix(matrix);
    const isOperator = given instanceof MatrixOperator;
    const order = checkedOrder(given, options, preconditioner);
    this.#matrix = given;
    this.readsNumbers =
      named === undefined || preconditioner === 'auto' || !isOperator || options.nullSpace !== undefined;
    this.#wish = {
      ...{ order, format, products },
      nullSpace: this.readsNumbers ? this.#checkedNullSpace(given, nullSpace) : 'none',
    };
    this.#read = once(() => (given instanceof MatrixOperator ? given.toCsr() : given));
    this.#facts =
      named === undefined || preconditioner === 'auto'
        ? factsOf(this.#read(), given instanceof ComplexOperator)
        : undefined;
    if (this.#facts?.roundedSymmetry) this.#reasons.push('symmetric up to rounding: counted as symmetric');
    const isFree = named === undefined && preconditioner === 'auto' && engine.space.heap !== undefined;
    this.race = isFree ? new Race(this.#facts!, this.#read()) : undefined;
    this.plans = this.race?.plans ?? (named === undefined ? plansFor(this.#facts!) : [this.#planFor(named)]);
    const { method: first } = this.plans[this.race?.first ?? 0]!;
    this.#isForFactors = !isOperator && systemMethodOf(first).kind === DIRECT_METHOD;
    this.#system = this.#arrange();
    if (!this.#isForFactors) this.race?.measure(this.#system);
    if (named !== undefined && (this.#facts !== undefined || !isOperator)) this.#hintAt(named);
  }

  /** A null space is given, or looked for, where the system is square and its method solves square systems. */
  #checkedNullSpace({ rows, cols }: CsrMatrix | MatrixOperator, option: NullSpaceOption): NullSpaceOption {
    if (rows === cols && this.#named?.kind.solves !== 'any') return option;
    if (option === 'auto' || option === 'none') return 'none';
    throw mismatch('argument', 'nullSpace', 'auto | none for least squares', option);
  }

  #arrange(): ArrangedSystem {
    const { order, format } = this.#wish;
    const auto = this.#isForFactors ? FOR_FACTORS : FOR_ITERATIONS;
    const system = ArrangedSystem.of(this.#engine, this.#matrix, this.#read, {
      ...this.#wish,
      order: order === 'auto' ? auto.order : order,
      format: format === 'auto' ? auto.format : format,
    });
    if (system.order === 'rcm')
      this.#reasons.push(`rcm: ${order === 'auto' ? 'in the order of the matrix, neighbours are far apart' : 'named'}`);
    this.#sayNullSpace(system);
    return system;
  }

  #sayNullSpace({ nullSpace }: ArrangedSystem): void {
    if (nullSpace !== undefined && !this.#reasons.includes(PROJECTS)) this.#reasons.push(PROJECTS);
  }

  /** Brings A into the order and the format for iterations, if it was arranged for factors: they are not made. */
  arrangeForIterations(): void {
    if (!this.#isForFactors) return;
    this.#isForFactors = false;
    const before = this.#system;
    this.#system = this.#arrange();
    before[Symbol.dispose]();
    this.race?.measure(this.#system);
  }

  get system(): ArrangedSystem {
    return this.#system;
  }

  /** Of a method that needs a symmetric matrix. */
  #hintAt({ kind, spec }: NamedMethod): void {
    if (kind.solves === 'square' || kind.solves === 'any' || kind.isBilinear) return;
    const isSymmetric = this.#facts?.symmetric ?? likenessOfTranspose(this.csr) !== 'none';
    if (!isSymmetric)
      this.#reasons.push(`${spec} needs a symmetric matrix, and this one is not: try bicgstab, gmres or direct`);
  }

  get A(): MatrixOperator {
    return this.#system.A;
  }

  /** For a method that the caller named: the preconditioners of a plan with it, or of the first one that fits. */
  #planFor({ kind, spec }: NamedMethod): SolvePlan {
    const why = 'the method is named';
    if (kind === DIRECT_METHOD) return { method: spec, preconditioners: [spec], why };
    if (this.#facts === undefined) return { method: spec, preconditioners: [], why };
    if (kind.solves === 'any') return { method: spec, preconditioners: columnScaling(this.#facts), why };
    const isSymmetric = kind.isBilinear ? this.#facts.symmetric : kind.solves !== 'square';
    const facts = { ...this.#facts, symmetric: isSymmetric };
    return { ...plansFor(facts)[0]!, method: spec, why };
  }

  /**
   * The method in place `place` of the plans, with its preconditioner, which is made at the first call.
   *
   * @param refuse says why the factors of a prediction are not wanted
   * @throws as the preconditioner; Declined for what `refuse` says
   */
  *prepare(place: number, refuse?: Refuse): Generator<SetupStep, Prepared> {
    const ready = this.#prepared[place];
    if (ready !== undefined) return ready;
    const steps = this.#preparing.get(place) ?? new SharedSteps(this.#prepare(this.plans[place]!, refuse));
    this.#preparing.set(place, steps);
    try {
      const prepared = yield* steps.join();
      this.#prepared[place] = prepared;
      return prepared;
    } finally {
      if (steps.isOver) this.#preparing.delete(place);
    }
  }

  /** Prepares the plan that solves begin with. @throws as the preconditioner that was named */
  *prepareFirst(): Generator<SetupStep, Prepared> {
    for (;;) {
      try {
        return yield* this.prepare(this.first);
      } catch (error) {
        if (this.race === undefined || !isRefusal(error)) throw error;
        this.#reasons.push(`not ${this.plans[this.first]!.method}: ${error.message}`);
        this.race.fail(this.first, error.code);
        this.arrangeForIterations();
      }
    }
  }

  *#prepare(
    { method: spec, preconditioners, why }: SolvePlan,
    refuse: Refuse | undefined,
  ): Generator<SetupStep, Prepared> {
    const method = systemMethodOf(spec);
    const reasons = [`${method.spec}: ${why}`];
    const given = this.#given;
    if (method.kind === DIRECT_METHOD) {
      if (given !== 'auto') throw mismatch('argument', 'preconditioner', 'none for the method direct', given);
      const { csr, nullSpace } = this.#system;
      const matrix = nullSpace?.pin(csr) ?? csr;
      const prepared = yield* this.#factors.prepare(method, matrix, dtypeOf(this.A.vectorType), refuse);
      return { ...prepared, reasons: [...reasons, ...prepared.reasons] };
    }
    if (given instanceof LinearOperator) return { method, M: given, preconditioner: 'given', reasons };
    if (typeof given !== 'string') throw mismatch('argument', 'preconditioner', 'a name or a linear operator', given);
    const made = yield* this.#preconditioners.for(method.kind, given, preconditioners, reasons);
    return { method, ...made, reasons };
  }

  /**
   * Other values in the same pattern. Order, format, methods and preconditioners stay.
   *
   * @param values in the order of the caller's matrix, canonical
   */
  *update(numbers: NumberArray): Generator<SetupStep, void> {
    const matrix = this.#matrix;
    if (matrix instanceof MatrixOperator)
      throw mismatch('argument', 'solver', 'one that was made of a matrix, not of an operator', 'an operator');
    const { nnz } = matrix;
    const values = asFloats('values', numbers);
    if (values.length !== nnz)
      throw mismatch('shape', 'values', `length nnz = ${nnz}`, values.length, { length: values.length });
    const changed = { ...matrix, values };
    this.#matrix = changed.field === 'pattern' ? csrMatrix(changed) : trust(changed);
    const before = this.#system;
    this.#system = before.withValues(this.#engine, this.#matrix, this.#wish.nullSpace);
    before[Symbol.dispose]();
    const { csr, nullSpace } = this.#system;
    this.#sayNullSpace(this.#system);
    if (before.nullSpace !== undefined || nullSpace !== undefined) this.#forgetFactors();
    yield* this.#factors.update(csr.values);
    yield* this.#preconditioners.update(csr.values);
    this.race?.reset();
    this.#first = 0;
  }

  /** Those of a matrix with a null space have entries that it has not. */
  #forgetFactors(): void {
    this.#factors.clear();
    for (const [place, { method }] of this.plans.entries())
      if (systemMethodOf(method).kind === DIRECT_METHOD) this.#prepared[place] = undefined;
  }

  /** The plan that solves begin with. */
  get first(): number {
    return this.race?.first ?? this.#first;
  }

  /** Without a race: a plan that failed is not tried again. @returns the next one */
  fail(place: number): number {
    this.#first = Math.min(Math.max(this.#first, place + 1), this.plans.length - 1);
    return place + 1;
  }

  /** Whether the operator has half of a matrix that is symmetric up to rounding, so that A x is not that of the caller's numbers. */
  get hasHalf(): boolean {
    if (this.A.matrix.symmetry === undefined) return false;
    return this.#facts?.roundedSymmetry ?? likenessOfTranspose(this.csr) === 'rounded';
  }

  /** A, in the order of the solve. */
  get csr(): CsrMatrix {
    return this.#system.csr;
  }

  /** What the facts say of A. Other numbers are taken to be as those that they were taken from, as by the plans. */
  get known(): Pick<Preparation, 'isKnownSymmetric'> {
    return this.#facts?.symmetric ? { isKnownSymmetric: true } : {};
  }

  /** @param prepared of the last attempt @param said in this solve, after what holds for all solves */
  decision(prepared: Prepared, attempts: readonly Attempt[], said: readonly string[]): SolveDecision {
    const { method, preconditioner } = prepared;
    const { order } = this.#system;
    const reasons = [...this.#reasons, ...said];
    const levels = sizesOfLevels(prepared.M);
    return { method: method.spec, preconditioner, facts: this.#facts, order, reasons, attempts, ...levels };
  }

  /** Frees what it made. */
  [Symbol.dispose](): void {
    this.#factors[Symbol.dispose]();
    this.#preconditioners[Symbol.dispose]();
    this.#system[Symbol.dispose]();
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

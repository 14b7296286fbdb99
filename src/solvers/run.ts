/**
 * One solve with a prepared solver: plan after plan, until one of them finds x, each from the x of the one before. A method that is named runs alone.
 */

import { accurateResidualOf, gradientOf, roundingsOf } from '../algebra/residual.js';
import { norm2, UNIT_ROUNDOFF } from '../core/norms.js';
import { Declined } from '../direct/choose.js';
import type { Prediction } from '../direct/method.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { floatsOf } from '../operators/numbers.js';
import type { VectorLike } from '../operators/operator.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import { DEFAULT_RTOL } from './arguments.js';
import type { ArrangedSystem } from './arranged-system.js';
import { NO_PRECONDITIONER } from './decide.js';
import { stoppedSteps, systemMethodOf } from './direct.js';
import { iterate } from './iterate.js';
import type { Watch } from './method.js';
import type { MethodKind } from './methods.js';
import type { Setup } from './setup.js';
import { type GivenSides, type SystemSides, sidesIn, withoutPart } from './sides.js';
import type { Solution, SolveOptions, Step } from './solution.js';
import type { Attempt, Prepared, SolveDecision } from './system.js';
import { isRefusal } from './system-preconditioners.js';

/** `products`, `setupMs` and `solveMs` are those of all methods that were run; all else is of the last one. */
export interface SystemSolution extends Solution {
  readonly decision: SolveDecision;
  /** The format of the matrix. */
  readonly format: string;
}

/** What holds for one solve. */
export interface OneSolveOptions extends Omit<SolveOptions, 'preconditioner' | 'x0'> {
  readonly x0?: VectorLike;
  /** Of the whole solve. */
  readonly limitMs?: number;
}

/** The reasons with which another plan may go on. */
const GOES_ON: readonly Attempt['reason'][] = ['slow', 'iterations', 'breakdown', 'not-definite', 'stagnated'];

/**
 * A residual is measured anew from this share of the tolerance on, unless rounding errors are below the second share. Both are margins, not measured:
 * smaller shares only cost passes over the entries.
 */
const NEAR = 0.1;
const NEGLIGIBLE = 0.01;

export class Run {
  readonly #setup: Setup;
  readonly #given: GivenSides;
  readonly #options: Omit<OneSolveOptions, 'limitMs' | 'x0'>;
  #system: ArrangedSystem;
  #sides: SystemSides;
  /** By `performance.now()`. */
  readonly #deadline: number;
  readonly #attempts: Attempt[] = [];
  readonly #said: string[] = [];
  #setupMs = 0;
  #solveMs = 0;
  #products = 0;
  #iterations = 0;
  #knownBNorm: number | undefined;
  /** That of the latest attempt. */
  #solution: Solution | undefined;

  /** @param b and x0 in the order of the caller */
  constructor(setup: Setup, b: VectorLike, { limitMs = Number.POSITIVE_INFINITY, x0, ...options }: OneSolveOptions) {
    this.#setup = setup;
    this.#given = { b, x0 };
    this.#options = options;
    this.#system = setup.system;
    this.#sides = sidesIn(this.#system, this.#given);
    this.#deadline = performance.now() + limitMs;
  }

  /** Takes the present system of the set-up, and brings b and x0 into its order. */
  #enter(): void {
    if (this.#system === this.#setup.system) return;
    this.#system = this.#setup.system;
    this.#sides = sidesIn(this.#system, this.#given);
  }

  /** ‖b‖₂, which a device downloads: computed when it is first needed. */
  get #bNorm(): number {
    this.#knownBNorm ??= norm2(floatsOf(this.#sides.b));
    return this.#knownBNorm;
  }

  /** The solution with x as it is now, whose residual is that of the caller's numbers. */
  #measured(solution: Solution): Solution {
    const bNorm = this.#bNorm;
    const norm = norm2(accurateResidualOf(this.#system.csr, solution.x.toArray(), floatsOf(this.#sides.b)));
    const converged = solution.converged && norm <= this.#tolerance;
    const reason = solution.converged && !converged ? 'stagnated' : solution.reason;
    return { ...solution, converged, reason, relativeResidual: bNorm === 0 ? norm : norm / bNorm };
  }

  get #tolerance(): number {
    const { rtol = DEFAULT_RTOL, atol = 0 } = this.#options;
    return Math.max(rtol * this.#bNorm, atol);
  }

  /** ‖b − A x‖₂ */
  #residualOf({ relativeResidual }: Solution): number {
    return this.#bNorm === 0 ? relativeResidual : relativeResidual * this.#bNorm;
  }

  /** A solution that is measured anew if the rounding errors of its residual may have hidden that it is above the tolerance. */
  #verified(solution: Solution): Solution {
    const { A } = this.#system;
    if (!solution.converged || !this.#setup.readsNumbers || A.rows !== A.cols || A.vectorType === Float32Array)
      return solution;
    // Far below the tolerance, errors of this size would show.
    if (this.#residualOf(solution) < NEAR * this.#tolerance) return solution;
    const roundings = UNIT_ROUNDOFF.f64 * roundingsOf(this.#system.csr, solution.x.toArray());
    return roundings < NEGLIGIBLE * this.#tolerance ? solution : this.#measured(solution);
  }

  *steps(): Generator<Step, SystemSolution> {
    const { race } = this.#setup;
    let isDone = false;
    let last: Prepared | undefined;
    try {
      for (let place: number | undefined = this.#setup.first; place !== undefined; ) {
        const expectedMs = race?.expectedMs(place);
        const prepared: Prepared | undefined = yield* this.#prepare(place);
        last = prepared ?? last;
        const reason = prepared && (yield* this.#attempt(place, prepared, expectedMs));
        place = this.#next(place, reason);
      }
      isDone = true;
      // Factors alone are refused, and they are never the only plan.
      return this.#finish(last!);
    } finally {
      if (!isDone) this.#solution?.x.dispose();
    }
  }

  /** @returns undefined for factors that cannot be made, or are not worth their time */
  *#prepare(place: number): Generator<Step, Prepared | undefined> {
    const { race, plans } = this.#setup;
    const refuse = race && ((prediction: Prediction) => race.refuse(prediction, place));
    const begin = performance.now();
    const steps = this.#setup.prepare(place, refuse);
    try {
      for (;;) {
        const { done, value } = steps.next() as IteratorResult<SetupStep, Prepared>;
        if (done) return value;
        if (this.#isStopped) return stopped(this.#system.A, plans[place]!.method);
        yield this.#latestStep;
      }
    } catch (error) {
      if (race === undefined || !(isRefusal(error) || error instanceof Declined)) throw error;
      const isMemory = isRefusal(error) && error.code === 'heap';
      this.#said.push(`not ${plans[place]!.method}: ${error.message}${isMemory ? MEMORY : ''}`);
      if (isRefusal(error)) race.fail(place, error.code);
      // After an attempt there is an x in the present order, and so the order stays.
      if (this.#attempts.length === 0 && race.plans[place]!.role === 'direct') {
        this.#setup.arrangeForIterations();
        this.#enter();
      }
      return undefined;
    } finally {
      steps.return(undefined as never);
      this.#setupMs += performance.now() - begin;
    }
  }

  /** Runs a plan from the x so far. */
  *#attempt(place: number, prepared: Prepared, expectedMs: number | undefined): Generator<Step, Attempt['reason']> {
    const { method, M, preconditioner, reasons } = prepared;
    const { race } = this.#setup;
    const { A, nullSpace } = this.#system;
    this.#said.push(...reasons);
    const before = this.#solution;
    const { maxIterations } = this.#options;
    const left = maxIterations === undefined ? {} : { maxIterations: Math.max(0, maxIterations - this.#iterations) };
    const x0 = before?.x ?? this.#sides.x0;
    const options = { ...this.#options, ...left, ...(M && { preconditioner: M }), ...(x0 && { x0 }) };
    const begin = performance.now();
    const At = method.kind.solves === 'any' ? A.transposed() : undefined;
    this.#setupMs += performance.now() - begin;
    let why: string | undefined;
    const isSlow = race?.watch(place, (text) => {
      why = text;
    });
    let isLate = false;
    const watch: Watch = (progress, tolerance) => {
      isLate = performance.now() >= this.#deadline;
      return isLate || isSlow?.(progress, tolerance) === true;
    };
    const solution = this.#verified(yield* iterate(method.steps, A, this.#sides.b, options, At, watch));
    before?.x.dispose();
    if (nullSpace !== undefined) solution.x.set(withoutPart(solution.x, nullSpace));
    const isLeft = solution.reason === 'stopped' && (isLate || why !== undefined);
    this.#solution = isLeft ? { ...solution, reason: isLate ? 'time' : 'stagnated' } : solution;
    const reason = isLeft && !isLate ? 'slow' : this.#solution.reason;
    if (isLeft && why !== undefined) this.#said.push(why);
    this.#solveMs += solution.solveMs;
    this.#products += solution.products;
    this.#iterations += solution.iterations;
    this.#attempts.push({ method: method.spec, preconditioner, reason, iterations: solution.iterations, expectedMs });
    return reason;
  }

  /** The place of the plan that goes on. @param reason undefined if the plan was refused */
  #next(place: number, reason: Attempt['reason'] | undefined): number | undefined {
    const { race, plans } = this.#setup;
    if (reason === 'tolerance') race?.won(place);
    if (reason !== undefined && !this.#mayGoOn(place, reason)) return undefined;
    if (race === undefined) return this.#setup.fail(place) < plans.length ? this.#setup.first : undefined;
    if (reason !== undefined && reason !== 'slow') race.fail(place, reason);
    return race.next();
  }

  #mayGoOn(place: number, reason: Attempt['reason']): boolean {
    const { maxIterations } = this.#options;
    const { residualNorms } = this.#solution!;
    if (reason === 'not-finite') return Number.isFinite(residualNorms[0]);
    if (reason === 'iterations') return maxIterations === undefined;
    if (reason === 'stagnated') return !this.#isAtRounding() || this.#setup.race?.turnToFactors(place) === true;
    return GOES_ON.includes(reason);
  }

  /** Whether b − A x, or of least squares Aᵀ (b − A x), consists of rounding errors, which no method improves. */
  #isAtRounding(): boolean {
    const { x } = this.#solution!;
    const { A, csr } = this.#system;
    const unit = A.vectorType === Float32Array ? UNIT_ROUNDOFF.f32 : UNIT_ROUNDOFF.f64;
    if (this.#residualOf(this.#solution!) <= unit * roundingsOf(csr, x.toArray())) return true;
    if (csr.rows === csr.cols) return false;
    const { gradient, roundings } = gradientOf(csr, x.toArray(), floatsOf(this.#sides.b));
    return gradient <= unit * roundings;
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted === true || performance.now() >= this.#deadline;
  }

  get #latestStep(): Step {
    const residualNorm = this.#solution?.residualNorms.at(-1) ?? this.#bNorm;
    return { iteration: this.#solution?.iterations ?? 0, residualNorm };
  }

  #finish(prepared: Prepared): SystemSolution {
    const setup = this.#setup;
    let solution = this.#solution!;
    const { x } = solution;
    const { A, nullSpace } = this.#system;
    if (nullSpace !== undefined || setup.hasHalf) solution = this.#measured(solution);
    if (!solution.converged && GOES_ON.includes(solution.reason)) {
      if (this.#isAtRounding()) this.#said.push(`${A.rows === A.cols ? 'b − A x' : 'Aᵀ (b − A x)'} ${ROUNDED}`);
      else if (this.#attempts.length > 1) this.#said.push(ADVICE);
    }
    this.#system.back(x);
    const { ...spent } = { products: this.#products, setupMs: this.#setupMs, solveMs: this.#solveMs };
    const { lost } = this.#sides;
    const said = lost === undefined ? this.#said : [`b had ${lost.toPrecision(2)} ${LOST}`, ...this.#said];
    const decision = setup.decision(prepared, this.#attempts, said);
    return { ...solution, ...spent, decision, format: A.format };
  }
}

/** Of a solve that is stopped while factors or a preconditioner are made. */
function stopped({ rows, cols }: MatrixOperator, name: string): Prepared {
  const named = systemMethodOf(name);
  const kind: MethodKind = rows === cols ? named.kind : { ...named.kind, solves: 'any' };
  const method = { kind, spec: named.spec, steps: stoppedSteps };
  return { method, M: undefined, preconditioner: NO_PRECONDITIONER, reasons: [] };
}

const ROUNDED = 'consists of rounding errors: x is as good as this precision allows, and a larger rtol is reached';

const LOST = 'of its norm in the null space, and no x gives that: the residual is of the rest';

const MEMORY = ': an engine with more memory (maximumBytes) would make them';

const ADVICE =
  'no method arrived: the matrix may be singular (nullSpace, or lsmr for the least residual), or b or the tolerance too small for its condition (rtol)';

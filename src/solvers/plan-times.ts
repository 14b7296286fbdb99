/** The time that each plan is expected to take from its beginning, by the model of `times.ts` and by how many steps plans of its kind take. */
import type { Remaining } from './forecast.js';
import type { Runner } from './runners.js';
import { type Times, withIncomplete } from './times.js';

/** This many iterations are counted for the beginning of a method, after which a forecast says more. */
const FEW = 24;

/**
 * This many iterations are expected of a method whose convergence is not known before: of `bicgstab` and `gmres` with `ilu0`, and of `minres`. Chosen: bicgstab
 * took 3 (cage8), 26, 109 (memplus), 183, 295 and 428 (a circuit of 20 k rows), minres 700 and more.
 */
const UNKNOWN = 100;

/**
 * This many iterations are expected with multigrid. cg takes 14 to 20 on grids of 90,000 to a million unknowns, and 14 with coefficients that jump by 10⁴; bicgstab 7 to 26 with a wind that
 * circulates (300², 500²).
 */
const CYCLES: Readonly<Record<string, number>> = { cg: 20, bicgstab: 12 };

/** Incomplete factors are expected to take this many times as long where the spectrum of jacobi is not found yet: there may be more iterations. */
const NOT_FOUND = 1.5;

export class PlanTimes {
  readonly #plans: readonly Runner[];
  #times: Times;

  constructor(plans: readonly Runner[], times: Times) {
    this.#plans = plans;
    this.#times = times;
  }

  /** Takes the times of A as it is stored now. */
  measure(times: Times): void {
    this.#times = times;
  }

  /** The time that an iteration is expected to take. */
  stepMs(place: number): number {
    const { role, method } = this.#plans[place]!;
    const name = method.split('?')[0]!;
    if (role === 'multigrid') return this.#times.multigridStepMs(name);
    return this.#times.stepMs(name, this.#isIncomplete(place));
  }

  /** The time that the set-up and all iterations of a plan that is not direct are expected to take. @param jacobi iterations that cg with jacobi still takes */
  wholeMs(place: number, jacobi: Remaining | undefined): number {
    const iterations = this.#iterations(this.#plans[place]!, jacobi);
    return this.#setupMs(place) + iterations * this.stepMs(place);
  }

  /** The time of incomplete factors and of the first iterations with them, which say what they are worth. */
  trialMs(place: number): number {
    return this.#setupMs(place) + FEW * this.stepMs(place);
  }

  #iterations({ role, method }: Runner, jacobi: Remaining | undefined): number {
    if (role === 'multigrid') return CYCLES[method]!;
    if (role === 'incomplete') return incompleteIterations(jacobi);
    return role === 'jacobi' ? FEW : UNKNOWN;
  }

  #setupMs(place: number): number {
    const { role, preconditioners } = this.#plans[place]!;
    if (role === 'multigrid') return this.#times.multigridSetupMs(preconditioners[0]!);
    return this.#isIncomplete(place) ? this.#times.incompleteSetupMs : 0;
  }

  #isIncomplete(place: number): boolean {
    return /^i/.test(this.#plans[place]!.preconditioners[0] ?? '');
  }
}

function incompleteIterations(jacobi: Remaining | undefined): number {
  if (jacobi === undefined) return withIncomplete(4 * FEW);
  const { surely, isFound } = jacobi;
  return (isFound ? 1 : NOT_FOUND) * withIncomplete(surely);
}

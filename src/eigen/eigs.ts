/**
 * `eigs`: some eigenvalues and eigenvectors of A x = λ x or A x = λ B x, for symmetric matrices. It chooses a method where the caller names none
 * (`decide.ts`), and computes the residuals of what the method returns.
 */
import { drain, drainInSlices, mapSteps } from '../core/drain.js';
import { assemble } from '../core/owned.js';
import { Declined, isRefusal } from '../direct/choose.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import { Workspace } from '../solvers/workspace.js';
import { methodsFor } from './decide.js';
import { throwIfStopped } from './factoring.js';
import type {
  EigenMatrix,
  EigenMethod,
  EigenOutcome,
  EigenProblem,
  EigenReason,
  EigenSolution,
  EigenStep,
  EigsOptions,
} from './method.js';
import { Residuals } from './residuals.js';
import { EigenSetup } from './setup.js';

/**
 * Finds k eigenvalues and eigenvectors of a symmetric A, or of A x = λ B x. No option is needed.
 *
 * @param matrix A: a matrix of the library, arrays of one, an array of rows, or a linear operator
 * @param k from 1 to the rows of A
 * @throws SparlaneError `structure` for a matrix that is not symmetric; `shape` or `argument` for a wrong argument; `heap`; errors of products. A search
 *   that does not converge is not an error: see `EigenSolution.reason`
 *
 * @example
 * const { values, vectors, converged } = eigs(engine, stiffness, 10, { B: mass });
 */
export function eigs(engine: Engine, matrix: EigenMatrix, k: number, options: EigsOptions = {}): EigenSolution {
  return drain(eigsSteps(engine, matrix, k, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms. An abort of the signal ends the search with the reason `stopped` and the best
 * pairs so far; before the first step it rejects.
 *
 * @throws never; the promise rejects with the errors of `eigs`
 */
export async function eigsAsync(
  engine: Engine,
  matrix: EigenMatrix,
  k: number,
  options: EigsOptions = {},
): Promise<EigenSolution> {
  return drainInSlices(eigsSteps(engine, matrix, k, options));
}

/** The same step by step. @throws as `eigs`; the reason of the signal, if it aborts before there are pairs */
export function* eigsSteps(
  engine: Engine,
  matrix: EigenMatrix,
  k: number,
  options: EigsOptions,
): Generator<EigenStep, EigenSolution> {
  const begin = performance.now();
  using setup = new EigenSetup(engine, matrix, k, options);
  const { problem } = setup;
  const methods = methodsFor(problem, options.method ?? 'auto');
  const made = performance.now() - begin;
  const { method, outcome } = yield* firstThatCan(methods, problem, options.signal);
  const solution = assemble((owned) => {
    owned.own(outcome.vectors);
    return finished(problem, outcome);
  });
  const setupMs = made + outcome.setupMs;
  const decision = { method: method.name, reasons: [...problem.reasons] };
  return { ...solution, decision, setupMs, solveMs: performance.now() - begin - setupMs };
}

/** Runs the methods until one does not decline. */
function* firstThatCan(
  methods: readonly EigenMethod[],
  problem: EigenProblem,
  signal: AbortSignal | undefined,
): Generator<EigenStep, { readonly method: EigenMethod; readonly outcome: EigenOutcome }> {
  for (const [place, method] of methods.entries()) {
    const mayDecline = place < methods.length - 1;
    try {
      const steps = untilPairs(method.steps({ ...problem, mayDecline }), problem, signal);
      return { method, outcome: yield* steps };
    } catch (error) {
      if (!mayDecline || !(error instanceof Declined || isRefusal(error))) throw error;
      problem.reasons.push(`not ${method.name}: ${(error as Error).message}`);
    }
  }
  throw new Error('unreachable: the last method does not decline');
}

/** Reports the steps of a set-up, which have no reports of their own. An abort before the first iteration, when there are no pairs yet, throws. */
function untilPairs<T>(
  steps: Generator<EigenStep, T>,
  { report, isStopped }: EigenProblem,
  signal: AbortSignal | undefined,
): Generator<EigenStep, T> {
  let last: EigenStep | undefined;
  const told = (step: EigenStep) => {
    if (step.stage === 'iterations') {
      last = step;
      return step;
    }
    const { iteration, converged } = last ?? step;
    const ofSetup = { stage: step.stage, iteration, converged };
    report(ofSetup);
    return ofSetup;
  };
  return mapSteps(steps, told, () => {
    if (last === undefined) throwIfStopped({ isStopped, signal });
  });
}

type Finished = Omit<EigenSolution, 'decision' | 'setupMs' | 'solveMs'>;

/** The pairs in the order of the answer, with the residuals that they have. */
function finished(problem: EigenProblem, outcome: EigenOutcome): Finished {
  const { A, which, shift = 0 } = problem;
  const { vectors: given } = outcome;
  using residuals = new Residuals(problem);
  using work = new Workspace(A);
  const x = work.vector();
  for (const value of outcome.values) residuals.raise(Math.abs(value));
  if (outcome.normOfA !== undefined) residuals.raise(outcome.normOfA);
  const pairs = Array.from(outcome.values, (value, column) => {
    const known = outcome.residuals?.[column];
    if (known === undefined) given.copyColumnTo(column, x);
    return { column, ...(known ?? residuals.of(value, x)) };
  });
  const keyOf = (value: number) =>
    which === 'smallest' ? value : which === 'largest' ? -value : Math.abs(value - shift);
  pairs.sort((a, b) => keyOf(a.value) - keyOf(b.value));
  const converged = pairs.filter(({ isSmall }) => isSmall).length;
  const vectors = inOrder(
    given,
    pairs.map(({ column }) => column),
    x,
  );
  const { iterations, solves, products } = outcome;
  return {
    values: Float64Array.from(pairs, ({ value }) => value),
    vectors,
    residualNorms: Float64Array.from(pairs, ({ norm }) => norm),
    converged,
    reason: reasonOf(outcome, converged),
    ...{ iterations, solves, products: products + residuals.products },
  };
}

/** A block with these columns of another one, which is disposed if it has another order. */
function inOrder(given: Vector, columns: readonly number[], x: Vector): Vector {
  if (columns.every((column, to) => column === to)) return given;
  using before = given;
  const ordered = before.like();
  for (const [to, column] of columns.entries()) {
    before.copyColumnTo(column, x);
    ordered.setColumn(to, x);
  }
  return ordered;
}

/** A tolerance that a residual does not meet in the end is none that is met. */
function reasonOf({ reason, values }: EigenOutcome, converged: number): EigenReason {
  if (values.some((value) => !Number.isFinite(value))) return 'not-finite';
  return reason === 'tolerance' && converged < values.length ? 'stagnated' : reason;
}

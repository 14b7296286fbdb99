/** What solvers must do on ranks: every method × preconditioner × problem as in one process, and everything awkward. */

import type { CsrMatrix } from '../core/csr.js';
import type { Engine } from '../engine/engine.js';
import type { PreconditionerKind } from '../preconditioners/preconditioner.js';
import { PRECONDITIONERS, precondition, preconditionerOf } from '../preconditioners/registry.js';
import type { Communicator } from '../ranks/communicator.js';
import { OVER_RANKS } from '../ranks/multigrid/multigrid.js';
import { rowsOfRank } from '../ranks/partition.js';
import { NO_PRECONDITIONER } from '../solvers/decide.js';
import { solveWith } from '../solvers/iterate.js';
import { METHODS, type MethodKind, methodOf } from '../solvers/methods.js';
import type { Solution, SolveOptions } from '../solvers/solution.js';
import { awkwardSystems } from './awkward-systems.js';
import { Findings } from './findings.js';
import { DEALS, dealt } from './rank-checks.js';
import { residualOf, timesTransposed } from './residuals.js';
import { type Problem, problemsOf, SOLVED_BY, specOf, takes } from './solver-checks.js';

const RTOL = 1e-8;
const SLACK = 1.0001;

/** Ranks meet several times in an iteration, and wait for each other whenever a core is busy: no more iterations than show an error. */
const MESH_POINTS = 80;

/**
 * @param alone an engine of this rank only, for the solves to compare with; of rank 0
 * @param every only each so manieth of the problems, from the first one on, and nothing awkward; 1: all, and what is awkward
 */
export function checkRankSolvers(comm: Communicator, alone: Engine, every = 1): Findings {
  const findings = new Findings();
  const inUse = comm.engine.heap.bytesInUse;
  const problems = problemsOf(MESH_POINTS);
  for (const problem of problems.filter((_, k) => k % every === 0)) {
    for (const method of METHODS) {
      if (!SOLVED_BY[problem.is].includes(method.solves)) continue;
      for (const preconditioner of preconditionersFor(comm.engine, method, problem)) {
        findings.about(`${problem.name}, ${method.name} with ${preconditioner}`);
        findings.attempt('solve', () => checkSolved(findings, comm, alone, problem, method, preconditioner));
      }
    }
  }
  for (const awkward of every > 1 ? [] : awkwardSystems()) {
    for (const method of METHODS) {
      if (awkward.matrix.rows !== awkward.matrix.cols && method.solves !== 'any') continue;
      findings.about(`${awkward.name}, ${method.name}`);
      findings.attempt('solve', () => {
        // Methods look for no null space: only `solve` does.
        const { nullSpace: _z, ...given } = awkward.options ?? {};
        const options = { maxIterations: 300, ...(given as SolveOptions) };
        solveOnRanks(
          comm,
          awkward,
          method,
          NO_PRECONDITIONER,
          options,
          ({ reason, converged, relativeResidual }, x) => {
            const expected = awkward.expected(method.solves);
            findings.expect(
              expected.includes(reason),
              'the reason',
              () => `${reason} instead of ${expected.join(' | ')}`,
            );
            findings.expect(converged === (reason === 'tolerance'), 'converged', () => `${converged} with ${reason}`);
            const computed = residual(awkward.matrix, x, awkward.b);
            const isSame = Math.abs(computed - relativeResidual) <= 1e-9 * Math.max(1, computed);
            findings.expect(
              isSame || !Number.isFinite(computed),
              'the residual',
              () => `${relativeResidual}, ${computed} is true`,
            );
          },
        );
      });
    }
  }
  const left = comm.engine.heap.bytesInUse - inUse;
  findings.expect(left <= SUMS_BYTES, 'memory', () => `${left} bytes stay allocated`);
  return findings;
}

/** The space keeps room for as many dot products as were ever asked for at once. */
const SUMS_BYTES = 4096;

function preconditionersFor(engine: Engine, { solves }: MethodKind, problem: Problem): readonly string[] {
  const { is } = problem;
  if (is === 'symmetric' || solves === 'any') return [NO_PRECONDITIONER];
  const onDevice = engine.space.heap === undefined;
  const isMade = (kind: PreconditionerKind) => !onDevice || takes(engine, problem, kind);
  const kinds = PRECONDITIONERS.filter((kind) => (is === 'definite' || kind.matrices === 'square') && isMade(kind));
  return [
    NO_PRECONDITIONER,
    ...kinds.filter(({ isSymmetric }) => solves === 'square' || isSymmetric).flatMap(specsFor),
  ];
}

/** The default of a kind, and with it levels over ranks, which these small matrices have if the coarsest one is smaller still. */
function specsFor(kind: PreconditionerKind): readonly string[] {
  return OVER_RANKS.has(kind) ? [kind.name, `${kind.name}?coarsest=10&smoother=spai0`] : [kind.name];
}

function checkSolved(
  findings: Findings,
  comm: Communicator,
  alone: Engine,
  problem: Problem,
  method: MethodKind,
  preconditioner: string,
): void {
  // On devices the default is several iterations.
  const options = { rtol: RTOL, maxIterations: 30_000, checkEvery: 1 };
  solveOnRanks(comm, problem, method, preconditioner, options, (solution, x) => {
    const { converged, reason, iterations } = solution;
    findings.expect(converged, 'converges', () => `${reason} after ${iterations}`);
    const error = method.solves === 'any' ? leastResidual(problem, x) : residual(problem.matrix, x, problem.b);
    findings.expect(error <= RTOL * SLACK, 'solves', () => `‖r‖ / ‖b‖ is ${error}`);
    // The iterations of some methods are a matter of rounding, where sums are in another order; those on an indefinite matrix always are.
    const isErratic = problem.is === 'symmetric' || (method.isErratic && solution.x.space.heap === undefined);
    const share = shareOfMore(preconditioner);
    if (share === undefined || isErratic) return;
    const compute = () => iterationsAlone(alone, problem, method, preconditioner, options);
    const expected = comm.broadcast(Float64Array.of(comm.rank === 0 ? compute() : 0))[0]!;
    const most = 2 + share.more * expected;
    const isRight = iterations - expected <= most && (share.mayBeLess || expected - iterations <= most);
    findings.expect(isRight, 'iterations', () => `${iterations}, in one process ${expected}`);
  });
}

/**
 * By how much iterations may differ from those of one process, as a share of these. One that is the same on any number of ranks makes a difference
 * of rounding errors; over ranks levels have other aggregates, which may be better. Undefined: by any number.
 */
function shareOfMore(preconditioner: string): { readonly more: number; readonly mayBeLess: boolean } | undefined {
  if (preconditioner === NO_PRECONDITIONER) return { more: 0.1, mayBeLess: false };
  const { kind } = preconditionerOf(preconditioner);
  if (OVER_RANKS.has(kind)) return { more: 0.2, mayBeLess: true };
  return kind.isOfDiagonal === true ? { more: 0.1, mayBeLess: false } : undefined;
}

/** @param check gets the solution, and x of all ranks */
function solveOnRanks(
  comm: Communicator,
  { matrix, b }: Pick<Problem, 'matrix' | 'b'>,
  method: MethodKind,
  preconditioner: string,
  options: SolveOptions,
  check: (solution: Solution, x: Float64Array) => void,
): void {
  const partition = dealt(matrix, DEALS.uneven!, comm.size);
  const [first, end] = [partition.bounds[comm.rank]!, partition.bounds[comm.rank + 1]!];
  using A = comm.operator(rowsOfRank(matrix, partition, comm.rank), { format: 'csr', ghostFormat: 'csr' });
  using M = preconditioner === NO_PRECONDITIONER ? undefined : comm.precondition(A, preconditioner);
  const x0 = options.x0 as Float64Array | undefined;
  const mine = { ...options, ...(x0 && { x0: x0.slice(first, end) }), ...(M && { preconditioner: M }) };
  const At = method.solves === 'any' ? A.transposed() : undefined;
  const solution = solveWith(methodOf(specOf(method)).steps, A, b.slice(first, end), mine, At);
  check(solution, comm.allgather(solution.x.toArray() as Float64Array));
  solution.x.dispose();
}

function iterationsAlone(
  engine: Engine,
  { matrix, b }: Problem,
  method: MethodKind,
  preconditioner: string,
  options: SolveOptions,
): number {
  using A = engine.operator(matrix, { format: 'csr' });
  using M = preconditioner === NO_PRECONDITIONER ? undefined : precondition(engine, matrix, preconditioner);
  const At = method.solves === 'any' ? A.transposed() : undefined;
  const solution = solveWith(methodOf(specOf(method)).steps, A, b, { ...options, ...(M && { preconditioner: M }) }, At);
  solution.x.dispose();
  return solution.iterations;
}

/** ‖b − A x‖ / ‖b‖, or the norm itself if b = 0, in plain TypeScript. */
function residual({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array, b: Float64Array): number {
  const r = b.slice();
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) r[i]! -= values[k]! * x[colIdx[k]!]!;
  return Math.hypot(...r) / (Math.hypot(...b) || 1);
}

/** The same, or ‖Aᵀ (b − A x)‖ / ‖Aᵀ b‖ if that is less. */
function leastResidual({ matrix, b }: Problem, x: Float64Array): number {
  const gradientOf = (v: Float64Array) => Math.hypot(...timesTransposed(matrix, v));
  return Math.min(residual(matrix, x, b), gradientOf(residualOf(matrix, x, b)) / gradientOf(b));
}

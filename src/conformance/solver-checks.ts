/**
 * What solvers must do in every space: every method × preconditioner × problem that it is for, and everything awkward. A solve ends with a
 * reason, its x has the residual that it reports, and nothing stays allocated.
 */
import { addMatrices } from '../algebra/add.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { gallery, galleryRightHandSide } from '../gallery/registry.js';
import type { PreconditionerKind } from '../preconditioners/preconditioner.js';
import { PRECONDITIONERS, precondition } from '../preconditioners/registry.js';
import { NO_PRECONDITIONER } from '../solvers/decide.js';
import { METHODS, type MethodKind } from '../solvers/methods.js';
import { solve } from '../solvers/solve.js';
import type { SystemSolution } from '../solvers/solver.js';
import type { SolveSystemOptions } from '../solvers/system.js';
import { type Awkward, awkwardSystems, FAILURES } from './awkward-systems.js';
import { Findings } from './findings.js';
import { checkMany, checkManyEnd } from './many-checks.js';
import { sampleVector } from './matrices.js';
import { diagonal, norm, residualOf, timesTransposed } from './residuals.js';

export interface Problem {
  readonly name: string;
  readonly matrix: CsrMatrix;
  readonly b: Float64Array;
  /** The weakest methods that solve it. */
  readonly is: MethodKind['solves'];
}

/** What each kind of problem may be solved with. */
export const SOLVED_BY: Readonly<Record<Problem['is'], readonly MethodKind['solves'][]>> = {
  definite: ['definite', 'symmetric', 'square', 'any'],
  symmetric: ['symmetric', 'square', 'any'],
  square: ['square', 'any'],
  any: ['any'],
};

const RTOL = 1e-8;
/** The reported residual and the one computed here are sums in other orders. */
const SLACK = 1.0001;

/** @param brief a third of the problems, and what is awkward only for the method that is chosen for it */
export function checkSolvers(engine: Engine, brief = false): Findings {
  const findings = new Findings();
  const problems = problemsOf();
  for (const problem of brief ? problems.filter((_, k) => k % 3 === 0) : problems) {
    const kinds = PRECONDITIONERS.filter((kind) => takes(engine, problem, kind));
    for (const method of METHODS) {
      if (!SOLVED_BY[problem.is].includes(method.solves)) continue;
      for (const preconditioner of preconditionersFor(method, problem, kinds)) {
        findings.about(`${problem.name}, ${method.name} with ${preconditioner}`);
        findings.attempt('solve', () =>
          checkSolved(findings, engine, problem, { method: specOf(method), preconditioner }),
        );
      }
    }
    findings.about(`${problem.name}, no options`);
    findings.attempt('solve', () => checkSolved(findings, engine, problem, {}));
    if (problem.is === 'definite') checkMany(findings, engine, problem);
  }
  for (const awkward of awkwardSystems()) {
    for (const { name: method, solves } of brief ? [] : METHODS) {
      if (awkward.matrix.rows !== awkward.matrix.cols && solves !== 'any') continue;
      findings.about(`${awkward.name}, ${method}`);
      findings.attempt('solve', () =>
        checkEnd(findings, engine, awkward, { method, preconditioner: NO_PRECONDITIONER }, solves),
      );
    }
    findings.about(`${awkward.name}, no options`);
    findings.attempt('solve', () => checkEnd(findings, engine, awkward, {}));
    if (!brief && awkward.matrix.rows === awkward.matrix.cols) checkManyEnd(findings, engine, awkward);
  }
  return findings;
}

/** With a basis of the whole space, where a method has a restart: not all of these problems are solved with short ones. */
export function specOf({ name, parameters }: MethodKind): string {
  return 'restart' in parameters ? `${name}?restart=300` : name;
}

/** Whether there is such a preconditioner in the engine's space. */
export function takes(engine: Engine, { matrix, is }: Problem, { name, matrices }: PreconditionerKind): boolean {
  if (is !== 'definite' && is !== matrices) return false;
  try {
    using _M = precondition(engine, matrix, name);
    return true;
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'backend') return false;
    throw error;
  }
}

function preconditionersFor(
  { solves }: MethodKind,
  { is }: Problem,
  kinds: readonly PreconditionerKind[],
): readonly string[] {
  // Of an indefinite matrix, no preconditioner by name is sure to be definite.
  if (solves === 'any') return [NO_PRECONDITIONER, 'jacobi'];
  if (is === 'symmetric') return [NO_PRECONDITIONER];
  return [NO_PRECONDITIONER, ...kinds.filter(({ isSymmetric }) => solves === 'square' || isSymmetric).flatMap(specsOf)];
}

/** The default of a kind, and the other ways to solve with triangular factors that every space has. */
function specsOf({ name, parameters }: PreconditionerKind): readonly string[] {
  return 'solve' in parameters ? [name, `${name}?solve=levels`, `${name}?solve=sts3`] : [name];
}

/** @param meshPoints of the problem that takes most iterations */
export function problemsOf(meshPoints = 300): Problem[] {
  const of = (is: Problem['is'], name: string, given: Readonly<Record<string, number>>): Problem => ({
    name,
    matrix: gallery(name, given),
    b: galleryRightHandSide(name, given),
    is,
  });
  const laplacian = gallery('laplace2d5', { nx: 12, ny: 11 });
  const random = (matrix: CsrMatrix) => Float64Array.from(sampleVector(matrix.rows, 'real', 1));
  const shifted = addMatrices(laplacian, diagonal(laplacian.rows, 1), 1, -1.3);
  const tall = gallery('dense', { rows: 40, cols: 24 });
  return [
    { name: 'laplacian', matrix: laplacian, b: random(laplacian), is: 'definite' },
    of('definite', 'diffusion2d', { nx: 12, ny: 12, jump: 100, anisotropy: 0.5 }),
    of('definite', 'elasticity3d', { nx: 3, ny: 3, nz: 3 }),
    of('definite', 'delaunay', { n: meshPoints }),
    { name: 'shifted laplacian', matrix: shifted, b: random(shifted), is: 'symmetric' },
    of('square', 'convection2d', { nx: 12, ny: 12, epsilon: 0.05 }),
    { name: 'rectangle', matrix: tall, b: random(tall), is: 'any' },
  ];
}

function checkSolved(findings: Findings, engine: Engine, problem: Problem, options: SolveSystemOptions): void {
  const { matrix, b } = problem;
  withSolution(findings, engine, problem, { ...options, rtol: RTOL, maxIterations: 30_000 }, (solution) => {
    const { converged, reason, relativeResidual } = solution;
    findings.expect(converged, 'converges', () => `${reason} after ${solution.iterations}, ${relativeResidual}`);
    const r = residualOf(matrix, solution.x.toArray(), b);
    const residual = norm(r) / norm(b);
    const { method } = solution.decision;
    const isLeastSquares = matrix.rows !== matrix.cols || METHODS.find(({ name }) => name === method)?.solves === 'any';
    const gradient = () => norm(timesTransposed(matrix, r)) / norm(timesTransposed(matrix, b));
    const error = isLeastSquares ? Math.min(residual, gradient()) : residual;
    findings.expect(error <= RTOL * SLACK, 'solves', () => `‖r‖ / ‖b‖ is ${error}`);
  });
}

function checkEnd(
  findings: Findings,
  engine: Engine,
  awkward: Awkward,
  options: SolveSystemOptions,
  solves?: MethodKind['solves'],
): void {
  const { matrix, b } = awkward;
  const given = { maxIterations: 300, ...awkward.options, ...options };
  withSolution(findings, engine, awkward, given, ({ reason, converged, relativeResidual, x }) => {
    const expected = awkward.expected(solves);
    // A method that was chosen may do better than the worst.
    const allowed = solves === undefined ? [...expected, 'tolerance', ...FAILURES] : expected;
    findings.expect(allowed.includes(reason), 'the reason', () => `${reason} instead of ${expected.join(' | ')}`);
    findings.expect(converged === (reason === 'tolerance'), 'converged', () => `${converged} with ${reason}`);
    const computed = norm(residualOf(matrix, x.toArray(), b)) / (norm(b) || 1);
    const start = startOf(awkward);
    if (start.every(Number.isFinite))
      findings.expect(x.toArray().every(Number.isFinite), 'x', () => 'x0 is finite, x is not');
    const first = norm(residualOf(matrix, start, b)) / (norm(b) || 1);
    findings.expect(!(computed > SLACK * first), 'the best x', () => `‖r‖ / ‖b‖ is ${computed}, that of x0 ${first}`);
    const isSame = Number.isFinite(computed)
      ? Math.abs(computed - relativeResidual) <= 1e-9 * Math.max(1, computed) + roundingOf(matrix, x.toArray(), b)
      : !Number.isFinite(relativeResidual);
    findings.expect(isSame, 'the residual', () => `${relativeResidual} is reported, ${computed} is true`);
  });
}

function withSolution(
  findings: Findings,
  engine: Engine,
  { matrix, b }: Pick<Problem, 'matrix' | 'b'>,
  options: SolveSystemOptions,
  check: (solution: SystemSolution) => void,
): void {
  warmUp(engine, matrix.rows);
  const before = engine.heap.bytesInUse;
  const solution = solve(engine, matrix, b, { format: 'csr', ...options });
  check(solution);
  solution.x.dispose();
  const after = engine.heap.bytesInUse;
  findings.expect(after === before, 'memory', () => `${after - before} bytes stay allocated`);
}

/** The space keeps memory for the sums of as many dot products as were ever asked for at once. */
function warmUp(engine: Engine, n: number): void {
  using x = engine.vector(n);
  using sum = engine.scalar();
  x.dots(new Array(16).fill(x), new Array(16).fill(sum));
}

/** The first x, as numbers. */
/** What two ways to compute ‖b − A x‖ / ‖b‖ may differ by. */
function roundingOf(matrix: CsrMatrix, x: FloatArray, b: Float64Array): number {
  const sizes = residualOf({ ...matrix, values: matrix.values.map(Math.abs) }, x.map(Math.abs), b.map(Math.abs));
  return Number.EPSILON * (norm(sizes) / (norm(b) || 1));
}

function startOf({ matrix, options }: Awkward): Float64Array {
  const x0 = options?.x0;
  return x0 instanceof Float64Array ? x0 : new Float64Array(matrix.cols);
}

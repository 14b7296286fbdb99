/**
 * What solvers must do in every space: every method × preconditioner × problem that it is for, and everything awkward. A solve ends with a
 * reason, its x has the residual that it reports, and nothing stays allocated.
 */
import { addMatrices } from '../algebra/add.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { gallery, galleryRightHandSide } from '../gallery/registry.js';
import type { Engine } from '../operators/engine.js';
import type { PreconditionerKind } from '../preconditioners/preconditioner.js';
import { PRECONDITIONERS, precondition } from '../preconditioners/registry.js';
import { NONE } from '../solvers/decide.js';
import { METHODS, type MethodKind } from '../solvers/methods.js';
import type { Reason } from '../solvers/solution.js';
import { type SolveSystemOptions, type SystemSolution, solve } from '../solvers/solve.js';
import { Findings } from './findings.js';
import { sampleVector } from './matrices.js';

interface Problem {
  readonly name: string;
  readonly matrix: CsrMatrix;
  readonly b: Float64Array;
  /** The weakest methods that solve it. */
  readonly is: MethodKind['solves'];
}

/** What each kind of problem may be solved with. */
const SOLVED_BY: Readonly<Record<Problem['is'], readonly MethodKind['solves'][]>> = {
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
  }
  for (const awkward of awkwardOf()) {
    for (const { name: method, solves } of brief ? [] : METHODS) {
      if (awkward.matrix.rows !== awkward.matrix.cols && solves !== 'any') continue;
      findings.about(`${awkward.name}, ${method}`);
      findings.attempt('solve', () => checkEnd(findings, engine, awkward, { method, preconditioner: NONE }, solves));
    }
    findings.about(`${awkward.name}, no options`);
    findings.attempt('solve', () => checkEnd(findings, engine, awkward, {}));
  }
  return findings;
}

/** With a basis of the whole space, where a method has a restart: not all of these problems are solved with short ones. */
function specOf({ name, parameters }: MethodKind): string {
  return 'restart' in parameters ? `${name}?restart=300` : name;
}

/** Whether there is such a preconditioner in the engine's space. */
function takes(engine: Engine, { matrix, is }: Problem, { name, matrices }: PreconditionerKind): boolean {
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
  if (solves === 'any' || is === 'symmetric') return [NONE];
  return [NONE, ...kinds.filter(({ isSymmetric }) => solves === 'square' || isSymmetric).map(({ name }) => name)];
}

function problemsOf(): Problem[] {
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
    of('definite', 'delaunay', { n: 300 }),
    { name: 'shifted laplacian', matrix: shifted, b: random(shifted), is: 'symmetric' },
    of('square', 'convection2d', { nx: 12, ny: 12, epsilon: 0.05 }),
    { name: 'rectangle', matrix: tall, b: random(tall), is: 'any' },
  ];
}

function diagonal(n: number, value: number): CsrMatrix {
  const colIdx = Uint32Array.from({ length: n }, (_, i) => i);
  const rowPtr = Uint32Array.from({ length: n + 1 }, (_, i) => i);
  return csrMatrix({ rows: n, cols: n, rowPtr, colIdx, values: new Float64Array(n).fill(value) });
}

function checkSolved(findings: Findings, engine: Engine, problem: Problem, options: SolveSystemOptions): void {
  const { matrix, b } = problem;
  withSolution(findings, engine, problem, { ...options, rtol: RTOL, maxIterations: 30_000 }, (solution) => {
    const { converged, reason, relativeResidual } = solution;
    findings.expect(converged, 'converges', () => `${reason} after ${solution.iterations}, ${relativeResidual}`);
    const r = residualOf(matrix, solution.x.toArray(), b);
    const residual = norm(r) / norm(b);
    const isLeastSquares = METHODS.find(({ name }) => name === solution.decision.method)?.solves === 'any';
    const gradient = () => norm(timesTransposed(matrix, r)) / norm(timesTransposed(matrix, b));
    const error = isLeastSquares ? Math.min(residual, gradient()) : residual;
    findings.expect(error <= RTOL * SLACK, 'solves', () => `‖r‖ / ‖b‖ is ${error}`);
  });
}

/** A system that is no ordinary one, and the reasons with which a solve of it may end. */
interface Awkward extends Omit<Problem, 'is'> {
  readonly options?: SolveSystemOptions;
  readonly expected: (solves: MethodKind['solves'] | undefined) => readonly Reason[];
}

const FAILURES: readonly Reason[] = ['iterations', 'not-definite', 'breakdown', 'stagnated', 'not-finite'];

function awkwardOf(): Awkward[] {
  const matrix = gallery('laplace2d5', { nx: 7, ny: 6 });
  const n = matrix.rows;
  const b = Float64Array.from(sampleVector(n, 'real', 1));
  const spoiled = (value: number) => ({ ...matrix, values: matrix.values.map((v, k) => (k === 20 ? value : v)) });
  const always =
    (...reasons: readonly Reason[]) =>
    () =>
      reasons;
  const indefinite = addMatrices(matrix, diagonal(n, 1), 1, -1.3);
  // Zeros on the diagonal, and regular: a path of an even number of vertices.
  const path = addMatrices(gallery('laplace1d3', { nx: 30 }), diagonal(30, 1), -1, 2);
  const neumann = neumannLaplacian(40);
  const fromRange = residualOf(neumann, Float64Array.from(sampleVector(40, 'integer', 2)), new Float64Array(40));
  const leastSquares = (others: readonly Reason[]) => (solves: MethodKind['solves'] | undefined) =>
    solves === 'any' ? (['tolerance'] as const) : others;
  return [
    { name: 'NaN in A', matrix: spoiled(Number.NaN), b, expected: always('not-finite') },
    { name: 'infinity in A', matrix: spoiled(Number.POSITIVE_INFINITY), b, expected: always('not-finite') },
    { name: 'NaN in b', matrix, b: b.with(3, Number.NaN), expected: always('not-finite') },
    { name: 'infinity in b', matrix, b: b.with(3, Number.NEGATIVE_INFINITY), expected: always('not-finite') },
    {
      name: 'indefinite',
      matrix: indefinite,
      b,
      // Between two checks, cg may come through.
      options: { checkEvery: 1 },
      expected: (solves) => (solves === 'definite' ? ['not-definite'] : ['tolerance']),
    },
    {
      name: 'negative definite',
      matrix: { ...matrix, values: matrix.values.map((value) => -value) },
      b,
      expected: (solves) => (solves === 'definite' ? ['not-definite'] : ['tolerance']),
    },
    {
      name: 'zero diagonal',
      matrix: path,
      b: Float64Array.from(sampleVector(30, 'real', 1)),
      expected: (solves) => (solves === 'definite' ? FAILURES : ['tolerance', ...FAILURES]),
    },
    { name: 'singular, with a solution', matrix: neumann, b: fromRange, expected: always('tolerance') },
    {
      name: 'singular, without a solution',
      matrix: neumann,
      b: new Float64Array(40).fill(1),
      expected: leastSquares(FAILURES),
    },
    { name: 'A = 0', matrix: { ...matrix, values: matrix.values.map(() => 0) }, b, expected: leastSquares(FAILURES) },
    { name: 'b = 0', matrix, b: new Float64Array(n), expected: always('tolerance') },
    { name: 'b = 0, x0 given', matrix, b: new Float64Array(n), options: { x0: b }, expected: always('tolerance') },
    { name: '0 × 0', matrix: diagonal(0, 1), b: new Float64Array(0), expected: always('tolerance') },
    { name: '1 × 1', matrix: diagonal(1, 2), b: Float64Array.of(3), expected: always('tolerance') },
    {
      name: 'the solution as x0',
      matrix: diagonal(50, 4),
      b: new Float64Array(50).fill(8),
      options: { x0: new Float64Array(50).fill(2) },
      expected: always('tolerance'),
    },
    { name: 'no iterations', matrix, b, options: { maxIterations: 0 }, expected: always('iterations') },
    {
      name: 'stopped in its middle',
      matrix,
      b,
      options: { checkEvery: 1, onStep: ({ iteration }) => iteration < 3 },
      expected: always('stopped'),
    },
    { name: 'aborted', matrix, b, options: { signal: AbortSignal.abort() }, expected: always('stopped') },
    {
      name: 'a tolerance of 0',
      matrix,
      b,
      options: { rtol: 0 },
      expected: always('stagnated', 'iterations', 'breakdown', 'tolerance', 'not-definite', 'not-finite'),
    },
  ];
}

/** A path with natural boundary: constants are its null space. */
function neumannLaplacian(n: number): CsrMatrix {
  const path = gallery('laplace1d3', { nx: n });
  const values = path.values.slice();
  values[0] = 1;
  values[values.length - 1] = 1;
  return { ...path, values };
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
    const isSame = Number.isFinite(computed)
      ? Math.abs(computed - relativeResidual) <= 1e-9 * Math.max(1, computed)
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

/** b − A x, in plain TypeScript. */
function residualOf({ rows, rowPtr, colIdx, values }: CsrMatrix, x: ArrayLike<number>, b: Float64Array): Float64Array {
  const r = b.slice();
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) r[i]! -= values[k]! * x[colIdx[k]!]!;
  }
  return r;
}

function timesTransposed({ rows, cols, rowPtr, colIdx, values }: CsrMatrix, r: Float64Array): Float64Array {
  const g = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) g[colIdx[k]!]! += values[k]! * r[i]!;
  }
  return g;
}

function norm(v: Float64Array): number {
  return Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
}

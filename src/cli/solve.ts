/** `sparlane solve`: solves A x = b. */
import { type Command, Option } from 'commander';
import { diagonalOf } from '../algebra/rows.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { equalsTranspose } from '../core/symmetry.js';
import { bicgstab, cg, createEngine, gmres, jacobi, minres } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { writeMatrixMarketVector } from '../io/matrix-market/writer.js';
import { saveStream } from '../io/save.node.js';
import type { Engine } from '../operators/engine.js';
import type { Solution, SolveOptions } from '../solvers/solution.js';
import { checkSource, loadMatrix, loadVector } from './load.js';
import { CORES, type Device, deviceOption, formatOption, integerOption, jsonOption, threadsOption } from './options.js';
import { complain, formatCount, formatFigure, print, printJson, showProgress } from './output.js';
import { computerOf } from './product.js';

const METHODS = { cg, minres, bicgstab, gmres };
type MethodName = keyof typeof METHODS;

const PRECONDITIONERS = ['jacobi', 'none'] as const;
type PreconditionerName = (typeof PRECONDITIONERS)[number];

interface Options {
  readonly rhs?: string;
  readonly output?: string;
  readonly method: MethodName | 'auto';
  readonly preconditioner: PreconditionerName | 'auto';
  readonly rtol: number;
  readonly maxIterations?: number;
  readonly format: string;
  readonly device: Device;
  readonly threads?: number;
  readonly json?: boolean;
}

/** The exit code of a solve that did not converge. */
const NOT_CONVERGED = 3;

const HELP = `
Methods: cg for symmetric positive definite matrices, minres for symmetric ones, bicgstab and gmres for
all. auto: cg if the matrix is symmetric and its diagonal positive, minres if it is symmetric, otherwise
bicgstab; jacobi if the diagonal has no zero (for minres, if it is positive).

The residual is ‖b − A x‖ / ‖b‖, computed from x at the end. Exit code 3: it is above --rtol.`;

export function addSolve(program: Command): void {
  program
    .command('solve')
    .summary('solves A x = b')
    .description('Solves A x = b by a Krylov method in f64, and reports the true residual.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .option('--rhs <file>', 'read b from this file, a Matrix Market vector; default: all ones')
    .option('--output <file>', 'write x to this file, as a Matrix Market array')
    .addOption(new Option('--method <method>', 'the method').choices(['auto', ...Object.keys(METHODS)]).default('auto'))
    .addOption(new Option('--preconditioner <name>', 'M').choices(['auto', ...PRECONDITIONERS]).default('auto'))
    .addOption(new Option('--rtol <number>', 'tolerance of the residual').default(1e-8).argParser(tolerance))
    .addOption(integerOption('--max-iterations <n>', 'default: 10 times the unknowns, at least 1000', 0, 1e9))
    .addOption(formatOption())
    .addOption(threadsOption())
    .addOption(deviceOption(['cpu', 'cuda', 'auto']))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(solve);
}

function tolerance(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw mismatch('argument', '--rtol', 'a number from 0 to 1', text);
  return value;
}

async function solve(source: string, options: Options): Promise<void> {
  checkSource(source);
  if (options.output !== undefined && (await isSameFile(options.output, source)))
    throw mismatch('argument', '--output', 'another file than the matrix', options.output);
  const matrix = await loadMatrix(source);
  const b = await loadRightHandSide(matrix, options.rhs);
  const { threads = CORES, device } = options;
  await using engine = await createEngine({ threads, device, onHint: ({ message }) => complain(message) });
  const { method, preconditioner } = choose(matrix, options);
  const { solution, setupMs, format } = run(engine, matrix, b, { ...options, method, preconditioner });
  using x = solution.x;
  const { converged, reason, iterations, relativeResidual, solveMs } = solution;
  const report = {
    ...{ matrix: source, rows: matrix.rows, nnz: matrix.nnz, method, preconditioner, format },
    ...{ converged, reason, iterations, relativeResidual },
    ...{ setupMs, solveMs, totalMs: setupMs + solveMs },
    ...{ threads: engine.device === 'cuda' ? null : engine.threads, ...computerOf(engine) },
  };
  if (options.json) printJson(report);
  else printReport(report);
  if (options.output !== undefined)
    await saveStream(options.output, writeMatrixMarketVector(x.toArray(), { comment: `x of A x = b, A = ${source}` }));
  if (!converged) process.exitCode = NOT_CONVERGED;
}

async function loadRightHandSide({ rows }: CsrMatrix, path: string | undefined): Promise<Float64Array> {
  if (path === undefined) return new Float64Array(rows).fill(1);
  const b = await loadVector(path);
  if (b.length !== rows)
    throw mismatch('shape', path, `a vector of length rows = ${rows}`, b, { rows, length: b.length });
  return Float64Array.from(b);
}

interface Chosen {
  readonly method: MethodName;
  readonly preconditioner: PreconditionerName;
}

function choose(matrix: CsrMatrix, options: Options): Chosen {
  const diagonal = diagonalOf(matrix);
  const isPositive = diagonal.every((value) => value > 0);
  const best = () => (equalsTranspose(matrix, 'values') ? (isPositive ? 'cg' : 'minres') : 'bicgstab');
  const method = options.method === 'auto' ? best() : options.method;
  const mayInvert = method === 'minres' || method === 'cg' ? isPositive : diagonal.every((value) => value !== 0);
  const preconditioner = options.preconditioner === 'auto' ? (mayInvert ? 'jacobi' : 'none') : options.preconditioner;
  return { method, preconditioner };
}

interface Outcome {
  readonly solution: Solution;
  readonly setupMs: number;
  readonly format: string;
}

function run(engine: Engine, matrix: CsrMatrix, b: Float64Array, options: Options & Chosen): Outcome {
  const start = performance.now();
  const { format, rtol, maxIterations } = options;
  using A = engine.operator(matrix, format === 'auto' ? { products: 'many' } : { format });
  using M = options.preconditioner === 'jacobi' ? jacobi(A) : undefined;
  const setupMs = performance.now() - start;
  using progress = showProgress(options.method);
  const limits: SolveOptions = { rtol, ...(maxIterations !== undefined && { maxIterations }) };
  let last = 0;
  const solution = METHODS[options.method](A, b, {
    ...limits,
    ...(M && { preconditioner: M }),
    onStep({ iteration, residualNorm }) {
      if (performance.now() - last < 100) return;
      last = performance.now();
      progress.say(`${options.method}: iteration ${formatCount(iteration)}, ‖r‖ ${residualNorm.toExponential(2)}`);
    },
  });
  return { solution, setupMs, format: A.format };
}

interface Report extends Chosen, Pick<Solution, 'converged' | 'reason' | 'iterations' | 'relativeResidual'> {
  readonly matrix: string;
  readonly rows: number;
  readonly nnz: number;
  readonly format: string;
  readonly setupMs: number;
  readonly solveMs: number;
  readonly threads: number | null;
  readonly binary: string;
}

function printReport(report: Report): void {
  const { matrix, rows, nnz, method, preconditioner, format, threads, binary } = report;
  const { converged, reason, iterations, relativeResidual, setupMs, solveMs } = report;
  const computer = threads === null ? binary : `${threads} thread${threads === 1 ? '' : 's'}, ${binary}`;
  print(matrix);
  print(`  matrix     ${formatCount(rows)} unknowns, ${formatCount(nnz)} entries`);
  print(`  method     ${method}${preconditioner === 'none' ? '' : ` with ${preconditioner}`}, ${format}, ${computer}`);
  print(`  setup      ${formatFigure(setupMs)} ms`);
  print(`  solve      ${formatFigure(solveMs)} ms, ${formatCount(iterations)} iterations`);
  print(`  residual   ${relativeResidual.toExponential(2)} of ‖b‖${converged ? '' : `: not converged (${reason})`}`);
}

/** `sparlane solve`: solves A x = b. */
import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { norm2 } from '../core/norms.js';
import type { Engine } from '../engine/engine.js';
import { createEngine } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { formatCount, formatFigure } from '../pictures/figures.js';
import { residualPlot } from '../pictures/residual-plot.js';
import { PRECONDITIONERS, preconditionerOf } from '../preconditioners/registry.js';
import { signOfRepetition } from '../ranks/launcher.node.js';
import type { RowsOrder } from '../ranks/order-rows.js';
import { NO_PRECONDITIONER } from '../solvers/decide.js';
import { SYSTEM_METHODS, systemMethodOf } from '../solvers/direct.js';
import { solveAsync } from '../solvers/solve.js';
import type { SystemSolution } from '../solvers/solver.js';
import { checkSource, loadAnyMatrix, saveVector } from './load.js';
import { CORES, deviceOption, formatOption, integerOption, jsonOption, ranksOption, threadsOption } from './options.js';
import { complain, print, printJson, printLine, showProgress } from './output.js';
import { computerOf } from './product.js';
import { loadRightHandSide, NOT_CONVERGED, type SolveInput } from './solve-input.js';
import { renderTable } from './table.js';

const AUTO = 'auto';

interface SolveCommandOptions extends SolveInput {
  readonly ranks?: number | true;
  readonly order: RowsOrder;
}

function listed(kinds: readonly { readonly name: string; readonly summary: string }[]): string {
  return kinds.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join('\n');
}

const HELP = `
Methods:
${listed(SYSTEM_METHODS)}

Preconditioners:
${listed(PRECONDITIONERS)}
  ${NO_PRECONDITIONER.padEnd(12)} no preconditioner

gmres?restart=50 or ic0?blocks=4096 sets a parameter. auto begins with the method that is expected
to take the least time, goes on with another one where that is wrong, and says why.

Of a complex matrix (Matrix Market complex, SciPy's complex .npz) b and x are complex: a file of b may
have complex numbers or real ones, x is written as complex numbers. cocg is for complex symmetric
matrices; formats are csr (auto), csrk, coo, ell, sell, hyb, dia and bsr.

With --ranks, rows of a file in which ranks need many elements of each other are brought into a better
order; x is in that of the file. --order natural leaves them, --order kway moves them in any case.

The residual is ‖b − A x‖ / ‖b‖, computed from x at the end. Exit code 3: the method did not reach
--rtol, or was stopped by Ctrl-C; --output then has the x of that moment.`;

export function addSolve(program: Command): void {
  program
    .command('solve')
    .summary('solves A x = b')
    .description('Solves A x = b in f64, and reports the true residual.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .option('--rhs <file>', 'read b from this file, a vector; default: that of the gallery, or all ones')
    .option('--output <file>', 'write x to this file: .npy, or else a Matrix Market array')
    .option('--plot <file>', 'draw the residual over the iterations, as SVG')
    .addOption(new Option('--method <method>', 'a method with its parameters').default(AUTO).argParser(method))
    .addOption(new Option('--preconditioner <name>', 'M').default(AUTO).argParser(preconditioner))
    .addOption(new Option('--rtol <number>', 'tolerance of the residual').default(1e-8).argParser(tolerance))
    .addOption(integerOption('--max-iterations <n>', 'default: 10 times the unknowns, at least 1000', 0, 1e9))
    .addOption(formatOption())
    .addOption(threadsOption())
    .addOption(deviceOption(['cpu', 'cuda', 'auto']))
    .addOption(ranksOption())
    .addOption(new Option('--order <order>', 'of the rows, with --ranks: auto, natural, kway').default(AUTO))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(run);
}

function method(text: string): string {
  return text === AUTO ? AUTO : systemMethodOf(text).spec;
}

function preconditioner(text: string): string {
  return text === AUTO || text === NO_PRECONDITIONER ? text : preconditionerOf(text).spec;
}

function tolerance(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw mismatch('argument', '--rtol', 'a number from 0 to 1', text);
  return value;
}

async function run(source: string, options: SolveCommandOptions): Promise<void> {
  checkSource(source);
  for (const name of ['output', 'plot'] as const)
    if (options[name] !== undefined && (await isSameFile(options[name], source)))
      throw mismatch('argument', `--${name}`, 'another file than the matrix', options[name]);
  if (options.ranks !== undefined) {
    const { solveOnRanks } = await import('./solve-ranks.js');
    await solveOnRanks(source, { ...options, ranks: options.ranks });
    return;
  }
  if (options.order !== AUTO) throw mismatch('argument', '--order', '--ranks beside it', options.order);
  const repetition = signOfRepetition();
  if (repetition !== undefined) complain(`${repetition}: --ranks deals the rows to them`);
  const matrix = await loadAnyMatrix(source);
  const isComplex = matrix.field === 'complex';
  const b = await loadRightHandSide(source, options.rhs, { rows: matrix.rows, isComplex });
  const { threads = CORES, device } = options;
  const onHint = ({ message }: Hint) => complain(message);
  await using engine = await createEngine({ threads, device, complex: isComplex, onHint });
  const solution = await solve(engine, matrix, b, options);
  using x = solution.x;
  const report = reportOf(source, matrix, engine, solution);
  if (options.json) printJson(report);
  else printReport(report);
  if (options.output !== undefined)
    await saveVector(options.output, x.toArray(), `x of A x = b, A = ${source}`, isComplex);
  if (options.plot !== undefined) await writeFile(options.plot, plotOf(report, solution, b, options.rtol));
  if (!solution.converged) process.exitCode = NOT_CONVERGED;
}

/** With the residual as a live line, and Ctrl-C to stop. */
async function solve(
  engine: Engine,
  matrix: CsrMatrix | ComplexMatrix,
  b: Float64Array,
  options: SolveCommandOptions,
): Promise<SystemSolution> {
  const { method, preconditioner, format, rtol, maxIterations } = options;
  using progress = showProgress('solving');
  const interrupted = new AbortController();
  const abort = () => interrupted.abort();
  process.once('SIGINT', abort);
  const bNorm = scaleOf(b);
  try {
    return await solveAsync(engine, matrix, b, {
      ...{ method, preconditioner, format, rtol, signal: interrupted.signal },
      ...(maxIterations !== undefined && { maxIterations }),
      onProgress: ({ iteration, residualNorm }) =>
        progress.say(`solving: iteration ${formatCount(iteration)}, ${(residualNorm / bNorm).toExponential(2)} of ‖b‖`),
    });
  } finally {
    process.off('SIGINT', abort);
  }
}

function reportOf(
  source: string,
  { rows, cols, nnz, field }: CsrMatrix | ComplexMatrix,
  engine: Engine,
  solution: SystemSolution,
) {
  const { decision, format, converged, reason, iterations, products, relativeResidual, setupMs, solveMs } = solution;
  const { method, preconditioner, reasons, blockRows, levels, gridComplexity, operatorComplexity } = decision;
  return {
    ...{ matrix: source, rows, cols, nnz, field, method, preconditioner, format },
    ...{ converged, reason, iterations, products, relativeResidual, rate: rows === cols ? rateOf(solution) : null },
    ...{ setupMs, solveMs, totalMs: setupMs + solveMs },
    ...(blockRows !== undefined && { blockRows }),
    ...(levels !== undefined && { levels, gridComplexity, operatorComplexity }),
    ...{ threads: engine.device === 'cuda' ? null : engine.threads, ...computerOf(engine) },
    reasons,
  };
}

type Report = ReturnType<typeof reportOf>;

/** What an iteration multiplies the residual by, on average; null where that says nothing, as of a single iteration. Not for least squares, whose residual does not fall to 0. */
function rateOf({ residualNorms, iterations }: SystemSolution): number | null {
  const [first, last] = [residualNorms[0] ?? 0, residualNorms.at(-1) ?? 0];
  return iterations < 2 || first === 0 || last === 0 ? null : (last / first) ** (1 / iterations);
}

function plotOf(report: Report, solution: SystemSolution, b: Float64Array, rtol: number): string {
  const { matrix, iterations, relativeResidual } = report;
  const title = `${matrix}: ${named(report)}, ${formatCount(iterations)} iterations, ${relativeResidual.toExponential(1)}`;
  return residualPlot(solution, { title, rtol, bNorm: scaleOf(b) });
}

/** The norm that residuals are relative to: ‖b‖₂; 1 for b = 0, whose residual is absolute. */
function scaleOf(b: Float64Array): number {
  return norm2(b) || 1;
}

function named({ method, preconditioner }: Report): string {
  return preconditioner === 'none' ? method : `${method} with ${preconditioner}`;
}

function printReport(report: Report): void {
  const { matrix, rows, cols, nnz, field, format, threads, binary, reasons } = report;
  const { converged, reason, iterations, relativeResidual, rate, setupMs, solveMs } = report;
  const computer = threads === null ? binary : `${threads} thread${threads === 1 ? '' : 's'}, ${binary}`;
  const shape = rows === cols ? `${formatCount(rows)} unknowns` : `${formatCount(rows)} × ${formatCount(cols)}`;
  print(matrix);
  print(`  matrix     ${shape}, ${formatCount(nnz)} ${field === 'complex' ? 'complex ' : ''}entries`);
  print(`  method     ${named(report)}, ${format}, ${computer}`);
  for (const text of reasons) printLine('             ', text);
  print(`  setup      ${formatFigure(setupMs)} ms`);
  printLevels(report);
  print(`  solve      ${formatFigure(solveMs)} ms, ${formatCount(iterations)} iterations`);
  if (rate !== null) print(`  rate       each iteration multiplies the residual by ${rate.toFixed(2)}, on average`);
  print(`  residual   ${relativeResidual.toExponential(2)} of ‖b‖${converged ? '' : `: not converged (${reason})`}`);
}

/** The levels of multigrid, from A to the coarsest one. */
function printLevels({ blockRows, levels, gridComplexity, operatorComplexity }: Report): void {
  if (levels === undefined || gridComplexity === undefined || operatorComplexity === undefined) return;
  const rows = levels.map(({ rows, nnz }, level) => [
    ...[level, rows, nnz].map(formatCount),
    (nnz / Math.max(1, rows)).toFixed(1),
  ]);
  const table = renderTable(['level', 'rows', 'entries', 'per row'], rows, [0, 1, 2, 3]).split('\n');
  for (const [k, line] of table.entries()) print(`  ${k === 0 ? 'levels' : '      '}     ${line}`);
  const [grid, operator] = [gridComplexity, operatorComplexity].map((complexity) => complexity.toFixed(2));
  print(`             grid complexity ${grid}, operator complexity ${operator}: rows and entries over those of A`);
  if (blockRows !== undefined)
    print(`             ${blockRows} unknowns for each node, which aggregates keep together`);
}

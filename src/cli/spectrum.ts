/** What `sparlane eigs` and `sparlane svds` share: their options, their tables, files of vectors. */
import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { mismatch } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import { isSameFile } from '../io/files.node.js';
import { saveStream } from '../io/save.node.js';
import { write } from '../io/write.js';
import type { Vector } from '../memory/vector.js';
import { formatCount, formatFigure } from '../pictures/figures.js';
import { spectrumPlot } from '../pictures/spectrum-plot.js';
import { integerOption, jsonOption, threadsOption } from './options.js';
import { print, printLine } from './output.js';
import { renderTable } from './table.js';

export interface SpectrumCommandOptions {
  readonly k: number;
  readonly tolerance: number;
  readonly maxIterations?: number;
  readonly svg?: string;
  readonly threads?: number;
  readonly json?: boolean;
}

export const EXIT_HELP = `
Exit code 3: not all of them reached --tolerance, or the search was stopped by Ctrl-C; files
then have the best so far.`;

export function addSpectrumOptions(command: Command): Command {
  return command
    .addOption(integerOption('-k <n>', 'how many', 1, 1e6).default(6))
    .addOption(new Option('--tolerance <number>', 'of residuals').default(1e-8).argParser(tolerance))
    .addOption(integerOption('--max-iterations <n>', 'default: 10 times the size, at least 1000', 1, 1e9))
    .option('--svg <file>', 'draw the values, as SVG')
    .addOption(threadsOption())
    .addOption(jsonOption());
}

function tolerance(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw mismatch('argument', '--tolerance', 'a number from 0 to 1', text);
}

export function npyFile(option: string): (path: string) => string {
  return (path) => {
    if (/\.npy$/i.test(path)) return path;
    throw mismatch('argument', option, 'a name that ends in .npy', path);
  };
}

/** @param files by the names of their options @throws SparlaneError `argument` if one is the matrix */
export async function refuseSource(source: string, files: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const [option, path] of Object.entries(files))
    if (path !== undefined && (await isSameFile(path, source)))
      throw mismatch('argument', `--${option}`, 'another file than the matrix', path);
}

/** Runs a search that Ctrl-C stops. */
export async function untilInterrupted<T>(search: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const abort = () => interrupted.abort();
  process.once('SIGINT', abort);
  try {
    return await search(interrupted.signal);
  } finally {
    process.off('SIGINT', abort);
  }
}

/** Saves a block as NumPy does, with the shape [rows, columns]. */
export async function saveBlock(path: string | undefined, block: Vector): Promise<void> {
  if (path === undefined) return;
  const { length: rows, columns } = block;
  await saveStream(path, await write(path, { rows, columns, values: block.toArray() }));
}

/** The members of both answers that are reported. */
interface Counts {
  /** How many meet the tolerance. */
  readonly converged: number;
  readonly reason: string;
  readonly iterations: number;
  readonly products: number;
  readonly solves?: number;
  readonly setupMs: number;
  readonly solveMs: number;
}

/** A value, or its real and its imaginary part. */
type SpectrumValue = number | readonly [real: number, imaginary: number];

/** What a search has found. */
export interface SpectrumAnswer extends Counts {
  readonly values: Float64Array | readonly SpectrumValue[];
  readonly residualNorms: Float64Array;
  /** Of each value, where left vectors were asked for; and the residual norms of those. */
  readonly conditions?: Float64Array;
  readonly leftResidualNorms?: Float64Array;
  readonly decision: { readonly method: string; readonly reasons: readonly string[] };
}

/** What is printed; with --json as it is. */
export interface SpectrumReport extends Counts {
  readonly matrix: string;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly method: string;
  readonly threads: number;
  readonly binary: string;
  readonly values: readonly SpectrumValue[];
  readonly residualNorms: readonly number[];
  readonly conditions?: readonly number[];
  readonly leftResidualNorms?: readonly number[];
  readonly reasons: readonly string[];
}

export function spectrumReport(
  source: string,
  { rows, cols, nnz }: { readonly rows: number; readonly cols: number; readonly nnz: number },
  engine: Engine,
  {
    values,
    residualNorms,
    conditions,
    leftResidualNorms,
    decision,
    converged,
    reason,
    iterations,
    products,
    solves,
    setupMs,
    solveMs,
  }: SpectrumAnswer,
): SpectrumReport {
  return {
    ...{ matrix: source, rows, cols, nnz, method: decision.method, threads: engine.threads, binary: engine.binary },
    ...{ values: [...values], residualNorms: [...residualNorms] },
    ...(conditions && { conditions: [...conditions] }),
    ...(leftResidualNorms && { leftResidualNorms: [...leftResidualNorms] }),
    ...{ converged, reason },
    ...{
      iterations,
      products,
      ...(solves !== undefined && { solves }),
      setupMs,
      solveMs,
      reasons: [...decision.reasons],
    },
  };
}

/** @param name of a value in the table */
export function printSpectrum(report: SpectrumReport, name: string): void {
  const { matrix, rows, cols, nnz, method, threads, binary, reasons } = report;
  const { values, residualNorms, conditions, converged, reason, iterations, products, solves = 0 } = report;
  const { setupMs, solveMs } = report;
  const counts = [
    `${formatCount(iterations)} iterations`,
    `${formatCount(products)} products`,
    ...(solves > 0 ? [`${formatCount(solves)} solves`] : []),
  ];
  print(matrix);
  print(`  matrix     ${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries`);
  print(`  method     ${method}, ${threads} thread${threads === 1 ? '' : 's'}, ${binary}`);
  for (const text of reasons) printLine('             ', text);
  print(`  setup      ${formatFigure(setupMs)} ms`);
  print(`  search     ${formatFigure(solveMs)} ms, ${counts.join(', ')}`);
  print(`  converged  ${converged} of ${values.length}${reason === 'tolerance' ? '' : ` (${reason})`}`);
  const heads = ['', name, 'residual', ...(conditions === undefined ? [] : ['condition'])];
  const lines = values.map((value, k) => [
    ...[String(k + 1), formatValue(value), residualNorms[k]!.toExponential(1)],
    ...(conditions === undefined ? [] : [conditions[k]!.toExponential(1)]),
  ]);
  for (const line of renderTable(heads, lines, [0, 1, 2, 3]).split('\n')) print(`  ${line}`);
}

/** 12 digits: `0.500000000000 + 1.50000000000i`. */
function formatValue(value: SpectrumValue): string {
  if (typeof value === 'number') return value.toPrecision(12);
  const [real, imaginary] = value;
  if (imaginary === 0) return real.toPrecision(12);
  return `${real.toPrecision(12)} ${imaginary < 0 ? '-' : '+'} ${Math.abs(imaginary).toPrecision(12)}i`;
}

/** Draws values, or, if they are complex, their moduli. */
export async function saveSpectrum(path: string | undefined, report: SpectrumReport, name: string): Promise<void> {
  if (path === undefined) return;
  const { values, residualNorms, matrix } = report;
  const moduli = values.map((value) => (typeof value === 'number' ? value : Math.hypot(...value)));
  const isComplex = values.some((value) => typeof value !== 'number');
  const title = `${matrix}: ${isComplex ? 'moduli of ' : ''}${values.length} ${name}s`;
  await writeFile(path, spectrumPlot({ values: moduli, ...(!isComplex && { residualNorms }) }, { title }));
}

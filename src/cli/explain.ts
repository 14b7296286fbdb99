/** `sparlane explain`: which format is chosen for a matrix, among which candidates, and why. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Decision, Products, RankedFormat } from '../choice/choose.js';
import { mismatch } from '../core/errors.js';
import type { Dtype } from '../core/types.js';
import { type Features, MANY } from '../features/features.js';
import { createEngine } from '../index.node.js';
import { checkSource, loadMatrix } from './load.js';
import { CORES, type Device, deviceOption, dtypeOption, integerOption, jsonOption, threadsOption } from './options.js';
import { complain, formatCount, formatFigure, MAX_WIDTH, print, printJson, printLine } from './output.js';
import { type Computer, computerOf, threadsOf } from './product.js';
import { renderTable } from './table.js';

interface Options {
  readonly dtype: Dtype;
  readonly threads?: number;
  readonly device: Device;
  readonly products: Products;
  readonly tune?: number;
  readonly allowPermutation?: boolean;
  readonly json?: boolean;
}

const HELP = `
Row lengths are those of the whole matrix; all other features are those of a sample of some
thousand entries. Times are predicted by a cost model fitted to one machine (the README says which),
on a GPU by a model of an NVIDIA H200 with empty caches, whatever the GPU. With --tune the best few
formats are measured on this machine as well. 'conversion' is its cost in products of csr.`;

export function addExplain(program: Command): void {
  program
    .command('explain')
    .summary('which format is chosen for a matrix, and why')
    .description("Shows which format 'auto' chooses for a matrix, among which candidates, and why.")
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .addOption(dtypeOption())
    .addOption(threadsOption())
    .addOption(deviceOption(['cpu', 'cuda', 'auto']))
    .addOption(
      new Option('--products <n>', "products expected, or 'many'").default(1000).argParser((text) => productsOf(text)),
    )
    .addOption(integerOption('--tune <ms>', 'measure the best few formats, in so many milliseconds', 1, 3_600_000))
    .option('--allow-permutation', 'reorder rows and columns where that pays')
    .addOption(jsonOption('print the decision as one JSON object'))
    .addHelpText('after', HELP)
    .action(explain);
}

async function explain(source: string, options: Options): Promise<void> {
  const { dtype, threads = CORES, device, products, tune, allowPermutation = false } = options;
  checkSource(source);
  const matrix = await loadMatrix(source);
  await using engine = await createEngine({ threads, device, onHint: ({ message }) => complain(message) });
  const budget = tune === undefined ? {} : { tune: { budgetMs: tune } };
  using operator = engine.operator(matrix, { dtype, products, allowPermutation, ...budget });
  const decision = operator.decision!;
  const reordered = operator.ordering !== undefined;
  const computer = computerOf(engine);
  const about = { matrix: source, ...computer, stored: operator.matrix.spec, reordered };
  if (options.json) printJson({ ...about, ...decision, threads: threadsOf(engine) });
  else printDecision(source, decision, computer, reordered);
}

export function printDecision(
  source: string,
  decision: Decision,
  { device, binary }: Computer,
  reordered: boolean,
): void {
  const { features, dtype, threads, products, ranking, chosen, reason, multipliesPadding, examineMs, chooseMs } =
    decision;
  const csr = ranking.find(({ spec }) => spec === 'csr') ?? chosen;
  print(source);
  for (const [name, value] of describe(features)) printLine(`  ${name.padEnd(12)}`, value);
  print('');
  print(tableOf(decision, csr, device).replaceAll(/^/gm, INDENT));
  print('');
  const computer = device === 'cuda' ? binary : `${threads} thread${threads === 1 ? '' : 's'}`;
  print(`  ${dtype}, ${computer}, ${products} products expected${reordered ? ', reordered' : ''}`);
  printLine('  chosen: ', `${chosen.spec}: ${reason}`);
  if (multipliesPadding) printLine('  padding: ', PADDED);
  print(`  examined in ${formatFigure(examineMs)} ms, chosen in ${formatFigure(chooseMs)} ms`);
}

const INDENT = '  ';

const PADDED =
  'multiplied, so NaN and infinities of x spread to rows that do not use them (the option padding: false avoids it)';

function tableOf({ features, ranking }: Decision, csr: RankedFormat, device: Computer['device']): string {
  const isMeasured = ranking.some(({ measuredMs }) => measuredMs !== undefined);
  const columns = COLUMNS.filter(
    ({ only = device, isOptional = false }) => only === device && (isMeasured || !isOptional),
  );
  const rows = ranking.map((format) => columns.map(({ cell }) => cell(format, csr, features)));
  const heads = columns.map(({ head }) => head);
  return renderTable(heads, rows, [...heads.keys()].slice(1), MAX_WIDTH - INDENT.length);
}

function describe(features: Features): [string, string][] {
  const { rows, cols, nnz, field, symmetry, longestRow, lengthVariance } = features;
  const percent = (share: number) => `${formatFigure(100 * share)} %`;
  const upTo = (count: number) => (count >= MANY ? 'many' : formatCount(count));
  return [
    ['matrix', `${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries, ${field}, ${symmetry}`],
    [
      'rows',
      `${formatFigure(nnz / Math.max(rows, 1))} entries, variance ${formatFigure(lengthVariance)}, longest ${formatCount(longestRow)}; ${percent(features.unsteady)} differ in length from the row before, ${percent(features.repeated)} have its columns`,
    ],
    [
      'columns',
      `${percent(features.adjacent)} follow the column before; ${upTo(features.diagonals)} diagonals; mean distance ${formatFigure(features.offDiagonal)} from the main one`,
    ],
    [
      'x',
      `${percent(features.scattered)} of the gathers are scattered, over ${formatCount(Math.round(features.reach))} columns; clustering ${formatFigure(features.clustering)}`,
    ],
    ['values', `${upTo(features.differentValues)} different`],
  ];
}

interface Column {
  readonly head: string;
  readonly cell: (format: RankedFormat, csr: RankedFormat, features: Features) => string;
  /** The device that has this column; undefined: every device. */
  readonly only?: Computer['device'];
  /** Only if formats were measured. */
  readonly isOptional?: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'format', cell: ({ spec }) => spec },
  { head: 'threads', cell: ({ threads }) => `${threads}`, only: 'cpu' },
  { head: 'bytes per entry', cell: ({ bytes }, _, { nnz }) => (bytes / Math.max(nnz, 1)).toFixed(1) },
  { head: 'predicted ms', cell: ({ productMs }) => formatFigure(productMs) },
  { head: '× csr', cell: ({ productMs }, csr) => (csr.productMs / productMs).toFixed(2) },
  { head: 'conversion', cell: ({ conversionMs }, csr) => (conversionMs / csr.productMs).toFixed(1) },
  {
    head: 'measured ms',
    cell: ({ measuredMs }) => (measuredMs === undefined ? '' : formatFigure(measuredMs)),
    isOptional: true,
  },
];

function productsOf(text: string): Products {
  if (text === 'many') return text;
  const products = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(products >= 1)) throw mismatch('argument', '--products', "a whole number from 1, or 'many'", text);
  return products;
}

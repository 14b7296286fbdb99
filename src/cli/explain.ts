/** `sparlane explain`: which format is chosen for a matrix, among which candidates, and why. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { PlanReport } from '../backends/plan.js';
import type { Decision, Products } from '../choice/choose.js';
import { mismatch } from '../core/errors.js';
import type { Dtype } from '../core/types.js';
import type { DeviceChoice } from '../engine/start-engine.js';
import { createEngine } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { saveStream } from '../io/save.node.js';
import { explain as explainAsHtml } from '../pictures/explain.js';
import { explanationOf } from '../pictures/explanation.js';
import { formatFigure } from '../pictures/figures.js';
import { checkSource, loadMatrix } from './load.js';
import { CORES, deviceOption, dtypeOption, jsonOption, threadsOption } from './options.js';
import { complain, MAX_WIDTH, print, printJson, printLine } from './output.js';
import { type Computer, computerOf, threadsOf } from './product.js';
import { renderTable } from './table.js';

interface ExplainOptions {
  readonly dtype: Dtype;
  readonly threads?: number;
  readonly device: DeviceChoice;
  readonly products: Products;
  readonly tune?: boolean;
  readonly allowPermutation?: boolean;
  readonly html?: string;
  readonly json?: boolean;
}

const HELP = `
Row lengths are those of the whole matrix; all other features are those of a sample of some
thousand entries. Times are predicted by a cost model fitted to one machine (the README says which),
on a GPU by a model of an NVIDIA H100 with empty caches, whatever the GPU. With --tune formats whose
times are predicted close to the best are measured as well, as far as that is expected to pay within
the products. 'conversion' is its cost in products of csr. On a GPU a kernel may have several
methods: 'expected' are the times of those among which it chose, as it estimates them for this GPU.`;

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
    .option('--tune', "measure formats that are predicted close to the best; default with '--products many'")
    .option('--no-tune', 'trust the prediction')
    .option('--allow-permutation', 'reorder rows and columns where that pays')
    .option('--html <file>', 'write the explanation as a page, too')
    .addOption(jsonOption('print the decision as one JSON object'))
    .addHelpText('after', HELP)
    .action(explain);
}

async function explain(source: string, options: ExplainOptions): Promise<void> {
  const { dtype, threads = CORES, device, products, tune, allowPermutation = false, html } = options;
  checkSource(source);
  if (html !== undefined && (await isSameFile(html, source)))
    throw mismatch('argument', '--html', 'another file than the matrix', html);
  const matrix = await loadMatrix(source);
  await using engine = await createEngine({ threads, device, onHint: ({ message }) => complain(message) });
  const measuring = tune === undefined ? {} : { tune };
  using operator = engine.operator(matrix, { dtype, products, allowPermutation, ...measuring });
  const decision = operator.decision!;
  const reordered = operator.ordering !== undefined;
  const computer = computerOf(engine);
  const about = { matrix: source, ...computer, stored: operator.matrix.spec, reordered };
  const { memories = 1, methods = [], estimates = [] } = operator.plan;
  if (options.json) printJson({ ...about, ...decision, threads: threadsOf(engine), memories, methods, estimates });
  else {
    printDecision(source, decision, computer, reordered);
    if (memories > 1) printLine('  memories: ', `the rows are in ${memories}`);
    printMethods(operator.plan);
  }
  if (html === undefined) return;
  const gpu = computer.device === 'cuda' ? { gpu: computer.binary } : {};
  const page = explainAsHtml(decision, { ...gpu, title: source, page: true, reordered });
  await saveStream(html, new TextEncoder().encode(page));
}

export function printDecision(
  source: string,
  decision: Decision,
  { device, binary }: Computer,
  reordered: boolean,
): void {
  const gpu = device === 'cuda' ? binary : undefined;
  const { features, heads, rows, circumstances, conclusions, times } = explanationOf(decision, gpu, reordered);
  print(source);
  for (const [name, value] of features) printLine(`  ${name.padEnd(12)}`, value);
  print('');
  print(renderTable(heads, rows, [...heads.keys()].slice(1), MAX_WIDTH - INDENT.length).replaceAll(/^/gm, INDENT));
  print('');
  print(`  ${circumstances}`);
  for (const [name, text] of conclusions) printLine(`  ${name}: `, text);
  print(`  ${times}`);
}

/** Prints the method of each kernel of a device, and those among which it chose. */
export function printMethods({ methods = [], estimates = [] }: Pick<PlanReport, 'methods' | 'estimates'>): void {
  methods.forEach((method, place) => {
    const listed = (estimates[place] ?? []).map((one) => `${one.method} ${formatFigure(one.ns / 1e3)} µs`);
    printLine('  method: ', listed.length === 0 ? method : `${method}; expected: ${listed.join(', ')}`);
  });
}

const INDENT = '  ';

function productsOf(text: string): Products {
  if (text === 'many') return text;
  const products = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(products >= 1)) throw mismatch('argument', '--products', "a whole number from 1, or 'many'", text);
  return products;
}

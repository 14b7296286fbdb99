/** `sparlane bench`: all combinations of formats, dtypes and threads over some matrices, verified and timed in turn. */
import type { Command } from 'commander';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Dtype } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { DeviceChoice } from '../engine/start-engine.js';
import { cpuModel } from '../engine/tuning.node.js';
import { isRefusal } from '../formats/format.js';
import { FORMATS } from '../formats/registry.js';
import { gallery } from '../gallery/registry.js';
import { createEngine } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { saveStream } from '../io/save.node.js';
import { AUTO } from '../operators/operator-options.js';
import { formatFigure } from '../pictures/figures.js';
import { createGathers, createReadStream, deviceAlone } from './bandwidth.js';
import { type BenchLine, type Group, isTimed, type Lane, measureGroup } from './bench-group.js';
import { benchPage } from './bench-html.js';
import { printTables } from './bench-table.js';
import { checkSource, loadMatrix } from './load.js';
import {
  CORES,
  deviceOption,
  dtypesOption,
  formatsOption,
  integerOption,
  jsonOption,
  threadListOption,
} from './options.js';
import { complain, print, printJson, showProgress } from './output.js';
import { type Computer, computerOf } from './product.js';

interface BenchOptions {
  readonly formats: readonly string[];
  readonly threads: readonly number[];
  readonly dtype: readonly Dtype[];
  readonly device: DeviceChoice;
  readonly time: number;
  readonly html?: string;
  readonly json?: boolean;
}

/** One of each shape: short regular rows, long regular rows, random with locality, power law, blocks of equal rows. */
const DEFAULT_MATRICES = [
  'gallery:laplace2d5?nx=1000&ny=1000',
  'gallery:laplace3d27?nx=100&ny=100&nz=100',
  'gallery:rgg?n=262144',
  'gallery:rmat?scale=18&edgeFactor=16',
  'gallery:qcd?nx=8&ny=8&nz=8&nt=8',
];

const DEFAULT_FORMATS = [AUTO, ...FORMATS.map(({ variants }) => variants[0]!)];

const TIME_MS = 500;

/** Small, square and symmetric, so that every format accepts it. */
const SMALL = gallery('laplace2d5', { nx: 12, ny: 12 });

const HELP = `
Every product is verified before it is timed, as by 'sparlane multiply'. The combinations of a
matrix and a dtype are timed in turn, slice by slice, with reads of memory in between; many formats
are timed in groups, each with csr.

threads     '1 of 2': the matrix is so small that the caller computes alone
setup ms    validation, layout and planning; the second time, in memory that was used before
spread      the middle half of the times, in percent of the median
of bus      share of the memory bandwidth of the same threads; 'cache': it runs from a cache
paid back   number of products after which a setup longer than that of csr has paid off
cold ms     on a device: by its clock, L2 emptied before each product; used for all other columns
warm ms     on a device: products back to back

With --device cuda, --threads is ignored.
--json prints the keys of 'sparlane multiply --json', and
  setupProducts     the setup in products of csr
  paybackProducts   'paid back'
  gathersPerNs      on a device, random gathers of f64 per ns from an x of 16 MiB
For auto, 'requested' is auto and 'format' is the format that was chosen. A combination that was not
timed has 'error', 'code', and 'wrong': false where the format refused the matrix.`;

export function addBench(program: Command): void {
  program
    .command('bench')
    .summary('compare formats, dtypes and threads, timed in turn')
    .description('Compares formats, dtypes and numbers of threads on matrices; by default on five of the gallery.')
    .argument('[matrices...]', 'files or gallery:name?parameters')
    .addOption(formatsOption(DEFAULT_FORMATS, 'auto and one variant of each'))
    .addOption(threadListOption([...new Set([1, CORES])]))
    .addOption(dtypesOption())
    .addOption(deviceOption())
    .addOption(integerOption('--time <ms>', 'time for each combination, in milliseconds', 1, 1e6).default(TIME_MS))
    .option('--html <file>', 'write the tables as a page, too')
    .addOption(jsonOption('print JSON, one object per line and combination'))
    .addHelpText('after', HELP)
    .action(bench);
}

async function bench(given: readonly string[], options: BenchOptions): Promise<void> {
  const sources = given.length > 0 ? given : DEFAULT_MATRICES;
  for (const source of sources) {
    checkSource(source);
    if (options.html !== undefined && (await isSameFile(options.html, source)))
      throw mismatch('argument', '--html', 'another file than a matrix', options.html);
  }
  const lanes = await openLanes(options);
  try {
    warmUp(lanes, options);
    const lines: BenchLine[] = [];
    for (const source of sources) lines.push(...(await benchMatrix(lanes, source, options)));
    const { device, binary } = computerOf(lanes[0]!.engine);
    const computer = describeComputer(device, binary, lines);
    if (!options.json) {
      printTables(lines, device);
      print(computer);
    }
    if (options.html !== undefined)
      await saveStream(options.html, new TextEncoder().encode(benchPage(lines, device, computer)));
  } finally {
    await Promise.all(lanes.map(({ engine }) => engine.dispose()));
  }
}

/** An engine for each number of threads; on a device, one. */
async function openLanes({ threads: threadCounts, device }: BenchOptions): Promise<Lane[]> {
  const lanes: Lane[] = [];
  const said = new Set<string>();
  const onHint = ({ message }: Hint) => {
    if (!said.has(message)) complain(message);
    said.add(message);
  };
  for (const threads of threadCounts) {
    const engine = await createEngine({ threads, device, onHint });
    lanes.push({ engine, stream: createReadStream(engine, engine.heap.scope()), gathers: createGathers(engine) });
    if (deviceAlone(engine) !== undefined) break;
  }
  return lanes;
}

/** Warms up the kernels, so that no format's setup time includes it. */
function warmUp(lanes: readonly Lane[], { formats, dtype: dtypes }: BenchOptions): void {
  for (const { engine } of lanes) {
    for (const format of formats) {
      for (const dtype of dtypes) warmUpFormat(engine, format, dtype);
    }
  }
}

function warmUpFormat(engine: Engine, format: string, dtype: Dtype): void {
  try {
    engine.operator(SMALL, { format, dtype }).dispose();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

/** A matrix that cannot be read is reported, and the run continues with the others. */
async function benchMatrix(lanes: readonly Lane[], source: string, options: BenchOptions): Promise<BenchLine[]> {
  let matrix: CsrMatrix;
  try {
    matrix = await loadMatrix(source);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    return [];
  }
  const lines: BenchLine[] = [];
  for (const dtype of options.dtype) {
    const group = await watchGroup(lanes, { source, matrix, dtype, formats: options.formats, timeMs: options.time });
    if (group.some((line) => !isTimed(line) && line.wrong)) process.exitCode = 1;
    if (options.json) for (const line of group) printJson(line);
    lines.push(...group);
  }
  return lines;
}

/** Shows the current step; nothing else is printed meanwhile. */
async function watchGroup(lanes: readonly Lane[], group: Omit<Group, 'say'>): Promise<BenchLine[]> {
  const what = `${group.source} in ${group.dtype}`;
  using progress = showProgress(`timing ${what}`);
  return await measureGroup(lanes, { ...group, say: (text) => progress.say(`${what}: ${text}`) });
}

function describeComputer(device: Computer['device'], binary: string, lines: readonly BenchLine[]): string {
  const node = `Node ${process.versions.node}`;
  if (device !== 'cuda') return `${cpuModel()}, ${CORES} cores, ${node}, ${binary} kernels`;
  return `${binary}: ${abilities(lines)}; ${node}`;
}

/** The maximum of the bandwidths measured with the products. */
function abilities(lines: readonly BenchLine[]): string {
  const timed = lines.filter(isTimed);
  const greatest = (numbers: number[]) => formatFigure(numbers.length === 0 ? Number.NaN : Math.max(...numbers));
  const read = greatest(timed.map(({ bandwidthGbps }) => bandwidthGbps));
  const gathered = greatest(timed.flatMap(({ gathersPerNs }) => gathersPerNs ?? []));
  return `reads ${read} GB/s, gathers ${gathered} numbers per ns`;
}

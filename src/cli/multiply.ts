/** `sparlane multiply`: one product, verified and timed. */
import type { Command } from 'commander';
import { type ExpectedProduct, expectedProduct } from '../conformance/expected.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type Dtype, vectorArray } from '../core/types.js';
import { createEngine } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { writeMatrixMarketVector } from '../io/matrix-market-writer.js';
import { saveStream } from '../io/save.node.js';
import type { Engine } from '../operators/engine.js';
import { createReadStream } from './bandwidth.js';
import { checkSource, loadMatrix, loadVector } from './load.js';
import {
  CORES,
  type Device,
  deviceOption,
  dtypeOption,
  formatOption,
  integerOption,
  jsonOption,
  threadsOption,
} from './options.js';
import { complain, formatCount, formatFigure, print, printJson } from './output.js';
import {
  busShare,
  type Combination,
  type ProductReport,
  prepareProduct,
  reportProduct,
  threadsOf,
  type VerifiedProduct,
} from './product.js';
import { timeInTurn } from './timing.js';

interface Options {
  readonly x?: string;
  readonly output?: string;
  readonly format: string;
  readonly dtype: Dtype;
  readonly device: Device;
  readonly threads?: number;
  readonly repeat?: number;
  readonly json?: boolean;
}

const HELP = `
The product is compared with one in f64, left to right, of the same entries, row by row: it may be off by
2 γ (|A||x|), where γ = n u / (1 − n u), n is the entries of the row + 2, and u = 2^-53 (f32: 2^-24).
If it is off by more, the exit code is 1. maxError is the greatest error relative to (|A||x|).
gbps counts every array of the matrix, x and y once per product; bandwidthFraction is its share of what the
same threads, or the device, read from memory, measured in turn with the products. On a device both are timed by its clock, with its L2
emptied before each product; warmMs is the median of products right after one another.`;

/** How long products, and reads of memory, are timed if nobody says otherwise. */
const TIME_MS = 300;

export function addMultiply(program: Command): void {
  program
    .command('multiply')
    .summary('y = A x, verified and timed')
    .description('Computes y = A x, verifies it, and says how fast it was.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .option('--x <file>', 'x, a Matrix Market vector; default: ones')
    .option('--output <file>', 'where to write y, as a Matrix Market array')
    .addOption(formatOption())
    .addOption(dtypeOption())
    .addOption(threadsOption())
    .addOption(deviceOption())
    .addOption(integerOption('--repeat <k>', 'products to time; default: as many as fit into 0.3 s', 1, 1e9))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(multiply);
}

async function multiply(source: string, options: Options): Promise<void> {
  const { format, dtype, threads = CORES, device } = options;
  checkSource(source);
  if (options.output !== undefined) await checkOutput(options.output, source);
  const matrix = await loadMatrix(source);
  const x = await loadX(matrix, dtype, options.x);
  await using engine = await createEngine({ threads, device, onHint: ({ message }) => complain(message) });
  const combination: Combination = { matrix: source, requested: format, dtype, threads: threadsOf(engine) };
  const expected: ExpectedProduct = expectedProduct(matrix, dtype, x, x, 1, 0);
  using product = prepareProduct(engine, matrix, combination, x, expected);
  const report = await measure(engine, combination, product, options.repeat);
  if (options.json) printJson(report);
  else printReport(report);
  if (product.fault !== undefined) {
    complain(`${format} ${dtype} on ${computer(report)} is wrong: ${product.fault}`);
    process.exitCode = 1;
  } else if (options.output !== undefined) {
    await saveStream(options.output, writeMatrixMarketVector(product.y, { comment: `A x, A = ${source}` }));
  }
}

/** Over x is fine, as in an iteration: y is a vector too. Over the matrix can only be a mistake, and would cost the matrix. */
async function checkOutput(output: string, source: string): Promise<void> {
  if (!(await isSameFile(output, source))) return;
  throw mismatch('argument', '--output', 'another file than the matrix', output);
}

/** x in the precision of the product. */
async function loadX(
  { cols }: CsrMatrix,
  dtype: Dtype,
  path: string | undefined,
): Promise<Float64Array | Float32Array> {
  const type = vectorArray(dtype);
  if (path === undefined) return new type(cols).fill(1);
  const x = await loadVector(path);
  if (x.length !== cols)
    throw mismatch('shape', path, `a vector of length cols = ${cols}`, x, { cols, length: x.length });
  return type.from(x);
}

async function measure(
  engine: Engine,
  combination: Combination,
  product: VerifiedProduct,
  repeat: number | undefined,
): Promise<ProductReport> {
  using scope = engine.heap.scope();
  const stream = createReadStream(engine, scope);
  const budget = repeat === undefined ? { timeMs: TIME_MS } : { repeat };
  const [reading, ...timings] = await timeInTurn([
    { ...stream, timeMs: TIME_MS },
    ...product.timed.map((timed) => ({ ...timed, ...budget })),
  ]);
  return reportProduct(engine, combination, product, timings, {
    bandwidthGbps: stream.bytes / reading!.medianMs / 1e6,
  });
}

function printReport(report: ProductReport): void {
  const { matrix, rows, cols, nnz, requested, format, dtype } = report;
  const { setupMs, medianMs, minMs, warmMs, spreadPercent, products } = report;
  const { gflops, gbps, bandwidthGbps, maxError } = report;
  const memory = `${formatFigure(bandwidthGbps)} GB/s`;
  const share = report.inCache
    ? `from a cache; memory delivers ${memory}`
    : `${busShare(report)} of the memory's ${memory}`;
  const cold = warmMs === undefined ? '' : ', L2 emptied before each';
  print(matrix);
  print(`  matrix    ${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries`);
  const chosen = requested === format ? '' : `, chosen (sparlane explain says why)`;
  print(`  product   ${format} ${dtype}, ${computer(report)}${chosen}`);
  print(`  setup     ${formatFigure(setupMs)} ms`);
  print(
    `  median    ${formatFigure(medianMs)} ms of ${formatCount(products)}, spread ${spreadPercent.toFixed(0)} %${cold}`,
  );
  if (warmMs !== undefined) print(`  warm      ${formatFigure(warmMs)} ms, right after one another`);
  print(`  minimum   ${formatFigure(minMs)} ms`);
  print(`  speed     ${formatFigure(gflops)} GFLOP/s, ${formatFigure(gbps)} GB/s, ${share}`);
  print(`  error     at most ${maxError.toExponential(1)} of |A||x|`);
}

/** Threads and kernels, or the device. */
function computer({ threads, parts, binary }: ProductReport): string {
  if (threads === null) return binary;
  return `${threads} thread${threads === 1 ? '' : 's'}${parts === 1 && threads > 1 ? ' (small: the caller alone)' : ''}, ${binary}`;
}

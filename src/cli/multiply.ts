/** `sparlane multiply`: one product, verified and timed. */
import type { Command } from 'commander';
import { type ExpectedProduct, expectedProduct } from '../conformance/expected.js';
import { type ComplexMatrix, realEquivalent } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { type Dtype, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { DeviceChoice } from '../engine/start-engine.js';
import { createEngine } from '../index.node.js';
import { isSameFile } from '../io/files.node.js';
import { formatCount, formatFigure } from '../pictures/figures.js';
import { createReadStream } from './bandwidth.js';
import { checkSource, loadAnyMatrix, loadVector, ones, saveVector } from './load.js';
import { CORES, deviceOption, dtypeOption, formatOption, integerOption, jsonOption, threadsOption } from './options.js';
import { complain, print, printJson } from './output.js';
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

interface MultiplyOptions {
  readonly x?: string;
  readonly output?: string;
  readonly format: string;
  readonly dtype: Dtype;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly repeat?: number;
  readonly json?: boolean;
}

const HELP = `
Verification: each row is compared with a plain sum in f64 of the same entries. The error may be at
most 2 γ (|A||x|), where γ = n u / (1 − n u), n is the number of entries of the row + 2, and
u = 2^-53 (f32: 2^-24). If it is greater, the exit code is 1.

A complex matrix is multiplied in the formats csr (auto), csrk, coo, ell, sell, hyb, dia and bsr,
with pairs of f64 or f32. Its rows are verified as those of the real matrix of twice the size.

Keys of --json, among others:
  maxError           greatest error relative to (|A||x|)
  gbps               every array of the matrix, x and y, counted once per product
  bandwidthGbps      speed of reading memory with the same threads or device, timed in turn
  bandwidthFraction  gbps / bandwidthGbps
  inCache            true where the product runs from a cache: its bytes fit in the last-level
                     cache of the cost model, or move much faster than memory delivers them
On a device products are timed by its clock, with L2 emptied before each; warmMs is the median of
products back to back.`;

/** Default time spent on products, and on reads of memory. */
const TIME_MS = 300;

export function addMultiply(program: Command): void {
  program
    .command('multiply')
    .summary('one product y = A x, verified and timed')
    .description('Computes y = A x, verifies it, and reports its speed.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .option('--x <file>', 'read x from this file, a vector; default: all ones')
    .option('--output <file>', 'write y to this file: .npy, or else a Matrix Market array')
    .addOption(formatOption())
    .addOption(dtypeOption())
    .addOption(threadsOption())
    .addOption(deviceOption())
    .addOption(integerOption('--repeat <k>', 'number of products to time; default: as many as fit in 0.3 s', 1, 1e9))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(multiply);
}

async function multiply(source: string, options: MultiplyOptions): Promise<void> {
  const { format, dtype, threads = CORES, device } = options;
  checkSource(source);
  if (options.output !== undefined) await checkOutput(options.output, source);
  const matrix = await loadAnyMatrix(source);
  const isComplex = matrix.field === 'complex';
  if (isComplex && dtype === 'mixed') throw mismatch('argument', '--dtype', 'f64 or f32 for a complex matrix', dtype);
  const x = await loadX(matrix, dtype, options.x);
  const onHint = ({ message }: Hint) => complain(message);
  await using engine = await createEngine({ threads, device, complex: isComplex, onHint });
  const combination: Combination = { matrix: source, requested: format, dtype, threads: threadsOf(engine) };
  const real = isComplex ? realEquivalent(matrix) : matrix;
  const expected: ExpectedProduct = expectedProduct(real, dtype, x, x, 1, 0);
  using product = prepareProduct(engine, matrix, combination, x, expected);
  const report = await measure(engine, combination, product, options.repeat);
  if (options.json) printJson(report);
  else printReport(report);
  if (product.fault !== undefined) {
    complain(`${format} ${dtype} on ${computer(report)} is wrong: ${product.fault}`);
    process.exitCode = 1;
  } else if (options.output !== undefined) {
    await saveVector(options.output, product.y, `A x, A = ${source}`, isComplex);
  }
}

/**
 * Writing y over the file of x is allowed, as in an iteration: y is a vector too. Writing it over the matrix can only
 * be a mistake, and would destroy the matrix.
 */
async function checkOutput(output: string, source: string): Promise<void> {
  if (!(await isSameFile(output, source))) return;
  throw mismatch('argument', '--output', 'another file than the matrix', output);
}

/** x in the precision of the product. */
async function loadX(
  { cols, field }: CsrMatrix | ComplexMatrix,
  dtype: Dtype,
  path: string | undefined,
): Promise<Float64Array | Float32Array> {
  const isComplex = field === 'complex';
  const x = path === undefined ? ones(cols, isComplex) : await loadVector(path, 'cols', cols, isComplex);
  return vectorArray(dtype).from(x);
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
  const { matrix, rows, cols, nnz, field, requested, format, dtype } = report;
  const { setupMs, medianMs, minMs, warmMs, spreadPercent, products } = report;
  const { gflops, gbps, bandwidthGbps, maxError } = report;
  const memory = `${formatFigure(bandwidthGbps)} GB/s`;
  const share = report.inCache
    ? `from a cache; memory delivers ${memory}`
    : `${busShare(report)} of the memory's ${memory}`;
  const cold = warmMs === undefined ? '' : ', L2 emptied before each';
  print(matrix);
  print(
    `  matrix    ${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} ${field === undefined ? '' : `${field} `}entries`,
  );
  const chosen = requested === format || field !== undefined ? '' : ', chosen by auto (why: sparlane explain)';
  print(`  product   ${format} ${dtype}, ${computer(report)}${chosen}`);
  print(`  setup     ${formatFigure(setupMs)} ms`);
  print(
    `  median    ${formatFigure(medianMs)} ms of ${formatCount(products)}, spread ${spreadPercent.toFixed(0)} %${cold}`,
  );
  if (warmMs !== undefined) print(`  warm      ${formatFigure(warmMs)} ms, back to back`);
  print(`  minimum   ${formatFigure(minMs)} ms`);
  print(`  speed     ${formatFigure(gflops)} GFLOP/s, ${formatFigure(gbps)} GB/s, ${share}`);
  print(`  error     at most ${maxError.toExponential(1)} of |A||x|`);
}

/** Threads and kernels, or the device. */
function computer({ threads, parts, binary }: ProductReport): string {
  if (threads === null) return binary;
  return `${threads} thread${threads === 1 ? '' : 's'}${parts === 1 && threads > 1 ? ' (small: computed by one)' : ''}, ${binary}`;
}

/** `sparlane demo`: three matrices, a JavaScript loop and two formats, measured in some seconds and shown on one screen. */
import type { Command } from 'commander';
import { compareProduct, type ExpectedProduct, expectedProduct } from '../conformance/expected.js';
import { sampleVector } from '../conformance/matrices.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import { cpuModel } from '../engine/tuning.node.js';
import { vectorBytes } from '../formats/format.js';
import { createEngine } from '../index.node.js';
import { AUTO } from '../operators/operator-options.js';
import { formatFigure } from '../pictures/figures.js';
import { spy } from '../pictures/spy.js';
import { createReadStream, type Stream } from './bandwidth.js';
import { DEMO_WIDTH, type DemoProduct, type DemoReport, demoBlock, HEADS, PICTURE, ruled } from './demo-block.js';
import { checkSource, loadMatrix } from './load.js';
import { CORES, integerOption, jsonOption, threadsOption } from './options.js';
import { complain, print, printJson, shortName, showProgress } from './output.js';
import { faultAt, isInCache, prepareProduct, reportProduct, threadsOf, type VerifiedProduct } from './product.js';
import { type SampleTimes, timeInTurn } from './timing.js';

interface DemoOptions {
  readonly threads?: number;
  readonly time: number;
  readonly json?: boolean;
}

interface Exhibit {
  readonly title: string;
  readonly source: string;
}

/** Different shapes, which favour different formats; csr is larger than most caches, and each is generated within a second. */
const EXHIBITS: readonly Exhibit[] = [
  { title: '5-point 1000²', source: 'gallery:laplace2d5?nx=1000&ny=1000' },
  { title: 'random geometric graph', source: 'gallery:rgg?n=262144' },
  { title: '4-D lattice, 3 × 3 blocks', source: 'gallery:qcd?nx=10&ny=10&nz=10&nt=10' },
];

const TIME_MS = 300;

const HELP = `
For each matrix: a plain JavaScript loop over CSR on one thread, format csr, and the format that
'auto' chooses. Every product is verified; then all are timed in turn, with reads of memory.
The length of a bar is GFLOP/s. Its │ is the speed at which the product would use the whole memory
bandwidth, measured with the same threads. 'of bus' is the share that it uses, or 'cache' where the
product runs from a cache.
--json prints one object for all matrices; csr and auto have the keys of 'sparlane multiply --json'.`;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('start here: three matrices, measured on this machine')
    .description('Compares csr and auto with a JavaScript loop, on three matrices of the gallery or on those given.')
    .argument('[matrices...]', 'files or gallery:name?parameters')
    .addOption(threadsOption())
    .addOption(integerOption('--time <ms>', 'time for each product, in milliseconds', 1, 1e6).default(TIME_MS))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(demo);
}

async function demo(given: readonly string[], { threads = CORES, time, json }: DemoOptions): Promise<void> {
  for (const source of given) checkSource(source);
  const exhibits = given.length > 0 ? given.map((source) => ({ source, title: shortName(source) })) : EXHIBITS;
  await using engine = await createEngine({ threads, onHint: ({ message }) => complain(message) });
  const stream = createReadStream(engine, engine.heap.scope());
  const reports: DemoReport[] = [];
  if (!json) printHead(engine);
  for (const { source, title } of exhibits) {
    const matrix = await loadMatrix(source);
    const report = await measure(engine, stream, source, matrix, time);
    reports.push(report);
    if (!json) for (const line of demoBlock(title, report, pictureOf(matrix))) print(line);
  }
  if (json) printJson({ cpu: cpuModel(), threads: engine.threads, binary: engine.binary, matrices: reports });
  else printNext(reports);
}

/** @throws SparlaneError `kernel` if a product is wrong */
async function measure(
  engine: Engine,
  stream: Stream,
  source: string,
  matrix: CsrMatrix,
  timeMs: number,
): Promise<DemoReport> {
  using _ = showProgress(`timing ${source}`);
  const { rows, cols, nnz } = matrix;
  const x = Float64Array.from(sampleVector(cols, 'real', 1));
  const expected = expectedProduct(matrix, 'f64', x, x, 1, 0);
  const combinationOf = (requested: string) =>
    ({ matrix: source, requested, dtype: 'f64', threads: threadsOf(engine) }) as const;
  const prepare = (requested: string) => prepareProduct(engine, matrix, combinationOf(requested), x, expected);
  const loop = prepareLoop(matrix, x, expected);
  using csr = prepare('csr');
  using auto = prepare(AUTO);
  for (const { fault } of [loop, csr, auto]) {
    if (fault !== undefined) throw new SparlaneError('kernel', `${source}: wrong product: ${fault}`);
  }
  const [reading, looping, ...ours] = await timeInTurn(
    [stream, loop, ...csr.timed, ...auto.timed].map((timed) => ({ ...timed, timeMs })),
  );
  const bandwidthGbps = stream.bytes / reading!.medianMs / 1e6;
  const report = (name: 'csr' | 'auto', product: VerifiedProduct, timing: SampleTimes): DemoProduct => ({
    name,
    ...reportProduct(engine, combinationOf(name), product, [timing], { bandwidthGbps }),
  });
  return {
    ...{ matrix: source, rows, cols, nnz, bandwidthGbps, reason: auto.operator.decision!.reason },
    products: [
      loopReport(matrix, loop.maxError, looping!, bandwidthGbps),
      report('csr', csr, ours[0]!),
      report('auto', auto, ours[1]!),
    ],
  };
}

/** A plain loop over the arrays of the matrix. */
function prepareLoop(matrix: CsrMatrix, x: Float64Array, expected: ExpectedProduct) {
  const y = new Float64Array(matrix.rows);
  const run = () => multiplyByLoop(matrix, x, y);
  run();
  const { maxError, firstWrong } = compareProduct(expected, y);
  return { run, maxError, fault: faultAt(firstWrong, y, expected) };
}

function multiplyByLoop({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) sum += values[k]! * x[colIdx[k]!]!;
    y[i] = sum;
  }
}

function loopReport(
  matrix: CsrMatrix,
  maxError: number,
  { medianMs }: SampleTimes,
  bandwidthGbps: number,
): DemoProduct {
  const { rowPtr, colIdx, values, nnz } = matrix;
  const bytes = rowPtr.byteLength + colIdx.byteLength + values.byteLength + vectorBytes(matrix, 'f64');
  const gbps = bytes / medianMs / 1e6;
  const bandwidthFraction = gbps / bandwidthGbps;
  const inCache = isInCache(bytes, bandwidthFraction);
  const gflops = (2 * nnz) / medianMs / 1e6;
  return { name: 'JavaScript', format: 'csr', medianMs, gflops, gbps, bandwidthFraction, inCache, maxError };
}

function printHead({ threads, binary }: Engine): void {
  const team = `${threads} thread${threads === 1 ? '' : 's'}`;
  print(`sparlane: y = A x in f64, ${team}, ${binary} kernels, all verified`);
  print('│ marks the speed that the memory bus allows for the format'.padEnd(DEMO_WIDTH - HEADS.length) + HEADS);
}

const NEXT = [
  ["npx sparlane explain 'gallery:rgg?n=262144'", 'how that format was chosen'],
  ['npx sparlane demo matrix.mtx.gz', 'the same for a matrix of yours'],
  ['npx sparlane bench matrix.mtx.gz', 'all formats, timed in turn'],
] as const;

function pictureOf(matrix: CsrMatrix): string[] {
  return spy(matrix, { as: 'text', ...PICTURE, frame: false }).split('\n');
}

function printNext(reports: readonly DemoReport[]): void {
  const bus = Math.max(...reports.map(({ bandwidthGbps }) => bandwidthGbps));
  print(ruled('what to try next', `memory bus: ${formatFigure(bus)} GB/s`));
  for (const [command, what] of NEXT) print(`${command.padEnd(44)}  ${what}`);
}

/**
 * Every format on every matrix, against the plain C loop (`peers/csr.c`, gcc -O3 -march=native, OpenMP): GFLOP/s, the ratio to
 * C, the share of the bus bandwidth that the format's own bytes use, and the cost of the conversion (without
 * validation) in products of `csr`. Each format is stored alone and takes turns with C, `csr` and the bus, so the
 * ratios of a line belong to one time and place. Products are verified before they are timed.
 *
 * At the end, per matrix: our best against the best of the published libraries measured earlier (`PEERS`).
 *
 * usage: npx bench formats [--rounds 6] [--threads 1,2] [--formats all] [--json FILE] [matrix …]     (after `npm run build`)
 *        a matrix is gallery:… or a Matrix Market file
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { compareProduct, expectedProduct } from '../dist/conformance/expected.js';
import { FORMAT_SPECS } from '../dist/formats/registry.js';
import { storeMatrix } from '../dist/formats/store.js';
import { createEngine } from '../dist/index.node.js';
import { benchVector, bus, hasPeer, native, print, product } from './contenders.mjs';
import { geometricMean } from './report/statistics.mjs';
import { median, takeTurns, time } from './times.mjs';

/**
 * The best published library over the plain C loop with two threads, on the machine of the README's figures: the best
 * of PETSc, CSR5 with AVX-512, merge-path and others. The random geometric graph, generated in a good order, stands for
 * the same graph after reverse Cuthill-McKee.
 */
const PEERS = {
  'gallery:laplace2d5': 1.25,
  'gallery:laplace3d27': 1.33,
  'gallery:laplace3d7': 1.05,
  'gallery:debruijn': 1.08,
  'gallery:rgg': 1.07,
  'gallery:rgg?order=grid': 1.14,
  'gallery:rmat': 1.07,
  'gallery:qcd': 1.71,
  'gallery:dense': 1.7,
  'gallery:circuit': 1.09,
  'gallery:laplace2d5?nx=300&ny=300&block=7': 1.05,
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    formats: { type: 'string', default: 'all' },
    json: { type: 'string' },
  },
});
const formats = flags.formats === 'all' ? FORMAT_SPECS : flags.formats.split(',');
const matrices = positionals.length > 0 ? positionals : Object.keys(PEERS);
const best = new Map();
const CONVERSIONS = 4;

print(
  `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}, ${hasPeer() ? 'gcc -O3 -march=native' : 'no gcc'}`,
);
for (const source of matrices) {
  const matrix = await loadMatrix(source);
  print(`\n${source}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries`);
  print(`threads  ${'format'.padEnd(34)}  GFLOP/s    × C  × csr  of bus  conversion`);
  for (const threads of new Set(flags.threads.split(',').map(Number))) {
    const engine = await createEngine({ threads });
    await compareAll(engine, source, matrix);
    await engine.dispose();
  }
}
summary();

async function compareAll(engine, source, matrix) {
  const { threads } = engine;
  const x = engine.vector(benchVector(matrix.cols));
  const y = engine.vector(matrix.rows);
  const expected = expectedProduct(matrix, 'f64', x.data, y.data, 1, 0);
  const csr = product('csr', engine.operator(matrix, { format: 'csr' }), x, y);
  const stream = bus(engine);
  const peer = hasPeer() ? await native(matrix, threads) : undefined;
  for (const format of formats) {
    const line = await compare(engine, matrix, format, expected, x, y, { csr, stream, peer });
    if (line.error !== undefined) {
      print(`${threads}        ${format.padEnd(34)}  ${line.error}`);
      continue;
    }
    report(source, threads, format, line);
  }
  for (const contender of [csr, stream, peer]) await contender?.close();
  x.dispose();
  y.dispose();
}

async function compare(engine, matrix, format, expected, x, y, { csr, stream, peer }) {
  let operator;
  let conversionMs = Infinity;
  try {
    // The minimum of several: the first use of memory and of code takes twice as long.
    for (let turn = 0; turn < CONVERSIONS; turn++)
      conversionMs = Math.min(conversionMs, timeConversion(engine, matrix, format));
    operator = engine.operator(matrix, { format });
  } catch (error) {
    return { error: error.message };
  }
  const { spec, storedEntries } = operator.matrix;
  const { bytes } = operator.matrix.cost();
  operator.apply(x, y);
  if (compareProduct(expected, y.data).firstWrong >= 0) return { error: 'WRONG' };
  const contenders = [peer, csr, product(format, operator, x, y), stream].filter(Boolean);
  for (const { times } of contenders) times.length = 0;
  await takeTurns(contenders, Number(flags.rounds));
  contenders.find(({ name }) => name === format && name !== 'csr')?.close();
  if (format === 'csr') operator.dispose();
  const of = (name) => median((contenders.findLast((one) => one.name === name) ?? csr).times);
  const ms = of(format);
  const busPerMs = stream.bytes / of('bus');
  return {
    ...{ spec, ms, conversionMs, bytes, storedEntries },
    gflops: (2 * matrix.nnz) / ms / 1e6,
    overC: peer === undefined ? Number.NaN : of('C') / ms,
    overCsr: median(csr.times) / ms,
    ofBus: bytes / ms / busPerMs,
    conversion: conversionMs / median(csr.times),
  };
}

function timeConversion(engine, matrix, format) {
  let stored;
  const ms = time(() => {
    stored = storeMatrix(engine.heap, matrix, format, 'f64');
  });
  stored[Symbol.dispose]();
  return ms;
}

function report(source, threads, format, line) {
  const { gflops, overC, overCsr, ofBus, conversion, spec } = line;
  const columns = [
    gflops.toFixed(2).padStart(7),
    overC.toFixed(2).padStart(5),
    overCsr.toFixed(2).padStart(5),
    `${(100 * ofBus).toFixed(0)} %`.padStart(6),
    `${conversion.toFixed(1)} products`.padStart(14),
  ];
  print(`${threads}        ${format.padEnd(34)}  ${columns.join('  ')}${spec === format ? '' : `  (${spec})`}`);
  if (flags.json) appendFileSync(flags.json, `${JSON.stringify({ matrix: source, threads, format, ...line })}\n`);
  const key = `${source} ${threads}`;
  const kept = best.get(key);
  if (kept === undefined || kept.gflops < gflops) best.set(key, { source, threads, format, gflops, overC });
}

function summary() {
  print(`\nour best per matrix, over C; the best published library over C at two threads`);
  const twoThreaded = [];
  for (const { source, threads, format, gflops, overC } of best.values()) {
    const published = threads === 2 && PEERS[source] !== undefined ? `  published ${PEERS[source].toFixed(2)}` : '';
    if (published !== '') twoThreaded.push(overC);
    print(
      `${source.padEnd(44)} ${threads}  ${format.padEnd(34)} ${gflops.toFixed(2).padStart(6)}  ${overC.toFixed(2)}×${published}`,
    );
  }
  if (twoThreaded.length === 0) return;
  const mean = geometricMean(twoThreaded);
  print(`geometric mean over ${twoThreaded.length} at two threads: ${mean.toFixed(2)}×`);
}

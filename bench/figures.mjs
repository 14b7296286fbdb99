/**
 * The target figures of this project, measured on this machine: our CSR and CSR-k against a plain C loop
 * (`peers/csr.c`, compiled with `gcc -O3 -march=native -fopenmp` if gcc is installed) and against a plain JavaScript
 * loop over typed arrays; the cost of a fork-join; the first product against the tenth. Contenders take turns in one
 * process, so the ratios are valid even on a noisy machine, where absolute figures are not.
 *
 * usage: npx bench figures [--rounds 15] [--threads 1,2] [gallery:… …]        (after `npm run build`)
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { gallery, parseGalleryUrl } from '../dist/gallery/registry.js';
import { createEngine } from '../dist/index.node.js';
import { benchVector, hasPeer, javascript, native, print, product } from './contenders.mjs';
import { median, takeTurns, time } from './times.mjs';

const MATRICES = [
  'gallery:laplace2d5',
  'gallery:laplace3d7',
  'gallery:laplace3d27',
  'gallery:debruijn',
  'gallery:rmat',
];
const FORMATS = ['csr', 'csrk', 'csrk?k=3'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    threads: { type: 'string', default: `1,${availableParallelism()}` },
  },
});
const rounds = Number(flags.rounds);

print(
  `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}, ${hasPeer() ? 'gcc -O3 -march=native' : 'no gcc'}`,
);
for (const threads of new Set(flags.threads.split(',').map(Number))) {
  const engine = await createEngine({ threads });
  print(`\n${threads} thread(s), ${engine.binary}, f64: GFLOP/s, ratios to C, first product against the tenth`);
  for (const url of positionals.length > 0 ? positionals : MATRICES) await compare(engine, url);
  if (threads > 1) await forkJoin(engine);
  await engine.dispose();
}
/**
 * The physical pages of a matrix are random, and matter by up to 20 %: the first block of a process was the slowest of
 * all. So every contender is set up several times, in another order each time.
 */
async function compare(engine, url) {
  const { name, given } = parseGalleryUrl(url);
  const matrix = gallery(name, given);
  const x = engine.vector(benchVector(matrix.cols));
  const y = engine.vector(matrix.rows);
  const results = new Map();
  for (let setUp = 0; setUp < FORMATS.length; setUp++) {
    const order = [...FORMATS.slice(setUp), ...FORMATS.slice(0, setUp)];
    const contenders = order.map((format) => product(format, engine.operator(matrix, { format }), x, y));
    if (engine.threads === 1) contenders.push(await javascript(matrix));
    if (hasPeer()) contenders.unshift(await native(matrix, engine.threads));
    await takeTurns(contenders, rounds / FORMATS.length);
    for (const contender of contenders) {
      collect(results, contender);
      await contender.close();
    }
  }
  x.dispose();
  y.dispose();
  report(url, matrix, results);
}

function collect(results, { name, times, sum, firstToTenth }) {
  const result = results.get(name) ?? { times: [], sum, firsts: [] };
  result.times.push(...times);
  if (firstToTenth !== undefined) result.firsts.push(firstToTenth);
  results.set(name, result);
}

function report(url, matrix, results) {
  const base = median((results.get('C') ?? results.get('csr')).times);
  const columns = ['C', ...FORMATS, 'js'].flatMap((name) => {
    const result = results.get(name);
    if (result === undefined) return [];
    const ms = median(result.times);
    const first = result.firsts.length > 0 ? `, first ${median(result.firsts).toFixed(2)}` : '';
    return [`${name} ${((2 * matrix.nnz) / ms / 1e6).toFixed(2)} (${(base / ms).toFixed(2)}×${first})`];
  });
  const sums = [...results.values()].map(({ sum }) => sum);
  const wrong = sums.some((sum) => Math.abs(sum - sums[0]) > 1e-9 * matrix.nnz) ? '  CHECKSUMS DIFFER' : '';
  print(`${url.slice(8).padEnd(12)} ${columns.join('  ')}${wrong}`);
}

/** A product without rows, cut into one part per thread: only the fork and the join. */
async function forkJoin(engine) {
  const empty = { rows: 0, cols: 1, rowPtr: [0], colIdx: [], values: [] };
  const operator = engine.operator(empty, { format: 'csr', parts: engine.threads });
  const x = engine.vector(1);
  const y = engine.vector(0);
  const standing = [];
  for (let k = 0; k < 20_000; k++) standing.push(time(() => operator.apply(x, y)));
  const asleep = [];
  for (let k = 0; k < 300; k++) {
    for (const until = performance.now() + 1; performance.now() < until; );
    asleep.push(time(() => operator.apply(x, y)));
  }
  print(
    `fork-join ${(1000 * median(standing)).toFixed(2)} µs standing by, ${(1000 * median(asleep)).toFixed(2)} µs from sleep`,
  );
  operator.dispose();
}

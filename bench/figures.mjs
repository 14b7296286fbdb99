/**
 * The figures this project holds itself to, measured on the machine at hand: our CSR and CSR-k against a plain C loop
 * (`peers/csr.c`, compiled here with `gcc -O3 -march=native -fopenmp` where gcc is) and against a plain JavaScript loop over
 * typed arrays; the cost of a fork-join; the first product against the tenth. Contenders take turns in one process, so the
 * ratios hold on a noisy machine where the absolute figures do not.
 *
 * usage: node bench/figures.mjs [--rounds 15] [--threads 1,2] [gallery:… …]        (after `npm run build`)
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';

const MATRICES = [
  'gallery:laplace2d5',
  'gallery:laplace3d7',
  'gallery:laplace3d27',
  'gallery:debruijn',
  'gallery:rmat',
];
const FORMATS = ['csr', 'csrk', 'csrk?k=3'];
/** The first product of a turn finds the caches full of somebody else's data, and is not counted. */
const PRODUCTS_PER_TURN = 5;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    threads: { type: 'string', default: `1,${availableParallelism()}` },
  },
});
const rounds = Number(flags.rounds);
const folder = mkdtempSync(join(tmpdir(), 'sparlane-'));
const peer = compilePeer();
const print = (line) => process.stdout.write(`${line}\n`);

print(
  `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}, ${peer ? 'gcc -O3 -march=native' : 'no gcc'}`,
);
for (const threads of new Set(flags.threads.split(',').map(Number))) {
  const engine = await createEngine({ threads });
  print(`\n${threads} thread(s), ${engine.binary}, f64: GFLOP/s, ratios to C, first product against the tenth`);
  for (const url of positionals.length > 0 ? positionals : MATRICES) await compare(engine, url);
  if (threads > 1) await forkJoin(engine);
  await engine.dispose();
}
rmSync(folder, { recursive: true });

function compilePeer() {
  const binary = join(folder, 'csr');
  try {
    const source = new URL('./peers/csr.c', import.meta.url).pathname;
    execFileSync('gcc', ['-O3', '-march=native', '-fopenmp', '-o', binary, source], { stdio: 'pipe' });
    return binary;
  } catch {
    return undefined;
  }
}

/**
 * Which physical pages a matrix gets is luck, and worth up to 20 %: the first block of a process was the slowest of all. So
 * everybody is set up several times, in another order each time.
 */
async function compare(engine, url) {
  const { name, given } = parseGalleryUrl(url);
  const matrix = gallery(name, given);
  const x = engine.vector(Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (1 + (j % 7))));
  const y = engine.vector(matrix.rows);
  const results = new Map();
  for (let setUp = 0; setUp < FORMATS.length; setUp++) {
    const order = [...FORMATS.slice(setUp), ...FORMATS.slice(0, setUp)];
    const contenders = order.map((format) => product(format, engine.operator(matrix, { format }), x, y));
    if (engine.threads === 1) contenders.push(javascript(matrix, x.data.slice()));
    if (peer) contenders.unshift(await native(matrix, engine.threads));
    for (let round = 0; round < rounds / FORMATS.length; round++) {
      // Forth and back, so that nobody always comes after the same other.
      for (const contender of round % 2 ? contenders.toReversed() : contenders) {
        await contender.turn();
        // OpenMP's threads go on spinning for some milliseconds after their turn.
        if (engine.threads > 1) await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    for (const contender of contenders) {
      collect(results, contender);
      contender.close();
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

/** Our product; its first ten are timed apart. */
function product(name, operator, x, y) {
  const early = Array.from({ length: 10 }, () => time(() => operator.apply(x, y)));
  const times = [];
  return {
    name,
    times,
    firstToTenth: early[0] / median(early.slice(5)),
    sum: y.data.reduce((sum, value) => sum + value, 0),
    turn() {
      const turn = Array.from({ length: PRODUCTS_PER_TURN }, () => time(() => operator.apply(x, y)));
      times.push(...turn.slice(1));
    },
    close: () => operator.dispose(),
  };
}

/** What a JavaScript program does without a library, with arrays of its own. */
function javascript(matrix, x) {
  const y = new Float64Array(matrix.rows);
  for (let k = 0; k < 10; k++) plainLoop(matrix, x, y);
  const times = [];
  const turn = () => {
    for (let k = 0; k < PRODUCTS_PER_TURN; k++) times.push(time(() => plainLoop(matrix, x, y)));
  };
  return { name: 'js', times, sum: y.reduce((total, value) => total + value, 0), turn, close() {} };
}

function plainLoop({ rows, rowPtr, colIdx, values }, x, y) {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i], end = rowPtr[i + 1]; k < end; k++) sum += values[k] * x[colIdx[k]];
    y[i] = sum;
  }
}

/** The C loop in a process of its own, which answers a line with times. */
async function native(matrix, threads) {
  const path = join(folder, 'matrix');
  const file = openSync(path, 'w');
  for (const part of [
    Uint32Array.of(matrix.rows, matrix.cols, matrix.nnz),
    matrix.rowPtr,
    matrix.colIdx,
    matrix.values,
  ]) {
    writeAll(file, new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }
  closeSync(file);
  const child = spawn(peer, [path], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OMP_PROC_BIND: 'true' },
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (products) => {
    child.stdin.write(`${threads} ${products}\n`);
    const numbers = (await answers.next()).value.trim().split(' ').map(Number);
    return { sum: numbers.pop(), ms: numbers.map((ns) => ns / 1e6) };
  };
  const times = [];
  const { sum } = await ask(3);
  return {
    name: 'C',
    times,
    sum,
    turn: async () => void times.push(...(await ask(PRODUCTS_PER_TURN)).ms.slice(1)),
    close: () => void child.kill(),
  };
}

function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(bytes.length - at, 2 ** 30));
}

/** A product without rows, cut into one part per thread: nothing but the fork and the join. */
async function forkJoin(engine) {
  const empty = { rows: 0, cols: 1, rowPtr: [0], colIdx: [], values: [] };
  const operator = engine.operator(empty, { parts: engine.threads });
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

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function median(times) {
  const sorted = Float64Array.from(times).sort();
  return sorted[sorted.length >> 1];
}

/**
 * Reading Matrix Market files, from a path to CSR, beside SciPy's reader (fast_matrix_market since 1.12), in turn: SciPy to its COO and to
 * CSR; both on one and on two threads. Rates are medians over rounds, in MB of text per second, after one round to warm up. Peak: the
 * growth of resident memory while a new process reads the file once, over the bytes of the CSR arrays.
 *
 * With `--memory` it measures peaks alone: of reading on one and two threads; beyond an idle engine of two threads, of reading, an operator (format auto) and a product;
 * and of the same with trials.
 *
 * usage: npx bench read [--rounds 5] [--scale 1] [--cases real,pattern] [--memory]
 *        (after `npm run build`; PYTHON names an interpreter that has SciPy, default python3)
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createEngine, readMatrixMarket } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { drawFrom } from './draw.mjs';
import { printMachine, printRow } from './operations.mjs';
import { median } from './times.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    cases: { type: 'string', default: 'real,short,symmetric,random,integer,pattern' },
    memory: { type: 'boolean', default: false },
    /** Reads one file on so many threads and prints its peak: how this program measures memory. */
    peak: { type: 'string' },
    threads: { type: 'string', default: '1' },
    /** With `--peak` the process makes an operator for so many products, too; `default` stands for an operator without that option. */
    products: { type: 'string' },
    /** Writes the file of one case to a path: in a process of its own, whose text is nothing that this one must collect. */
    write: { type: 'string' },
  },
});
const WIDTH = 13;
const WIDTH_OF_PEAKS = 22;

if (flags.peak !== undefined) {
  const threads = Number(flags.threads);
  const engine = flags.products === undefined ? undefined : await createEngine({ threads });
  const before = process.memoryUsage.rss();
  const matrix = await readMatrixMarket(flags.peak, { threads });
  const { rows, nnz } = matrix;
  const format = engine === undefined ? '' : multiplyOnce(engine, matrix);
  // That of `resourceUsage` begins with the memory of the process that started this one.
  const [, peakKb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  const growth = Number(peakKb) * 1024 - before;
  print(`${(growth / (12 * nnz + 4 * (rows + 1))).toFixed(2)} ${format}`);
  process.exit();
}

/** Returns the format that was chosen. */
function multiplyOnce(engine, matrix) {
  const operator = engine.operator(matrix, flags.products === 'default' ? {} : { products: flags.products });
  operator.apply(engine.vector(matrix.cols).fill(1), engine.vector(matrix.rows));
  return operator.format;
}

const SIZE = Math.round(200_000 * Number(flags.scale));
const BAND = [-450, -449, -448, -1, 0, 1, 448, 449, 450];

/** Entries of a band, by columns as collections have them. */
function* band(draw) {
  for (let col = 0; col < SIZE; col++)
    for (const offset of BAND) if (col + offset >= 0 && col + offset < SIZE) yield [col + offset, col, draw()];
}

function* anywhere(draw) {
  for (let k = 0; k < 9 * SIZE; k++) yield [Math.floor(SIZE * draw()), Math.floor(SIZE * draw()), draw()];
}

const CASES = {
  real: ['real', 'general', band, (x) => (x - 0.5).toExponential(16)],
  short: ['real', 'general', band, (x) => (x - 0.5).toPrecision(5)],
  symmetric: ['real', 'symmetric', band, (x) => String(x - 0.5)],
  random: ['real', 'general', anywhere, (x) => String(x - 0.5)],
  integer: ['integer', 'general', anywhere, (x) => String(Math.floor(2000 * x) - 1000)],
  pattern: ['pattern', 'general', anywhere, undefined],
};

function writeCase(path, [field, symmetry, entries, text]) {
  const lines = [];
  for (const [row, col, value] of entries(drawFrom(1)))
    if (symmetry === 'general' || row >= col)
      lines.push(text === undefined ? `${row + 1} ${col + 1}` : `${row + 1} ${col + 1} ${text(value)}`);
  const head = `%%MatrixMarket matrix coordinate ${field} ${symmetry}\n${SIZE} ${SIZE} ${lines.length}\n`;
  writeFileSync(path, `${head}${lines.join('\n')}\n`);
}

const SCIPY = `
import sys, time, scipy, scipy.io
import scipy.io._fast_matrix_market as fast
print(scipy.__version__, flush=True)
for line in sys.stdin:
    path, fast.PARALLELISM = line.split()[0], int(line.split()[1])
    begin = time.perf_counter()
    coo = scipy.io.mmread(path)
    read = time.perf_counter()
    csr = coo.tocsr()
    print(read - begin, time.perf_counter() - begin, csr.nnz, flush=True)
`;

/** SciPy in a process of its own; undefined without it, or with one that is older. */
async function startSciPy() {
  const process_ = spawn(process.env.PYTHON ?? 'python3', ['-c', SCIPY], { stdio: ['pipe', 'pipe', 'ignore'] });
  process_.on('error', () => {});
  const answers = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  const { value: version } = await answers.next();
  if (version === undefined) return undefined;
  const read = async (path, threads) => {
    process_.stdin.write(`${path} ${threads}\n`);
    return (await answers.next()).value.split(' ').map(Number);
  };
  return { version, read, end: () => process_.stdin.end() };
}

if (flags.write !== undefined) {
  writeCase(flags.write, CASES[flags.cases]);
  process.exit();
}

printMachine();
const folder = mkdtempSync(join(tmpdir(), 'sparlane-read-'));
if (flags.memory) {
  printRow(['case', 'MB', 'read 1', 'read 2', 'operator', 'and trials'], WIDTH_OF_PEAKS);
  try {
    for (const name of flags.cases.split(',')) printPeaks(name, write(name));
  } finally {
    rmSync(folder, { recursive: true });
  }
  process.exit();
}
const scipy = await startSciPy();
print(scipy === undefined ? 'without SciPy: python3 has none since 1.12' : `SciPy ${scipy.version}`);
printRow(
  [
    'case',
    'MB',
    'ours 1',
    'ours 2',
    'SciPy COO 1',
    'SciPy CSR 1',
    'SciPy COO 2',
    'SciPy CSR 2',
    'ours/SciPy 1',
    'ours/SciPy 2',
    'peak/CSR 1',
    'peak/CSR 2',
  ],
  WIDTH,
);
try {
  for (const name of flags.cases.split(',')) await compare(name);
} finally {
  rmSync(folder, { recursive: true });
  scipy?.end();
}

async function compare(name) {
  const path = write(name);
  const megabytes = statSync(path).size / 1e6;
  const rates = [];
  for (let round = -1; round < Number(flags.rounds); round++) {
    const rate = [];
    let nnz = 0;
    for (const threads of [1, 2]) {
      const begin = performance.now();
      ({ nnz } = await readMatrixMarket(path, { threads }));
      rate.push((megabytes / (performance.now() - begin)) * 1e3);
    }
    for (const threads of scipy === undefined ? [] : [1, 2]) {
      const [coo, csr, found] = await scipy.read(path, threads);
      if (found !== nnz) throw new Error(`${name}: expected ${nnz} entries as ours, got ${found} of SciPy`);
      rate.push(megabytes / coo, megabytes / csr);
    }
    if (round >= 0) rates.push(rate);
  }
  const column = (k) => (rates[0][k] === undefined ? '–' : median(rates.map((rate) => rate[k])).toFixed(0));
  const ratio = (ours, k) =>
    rates[0][k] === undefined ? '–' : median(rates.map((rate) => rate[ours] / rate[k])).toFixed(2);
  printRow(
    [
      ...[name, megabytes.toFixed(0), ...[0, 1, 2, 3, 4, 5].map(column)],
      ...[ratio(0, 3), ratio(1, 5), peak(path, '1'), peak(path, '2')],
    ],
    WIDTH,
  );
}

/** Writes the file of a case in another process, and returns its path. */
function write(name) {
  const path = join(folder, `${name}.mtx`);
  run('--write', path, '--cases', name, '--scale', flags.scale);
  return path;
}

function peak(path, threads, ...others) {
  return run('--peak', path, '--threads', threads, ...others).trim();
}

function printPeaks(name, path) {
  const operators = ['default', 'many'].map((products) => peak(path, '2', '--products', products));
  printRow(
    [name, (statSync(path).size / 1e6).toFixed(0), peak(path, '1'), peak(path, '2'), ...operators],
    WIDTH_OF_PEAKS,
  );
}

/** This program, in another process. */
function run(...parameters) {
  return execFileSync(process.execPath, [import.meta.filename, ...parameters], { encoding: 'utf8' });
}

/** Who takes turns in the benchmarks of this folder: our product, a plain C loop, a plain JavaScript loop; and the bus. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createReadStream } from '#dist/cli/bandwidth.js';

/**
 * A turn begins with products that are not counted, for so long: the caches are full of somebody else's data, another's
 * threads may still spin, and a system may have packed threads that slept onto one core, which it takes back only under
 * load (`sched_vcpu_pack` of the machine of the README's figures: bursts of 5 ms after a pause ran on one of two cores).
 */
const WARM_UP_MS = 40;
const PRODUCTS_PER_TURN = 5;

const folder = mkdtempSync(join(tmpdir(), 'sparlane-'));
const peer = compilePeer();
process.on('exit', () => rmSync(folder, { recursive: true }));

/** Whether there is a C compiler. */
export const hasPeer = peer !== undefined;

export const print = (line) => void process.stdout.write(`${line}\n`);

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

/** x of every contender, the C loop's included. */
export function benchVector(cols) {
  return Float64Array.from({ length: cols }, (_, j) => 1 / (1 + (j % 7)));
}

/** Our product; its first ten are timed apart. */
export function product(name, operator, x, y) {
  const early = Array.from({ length: 10 }, () => time(() => operator.apply(x, y)));
  const times = [];
  return {
    name,
    times,
    firstToTenth: early[0] / median(early.slice(5)),
    sum: y.data.reduce((sum, value) => sum + value, 0),
    turn: () => void times.push(...turnOf(() => operator.apply(x, y))),
    close: () => operator.dispose(),
  };
}

/** What the memory bus delivers to the engine's threads. */
export function bus(engine) {
  const scope = engine.heap.scope();
  const { bytes, read } = createReadStream(engine, scope);
  const times = [];
  return {
    name: 'bus',
    bytes,
    times,
    turn: () => void times.push(...turnOf(read)),
    close: () => scope[Symbol.dispose](),
  };
}

/** What a JavaScript program does without a library, with arrays of its own. */
export function javascript(matrix, x) {
  const y = new Float64Array(matrix.rows);
  for (let k = 0; k < 10; k++) plainLoop(matrix, x, y);
  const times = [];
  const turn = () => void times.push(...turnOf(() => plainLoop(matrix, x, y)));
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
export async function native(matrix, threads) {
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
  const { sum, ms } = await ask(3);
  const products = Math.ceil(WARM_UP_MS / Math.max(ms[2], 0.01)) + PRODUCTS_PER_TURN;
  return {
    name: 'C',
    times,
    sum,
    turn: async () => void times.push(...(await ask(products)).ms.slice(-PRODUCTS_PER_TURN)),
    close: () => void child.kill(),
  };
}

function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(bytes.length - at, 2 ** 30));
}

/** Rounds in turn, forth and back, so that nobody always comes after the same other. */
export async function takeTurns(contenders, rounds) {
  for (let round = 0; round < rounds; round++) {
    for (const contender of round % 2 ? contenders.toReversed() : contenders) await contender.turn();
  }
}

function turnOf(run) {
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) run();
  return Array.from({ length: PRODUCTS_PER_TURN }, () => time(run));
}

export function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

export function median(times) {
  const sorted = Float64Array.from(times).sort();
  return sorted[sorted.length >> 1];
}

/**
 * The first solve of a process beside later ones. Each round starts a process for each problem, which solves it several times, each time with other numbers, and makes everything
 * anew. A solve costs the processor more the first time: functions are compiled, and pages of memory are mapped. The program prints the least of the
 * rounds: the time of the clock, of the caller's thread (Linux), of all threads with V8's that compile, and of these in the system, which maps
 * pages; `first` is what the first solve takes beyond the least of the others. On a busy machine only times of the processor say something.
 *
 * usage: npx bench solve/first [--threads 1,2] [--rounds 3] [--problems NAME,…] [--quick]   (after `npm run build`)
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { createEngine, gallery, solve } from '../../dist/node/index.js';
import { print } from '../contenders.mjs';
import { makeProblem, PROBLEMS } from './problems.mjs';

const SOLVES = 4;

/** Nanoseconds that this thread has run. Linux has a file for each thread; the first one has the number of the process. */
const OWN_TIME = `/proc/self/task/${process.pid}/schedstat`;

/** These problems of `npx bench solve` are solved here, too. */
const NAMES = ['5-point 300²', '5-point 1000²', 'elasticity', 'convection'];
const CANDIDATES = [
  ...PROBLEMS.filter(({ name }) => NAMES.includes(name)),
  { name: '5-point 30²', url: 'laplace2d5?nx=30&ny=30', quick: 'laplace2d5?nx=30&ny=30' },
  { name: '27-point 40³', url: 'laplace3d27?nx=40&ny=40&nz=40', quick: 'laplace3d27?nx=10&ny=10&nz=10' },
  { name: 'small mesh', url: 'delaunay?n=50000', quick: 'delaunay?n=4000' },
  { name: 'circuit', make: (isQuick) => circuit(isQuick ? 2000 : 20_000) },
];

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '3' },
    problems: { type: 'string', default: CANDIDATES.map(({ name }) => name).join() },
    quick: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
});
const names = flags.problems.split(',');
const problems = CANDIDATES.filter(({ name }) => names.includes(name));
if (problems.length < names.length)
  throw new Error(`--problems: expected ${CANDIDATES.map(({ name }) => name).join(' | ')}, got ${flags.problems}`);

if (flags.alone) print(JSON.stringify(await timesOf(problems[0], Number(flags.threads))));
else await compare();

/** The parent process prints a table with a line for each problem and number of threads. */
async function compare() {
  const idle = await leastOf(cpuOfNothing);
  print(
    `${cpus()[0]?.model.trim()}, Node ${process.version}; an empty process takes ${idle.toFixed(0)} ms of the processor`,
  );
  const head = ['ms', 'own', 'cpu', 'system'].map((name) => `${name.padStart(6)} 1st   2nd   3rd first`);
  print(`${'problem'.padStart(14)}  threads  ${head.join('  ')}`);
  for (const { name } of problems)
    for (const threads of new Set(flags.threads.split(','))) {
      const runs = [];
      for (let round = 0; round < Number(flags.rounds); round++) runs.push(await solvesOf(name, threads));
      const cells = ['ms', 'own', 'cpu', 'system'].map((key) => cellsOf(runs, key));
      print(`${name.padStart(14)}  ${threads.padStart(7)}  ${cells.join('  ')}`);
    }
}

/** Returns the least time of each solve, and by how much the first one exceeds the least of the others, as columns. */
function cellsOf(runs, key) {
  const least = Array.from({ length: SOLVES }, (_, k) => Math.min(...runs.map((run) => run[k][key])));
  const cells = [...least.slice(0, 3), least[0] - Math.min(...least.slice(1))];
  return cells.map((ms, k) => ms.toFixed(0).padStart(k === 0 ? 10 : 5)).join(' ');
}

async function solvesOf(name, threads) {
  const file = fileURLToPath(import.meta.url);
  const quick = flags.quick ? ['--quick'] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[file, '--alone', '--problems', name, '--threads', threads],
    ...quick,
  ]);
  return JSON.parse(stdout);
}

/** Returns the CPU time in ms that a process of Node reports for itself if it runs an empty program. */
async function cpuOfNothing() {
  const code = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code]);
  return Number(stdout);
}

async function leastOf(measure) {
  const times = [];
  for (let round = 0; round < Number(flags.rounds); round++) times.push(await measure());
  return Math.min(...times);
}

/** The child process returns the times of one solve after the other; it has solved nothing before. */
async function timesOf(listed, threads) {
  const { matrix, b } = await makeProblem(listed, flags.quick, []);
  const engine = await createEngine({ threads });
  const times = [];
  for (let k = 0; k < SOLVES; k++) {
    const values = matrix.values.map((value) => (1 + k) * value);
    const before = { ms: performance.now(), own: ownMs(), cpu: process.cpuUsage() };
    const { x } = solve(engine, { ...matrix, values }, b);
    const { user, system } = process.cpuUsage(before.cpu);
    const own = ownMs() - before.own;
    times.push({ ms: performance.now() - before.ms, own, cpu: (user + system) / 1000, system: system / 1000 });
    x.dispose();
  }
  await engine.dispose();
  return times;
}

function ownMs() {
  return existsSync(OWN_TIME) ? Number(readFileSync(OWN_TIME, 'utf8').split(' ')[0]) / 1e6 : Number.NaN;
}

/** Returns a matrix like that of the conductances of a circuit with controlled sources: it is not symmetric, has a few long rows, and a current to ground at each node. */
function circuit(n) {
  const matrix = gallery('circuit', { n, perRow: 4, hubs: 2, hubLength: n / 40 });
  const { rows, rowPtr, colIdx } = matrix;
  const values = Float64Array.from(matrix.values, Math.abs);
  for (let i = 0; i < rows; i++) {
    let sum = 0.01;
    let diagonal = -1;
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      if (colIdx[k] === i) diagonal = k;
      else sum -= values[k] *= colIdx[k] < i ? -1 : -0.7;
    }
    values[diagonal] = 1.01 * sum;
  }
  return { ...matrix, values };
}

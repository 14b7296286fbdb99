/** What the benchmarks of operations on matrices share (`algebra`, `transpose`, `spgemm`): their flags, the cases, and a table of columns. */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { gallery } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { time } from './times.mjs';

/** The side of a grid at a scale, where `full` is that at scale 1. */
export const side = (scale, full) => Math.max(4, Math.round(full * scale));

/** A thin band, rows of a few dozen entries in blocks, and rows of all lengths with columns all over. */
export const CASES = {
  '5-point': (scale) => gallery('laplace2d5', { nx: side(scale, 1000), ny: side(scale, 1000) }),
  fem: (scale) => gallery('laplace3d27', { nx: side(scale, 30), ny: side(scale, 30), nz: side(scale, 30), block: 3 }),
  rmat: (scale) => gallery('rmat', { scale: Math.round(18 + 2 * Math.log2(scale)) }),
};

/** The flags that all of them have, and others with their defaults. */
export function readFlags(cases, others) {
  const defaults = { threads: `1,${availableParallelism()}`, scale: '1', cases: Object.keys(cases).join(), ...others };
  const options = Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }]);
  return parseArgs({ options: Object.fromEntries(options) }).values;
}

export function printMachine() {
  print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
}

/** One line of a table. */
export function printRow(cells, width) {
  print(cells.map((cell) => String(cell).padEnd(width)).join(' '));
}

/** Calls `compare` for each case and number of threads of the flags, one after the other. */
export async function forEachCase(cases, flags, compare) {
  for (const name of flags.cases.split(',')) {
    // As a matrix that is not known to be symmetric.
    const matrix = { ...cases[name](Number(flags.scale)), symmetry: 'general' };
    for (const threads of new Set(flags.threads.split(',').map(Number))) await compare(name, matrix, threads);
  }
}

/** The least duration of some calls, in ms. */
export function least(run, calls) {
  let best = Number.POSITIVE_INFINITY;
  for (let call = 0; call < calls; call++) best = Math.min(best, time(run));
  return best;
}

const TOLERANCE = 1e-10;

/** @throws Error if an element differs from the expected one by more than rounding */
export function checkSame(name, y, expected) {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const wrong = y.findIndex((value, i) => !(Math.abs(value - expected[i]) <= TOLERANCE * scale));
  if (wrong >= 0) throw new Error(`${name}: expected y[${wrong}] = ${expected[wrong]}, got ${y[wrong]}`);
}

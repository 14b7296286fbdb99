/**
 * Checks whether a product became slower: the speed of a few products over that of plain C CSR (over a plain JavaScript loop without a
 * compiler) measured in turn with them, against the ratios recorded in `baseline.json` on the same kind of machine.
 *
 * Each ratio is measured several times, with new threads, processes and places in memory: their spread is the noise. A ratio that
 * is not sure yet, or seems to have fallen, is measured again. It has fallen if it is lower than the recorded one by more than the
 * noise of both; what fall would be noticed is printed. Some two minutes, five at most.
 *
 * usage: npx bench quick [--record] [--only TEXT]   (after `npm run build`; --record adds a run to the baseline of this kind of
 *                                                         machine: the lowest ratio of its runs counts)
 *        --slow csr=1.2     makes the products of a format take 1.2 × as long, to see that this is noticed
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { createEngine } from '../dist/index.node.js';
import { benchVector, hasPeer, javascript, native, print, product } from './contenders.mjs';
import { hasFallen, recordOf, summarize, toleranceOf } from './quick/falls.mjs';
import { median, takeTurns } from './times.mjs';

const MATRICES = [
  'gallery:laplace2d5?nx=500&ny=500',
  'gallery:laplace3d27?nx=50&ny=50&nz=50&values=real',
  'gallery:rmat?scale=16&edgeFactor=16',
  'gallery:rgg?n=100000&order=grid',
  'gallery:qcd?nx=8&ny=8&nz=8&nt=8',
  'gallery:circuit?n=200000&hubLength=100000',
];
const FORMATS = ['csr', 'auto'];

/** Rounds in turn with the same threads and places in memory; such repetitions; and at most, if a smaller fall must be noticed. */
const ROUNDS = 3;
const REPETITIONS = 5;
const MOST_REPETITIONS = 12;
const SURE = 0.1;

/** Threads that slept during the turn of another contender share a core until they have been busy for a while (see `contenders.mjs`). */
const WAKE_UP_MS = 120;
const LONGEST_MS = 280_000;

const BASELINE = new URL('./baseline.json', import.meta.url);

const { values: flags } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    slow: { type: 'string', default: '' },
  },
});
const [slowFormat, slowness = '1'] = flags.slow.split('=');
const begin = performance.now();
const yardstick = hasPeer() ? 'gcc -O3 -march=native' : 'typed-array loop';
const kind = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}, over ${yardstick}`;
const all = existsSync(BASELINE) ? JSON.parse(readFileSync(BASELINE, 'utf8')) : {};
const recorded = flags.record ? undefined : all[kind];

const found = {};
for (const source of MATRICES.filter((name) => name.includes(flags.only))) {
  const matrix = await loadMatrix(source);
  for (const threads of hasPeer() ? [...new Set([1, availableParallelism()])] : [1]) {
    Object.assign(found, await ratiosOf(matrix, threads, (format) => `${source} ${threads} ${format}`));
  }
}
if (flags.record) record();
else compare();

/** By the name of each format: summaries of its ratios, after as many repetitions as are needed. */
async function ratiosOf(matrix, threads, nameOf) {
  const ratios = new Map(FORMATS.map((format) => [format, []]));
  const summaries = () => [...ratios].map(([format, list]) => [nameOf(format), summarize(list)]);
  const isSure = ([name, now]) => {
    const before = recorded?.ratios[name] ?? now;
    return toleranceOf(now, before) < SURE && !hasFallen(now, before);
  };
  const isDone = (count) =>
    count >= REPETITIONS && (summaries().every(isSure) || performance.now() > begin + LONGEST_MS);
  for (let count = 0; count < MOST_REPETITIONS && !isDone(count); count++) {
    for (const [format, ratio] of await repetition(matrix, threads)) ratios.get(format).push(ratio);
  }
  return Object.fromEntries(summaries());
}

/** The speed of each format over the yardstick: the median over rounds of the ratio within a round. */
async function repetition(matrix, threads) {
  const engine = await createEngine({ threads, tuning: 'built-in' });
  const base = hasPeer() ? await native(matrix, threads) : await javascript(matrix);
  try {
    const x = engine.vector(benchVector(matrix.cols));
    const y = engine.vector(matrix.rows);
    const ours = FORMATS.map((format) => {
      const operator = engine.operator(matrix, { format });
      return product(format, format === slowFormat ? slowed(operator) : operator, x, y);
    });
    const [{ rounds: bases, turn }, ...others] = [base, ...ours].map(inRounds);
    const wake = { turn: () => runFor(ours[0].turn, threads === 1 ? 0 : WAKE_UP_MS) };
    await takeTurns([{ turn }, { turn: () => takeTurns([wake, ...others], 1) }], ROUNDS);
    for (const { close } of ours) close();
    return others.map(({ name, rounds }) => [name, median(rounds.map((ms, round) => bases[round] / ms))]);
  } finally {
    await base.close();
    await engine.dispose();
  }
}

function runFor(run, ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) run();
}

/** A contender that keeps the median of each of its turns. */
function inRounds({ name, times, turn }) {
  const rounds = [];
  return {
    name,
    rounds,
    async turn() {
      times.length = 0;
      await turn();
      rounds.push(median(times));
    },
  };
}

/** Each product is followed by waiting. */
function slowed(operator) {
  return {
    matrix: operator.matrix,
    apply(x, y) {
      const start = performance.now();
      operator.apply(x, y);
      const end = start + Number(slowness) * (performance.now() - start);
      while (performance.now() < end);
    },
    dispose: () => operator.dispose(),
  };
}

function record() {
  const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
  const before = all[kind]?.ratios ?? {};
  const ratios = Object.entries(found).map(([name, now]) => [name, recordOf(now, before[name])]);
  all[kind] = { date: new Date().toISOString().slice(0, 10), ratios: { ...before, ...Object.fromEntries(ratios) } };
  writeFileSync(BASELINE, `${JSON.stringify(all, rounded, 2)}\n`);
  print(`${kind}: recorded ${Object.keys(found).length} ratios`);
}

function compare() {
  print(recorded === undefined ? `${kind}: nothing recorded` : `${kind}: recorded on ${recorded.date}`);
  let falls = 0;
  for (const [name, now] of Object.entries(found)) {
    const before = recorded?.ratios[name];
    const fallen = before !== undefined && hasFallen(now, before);
    if (fallen) falls++;
    const percent = (share) => `${(100 * share).toFixed(0)} %`;
    const was = before && `, was ${before.ratio.toFixed(2)}; falls beyond ${percent(toleranceOf(now, before))} count`;
    const figures = `${now.ratio.toFixed(2)} ± ${percent(now.error)}`;
    print(`${name.padEnd(64)} ${figures}${was ?? ''}${fallen ? '  FALLEN' : ''}`);
  }
  if (recorded === undefined) {
    print(
      `NOT JUDGED: ratios of other machines do not compare. Recorded are: ${Object.keys(all).join('; ') || 'none'}`,
    );
  } else print(falls === 0 ? 'nothing has fallen' : `${falls} fallen`);
  if (falls > 0) process.exitCode = 1;
}

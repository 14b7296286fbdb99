/**
 * The figure of the README: bars of the speed relative to plain C, geometric means over the matrices of recorded
 * results (without those of blocks, which are a separate suite). Each contender has the most threads that it was
 * measured with.
 *
 * usage: npx bench report/speed-figure RESULTS.jsonl[.gz] --out docs/speed.svg
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as Plot from '@observablehq/plot';
import { readResults } from '../results-file.mjs';
import { axes, draw, standalone } from './draw.mjs';
import { AUTO, BEST, CSR, casesOf, parseResults } from './results.mjs';
import { geometricMean } from './statistics.mjs';

const DTYPE = 'f64';
const BLOCKS = 'abdelfattah-2';

/** The figure's label of each contender. */
const NAMES = {
  [BEST]: 'sparlane, fastest format',
  [AUTO]: "sparlane, format 'auto'",
  [CSR]: 'sparlane, csr',
  PETSc: 'PETSc',
  'gcc -O3 -march=native': 'C loop, OpenMP',
  librsb: 'librsb',
  Eigen: 'Eigen',
  'SuiteSparse:GraphBLAS': 'SuiteSparse:GraphBLAS',
  SciPy: 'SciPy',
  'typed-array loop': 'JavaScript loop',
  mathjs: 'mathjs',
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'docs/speed.svg' } },
});
const results = parseResults(positionals.map(readResults));
const { baseline, threads } = results;
const casesWith = (number) =>
  casesOf(results, { dtype: DTYPE, threads: number }).filter(({ line }) => line.suite !== BLOCKS);
const byThreads = threads.map(casesWith);
const plain = new Map(byThreads.at(-1).map(({ key, products }) => [key, products.get(baseline).medianMs]));

function speedOf(contender) {
  const cases = byThreads.findLast((some) => some.some(({ products }) => products.has(contender)));
  const measured = cases.filter(({ products }) => products.has(contender));
  return geometricMean(measured.map(({ key, products }) => plain.get(key) / products.get(contender).medianMs));
}

const bars = Object.entries(NAMES)
  .map(([contender, name]) => ({ name, isOurs: name.startsWith('sparlane'), speed: speedOf(contender) }))
  .sort((a, b) => b.speed - a.speed);
const figure = draw({
  label: `Speed over a plain C loop: ${bars.map(({ name, speed }) => `${name} ${speed.toFixed(2)}`).join(', ')}`,
  ...{ width: 460, height: 46 + 22 * bars.length, marginLeft: 150, marginRight: 40, marginTop: 6, marginBottom: 38 },
  x: { domain: [0, Math.max(...bars.map(({ speed }) => speed))] },
  y: { domain: bars.map(({ name }) => name), padding: 0.25 },
  marks: [
    axes(`times as fast as a C loop over CSR, ${DTYPE}, ${threads.at(-1)} cores, ${plain.size} matrices`, { ticks: 5 }),
    Plot.axisY({ label: null, tickSize: 0 }),
    Plot.barX(bars, { x: 'speed', y: 'name', fill: ({ isOurs }) => (isOurs ? 'var(--best)' : 'var(--compiled)') }),
    Plot.ruleX([1], { stroke: 'var(--ink)' }),
    Plot.text(bars, {
      ...{ x: 'speed', y: 'name', text: ({ speed }) => speed.toFixed(2), textAnchor: 'start', dx: 5 },
      ...{ fill: 'var(--ink)', stroke: 'var(--paper)' },
    }),
  ],
});
writeFileSync(flags.out, standalone(figure));
for (const { name, speed } of bars) process.stdout.write(`${speed.toFixed(2)}  ${name}\n`);

/**
 * Generates the matrices of a suite and compares them with their published figures: rows, entries, mean and longest
 * row, variance of the row lengths, share of mirrored entries. The deviation is in round brackets; in square brackets
 * if the paper does not publish the figure, and it is documented elsewhere (`suites/collection.mjs`). `!` marks more than 2 %.
 *
 * usage: npx bench matrices/check [--scale 1] [--folder FOLDER] [--entries NAME,…] [--below ENTRIES] [suite …]     (after `npm run build`)
 *        default: all suites; --below omits matrices with more entries at scale 1
 */
import { parseArgs } from 'node:util';
import { matrixStatistics } from '../../dist/features/statistics.js';
import { deviations } from './suites/deviations.mjs';
import { loadSuite, SUITES } from './suites/index.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    folder: { type: 'string' },
    entries: { type: 'string' },
    below: { type: 'string', default: 'Infinity' },
  },
});
const scale = Number(flags.scale);
const wanted = flags.entries?.split(',');
const names = positionals.length > 0 ? positionals : Object.keys(SUITES).filter((name) => name !== 'real');
const print = (line) => void process.stdout.write(`${line}\n`);

for (const name of names) {
  const { title } = SUITES[name];
  print(`\n${title}${scale === 1 ? '' : `, at scale ${scale}`}`);
  for (const entry of loadSuite(name, flags)) {
    if (wanted !== undefined && !wanted.includes(entry.name)) continue;
    const nnz = entry.published.nnz ?? entry.documented.nnz ?? 0;
    if (nnz > Number(flags.below)) continue;
    await check(entry);
  }
}

async function check(entry) {
  const start = performance.now();
  const matrix = await entry.make(scale);
  const seconds = (performance.now() - start) / 1000;
  const found = deviations(entry, matrixStatistics(matrix), scale);
  const cells = found.map(cell);
  if (found.some(({ deviation, isPublished }) => isPublished && deviation > 0.02)) process.exitCode = 1;
  print(
    `${entry.name.padEnd(20)} ${entry.standIn ? 'stand-in' : 'exact   '} ${cells.join('  ')}  ${seconds.toFixed(1)} s`,
  );
}

function cell({ figure, got, deviation, isPublished }) {
  const shown = typeof got === 'boolean' || Number.isInteger(got) ? got.toLocaleString('en') : got.toPrecision(4);
  if (deviation === undefined) return `${figure} ${shown}`;
  const [open, close] = isPublished ? '()' : '[]';
  return `${figure} ${shown} ${open}${percent(deviation)}${close}${deviation > 0.02 ? ' !' : ''}`;
}

function percent(deviation) {
  return `${(100 * deviation).toFixed(deviation < 0.001 ? 3 : 2)} %`;
}

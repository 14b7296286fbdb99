/**
 * Writes the table of docs/platforms.md, between its two marks, from the record of `check-platforms.mjs`. A test fails if the table is not up to date.
 *
 * usage: node scripts/platforms-table.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { aroundTable } from './marks.mjs';

export const RECORD = JSON.parse(readFileSync(new URL('platforms/record.json', import.meta.url), 'utf8'));

/** The columns: how a platform of the record is called. Pages do not have what needs Node's modules. */
export const PLATFORMS = {
  node20: { title: 'Node' },
  node22: { title: 'Node' },
  node24: { title: 'Node' },
  node26: { title: 'Node' },
  deno: { title: 'Deno' },
  bun: { title: 'Bun' },
  chromium: { title: 'Chromium', isPage: true },
  firefox: { title: 'Firefox', isPage: true },
};

/** The rows: what a check of `platforms/checks.mjs` and `check-platforms.mjs` computes. */
const CHECKS = {
  product: { text: 'products with WebAssembly SIMD' },
  relaxed: { text: 'relaxed SIMD: fused multiply–add' },
  threads: { text: 'two threads over shared memory' },
  worker: { text: '`sparlane/async`, the engine in a worker' },
  solve: { text: '`solve`' },
  factor: { text: '`factor`' },
  complex: { text: 'complex matrices' },
  file: { text: 'files from bytes' },
  pictures: { text: '`sparlane/pictures`' },
  path: { text: '`read` and `save` by path', needsNode: true },
  require: { text: "`require('sparlane')`", needsNode: true },
  ranks: { text: 'ranks in threads', needsNode: true },
  mpi: { text: 'ranks under `mpirun` (Open MPI)', needsNode: true },
  cuda: { text: 'NVIDIA GPUs', needsNode: true },
};

/** The dates of the record, the table in Markdown, and why a check has failed. */
export function platformsTable() {
  const names = Object.keys(PLATFORMS);
  const heads = names.map((name) => `${PLATFORMS[name].title} ${RECORD[name].version.split('.')[0]}`);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rows = Object.keys(CHECKS).map((check) =>
    line([CHECKS[check].text, ...names.map((name) => cell(name, check))]),
  );
  const reasons = names.flatMap((name, place) =>
    Object.entries(RECORD[name].results)
      .filter(([, result]) => result !== true)
      .map(([check, result]) => `- ${heads[place]}, ${CHECKS[check].text}: \`${result.replaceAll('`', "'")}\``),
  );
  const table = [line(['', ...heads]), line(['---', ...heads.map(() => ':-:')]), ...rows];
  const dates = new Set(names.map((name) => RECORD[name].date));
  return [`Run on ${[...dates].join(', ')}.`, '', ...table, '', ...reasons].join('\n').trim();
}

function cell(name, check) {
  const { results, elsewhere = {} } = RECORD[name];
  if (check in results) return results[check] === true ? 'yes' : 'no';
  if (check in elsewhere) return 'yes';
  return CHECKS[check].needsNode && PLATFORMS[name].isPage ? '–' : 'not run';
}

/** The text with the table between the marks. @throws Error if the text does not have each mark once, in order */
export function withPlatformsTable(text) {
  const { before, after } = aroundTable(text, 'platforms', 'docs/platforms.md');
  return before + platformsTable() + after;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const document = fileURLToPath(new URL('../docs/platforms.md', import.meta.url));
  writeFileSync(document, withPlatformsTable(readFileSync(document, 'utf8')));
}

/**
 * Eigenvalues and singular values in a page, in Debian's Chromium, beside the same search in Node. The problems are those of `npx bench eigs`; a search begins with the arrays of
 * the matrix, and makes its factors. Page and Node take turns; a time is the least of the rounds. It prints a Markdown table.
 *
 * usage: npx bench eigs/page [--threads 1] [--rounds 3] [--only TEXT,…] [--scale 1] [--rtol 1e-8]   (after `npm run build`; wants Chromium)
 *
 * `only`: the problems whose names contain one of the texts. `scale`: of the unknowns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { createEngine, eigs, svds } from '../../dist/index.node.js';
import { CHROMIUM, FLAGS, ISOLATION } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve.mjs';
import { print } from '../contenders.mjs';
import { makeProblem, PROBLEMS } from './problems.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    rtol: { type: 'string', default: '1e-8' },
  },
});
const [threads, rounds, scale, tolerance] = [flags.threads, flags.rounds, flags.scale, flags.rtol].map(Number);
const asked = PROBLEMS.filter(({ name }) => flags.only.split(',').some((text) => name.includes(text)));
if (asked.length === 0)
  throw new Error(`--only: expected a part of ${PROBLEMS.map(({ name }) => name).join(' | ')}, got ${flags.only}`);

const folder = await mkdtemp(join(tmpdir(), 'sparlane-eigs-page-'));
const root = fileURLToPath(new URL('page', import.meta.url));
await build({ root, configFile: false, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
print(
  `Chromium ${browser.version()}, Node ${process.version}, threads ${threads}, scale ${scale}, rtol ${tolerance}\n`,
);
print('| | page, ms | Node, ms | page over Node | largest difference of a value |\n|---|--:|--:|--:|--:|');
try {
  for (const listed of asked) {
    const problem = makeProblem(listed, scale);
    const site = await serve(folder, ISOLATION, filesOf(problem));
    try {
      const [page, node] = await inTurn(problem, site.url);
      const difference = Math.max(...page.values.map((value, j) => Math.abs(value - node.values[j])));
      const share = difference / Math.max(...node.values.map(Math.abs));
      const ratio = page.ms / node.ms;
      const cells = [page.ms.toFixed(0), node.ms.toFixed(0), ratio.toFixed(2), share.toExponential(1)];
      print(`| ${problem.name} | ${cells.join(' | ')} |`);
    } finally {
      await site.close();
    }
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}

/** Resolves to `{ ms, values }` of the page and of Node. */
async function inTurn({ matrix, B, k, which, isSingularValues }, url) {
  const shape = ({ rows, cols }) => ({ rows, cols });
  const ask = { A: shape(matrix), B: B && shape(B), k, which, isSingularValues, tolerance, threads };
  const found = [
    { ms: Number.POSITIVE_INFINITY, values: [] },
    { ms: Number.POSITIVE_INFINITY, values: [] },
  ];
  const engine = await createEngine({ threads });
  const page = await browser.newPage();
  await page.goto(url);
  for (let round = 0; round < rounds; round++) {
    const there = await page.evaluate((options) => globalThis.search(options), ask);
    found[0] = { ms: Math.min(found[0].ms, there.ms), values: there.values };
    const begin = performance.now();
    const here = isSingularValues
      ? svds(engine, matrix, k, { which, tolerance })
      : eigs(engine, matrix, k, { which, tolerance, ...(B && { B }) });
    found[1] = { ms: Math.min(found[1].ms, performance.now() - begin), values: [...here.values] };
  }
  await page.close();
  await engine.dispose();
  return found;
}

/** The arrays of the matrices, as the files that `page/search.js` reads, by path. */
function filesOf({ matrix, B }) {
  const files = {};
  const add = (name, { rowPtr, colIdx, values }) => {
    for (const [array, given] of Object.entries({ rowPtr, colIdx, values: Float64Array.from(values) }))
      files[`/${name}/${array}`] = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  };
  add('A', matrix);
  if (B !== undefined) add('B', B);
  return files;
}

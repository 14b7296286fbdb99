/**
 * Makes the pages that `reports.md` links to, each from its record in `bench/results`.
 *
 * usage: node reports.mjs      (after `vitepress build`)
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderCores } from '../bench/cores/page.mjs';
import { renderPage } from '../bench/cuda/page.mjs';
import { readResults as readDeviceResults } from '../bench/cuda/results.mjs';
import { renderReport } from '../bench/report/render.mjs';
import { writeReport } from '../bench/report/write.mjs';
import { readResults } from '../bench/results-file.mjs';
import { renderSolves } from '../bench/solve/page.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The page of a record, by what follows the date in its name. */
const RENDER = {
  '': (record) => renderReport([readResults(record)], {}),
  '-cores': (record) => renderCores([readResults(record)]),
  '-cuda': (record) => renderPage(readDeviceResults([record])),
  '-solve': (record) => renderSolves([readResults(record)]),
};

mkdirSync(at('dist/reports'), { recursive: true });
for (const [, date, kind] of readFileSync(at('reports.md'), 'utf8').matchAll(/reports\/(\d+-\d+-\d+)(.*?)\.html/g)) {
  const record = at(`../bench/results/${date}${kind}.jsonl.gz`);
  writeReport(RENDER[kind](record), { out: at(`dist/reports/${date}${kind}.html`) });
}

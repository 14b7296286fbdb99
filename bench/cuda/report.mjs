/**
 * What was measured on a GPU as tables in Markdown: per matrix our best and plain CSR beside cuSPARSE's best and its CSR, with what there was
 * to beat; the codes for values; each paper's kernel against the paper's claim; the device's limits. Or as a page with charts, as `bench/report`
 * makes one of what was measured on a CPU.
 *
 * usage: node bench/cuda/report.mjs RESULTS … >TABLES.md
 *        node bench/cuda/report.mjs RESULTS … --html report.html [--svg FOLDER]
 * RESULTS: files of JSON lines, gzipped or not, or folders with such files
 */
import { parseArgs } from 'node:util';
import { print } from '../contenders.mjs';
import { writeReport } from '../report/write.mjs';
import { report } from './markdown.mjs';
import { renderPage } from './page.mjs';
import { readResults } from './results.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { html: { type: 'string' }, svg: { type: 'string' } },
});
if (positionals.length === 0) throw new Error('expected RESULTS …, got no file');

const results = readResults(positionals);
if (flags.html === undefined) for (const line of report(results)) print(line);
else writeReport(renderPage(results), { out: flags.html, svg: flags.svg });

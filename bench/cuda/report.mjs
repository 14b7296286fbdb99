/**
 * Tables in Markdown of measurements on a GPU: per matrix our best and plain CSR, cuSPARSE's best and its CSR, and the
 * figures to beat; the codes for values; each paper's kernel against the paper's claim; the device's limits. Or a page
 * with charts, like that of `bench/report` for a CPU.
 *
 * usage: npx bench cuda/report RESULTS … >TABLES.md
 *        npx bench cuda/report RESULTS … --html report.html [--svg FOLDER]
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

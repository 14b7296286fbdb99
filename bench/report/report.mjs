/**
 * Makes one page of the results of `bench/run.mjs`: a self-contained HTML file without scripts, light or dark as the
 * reader prefers, and its charts as SVG files on demand. (For results of a GPU: `bench/cuda/report.mjs`.)
 *
 * usage: npx bench report RESULTS.jsonl[.gz] … --out report.html [--svg FOLDER] [--dtypes f64,…]
 */
import { parseArgs } from 'node:util';
import { readResults } from '../results-file.mjs';
import { renderReport } from './render.mjs';
import { writeReport } from './write.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'report.html' }, svg: { type: 'string' }, dtypes: { type: 'string' } },
});
if (positionals.length === 0) throw new Error('expected RESULTS.jsonl …, got no file');

const texts = positionals.map((path) => readResults(path));
writeReport(renderReport(texts, { dtypes: flags.dtypes?.split(',') }), flags);

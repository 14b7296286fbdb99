/**
 * Makes one page of the results of `bench/solve.mjs`, as `bench/report/report.mjs` does for `bench/run.mjs`.
 *
 * usage: npx bench solve/report RESULTS.jsonl[.gz] … --out solve.html [--svg FOLDER]
 */
import { parseArgs } from 'node:util';
import { writeReport } from '../report/write.mjs';
import { readResults } from '../results-file.mjs';
import { renderSolves } from './page.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'solve.html' }, svg: { type: 'string' } },
});
if (positionals.length === 0) throw new Error('expected RESULTS.jsonl …, got no file');

writeReport(renderSolves(positionals.map(readResults)), flags);

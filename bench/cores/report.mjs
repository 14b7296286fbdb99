/**
 * Makes one page of the results of `bench/cores.mjs`, as `bench/report/report.mjs` does for `bench/run.mjs`.
 *
 * usage: npx bench cores/report RESULTS.jsonl[.gz] … --out cores.html [--svg FOLDER]
 */
import { parseArgs } from 'node:util';
import { writeReport } from '../report/write.mjs';
import { readResults } from '../results-file.mjs';
import { renderCores } from './page.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'cores.html' }, svg: { type: 'string' } },
});
if (positionals.length === 0) throw new Error('expected RESULTS.jsonl …, got no file');

writeReport(renderCores(positionals.map(readResults)), flags);

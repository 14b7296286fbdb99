/**
 * The tables of the GPU's benchmark in Markdown: per matrix our best and plain CSR beside cuSPARSE's best and its CSR, with what there was to
 * beat; the codes for values; each paper's kernel against the paper's claim; the device's limits.
 *
 * usage: node bench/cuda/report.mjs RESULTS.jsonl … >TABLES.md
 */
import { print } from '../contenders.mjs';
import { readResults } from './results.mjs';
import { report } from './tables.mjs';

if (process.argv.length < 3) throw new Error('usage: node bench/cuda/report.mjs RESULTS.jsonl …');
for (const line of report(readResults(process.argv.slice(2)))) print(line);

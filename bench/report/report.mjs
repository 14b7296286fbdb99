/**
 * Makes one page of the results of `bench/run.mjs`: an HTML file without scripts that needs nothing beside it, light or dark as its reader has
 * it, and its charts as SVG files on demand.
 *
 * usage: node bench/report/report.mjs RESULTS.jsonl[.gz] … --out report.html [--svg FOLDER] [--dtypes f64,…]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readResults } from '../results-file.mjs';
import { standalone } from './draw.mjs';
import { renderReport } from './render.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'report.html' }, svg: { type: 'string' }, dtypes: { type: 'string' } },
});
if (positionals.length === 0) throw new Error('expected RESULTS.jsonl …, got no file');

/** What fits beside the results in a repository, and loads at once. */
const MOST_BYTES = 4e6;

const texts = positionals.map((path) => readResults(path));
const { text, svgs } = renderReport(texts, { dtypes: flags.dtypes?.split(',') });
writeFileSync(flags.out, text);
if (flags.svg !== undefined) {
  mkdirSync(flags.svg, { recursive: true });
  for (const [name, svg] of svgs) writeFileSync(join(flags.svg, `${name}.svg`), standalone(svg));
}
const bytes = Buffer.byteLength(text);
process.stdout.write(`${flags.out}: ${(bytes / 1e6).toFixed(2)} MB, ${svgs.size} charts\n`);
if (bytes > MOST_BYTES)
  throw new Error(`${flags.out}: expected at most ${MOST_BYTES} bytes, got ${bytes}: make one for each of --dtypes`);

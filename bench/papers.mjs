/**
 * Makes the papers' page from a record of their experiments on a GPU (`bench/cuda/papers.mjs`): the part of `site/papers.md` between two marks,
 * and its charts.
 *
 * usage: npx bench papers [RECORD …] [--check]     (after `npm run build`)
 *   RECORD    JSON lines, gzipped or not, or folders of them; default: the latest of a GPU, of many cores and of two in bench/results
 *   --check   writes nothing, and fails if the page is another one
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { print } from './contenders.mjs';
import { papersPage } from './papers/page.mjs';
import { readPapers } from './papers/results.mjs';
import { standalone } from './report/draw.mjs';

const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });

const BEGIN = '<!-- papers -->';
const END = '<!-- /papers -->';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'site/papers.md');
/** The folder of the charts among the site's public files, which the page names from the root. */
const FOLDER = 'paper-charts';
const CHARTS = join(ROOT, 'site/public', FOLDER);

const results = readPapers(positionals.length > 0 ? positionals : latestRecords());
const { text, charts } = papersPage(results, `/${FOLDER}`);
const page = withPart(readFileSync(PAGE, 'utf8'), text);
const files = new Map([...charts].map(([name, svg]) => [`${name}.svg`, standalone(svg)]));
if (flags.check) check();
else write();

function latestRecords() {
  const folder = join(ROOT, 'bench/results');
  const latest = (pattern) =>
    readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort()
      .at(-1);
  const kinds = [/^[\d-]+-papers\.jsonl\.gz$/, /^[\d-]+-papers-cores\.jsonl\.gz$/, /^\d+-\d+-\d+\.jsonl\.gz$/];
  const names = kinds.map(latest);
  if (names[0] === undefined)
    throw new Error('RECORD: expected files of JSON lines; bench/results has none of the papers');
  return names.filter(Boolean).map((name) => join(folder, name));
}

/** @throws if the page does not have each mark once, in order */
function withPart(whole, part) {
  const [before, middle, ...more] = whole.split(BEGIN);
  const [, after, ...others] = middle?.split(END) ?? [];
  if (after === undefined || more.length + others.length > 0)
    throw new Error(`${PAGE}: expected ${BEGIN} … ${END} once`);
  return `${before}${BEGIN}\n\n${part}\n${END}${after}`;
}

function write() {
  writeFileSync(PAGE, page);
  rmSync(CHARTS, { recursive: true, force: true });
  mkdirSync(CHARTS, { recursive: true });
  for (const [name, svg] of files) writeFileSync(join(CHARTS, name), svg);
  print(`${PAGE}, and ${files.size} charts`);
}

function check() {
  const isSame = (name, svg) => existsSync(join(CHARTS, name)) && readFileSync(join(CHARTS, name), 'utf8') === svg;
  const others = [...files].filter(([name, svg]) => !isSame(name, svg)).map(([name]) => name);
  if (page !== readFileSync(PAGE, 'utf8')) others.push('papers.md');
  for (const name of others) print(`${name}: another one than that of this record (npx bench papers)`);
  if (others.length > 0) process.exitCode = 1;
}

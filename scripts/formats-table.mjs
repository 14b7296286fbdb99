/**
 * Writes the table of formats into README.md, between its two marks, from the descriptions of the formats (`summary`,
 * `suits` and `source` in `src/formats/`). A test fails if the table is not up to date.
 *
 * usage: node scripts/formats-table.mjs      (after `npm run build`)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { FORMATS } from '../dist/formats/registry.js';
import { aroundTable } from './marks.mjs';

const HEAD = ['format', 'what it is', 'for', 'source'];

/** The table in Markdown. */
export function formatsTable() {
  const rows = FORMATS.map(({ name, summary, suits, source }) => [`\`${name}\``, summary, suits, source]);
  const widths = HEAD.map((_, place) => Math.max(...[HEAD, ...rows].map((cells) => cells[place].length)));
  const line = (cells) => `| ${cells.map((cell, place) => cell.padEnd(widths[place])).join(' | ')} |`;
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The text with the table between the marks. @throws Error if the text does not have each mark once, in order */
export function withFormatsTable(text) {
  const { before, after } = aroundTable(text, 'formats', 'README.md');
  return before + formatsTable() + after;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const readme = fileURLToPath(new URL('../README.md', import.meta.url));
  writeFileSync(readme, withFormatsTable(readFileSync(readme, 'utf8')));
}

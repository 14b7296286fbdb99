/** Writes a report to its files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standalone } from './draw.mjs';

/** Maximum size of a page, small enough for fast loading. */
const MAX_BYTES = 4e6;

/** Writes the page, and each of its charts into a separate file if there is a folder for them. @throws after writing, if the page is too long */
export function writeReport({ text, svgs }, { out, svg }) {
  writeFileSync(out, text);
  if (svg !== undefined) {
    mkdirSync(svg, { recursive: true });
    for (const [name, chart] of svgs) writeFileSync(join(svg, `${name}.svg`), standalone(chart));
  }
  const bytes = Buffer.byteLength(text);
  process.stdout.write(`${out}: ${(bytes / 1e6).toFixed(2)} MB, ${svgs.size} charts\n`);
  if (bytes > MAX_BYTES)
    throw new Error(`${out}: expected at most ${MAX_BYTES} bytes, got ${bytes}: make one for each of --dtypes`);
}

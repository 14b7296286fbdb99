/** Puts a report where it is wanted. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standalone } from './draw.mjs';

/** What fits beside the results in a repository, and loads at once. */
const MAX_BYTES = 4e6;

/** The page, and each of its charts in a file of its own where there is a folder for them. @throws where the page is too long, when it is written */
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

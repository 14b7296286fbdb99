#!/usr/bin/env node
/**
 * Runs a benchmark by its name; without one it lists them. A benchmark is a file of this folder with a line of its usage in its header.
 *
 *     npx bench cores --out results.jsonl
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const USAGE = /^ \* usage: (npx bench (\S+).*)$/m;

const [name, ...rest] = process.argv.slice(2);
const usages = new Map(readdirSync(FOLDER, { recursive: true }).flatMap(usageOf).sort());
if (name === undefined) {
  for (const { usage } of usages.values()) process.stdout.write(`${usage}\n`);
} else {
  const known = usages.get(name);
  if (known === undefined) throw new Error(`expected a benchmark (npx bench lists them), got ${name}`);
  if (!existsSync(`${FOLDER}../dist/index.node.js`))
    throw new Error('dist/: expected the built library: npm run build');
  // As if it had been started itself.
  process.argv.splice(1, process.argv.length, known.file, ...rest);
  await import(pathToFileURL(known.file));
}

/** The name of a benchmark, its file and its usage; nothing for other files. */
function usageOf(path) {
  if (!path.endsWith('.mjs')) return [];
  const file = `${FOLDER}${path}`;
  const [, usage, command] = USAGE.exec(readFileSync(file, 'utf8')) ?? [];
  return command === undefined ? [] : [[command, { file, usage }]];
}

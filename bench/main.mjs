#!/usr/bin/env node
/**
 * Runs a benchmark by its name; without one it lists them, and with --help it shows what the header of one says. A benchmark is a file of this folder with a line of its
 * usage in its header.
 *
 *     npx bench cores --help
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const HEADER = /^\/\*\*\n(.*?)\n \*\/$/ms;
const USAGE = /^ \* usage: (npx bench (\S+).*)$/m;

const [name, ...rest] = process.argv.slice(2);
const usages = new Map(readdirSync(FOLDER, { recursive: true }).flatMap(usageOf).sort());
const HELP = ['--help', '-h'];
if (name === undefined || HELP.includes(name)) {
  for (const { usage } of usages.values()) process.stdout.write(`${usage}\n`);
} else if (!usages.has(name)) {
  refuse(`expected a benchmark (npx bench lists them), got ${name}`);
} else if (rest.some((word) => HELP.includes(word))) {
  process.stdout.write(`${headerOf(usages.get(name).file)}\n`);
} else if (!existsSync(`${FOLDER}../dist/index.node.js`)) {
  refuse('dist/: expected the built library: npm run build');
} else {
  const { file } = usages.get(name);
  // As if it had been started itself.
  process.argv.splice(1, process.argv.length, file, ...rest);
  try {
    await import(pathToFileURL(file));
  } catch (error) {
    if (!String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
    refuse(`${error.message} (npx bench ${name} --help)`);
  }
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Returns the text of a file's header. */
function headerOf(file) {
  const [, text] = HEADER.exec(readFileSync(file, 'utf8'));
  return text.replaceAll(/^ \* ?/gm, '');
}

/** The name of a benchmark, its file and its usage; nothing for other files. */
function usageOf(path) {
  if (!path.endsWith('.mjs')) return [];
  const file = `${FOLDER}${path}`;
  const [, usage, command] = USAGE.exec(readFileSync(file, 'utf8')) ?? [];
  return command === undefined ? [] : [[command, { file, usage }]];
}

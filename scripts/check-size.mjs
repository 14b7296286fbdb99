/**
 * Checks the size of what a page loads before its first product: the kernels (WebAssembly), the scripts of `sparlane/async`, of the engine's worker and
 * of the threads with all that they import at once; split and minified by Rolldown, each file compressed with gzip. What is imported on demand (gallery,
 * readers, solvers) is printed, and not part of the budget.
 *
 * Checks the table of sizes in docs/in-your-library.md, too: no figure of it may be wrong by more than 3 %. With `--write`, writes the table.
 *
 * usage: npm run check:size [-- --write]      (after `npm run build`)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { inFolder, run } from './installed.mjs';
import { aroundTable } from './marks.mjs';

/** A page may load so many kB of 1000 bytes. Lower it when the page becomes smaller. Kernels of `panels` for blocks of vectors took it from 219 to 224. */
const BUDGET_KB = 224;

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const ENTRIES = {
  page: 'async/index.browser.js',
  worker: 'async/worker.browser.js',
  member: 'execution/member.browser.js',
};

const DOCUMENT = new URL('../docs/in-your-library.md', import.meta.url);
/** A figure of the document may differ from the measured one by this share of it. Chosen. */
const TOLERANCE = 0.03;

const ONE_FILE = fileURLToPath(new URL('../examples/one-file/build.mjs', import.meta.url));

const chunks = await bundled(Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, DIST + file])));
const atOnce = loadedAtOnce(chunks);
const kernels = ['simd', 'relaxed-simd'].map((name) => gzipped(readFileSync(`${DIST}kernels/kernels.${name}.wasm`)));
const total = sizeOf(atOnce, chunks) + Math.max(...kernels);
const onDemand = [...chunks.keys()].filter((name) => !atOnce.includes(name));

print(`before the first product: ${kB(total)} gzip, of ${BUDGET_KB} kB`);
print(`  kernels ${kernels.map(kB).join(', with relaxed SIMD ')}`);
print(`  scripts ${kB(sizeOf(atOnce, chunks))} in ${atOnce.length} files`);
for (const [folder, bytes] of foldersOf(atOnce)) print(`    ${folder.padEnd(16)} ${kB(bytes)} before minification`);
print(`on demand: ${kB(sizeOf(onDemand, chunks))} gzip in ${onDemand.length} files`);
const table = await sizeTable();
print(table);
if (process.argv.includes('--write')) writeTable();
else checkTable();
if (total > 1000 * BUDGET_KB)
  throw new Error(`what a page loads before its first product: expected at most ${BUDGET_KB} kB, got ${kB(total)}`);

/** Returns the table of sizes by what is imported, in Markdown. */
async function sizeTable() {
  const wasm = Math.max(...kernels);
  const rows = [
    ['`createEngine`', 'sparlane', await sizeWith("export { createEngine } from 'sparlane';"), wasm],
    ['`createEngine`, `solve`', 'sparlane', await sizeWith("export { createEngine, solve } from 'sparlane';"), wasm],
    ['`createEngine`, `factor`', 'sparlane', await sizeWith("export { createEngine, factor } from 'sparlane';"), wasm],
    ['`createEngine`, `eigs`', 'sparlane', await sizeWith("export { createEngine, eigs } from 'sparlane';"), wasm],
    ['`createAsyncEngine`', 'sparlane/async', sizeOf(atOnce, chunks), wasm],
    ['`spy`', 'sparlane/pictures', await sizeWith("export { spy } from 'sparlane/pictures';"), 0],
    ['`createEngine`, in one file', 'sparlane', await sizeOfOneFile(), 0],
  ];
  const line = ([name, entry, ...sizes]) => `| ${[name, `\`${entry}\``, ...sizes.map(rounded)].join(' | ')} |`;
  return ['| imported | from | scripts, kB | kernels, kB |', '| --- | --- | ---: | ---: |', ...rows.map(line)].join(
    '\n',
  );
}

/** Returns the bytes of all scripts that a program loads at once. @param text its source */
async function sizeWith(text) {
  const program = {
    name: 'program',
    resolveId: (id) => (id === 'program' ? id : undefined),
    load: (id) => (id === 'program' ? text : undefined),
  };
  const all = await bundled({ program: 'program' }, [program]);
  return sizeOf(loadedAtOnce(all), all);
}

function sizeOfOneFile() {
  return inFolder((folder) => {
    run(folder, process.execPath, ONE_FILE, folder);
    return gzipped(readFileSync(join(folder, 'fast.mjs')));
  });
}

function documented() {
  return aroundTable(readFileSync(DOCUMENT, 'utf8'), 'sizes', 'docs/in-your-library.md');
}

function writeTable() {
  const { before, after } = documented();
  writeFileSync(DOCUMENT, before + table + after);
}

function checkTable() {
  const { table: written } = documented();
  const [told, measured] = [written, table].map((text) => text.split(/(\d+)(?= \|)/));
  const isRight = (piece, place) =>
    place % 2 === 0 ? piece === told[place] : Math.abs(piece - told[place]) <= TOLERANCE * piece;
  if (told.length === measured.length && measured.every(isRight)) return;
  throw new Error(
    `docs/in-your-library.md: expected the sizes above, got\n${written}\n(npm run check:size -- --write)`,
  );
}

/** Returns the chunks of a bundle by name. */
async function bundled(input, plugins = []) {
  const bundle = await rolldown({ input, platform: 'browser', plugins });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
}

/** Returns the names of the entries of a bundle, and of all files that these import statically. */
function loadedAtOnce(all) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const imported of all.get(name).imports) visit(imported);
  };
  for (const { isEntry, fileName } of all.values()) if (isEntry) visit(fileName);
  return [...found];
}

function gzipped(content) {
  return gzipSync(content, { level: 9 }).length;
}

function sizeOf(names, all) {
  return names.reduce((sum, name) => sum + gzipped(all.get(name).code), 0);
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function rounded(bytes) {
  return Math.round(bytes / 1000);
}

/** The bytes of each folder of the library, and of each package, largest first. */
function foldersOf(names) {
  const sums = new Map();
  for (const name of names) {
    for (const [path, { renderedLength }] of Object.entries(chunks.get(name).modules)) {
      const folder = path.startsWith(DIST)
        ? path.slice(DIST.length).split('/')[0]
        : path.replace(/.*node_modules\//, '').split('/')[0];
      sums.set(folder, (sums.get(folder) ?? 0) + renderedLength);
    }
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

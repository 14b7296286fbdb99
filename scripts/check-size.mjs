/**
 * Checks the size of what a page loads for the engine and products: the scripts of `sparlane/async`, of the engine's worker and
 * of the threads with all that they import at once, split and minified by Rolldown, each file compressed with gzip. What is imported
 * on demand (gallery, readers, solvers) and the kernels (WebAssembly) are printed, and not part of the budget.
 *
 * usage: npm run check:size      (after `npm run build`)
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** kB of 1000 bytes. Lower it when the page becomes smaller. */
const BUDGET_KB = 78;

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const ENTRIES = {
  page: 'async/index.browser.js',
  worker: 'async/worker.browser.js',
  member: 'execution/member.browser.js',
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, DIST + file])),
  platform: 'browser',
});
const { output } = await bundle.generate({ format: 'esm', minify: true });
await bundle.close();

const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
if (entries.length !== Object.keys(ENTRIES).length)
  throw new Error(`expected ${Object.keys(ENTRIES)}, got ${[...chunks.keys()]}`);
const atOnce = new Set();
for (const { fileName } of entries) visit(fileName);

function visit(name) {
  if (atOnce.has(name)) return;
  atOnce.add(name);
  for (const imported of chunks.get(name).imports) visit(imported);
}

const gzipped = (content) => gzipSync(content, { level: 9 }).length;
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const sizeOf = (names) => names.reduce((sum, name) => sum + gzipped(chunks.get(name).code), 0);
const total = sizeOf([...atOnce]);
const onDemand = [...chunks.keys()].filter((name) => !atOnce.has(name));

print(`at once: ${kB(total)} gzip, of ${BUDGET_KB} kB`);
for (const [folder, bytes] of foldersOf([...atOnce])) print(`  ${folder.padEnd(16)} ${kB(bytes)} before minification`);
print(`on demand: ${kB(sizeOf(onDemand))} gzip in ${onDemand.length} files`);
for (const name of ['simd', 'relaxed-simd']) {
  print(`kernels (${name}): ${kB(gzipped(readFileSync(`${DIST}kernels/kernels.${name}.wasm`)))} gzip`);
}
if (total > 1000 * BUDGET_KB)
  throw new Error(`what a page loads at once: expected at most ${BUDGET_KB} kB, got ${kB(total)}`);

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

/**
 * Checks the size of what a page loads before its first product: the kernels (WebAssembly), the scripts of `sparlane/async`, of the engine's worker and
 * of the threads with all that they import at once; split and minified by Rolldown, each file compressed with gzip. What is imported on demand (gallery,
 * readers, solvers) is printed, and not part of the budget.
 *
 * usage: npm run check:size      (after `npm run build`)
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** kB of 1000 bytes. Lower it when the page becomes smaller. */
const BUDGET_KB = 217;

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const ENTRIES = {
  page: 'async/index.browser.js',
  worker: 'async/worker.browser.js',
  member: 'execution/member.browser.js',
};

const PLAIN = "export { createEngine } from 'plain';";

const chunks = await bundled(Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, DIST + file])));
const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
if (entries.length !== Object.keys(ENTRIES).length)
  throw new Error(`expected ${Object.keys(ENTRIES)}, got ${[...chunks.keys()]}`);
const atOnce = closure(entries.map(({ fileName }) => fileName));
const kernels = ['simd', 'relaxed-simd'].map((name) => gzipped(readFileSync(`${DIST}kernels/kernels.${name}.wasm`)));
const total = sizeOf(atOnce) + Math.max(...kernels);
const onDemand = [...chunks.keys()].filter((name) => !atOnce.includes(name));
const plain = await bundled({ plain: 'virtual:plain', member: DIST + ENTRIES.member });
const plainAtOnce = closure(
  [...plain.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
  plain,
);

print(`before the first product: ${kB(total)} gzip, of ${BUDGET_KB} kB`);
print(`  kernels ${kernels.map(kB).join(', with relaxed SIMD ')}`);
print(`  scripts ${kB(sizeOf(atOnce))} in ${atOnce.length} files`);
for (const [folder, bytes] of foldersOf(atOnce)) print(`    ${folder.padEnd(16)} ${kB(bytes)} before minification`);
print(`on demand: ${kB(sizeOf(onDemand))} gzip in ${onDemand.length} files`);
print(`synchronous engine: scripts ${kB(sizeOf(plainAtOnce, plain))} gzip`);
if (total > 1000 * BUDGET_KB)
  throw new Error(`what a page loads before its first product: expected at most ${BUDGET_KB} kB, got ${kB(total)}`);

/** The chunks of a bundle by name. */
async function bundled(input) {
  const resolvePlain = {
    name: 'plain',
    resolveId: (id) => (id === 'virtual:plain' ? id : id === 'plain' ? `${DIST}index.browser.js` : undefined),
    load: (id) => (id === 'virtual:plain' ? PLAIN : undefined),
  };
  const bundle = await rolldown({ input, platform: 'browser', plugins: [resolvePlain] });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
}

/** The files that are loaded with these. */
function closure(names, all = chunks) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const imported of all.get(name).imports) visit(imported);
  };
  for (const name of names) visit(name);
  return [...found];
}

function gzipped(content) {
  return gzipSync(content, { level: 9 }).length;
}

function sizeOf(names, all = chunks) {
  return names.reduce((sum, name) => sum + gzipped(all.get(name).code), 0);
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
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

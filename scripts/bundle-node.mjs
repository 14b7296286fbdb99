/**
 * Bundles the modules of `dist` for Node, and for pages that have no bundler: the library into `dist/node`, the command line with all that it needs into
 * `dist/command-line`, and `sparlane/async` with the packages that it needs into `dist/cdn`. A process or thread that imports the library then loads a few
 * files instead of 430, in a quarter of the time. Other pages are left to the bundlers of their projects. Tests import the modules (`#dist/…`); the programs
 * that they start, the examples and the packages run the bundles.
 *
 * A bundle keeps the file names of the scripts of threads, in one folder as deep as those of the modules. So a name relative to `import.meta.url` is right in both if it
 * is that of a file in the same folder, or begins with `../` (test/package.test.ts follows those of scripts).
 *
 * usage: npm run build:node      (after `npm run build:js` and `npm run build:wasm`)
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * The scripts of threads that share no state with the library, by their names in a bundle. They are CommonJS (`async/worker.node.cts` says why) and one file each: with
 * the same in ES modules a thread takes 33 instead of 26 ms to start (Node 20, Intel Xeon, November 2026).
 */
const THREADS = {
  'member.node': 'execution/member.node.js',
  'block-script.node': 'io/matrix-market/block-thread.node.js',
};
/** Threads in which the library runs. */
const RANK = 'ranks/rank-thread.node.js';
const HOST = 'async/host.node.js';

/** The scripts of a page beside that of `async.js`. */
const PAGE = {
  async: 'async/other-origin.browser.js',
  'worker.browser': 'async/worker.browser.js',
  'member.browser': 'execution/member.browser.js',
};

/** The kernels are in the folder of the modules. */
const kernels = {
  name: 'kernels',
  transform: (code) => code.replaceAll("new URL('./kernels.", "new URL('../kernels/kernels."),
};

/** The library, and what loads little of it. */
const LIBRARY = 'index.node.js';
const LIGHT = { async: 'async/index.node.js', pictures: 'pictures/index.js' };

/** Code of these packages is in the bundles of Node, too: as files of their own they take 8 of the 74 ms of an import (Node 20, Intel Xeon, November 2026). Of tslib only two functions are needed. */
const CONTAINED = ['delaunator', 'pure-rand', 'robust-predicates', 'tslib', 'wasm-feature-detect'];

/** The file that has the license of a package is named so. */
const LICENSE = /^licen[cs]e/i;

/** The modules that an entry imports, by entry. */
const imports = new Map();

const library = { index: LIBRARY, ...LIGHT, ...named(RANK), ...named(HOST) };
await bundle('node', library, { codeSplitting: { groups: [{ name: fileOf, debugName: 'files' }] } });
copyFileSync(`${DIST}async/worker.node.cjs`, `${DIST}node/worker.node.cjs`);
await bundle('command-line', { main: 'cli/main.js', ...named(RANK) });
rmSync(`${DIST}cdn`, { recursive: true, force: true });
writeLicenses('cdn', await write('cdn', PAGE, { platform: 'browser', plugins: [kernels] }, { minify: true }));

function named(path) {
  return { [basename(path, '.js')]: path };
}

/** Bundles programs as `output` says, and the script of each thread of `THREADS` into one file. */
async function bundle(name, programs, output) {
  // Other packages, and Node's modules, are imported as they are.
  const options = { platform: 'node', external: new RegExp(`^(?!(${CONTAINED.join('|')})(/|$))[^./]`) };
  rmSync(DIST + name, { recursive: true, force: true });
  const modules = await write(name, programs, options, output);
  const ofThreads = { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false };
  for (const [script, path] of Object.entries(THREADS))
    modules.push(...(await write(name, { [script]: path }, options, ofThreads)));
  writeLicenses(name, modules);
}

/**
 * The file of a module that the library imports: one for all, but another for those that the light entries import, too. By default there would be one for each set of
 * entries, 60 in all, and a file takes about a millisecond to load.
 */
function fileOf(id, modules) {
  const isOf = (entry) => importsOf(DIST + entry, modules).has(id);
  if (!isOf(LIBRARY)) return null;
  return Object.values(LIGHT).some(isOf) ? 'common' : 'library';
}

/** The modules that an entry imports, itself included, but for those on demand. */
function importsOf(entry, modules) {
  let known = imports.get(entry);
  if (known === undefined) {
    known = new Set([entry]);
    // A set also visits what is added meanwhile.
    for (const id of known) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) known.add(imported);
    imports.set(entry, known);
  }
  return known;
}

/** @returns the modules that were bundled */
async function write(name, entries, options, output = {}) {
  const dir = join(DIST, name);
  const input = Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, DIST + path]));
  // Imports on demand of what is loaded anyway are for pages.
  const bundled = await rolldown({ input, checks: { ineffectiveDynamicImport: false }, ...options });
  const { output: files } = await bundled.write({
    dir,
    format: 'esm',
    chunkFileNames: '[name].js',
    comments: false,
    ...output,
  });
  await bundled.close();
  return files.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Writes the licenses of the packages to which modules belong: most licenses ask for a copy of themselves beside the code. */
function writeLicenses(name, modules) {
  const folders = modules
    .map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
    .filter(Boolean);
  const licenses = [...new Set(folders)].sort().map((folder) => {
    const { name: own, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => LICENSE.test(entry));
    if (file === undefined) throw new Error(`${own}: expected a file with its license (${license}), got none`);
    return `${own} ${version}: ${license}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  writeFileSync(join(DIST, name, 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(80)}\n\n`));
}

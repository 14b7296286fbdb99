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
import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** The scripts of threads, each with the CommonJS script, if there is one, that imports it from the same folder. */
const THREADS = [
  ['execution/member.node.js', 'execution/member.node.cjs'],
  ['io/matrix-market/block-thread.node.js', 'io/matrix-market/block-script.node.cjs'],
  ['ranks/rank-thread.node.js'],
];
const HOST = ['async/host.node.js', 'async/worker.node.cjs'];

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

const library = { index: 'index.node.js', async: 'async/index.node.js', pictures: 'pictures/index.js' };
await bundle('node', library, [...THREADS, HOST]);
await bundle('command-line', { main: 'cli/main.js' }, THREADS);
await write('cdn', PAGE, { platform: 'browser', plugins: [kernels] }, { minify: true });

async function bundle(name, programs, threads) {
  const scripts = threads.flatMap(([, script]) => script ?? []);
  const entries = { ...programs, ...Object.fromEntries(threads.map(([path]) => [basename(path, '.js'), path])) };
  // Packages and Node's modules are imported as they are.
  await write(name, entries, { platform: 'node', external: /^[^./]/ });
  for (const script of scripts) copyFileSync(DIST + script, join(DIST, name, basename(script)));
}

async function write(name, entries, options, output = {}) {
  const dir = join(DIST, name);
  rmSync(dir, { recursive: true, force: true });
  const input = Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, DIST + path]));
  // Imports on demand of what is loaded anyway are for pages.
  const bundled = await rolldown({ input, checks: { ineffectiveDynamicImport: false }, ...options });
  await bundled.write({ dir, format: 'esm', chunkFileNames: '[name].js', comments: false, ...output });
  await bundled.close();
}

/**
 * Bundles the modules of `dist` for Node: the library into `dist/node`, the command line with all that it needs into `dist/command-line`. A
 * process or thread that imports the library then loads a few files instead of 430, in a quarter of the time. Pages are left to the bundlers of
 * their projects. Tests import the modules (`#dist/…`); the programs that they start, the examples and the packages run the bundles.
 *
 * A bundle keeps the file names of the scripts of threads, and each folder is as deep as those of the modules: so a name relative to
 * `import.meta.url` is right in both (test/package.test.ts follows them).
 *
 * usage: npm run build:node      (after `npm run build:js` and `npm run build:wasm`)
 */
import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** The scripts of threads. */
const THREADS = [
  'execution/member.node.js',
  'async/host.node.js',
  'io/matrix-market/block-thread.node.js',
  'ranks/rank-thread.node.js',
];
/** CommonJS scripts, which import one of them from the same folder. */
const SCRIPTS = ['execution/member.node.cjs', 'async/worker.node.cjs', 'io/matrix-market/block-script.node.cjs'];

const threads = Object.fromEntries(THREADS.map((path) => [basename(path, '.js'), path]));
await bundle('node', {
  index: 'index.node.js',
  async: 'async/index.node.js',
  pictures: 'pictures/index.js',
  ...threads,
});
await bundle('command-line', { main: 'cli/main.js', ...threads });

async function bundle(name, entries) {
  const dir = join(DIST, name);
  rmSync(dir, { recursive: true, force: true });
  const input = Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, DIST + path]));
  // Packages and Node's modules are imported as they are. Imports on demand of what is loaded anyway are for pages.
  const isOutside = /^[^./]/;
  const checks = { ineffectiveDynamicImport: false };
  const bundled = await rolldown({ input, platform: 'node', external: isOutside, checks });
  await bundled.write({ dir, format: 'esm', chunkFileNames: '[name].js', comments: false });
  await bundled.close();
  for (const script of SCRIPTS) copyFileSync(DIST + script, join(dir, basename(script)));
}

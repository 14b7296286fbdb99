/**
 * Bundles the modules of `dist` for Node: the library into `dist/node`, the command line with all that it needs into `dist/command-line`. A
 * process or thread that imports the library then loads a few files instead of 430, in a quarter of the time. Pages are left to the bundlers of
 * their projects. Tests import the modules (`#dist/…`); the programs that they start, the examples and the packages run the bundles.
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

const library = { index: 'index.node.js', async: 'async/index.node.js', pictures: 'pictures/index.js' };
await bundle('node', library, [...THREADS, HOST]);
await bundle('command-line', { main: 'cli/main.js' }, THREADS);

async function bundle(name, programs, threads) {
  const scripts = threads.flatMap(([, script]) => script ?? []);
  const entries = { ...programs, ...Object.fromEntries(threads.map(([path]) => [basename(path, '.js'), path])) };
  const dir = join(DIST, name);
  rmSync(dir, { recursive: true, force: true });
  const input = Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, DIST + path]));
  // Packages and Node's modules are imported as they are. Imports on demand of what is loaded anyway are for pages.
  const isOutside = /^[^./]/;
  const checks = { ineffectiveDynamicImport: false };
  const bundled = await rolldown({ input, platform: 'node', external: isOutside, checks });
  await bundled.write({ dir, format: 'esm', chunkFileNames: '[name].js', comments: false });
  await bundled.close();
  for (const script of scripts) copyFileSync(DIST + script, join(dir, basename(script)));
}

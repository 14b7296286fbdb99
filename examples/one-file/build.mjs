/**
 * Makes one file of `fast.js`, the library and its kernels, which imports nothing and fetches nothing. The conditions `browser` and `default` of sparlane's
 * `exports` lead to the build that needs nothing of Node; with one thread it runs in Node, too.
 *
 * usage: node build.mjs [FOLDER] [esm | cjs | iife]      default: dist esm
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const EXTENSION = { esm: 'mjs', cjs: 'cjs', iife: 'js' };
const [folder = 'dist', format = 'esm'] = process.argv.slice(2);

const bundle = await rolldown({
  input: fileURLToPath(new URL('./fast.js', import.meta.url)),
  platform: 'browser',
  moduleTypes: { '.wasm': 'binary' },
  // Otherwise Rolldown warns of the URLs of the kernels and of the threads, which are not used here.
  checks: { emptyImportMeta: false },
});
await bundle.write({
  file: join(folder, `fast.${EXTENSION[format]}`),
  format,
  name: 'fast',
  codeSplitting: false,
  minify: true,
});
await bundle.close();

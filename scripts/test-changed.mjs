/**
 * Runs the tests that a change affects, for about a minute. `test/` mirrors `src/`, so these are the tests of the
 * changed folders, the tests that name a changed document or example, and the conformance suite of the changed formats. Tests of class `long` (vitest.config.ts) are left to `npm run test:all`,
 * except changed ones, and the conformance suite of few formats.
 *
 * usage: node scripts/test-changed.mjs [COMMIT] [--list]      (after `npm run build`, in the root of the repository)
 *   COMMIT   the changes since this commit, uncommitted ones included; default HEAD
 *   --list   prints the selection only
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FORMATS } from '#dist/formats/registry.js';

const { values: options, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true });
const since = positionals[0] ?? 'HEAD';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];

/**
 * The formats of a file, the longest matching name first: `assembly/coo/coo.ts` is of `coo`, as `src/formats/coo/coo.ts` and
 * `test/formats/coo/coo.test.ts`. In a folder of several formats (`src/formats/sell/`), a file of any other name is of all of
 * them. Other files of these folders are parts of several formats.
 */
const names = FORMATS.map(({ name }) => name).sort((a, b) => b.length - a.length);
const inFolder = (folder) => names.filter((name) => existsSync(`src/formats/${folder}/${name}.ts`));
const formatsOf = (path) => {
  const [, folder, file] = path.match(/^(?:assembly|(?:src|test)\/formats)\/(?:([^/]+)\/)?([^/.]+)/) ?? [];
  const own = names.find((name) => file === name || file?.startsWith(`${name}-`));
  return own === undefined ? inFolder(folder) : [own];
};
/** The tests of a format: `test/formats/coo`, or its folder. */
const testsOf = (format) => {
  const folder = names.find((name) => inFolder(name).includes(format));
  return folder === undefined ? `test/formats/${format}` : `test/formats/${folder}/`;
};

/** Tests that read a document or run an example: they name the path, or the folder in `examples/`. */
const readers = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.long.test.ts'))
  .map((name) => ({ path: `test/${name}`, text: readFileSync(`test/${name}`, 'utf8') }));
const testsNaming = (path) => {
  const [named] = path.match(/^examples\/[^/]+\/|^(docs\/)?[\w-]+\.md$/) ?? [];
  return named === undefined ? [] : readers.filter(({ text }) => text.includes(`../${named}`)).map((test) => test.path);
};

/** These tests are of what the package exports. */
const OF_EXPORTS = ['package', 'exports', 'public-names'].map((name) => `test/${name}.test.ts`);

/** Files that every product uses. */
const COMPUTES = /^(assembly|asconfig|src\/(core|memory|features|formats|kernels|execution|backends|conformance)\/)/;

const folders = new Set(['test/architecture.test.ts', 'test/declarations.test.ts']);
/** Formats whose conformance suite is run, in full; ALL if the change is of no format in particular: then all formats, briefly. */
const conforming = new Set();
const ALL = 'all';
/** A new format changes these lists; they say nothing of the other formats. */
const lists = ['src/formats/registry.ts'];
const isOfFormats = changed.some((path) => formatsOf(path).length > 0);
for (const path of changed) {
  if (isOfFormats && lists.includes(path)) continue;
  const formats = formatsOf(path);
  const [, folder] =
    path.match(/^(?:src|test)\/([^/]+)\//) ?? path.match(/^(bench|graphs|mathjs|scripts|tfjs)\//) ?? [];
  if (formats.length > 0) for (const tests of ['test/kernels/', ...formats.map(testsOf)]) folders.add(tests);
  else if (folder !== undefined) folders.add(`test/${folder}/`);
  else if (path.startsWith('assembly/')) folders.add('test/formats/').add('test/kernels/').add('test/memory/');
  else if (/^test\/.*\.test\.ts$/.test(path)) folders.add(path);
  else if (/^(package|src\/index)/.test(path)) for (const test of OF_EXPORTS) folders.add(test);
  else if (path.startsWith('cuda/')) folders.add('test/backends/');
  else if (path.startsWith('mpi/')) folders.add('test/ranks/');
  else for (const test of testsNaming(path)) folders.add(test);
  if (COMPUTES.test(path)) for (const name of formats.length > 0 ? formats : [ALL]) conforming.add(name);
}
if (conforming.size > 0) folders.add('test/conformance/');
const inFull = conforming.has(ALL) ? [] : [...conforming];

const exists = (path) => !/(\/|\.ts)$/.test(path) || existsSync(path);
const tests = [...folders].filter(exists);
const long = changed.filter((path) => path.endsWith('.long.test.ts') && exists(path));
if (inFull.length > 0) long.push('test/conformance/wasm');
process.stdout.write(`${changed.length} files changed: ${tests.join(' ')}\n`);
if (long.length > 0) process.stdout.write(`long: ${long.join(' ')}\n`);
if (inFull.length > 0) process.stdout.write(`formats: ${inFull.join()}\n`);
if (!options.list) {
  run('--project', 'unit', '--project', 'node', ...tests);
  if (long.length > 0) run('--project', 'long', ...long);
}

function run(...args) {
  const env = { ...process.env, SPARLANE_FORMATS: inFull.join() };
  const { status } = spawnSync('npx', ['vitest', 'run', ...args], { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}

/**
 * Runs the tests that a change affects, for about a minute. `test/` mirrors `src/`, so these are the tests of the
 * changed folders, and the conformance suite of the changed formats. `npm test` and `.ci/run` run everything.
 *
 * usage: node scripts/test-changed.mjs [COMMIT]      (after `npm run build`); changes since COMMIT, uncommitted ones included; default HEAD
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { FORMATS } from '#dist/formats/registry.js';

const since = process.argv[2] ?? 'HEAD';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];

/**
 * Files of formats: `assembly/sell.ts`, `src/formats/sell.ts`, `test/formats/sell.test.ts`; the longest matching name. Other
 * files of these folders are parts of several formats.
 */
const formats = FORMATS.map(({ name }) => name).sort((a, b) => b.length - a.length);
const formatOf = (path) => {
  const [, name] = path.match(/^(?:assembly|(?:src|test)\/formats)\/([^/.]+)/) ?? [];
  return name && formats.find((format) => name === format || name.startsWith(`${format}-`));
};

/** Files that every product uses. */
const COMPUTES = /^(assembly|asconfig|src\/(core|memory|formats|kernels|execution|backends|conformance)\/)/;

const folders = new Set(['test/architecture.test.ts']);
const conforming = new Set();
for (const path of changed) {
  const format = formatOf(path);
  const [, folder] = path.match(/^(?:src|test)\/([^/]+)\//) ?? path.match(/^(bench)\//) ?? [];
  if (format !== undefined) folders.add(`test/formats/${format}`).add('test/kernels');
  else if (folder !== undefined) folders.add(`test/${folder}/`);
  else if (path.startsWith('assembly/')) folders.add('test/formats/').add('test/kernels/').add('test/memory/');
  else if (/^(package|scripts|src\/index)/.test(path)) folders.add('test/package.test.ts');
  if (COMPUTES.test(path)) conforming.add(format ?? 'brief');
}
const isBrief = conforming.has('brief');
if (conforming.size > 0) folders.add('test/conformance/');
folders.delete('test/browser/'); // minutes, and a browser

const tests = [...folders].filter((path) => !path.endsWith('/') || existsSync(path));
process.stdout.write(`${changed.length} files changed: ${tests.join(' ')}\n`);
const { status } = spawnSync('npx', ['vitest', 'run', ...tests], {
  stdio: 'inherit',
  env: { ...process.env, SPARLANE_CONFORMANCE: isBrief ? 'brief' : [...conforming].join() },
});
process.exitCode = status ?? 1;

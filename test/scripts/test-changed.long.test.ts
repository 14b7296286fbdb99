/** The tests that `npm run check` chooses, in a clone of the repository with changed files. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/test-changed.mjs');
/** Rules on all files, which are tested with every change. */
const ALWAYS = ['test/architecture.test.ts', 'test/declarations.test.ts'];

const clone = mkdtempSync(join(tmpdir(), 'sparlane-changed-'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone });

beforeAll(() => git('clone', '--quiet', '--shared', ROOT, '.'));
afterEach(() => {
  git('reset', '--quiet', '--hard');
  git('clean', '--quiet', '-d', '--force');
});
afterAll(() => rmSync(clone, { recursive: true }));

/** What the script prints: the number of changed files, the tests of the change, and the formats that must conform in full. */
function selection() {
  const printed = execFileSync(process.execPath, [SCRIPT, '--list'], { cwd: clone, encoding: 'utf8' });
  const wordsOf = (line: RegExp, separator: string) => line.exec(printed)?.[1]?.split(separator).sort() ?? [];
  return {
    count: Number.parseInt(printed, 10),
    tests: wordsOf(/ files changed: (.*)$/m, ' '),
    long: wordsOf(/^long: (.*)$/m, ' '),
    formats: wordsOf(/^formats: (.*)$/m, ','),
  };
}

test('without a change: the rules on all files', () => {
  expect(selection()).toEqual({ count: 0, tests: ALWAYS, long: [], formats: [] });
});

test.each([
  ['docs/api.md', []],
  ['src/core/csr.ts', ['test/conformance/', 'test/core/']],
  ['src/solvers/cg.ts', ['test/solvers/']],
  ['src/formats/coo/coo.ts', ['test/conformance/', 'test/formats/coo/', 'test/kernels/'], ['coo']],
  ['assembly/csr5/tile.ts', ['test/conformance/', 'test/formats/csr5/', 'test/kernels/'], ['csr5']],
  ['src/formats/sell/ell.ts', ['test/conformance/', 'test/formats/sell/', 'test/kernels/'], ['ell']],
  ['assembly/vectors/vector.ts', ['test/conformance/', 'test/formats/', 'test/kernels/', 'test/memory/']],
  ['scripts/version.mjs', ['test/scripts/']],
  ['src/index.common.ts', ['test/exports.test.ts', 'test/package.test.ts', 'test/public-names.test.ts']],
  ['docs/solving.md', ['test/preconditioners/registry.test.ts', 'test/solvers/solvers.test.ts']],
  ['examples/server/server.mjs', ['test/async/server.node.test.ts']],
  ['examples/one-file/fast.js', ['test/engine/library.node.test.ts']],
  ['cuda/registry.cu', ['test/backends/']],
  ['mpi/index.js', ['test/ranks/']],
  ['test/package.test.ts', ['test/package.test.ts']],
])('%s changed', (path, tests, formats: string[] = []) => {
  appendFileSync(join(clone, path), '\n');
  const long = formats.length > 0 ? ['test/conformance/wasm'] : [];
  expect(selection()).toEqual({ count: 1, tests: [...ALWAYS, ...tests].sort(), long, formats });
});

test('a long test is run only if it has changed itself', () => {
  writeFileSync(join(clone, 'test/cli/new.long.test.ts'), '\n');
  expect(selection()).toMatchObject({ count: 1, long: ['test/cli/new.long.test.ts'], formats: [] });
});

test('a file of several formats is of all of them', () => {
  writeFileSync(join(clone, 'src/formats/sell/new-part.ts'), '\n');
  const { count, tests, formats } = selection();
  expect(count).toBe(1);
  expect(tests).toContain('test/formats/sell/');
  expect(formats).toEqual(['ell', 'hyb', 'sell']);
});

test('a new format in the registry says nothing of the others', () => {
  appendFileSync(join(clone, 'src/formats/registry.ts'), '\n');
  expect(selection()).toMatchObject({ count: 1, formats: [] });
  appendFileSync(join(clone, 'src/formats/dia/dia.ts'), '\n');
  expect(selection()).toMatchObject({ count: 2, formats: ['dia'] });
});

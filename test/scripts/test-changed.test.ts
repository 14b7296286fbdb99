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

/** What the script prints: the number of changed files, the tests of the change, and the part of the conformance suite. */
function selection() {
  const printed = execFileSync(process.execPath, [SCRIPT, '--list'], { cwd: clone, encoding: 'utf8' });
  const [, count, tests] = /^(\d+) files changed: (.*)$/m.exec(printed) ?? [];
  const [, conformance] = /^conformance: (.*)$/m.exec(printed) ?? [];
  return { count: Number(count), tests: tests!.split(' ').sort(), conformance };
}

test('without a change: the rules on all files', () => {
  expect(selection()).toEqual({ count: 0, tests: ALWAYS, conformance: undefined });
});

test.each([
  ['docs/api.md', [], undefined],
  ['src/core/csr.ts', ['test/conformance/', 'test/core/'], 'brief'],
  ['src/solvers/cg.ts', ['test/solvers/'], undefined],
  ['src/formats/coo.ts', ['test/conformance/', 'test/formats/coo', 'test/kernels/'], 'coo'],
  ['assembly/csr5-tile.ts', ['test/conformance/', 'test/formats/csr5/', 'test/kernels/'], 'csr5'],
  ['src/formats/sell/ell.ts', ['test/conformance/', 'test/formats/sell/', 'test/kernels/'], 'ell'],
  ['assembly/vector.ts', ['test/conformance/', 'test/formats/', 'test/kernels/', 'test/memory/'], 'brief'],
  ['scripts/version.mjs', ['test/scripts/'], undefined],
  ['test/exports.test.ts', ['test/exports.test.ts'], undefined],
])('%s changed', (path, tests, conformance) => {
  appendFileSync(join(clone, path), '\n');
  expect(selection()).toEqual({ count: 1, tests: [...ALWAYS, ...tests].sort(), conformance });
});

test('a file of several formats is of all of them', () => {
  writeFileSync(join(clone, 'src/formats/sell/new-part.ts'), '\n');
  const { count, tests, conformance } = selection();
  expect(count).toBe(1);
  expect(tests).toContain('test/formats/sell/');
  expect(conformance!.split(',').sort()).toEqual(['ell', 'hyb', 'sell']);
});

test('a new format in the lists of formats says nothing of the others', () => {
  appendFileSync(join(clone, 'src/formats/registry.ts'), '\n');
  appendFileSync(join(clone, 'assembly/index.ts'), '\n');
  expect(selection()).toMatchObject({ count: 2, conformance: 'brief' });
  appendFileSync(join(clone, 'src/formats/dia/dia.ts'), '\n');
  expect(selection()).toMatchObject({ count: 3, conformance: 'dia' });
});

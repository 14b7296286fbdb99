/** `npm run version`, on copies of the manifests. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/version.mjs');
const { workspaces, version: before } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const MANIFESTS = ['.', ...workspaces, 'cuda/linux-x64'].map((folder) => join(folder, 'package.json'));
const CDN_PAGE = 'docs/bundlers.md';
const FILES = [...MANIFESTS, 'package-lock.json', 'CHANGELOG.md', CDN_PAGE];

const folder = mkdtempSync(join(tmpdir(), 'sparlane-version-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## 9.8.7 — unreleased\n\n- A line.\n\n## 0.0.1 — 2020-01-01\n',
  );
});

const move = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8' });
const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const original = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('all packages move, and nothing else changes', () => {
  const { status, stdout } = move('12.3.4-rc.1');
  expect(status).toBe(0);
  expect(stdout).toBe(`${MANIFESTS.map((file) => JSON.parse(text(file)).name).join(', ')}: 12.3.4-rc.1\n`);
  for (const file of MANIFESTS) {
    expect(text(file)).toBe(original(file).replaceAll(`"${before}"`, '"12.3.4-rc.1"'));
    expect(JSON.parse(text(file)).version).toBe('12.3.4-rc.1');
  }
  const lock = JSON.parse(text('package-lock.json'));
  const was = JSON.parse(original('package-lock.json'));
  for (const file of MANIFESTS.slice(0, -1)) {
    const place = file === 'package.json' ? '' : file.replace('/package.json', '');
    expect(lock.packages[place].version).toBe('12.3.4-rc.1');
    expect(lock.packages[place].peerDependencies).toEqual(JSON.parse(text(file)).peerDependencies);
  }
  const foreign = (packages: object) => Object.entries(packages).filter(([place]) => place.startsWith('node_modules/'));
  expect(foreign(lock.packages)).toEqual(foreign(was.packages));
  expect(foreign(was.packages).length).toBeGreaterThan(100);
  expect(text(CDN_PAGE)).toBe(original(CDN_PAGE).replaceAll(`sparlane@${before}/`, 'sparlane@12.3.4-rc.1/'));
  expect(text(CDN_PAGE)).toContain('https://cdn.jsdelivr.net/npm/sparlane@12.3.4-rc.1/dist/cdn/async.js');
});

test('the newest section of the changelog gets the version and a date, once', () => {
  expect(move('0.2.0').status).toBe(0);
  expect(text('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## 0\.2\.0 — \d{4}-\d\d-\d\d\n\n- A line\.\n\n## 0\.0\.1 — 2020-01-01\n$/,
  );
  const again = move('0.2.1');
  expect(again.status).toBe(1);
  expect(again.stderr).toMatch(/CHANGELOG\.md: expected a newest section 'unreleased', got ## 0\.2\.0/);
  expect(JSON.parse(text('package.json')).version).toBe('0.2.0');
});

test.each([[[]], [['next']], [['1.2']], [['v1.2.3']], [['1.2.3', '4.5.6']]])('refused: %s', (args) => {
  const { status, stderr } = move(...args);
  expect(status).toBe(1);
  expect(stderr).toMatch(/VERSION: expected one as 0\.2\.0/);
  expect(text('package.json')).toBe(original('package.json'));
});

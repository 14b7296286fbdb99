/** `npm run check:release`, on tarballs of small packages with the manifests' addresses. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/check-release.mjs');
const NAMES = ['@sparlane/cli', '@sparlane/mathjs', '@sparlane/mpi', '@sparlane/tfjs', 'sparlane'];
const PLACEHOLDERS: { homepage: string; repository: { url: string } } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const ADDRESSES = {
  homepage: 'https://sparlane.example/',
  repository: { url: 'git+https://git.example/sparlane.git' },
};

const folder = mkdtempSync(join(tmpdir(), 'sparlane-release-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(join(folder, 'release'), { recursive: true, force: true });
  setVersion('1.2.3', '1.2.3 — 2026-01-31');
});

function setVersion(version: string, heading: string): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## ${heading}\n\n- A line.\n`);
}

function pack(name: string, manifest: object): void {
  mkdirSync(join(folder, 'release/package'), { recursive: true });
  writeFileSync(join(folder, 'release/package/package.json'), JSON.stringify({ name, version: '1.2.3', ...manifest }));
  const file = `${name.replace('@', '').replace('/', '-')}.tgz`;
  execFileSync('tar', ['-czf', file, 'package'], { cwd: join(folder, 'release') });
}

function check(): { status: number | null; stdout: string; problems: string[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, 'release'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, problems: stderr.split('\n').filter(Boolean) };
}

test('complete packages: the commands that publish them', () => {
  for (const name of NAMES) pack(name, ADDRESSES);
  expect(check()).toEqual({
    status: 0,
    stdout: ['cli', 'mathjs', 'mpi', 'tfjs', '']
      .map((own) => `npm publish ./release/sparlane${own && '-'}${own}.tgz --provenance --access public\n`)
      .join(''),
    problems: [],
  });
});

test('the placeholders of the manifest are refused, with what to do', () => {
  for (const name of NAMES) pack(name, ADDRESSES);
  const { homepage, repository } = PLACEHOLDERS;
  pack('sparlane', { homepage, repository });
  const { status, stdout, problems } = check();
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(problems).toEqual([
    expect.stringContaining(
      `sparlane repository.url: expected the address of the repository, got ${repository.url}; set it in package.json`,
    ),
    expect.stringContaining(`sparlane homepage: expected the address of the documentation, got ${homepage}; set it`),
  ]);
});

test.each([
  [{ repository: undefined }, /^sparlane repository\.url: .*, got undefined; set it/],
  [{ homepage: 'sparlane' }, /^sparlane homepage: .*, got sparlane; set it/],
  [{ version: '1.2.2' }, /^sparlane version: expected 1\.2\.3, as package\.json, got 1\.2\.2; pack again/],
  [{ private: true }, /^sparlane private: expected none, got true/],
])('refused: %o', (manifest, problem) => {
  for (const name of NAMES) pack(name, ADDRESSES);
  pack('sparlane', { ...ADDRESSES, ...manifest });
  expect(check()).toEqual({ status: 1, stdout: '', problems: [expect.stringMatching(problem)] });
});

test('a missing package, and a changelog without the date', () => {
  for (const name of NAMES.slice(1)) pack(name, ADDRESSES);
  setVersion('1.2.3', '1.2.3 — unreleased');
  expect(check().problems).toEqual([
    'release: expected a tarball of @sparlane/cli, got none; run npm run pack -- release',
    'CHANGELOG.md: expected a newest section 1.2.3 with a date, got ## 1.2.3 — unreleased; run npm run version',
  ]);
});

test('a prerelease is not what npm installs by default', () => {
  setVersion('2.0.0-rc.1', '2.0.0-rc.1 — 2026-01-31');
  for (const name of NAMES) pack(name, { ...ADDRESSES, version: '2.0.0-rc.1' });
  const { stdout } = check();
  expect(stdout.match(/ --tag next$/gm)).toHaveLength(NAMES.length);
});

/** `npx bench`: every benchmark is found by its name. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../bench/', import.meta.url));

function bench(...args: string[]) {
  return spawnSync(process.execPath, [`${FOLDER}main.mjs`, ...args], { encoding: 'utf8' });
}

test('lists the file of every usage by its own name', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'));
  const benchmarks = files.filter((name) => /^ \* usage: npx bench /m.test(readFileSync(FOLDER + name, 'utf8')));
  // `report/report.mjs` is the benchmark `report`.
  const names = benchmarks.map((name) => name.replace('.mjs', '').replace(/^(\w+)\/\1$/, '$1'));
  const listed = [...bench().stdout.matchAll(/^npx bench (\S+)/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(names.toSorted());
});

test('runs one with its arguments, and refuses a name that is none, in one line', () => {
  const { stdout, status } = bench('matrices/check', '--entries', 'none', '--scale', '0.5', 'jindal');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/Jindal.*, at scale 0.5/)]);
  const { stderr, status: refused } = bench('speed');
  expect([refused, stderr]).toEqual([1, 'expected a benchmark (npx bench lists them), got speed\n']);
});

test('shows the header of one, without running it', () => {
  for (const name of ['blocks', 'cuda/run', 'report']) {
    const { stdout, stderr, status } = bench(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\nusage: npx bench ${name}`);
    expect(stdout).not.toMatch(/^ ?\*/m);
  }
});

test('refuses an option that a benchmark does not have, and says where they are', () => {
  const { stderr, status } = bench('matrices/check', '--speed');
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^Unknown option '--speed'.*\(npx bench matrices\/check --help\)\n$/),
  ]);
});

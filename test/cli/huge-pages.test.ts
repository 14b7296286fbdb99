/** What `info` and `tune` say of the system's pages. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hugePagesAdvice } from '#dist/cli/huge-pages.js';
import { runCli, temporaryFolder } from './run-cli.js';

test.each([
  ['always [madvise] never', /^transparent huge pages are 'madvise'/],
  ['always madvise [never]', /^transparent huge pages are 'never'/],
])('%s', (text, advice) => {
  const file = temporaryFolder()('enabled');
  writeFileSync(file, `${text}\n`);
  expect(hugePagesAdvice(file)).toMatch(advice);
});

test('nothing where they are always used, and where there is no such setting', () => {
  const file = temporaryFolder();
  writeFileSync(file('enabled'), '[always] madvise never\n');
  writeFileSync(file('other'), 'something else\n');
  expect([file('enabled'), file('other'), file('missing')].map((path) => hugePagesAdvice(path))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('info says it, if there is something to say', async () => {
  const { code, stdout } = await runCli('info', 'gallery:laplace1d3?nx=9');
  expect(code).toBe(0);
  const advice = hugePagesAdvice();
  if (advice === undefined) expect(stdout).not.toContain('huge pages');
  else expect(stdout.replace(/\s+/g, ' ')).toContain(advice);
});

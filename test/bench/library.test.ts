/** `npx bench library`: the tables of docs/in-your-library.md. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('measures starts and products', () => {
  const script = fileURLToPath(new URL('../../bench/library.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [script, '--small'], { encoding: 'utf8' });
  const starts = [...said.matchAll(/^\| `(.*)`, (one|two) threads? \|((?: \d+ \|){4})$/gm)];
  expect(starts.map(([, what, threads]) => `${what} ${threads}`)).toEqual([
    'sparlane one',
    'sparlane two',
    'examples/one-file one',
  ]);
  expect(said).toMatch(/^\| 460 \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$/m);
});

/** The figures of `docs/eigenvalues.md` are those of this build. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('docs/eigenvalues-*.svg are what the examples draw', () => {
  const main = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [main, 'report/eigenvalue-figures', '--check'], { encoding: 'utf8' });
  expect(said).toBe('');
});

/** The figures of `docs/multigrid.md` are those of this build. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('docs/multigrid-*.svg are what the runs give', () => {
  const main = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [main, 'report/multigrid-figures', '--check'], { encoding: 'utf8' });
  expect(said).toBe('');
});

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the costs of a GPU are those that the fit writes from the record', () => {
  const printed = execFileSync(process.execPath, ['bench/main.mjs', 'fit-device', '--check'], { encoding: 'utf8' });
  expect(printed).toContain('regret: median');
}, 120_000);

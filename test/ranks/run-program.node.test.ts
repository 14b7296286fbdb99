import { expect, test } from 'vitest';
import { run } from './run-program.js';

test('a program that takes too long is killed, with what it has started in groups of their own', async () => {
  const { code, stdout } = await run('sh', ['-c', "setsid sh -c 'echo $$; exec sleep 100' & wait"], {}, 1000);
  expect(code).toBe(-1);
  const { stdout: state } = await run('ps', ['-o', 'stat=', '-p', `${Number(stdout)}`]);
  // Z: its parent has not asked how it ended.
  expect(state).toMatch(/^(Z.*\n)?$/);
});

/** The threads of Node, without a team. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Orders } from '#dist/execution/pool.js';
import { createPool } from '#dist/execution/pool.node.js';
import { runNode } from '../cli/run-cli.js';

test('an idle thread waits in its event loop, where every runtime can end it', async () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const words = new Int32Array(memory.buffer);
  const pool = await createPool(1, new URL('./fixtures/ticking-member.mjs', import.meta.url));
  pool.enlist({ memory } as Orders).catch(() => {});
  await expect.poll(() => Atomics.load(words, 0), { timeout: 2_000 }).toBeGreaterThan(10);
  await pool.close();
  const turns = Atomics.load(words, 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(Atomics.load(words, 0)).toBe(turns);
});

test('a program goes on after it has ended threads that have just answered', async () => {
  const program = fileURLToPath(new URL('./fixtures/closing-program.mjs', import.meta.url));
  expect(await runNode([program])).toEqual({ code: 0, stdout: 'closed', stderr: '' });
});

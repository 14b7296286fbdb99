/**
 * One process at a time on each device: several processes make and convert matrices in parallel, but each is timed
 * alone.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An abstract socket of Linux: only one process can listen to a name, and the name is free again when that process ends
 * for any reason.
 */
const NAME = `\0sparlane-bench-cuda-${process.env.CUDA_VISIBLE_DEVICES ?? ''}`;
const RETRY_MS = 5;

/** Calls `use` when it is this process's turn; resolves to its result. */
export async function alone(use, name = NAME) {
  const turn = await takeTurn(name);
  try {
    return await use();
  } finally {
    turn.close();
    await once(turn, 'close');
  }
}

async function takeTurn(name) {
  for (;;) {
    const server = createServer();
    try {
      server.listen(name);
      await once(server, 'listening');
      return server;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      await sleep(RETRY_MS);
    }
  }
}

/**
 * One process at a time on each device: several processes make and convert matrices in parallel, but each is timed
 * alone.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

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

/** `alone` for code that cannot wait for a promise: the thread sleeps, and another one, which must be closed, takes the turns. */
export function openTurns(name = NAME) {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { done, name } });
  const ask = (what) => {
    worker.postMessage(what);
    Atomics.wait(done, 0, 0);
    Atomics.store(done, 0, 0);
  };
  return {
    alone(use) {
      ask('take');
      try {
        return use();
      } finally {
        ask('give');
      }
    },
    close: () => worker.terminate(),
  };
}

if (!isMainThread && workerData?.done !== undefined) serve(workerData);

function serve({ done, name }) {
  let turn;
  parentPort.on('message', async (what) => {
    if (what === 'take') turn = await takeTurn(name);
    else {
      turn.close();
      await once(turn, 'close');
    }
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  });
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

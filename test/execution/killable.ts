/** An engine whose second thread a test can kill, and what must hold while it is killed at random. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import type { Hint } from '#dist/core/hints.js';
import { platformOfNode } from '#dist/engine/create-engine.node.js';
import type { Engine } from '#dist/engine/engine.js';
import { startEngine } from '#dist/engine/start-engine.js';
import type { CreatePool } from '#dist/execution/pool.js';
import { poolOf } from '#dist/execution/pool.node.js';
import { compileKernels } from '#dist/kernels/compile.node.js';

export interface Killable {
  readonly engine: Engine;
  /** All hints so far. */
  readonly hints: readonly Hint[];
  /** Ends the second thread, soon if it is not awaited. */
  kill(): Promise<unknown>;
}

/** An engine of two threads, with the pool of `pool.node.ts`. */
export async function killableEngine(): Promise<Killable> {
  const pools: Worker[][] = [];
  const hints: Hint[] = [];
  const createPool: CreatePool = async (threads) => {
    const script = new URL(import.meta.resolve('#dist/execution/member.node.cjs'));
    const pool = Array.from({ length: threads }, () => new Worker(script));
    pools.push(pool);
    return poolOf(pool);
  };
  const { otherMemories } = platformOfNode();
  const platform = { compileKernels, createPool, cores: 2, otherMemories: otherMemories! };
  const engine = await startEngine(platform, { threads: 2, onHint: (hint) => hints.push(hint) });
  return { engine, hints, kill: async () => pools.at(-1)![0]?.terminate() };
}

/**
 * Runs something many times while threads are killed: nothing hangs, no answer is wrong, every loss is reported.
 *
 * @param run one run @returns whether its answer is right
 * @param isTime whether a thread is to be killed before run n
 * @param mostMs the longest that one run may take
 */
export async function killWhileRunning(
  { engine, hints, kill }: Killable,
  runs: number,
  { run, isTime, mostMs }: { run: () => boolean; isTime: (n: number) => boolean; mostMs: number },
): Promise<void> {
  let [errors, kills, wrong, slowest] = [0, 0, 0, 0];
  for (let n = 0; n < runs; n++) {
    if (isTime(n) && engine.team.standing === 1) {
      // Not awaited: the thread ends a little later, during the runs below.
      void kill();
      kills++;
    }
    const start = performance.now();
    try {
      if (!run()) wrong++;
    } catch (error) {
      expect(error).toMatchObject({ code: 'backend', detail: { rank: 1 } });
      errors++;
    }
    slowest = Math.max(slowest, performance.now() - start);
    if (n % 3 === 0) await sleep(0);
    // Gives a new formation time to form, so that there is a thread to kill.
    if (kills > errors + hints.length) await sleep(60);
  }
  await sleep(200);
  expect(kills).toBeGreaterThan(3);
  expect(wrong).toBe(0);
  expect(errors + hints.length).toBe(kills);
  expect(slowest).toBeLessThan(mostMs);
}

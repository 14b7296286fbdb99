/** The start of a team, and its members between products, on platforms of either kind. */
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Hint } from '#dist/core/hints.js';
import { startEngine } from '#dist/engine/start-engine.js';
import type { CreatePool } from '#dist/execution/pool.js';
import { poolOf } from '#dist/execution/pool.node.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine, type Engine } from '#dist/index.node.js';
import { compileKernels } from '#dist/kernels/compile.node.js';

const matrix = gallery('laplace2d5', { nx: 200, ny: 200 });
let engine: Engine;
const hints: Hint[] = [];
const onHint = (hint: Hint) => hints.push(hint);

afterEach(async () => {
  vi.useRealTimers();
  hints.length = 0;
  await engine?.dispose();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A · ones into a y of NaN, compared with the product on the caller's thread. */
function setUp() {
  const x = engine.vector(matrix.cols).fill(1);
  const y = engine.vector(matrix.rows);
  engine.operator(matrix, { format: 'csr', parts: 1 }).apply(x, y);
  const expected = y.toArray();
  const operator = engine.operator(matrix, { format: 'csr', parts: 24 });
  return () => {
    y.fill(Number.NaN);
    operator.apply(x, y);
    expect(y.data.every((value, i) => value === expected[i])).toBe(true);
  };
}

/** A pool as of Deno: the task of a member lasts until the order to stand down. */
const returningPool: CreatePool = async (threads) => {
  const script = new URL('./fixtures/returning-member.mjs', import.meta.url);
  return poolOf(
    Array.from({ length: threads }, () => new Worker(script)),
    false,
  );
};

describe('between products', () => {
  test('the team sleeps, uses no processor time, and is there for the next product', async () => {
    engine = await createEngine({ threads: 3, onHint });
    const check = setUp();
    check();
    // V8 may still compile kernels meanwhile.
    const usedMs = async () => {
      const before = process.cpuUsage();
      await sleep(400);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await expect.poll(usedMs, { timeout: 20_000 }).toBeLessThan(100);
    for (let round = 0; round < 5; round++) {
      check();
      expect(engine.team.standing).toBe(2);
      await sleep(round * 60);
    }
  });

  test('where a thread keeps the program alive, it stands down, and is called back by the next product', async () => {
    engine = await startEngine({ compileKernels, cores: 2, createPool: returningPool }, { threads: 3, onHint });
    const check = setUp();
    check();
    expect(engine.team.standing).toBe(2);
    await expect.poll(() => engine.team.standing, { timeout: 2000 }).toBe(0);
    for (let round = 0; round < 5; round++) {
      check();
      expect(engine.team.standing).toBe(2);
      await sleep(round * 60);
    }
  });
});

describe('start', () => {
  test('an engine works with the threads that are there; a hint names those that never come', async () => {
    const member = new URL('./fixtures/absent-member.mjs', import.meta.url);
    vi.useFakeTimers({ toFake: ['setTimeout'], shouldAdvanceTime: true });
    const start = performance.now();
    engine = await createEngine({ threads: 4, member, onHint });
    expect(performance.now() - start).toBeLessThan(5_000);
    const check = setUp();
    const ranks = new Set<number>();
    for (let round = 0; round < 300 && ranks.size < 2; round++) {
      check();
      for (let part = 0; part < 24; part++) ranks.add(engine.team.rankOf(part));
    }
    expect([...ranks].sort()).toEqual([0, 1]);
    expect(hints.map(({ name }) => name)).toEqual(['oversubscribed']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(hints.slice(1)).toEqual([
      { name: 'thread-lost', message: 'threads: expected 3 to start in 10000 ms, got 1' },
    ]);
  });
});

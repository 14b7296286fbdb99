/** The order and the shares of requests. The clock advances by steps only, so a slice has a known number of them on a busy machine, too. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FairQueue } from '#dist/async/fair-queue.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Steps of 1 ms each, which write their name. */
function* steps(name: string, count: number, log: string[]): Generator<number, string> {
  for (let step = 0; step < count; step++) {
    vi.advanceTimersByTime(1);
    log.push(name);
    yield step;
  }
  return name;
}

/** Slices of requests that take turns: runs of the same name. */
function slices(log: readonly string[]): number {
  return log.filter((name, step) => name !== log[step - 1]).length;
}

describe('the fair queue', () => {
  test('requests of one step run in their order', async () => {
    const queue = new FairQueue();
    const log: number[] = [];
    const results = await Promise.all([1, 2, 3].map((value) => queue.call(() => log.push(value))));
    expect([log, results]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('long requests share the time equally', async () => {
    const queue = new FairQueue();
    const log: string[] = [];
    const names = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(names.map((name) => queue.run({ steps: steps(name, 60, log) })));
    expect(results).toEqual(names);
    const half = log.slice(0, log.length / 2);
    for (const name of names) {
      const share = half.filter((entry) => entry === name).length / half.length;
      expect(share).toBeGreaterThan(0.15);
      expect(share).toBeLessThan(0.35);
    }
  });

  test('a short request waits for one slice of one that has begun, and none of those starves', async () => {
    const queue = new FairQueue();
    const log: string[] = [];
    const long = ['a', 'b'].map((name) => queue.run({ steps: steps(name, 100, log) }));
    while (!log.includes('b')) await new Promise((resolve) => setImmediate(resolve));
    // Always another short one waits, until the long ones end.
    let isOver = false;
    let most = 0;
    const short = (async () => {
      while (!isOver) {
        const before = log.length;
        const after = await queue.call(() => log.length);
        most = Math.max(most, slices(log.slice(before, after)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    expect(await Promise.all(long)).toEqual(['a', 'b']);
    isOver = true;
    await short;
    expect(most).toBe(1);
  });

  test('an error rejects its own request only', async () => {
    const queue = new FairQueue();
    const wrong = queue.call(() => {
      throw new Error('on purpose');
    });
    const right = queue.call(() => 'right');
    await expect(wrong).rejects.toThrow('on purpose');
    expect(await right).toBe('right');
  });

  test('a request that is aborted before its first step does not run', async () => {
    const queue = new FairQueue();
    const controller = new AbortController();
    const log: string[] = [];
    const first = queue.run({ steps: steps('first', 10, log) });
    const second = queue.run({ steps: steps('second', 10, log), signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await first;
    expect(log).not.toContain('second');
  });

  test('progress comes every 50 ms, with the latest step', async () => {
    const queue = new FairQueue();
    const told: number[] = [];
    await queue.run({ steps: steps('a', 180, []), onProgress: (step) => told.push(step) });
    expect(told).toEqual([49, 99, 149]);
  });

  test('the event loop turns between slices', async () => {
    const queue = new FairQueue();
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await queue.run({ steps: steps('a', 100, []) });
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(19);
    expect(turns).toBeLessThanOrEqual(21);
  });
});

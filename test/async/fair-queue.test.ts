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

  test('sixteen requests share; the others begin in their order, each when one has ended', async () => {
    const queue = new FairQueue();
    const log: string[] = [];
    const ended: string[] = [];
    const names = Array.from({ length: 40 }, (_, k) => `${k}`);
    await Promise.all(
      names.map(async (name) => ended.push(await queue.run({ steps: steps(name, 20 + Number(name), log) }))),
    );
    const firsts = names.map((name) => log.indexOf(name));
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    for (let at = 0; at < log.length; at += 50) {
      const open = names.filter((name) => log.indexOf(name) <= at && log.lastIndexOf(name) > at);
      expect(open.length).toBeLessThanOrEqual(16);
    }
    // Not all late together.
    expect(log.lastIndexOf('0')).toBeLessThan(log.length / 2);
    expect(ended.length).toBe(40);
  });

  test('a short request does not wait for those that wait for a share', async () => {
    const queue = new FairQueue();
    const log: string[] = [];
    const names = Array.from({ length: 30 }, (_, k) => `${k}`);
    const long = names.map((name) => queue.run({ steps: steps(name, 20, log) }));
    const steppedBefore = await queue.call(() => log.length);
    expect(slices(log.slice(0, steppedBefore))).toBeLessThanOrEqual(2 * 16);
    expect(await Promise.all(long)).toEqual(names);
  });

  test('an aborted request leaves the queue at once, and its place is taken', async () => {
    const queue = new FairQueue();
    const log: string[] = [];
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const ends: (string | number)[] = [];
    const all = controllers.map(({ signal }, k) =>
      queue
        .run({ steps: steps(`${k}`, 30, log), signal })
        .catch((error: Error) => error.message)
        .then((end) => ends.push(end)),
    );
    // 3 has come, 18 waits for a share: neither has begun.
    for (const k of [3, 18]) controllers[k]!.abort(new Error(`enough of ${k}`));
    await Promise.resolve();
    await Promise.resolve();
    expect(ends).toEqual(['enough of 3', 'enough of 18']);
    await Promise.all(all);
    expect(ends.length).toBe(20);
    expect(new Set(log).size).toBe(18);
    for (const k of ['3', '18']) expect(log).not.toContain(k);
    // 16 has the share of 3.
    expect(log.indexOf('16')).toBeLessThan(log.indexOf('17'));
    expect(log.indexOf('16')).toBeLessThan(log.lastIndexOf('0'));
    await expect(queue.run({ steps: steps('late', 3, log), signal: controllers[3]!.signal })).rejects.toThrow('enough');
    await expect(queue.call(() => log.push('late'), controllers[3]!.signal)).rejects.toThrow('enough');
    expect(log).not.toContain('late');
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

/** The team in a page, by an engine in a worker of the page. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scenarios } from './app/scenarios.worker.js';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

const there = browserIsThere('the team of threads in a page');

describe.runIf(there)('threads in Chromium', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await setStage('test/browser/app');
    page = await stage.open(ISOLATION);
    await page.waitForFunction(() => 'checks' in window);
  });

  afterAll(() => stage?.close());

  function run<K extends keyof Scenarios>(name: K, ...args: Parameters<Scenarios[K]>): ReturnType<Scenarios[K]> {
    const result = page.evaluate(([name, args]) => window.checks.scenario(name, ...args), [name, args] as const);
    return result as ReturnType<Scenarios[K]>;
  }

  it.each([2, 3])('all of %i compute', async (threads) => {
    expect(await run('ranks', threads)).toBe(true);
  });

  it('stand down when no product comes, and come back', async () => {
    const { standing, right, all, started } = await run('idle');
    expect(standing).toEqual([1, 0, 1]);
    expect(right).toBe(true);
    expect(all).toBe(true);
    expect(started).toBe(1);
  });

  it('a trap is an error, and the next product is right', async () => {
    const { codes, lost, rightAtOnce, all } = await run('trap');
    expect(codes).toEqual(['kernel']);
    expect(lost).toBe(true);
    expect(rightAtOnce).toBe(true);
    expect(all).toBe(true);
  });

  it('killed ones are reported and replaced; nothing hangs, nothing is wrong', async () => {
    const { wrong, killed, reported, failures, longestMs, all } = await run('kill', 8);
    expect(killed).toBe(8);
    expect(reported).toBe(killed);
    expect(wrong).toBe(0);
    for (const code of failures) expect(code).toBe('backend');
    // The team's patience is half a second; the rest is for a busy machine.
    expect(longestMs).toBeLessThan(2_000);
    expect(all).toBe(true);
  });

  it('end when the engine is disposed', async () => {
    const { before, after, code, multiplies } = await run('dispose');
    expect(before).toBe(2);
    expect(after).toBe(0);
    expect(code).toBe('argument');
    expect(multiplies).toBe(true);
  });
});

/** Tests who computes commands of little work: threads that are awake, or the caller alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Formation } from '#dist/execution/formation.js';
import { SmallCommands } from '#dist/execution/small-commands.js';
import { createEngine, gallery } from '#dist/index.node.js';

/** Others than the caller have so much work of a stage: enough for them to take part, and too little. */
const ENOUGH = 30_000;
const LITTLE = 2_000;
const SPIN_MS = 0.15;
/** The caller takes so many milliseconds for a command alone. */
const COMMAND_MS = 0.03;

function formation(awake: number, spinMs = SPIN_MS): Formation {
  return { awake, spinMs } as Formation;
}

describe('by the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Runs one command after another until threads take part in one. @returns the number of those before it, `most` if they take part in none */
  function aloneIn(small: SmallCommands, threads: Formation, { shared = ENOUGH, gapMs = 0, most = 1000 } = {}): number {
    for (let alone = 0; alone < most; alone++) {
      small.include(shared, 1);
      if (small.areShared(threads)) return alone;
      vi.advanceTimersByTime(COMMAND_MS);
      small.endedAlone();
      vi.advanceTimersByTime(gapMs);
    }
    return most;
  }

  test('threads that are asleep are woken in a loop that has lasted twice as long as to wake them', () => {
    const small = new SmallCommands();
    expect(aloneIn(small, formation(0))).toBeGreaterThan(aloneIn(new SmallCommands(), formation(1)));
    small.woke(0.6);
    expect(aloneIn(small, formation(0))).toBe(Math.ceil((2 * 0.6) / COMMAND_MS));
  });

  test('threads that would sleep before the next command are not woken', () => {
    expect(aloneIn(new SmallCommands(), formation(0), { gapMs: 2 * SPIN_MS })).toBe(1000);
    expect(aloneIn(new SmallCommands(), formation(0, 0))).toBe(1000);
  });

  test('threads that are awake take part if the stages of the loop have enough work for them', () => {
    const small = new SmallCommands();
    expect(aloneIn(small, formation(1))).toBeLessThan(16);
    expect(aloneIn(small, formation(1))).toBe(0);
    expect(aloneIn(small, formation(1), { shared: LITTLE, most: 1 })).toBe(0);
    for (let k = 0; k < 100; k++) small.include(LITTLE, 1);
    expect(aloneIn(small, formation(1), { shared: LITTLE })).toBe(1000);
    expect(aloneIn(new SmallCommands(), formation(1), { shared: LITTLE })).toBe(1000);
  });

  test('the caller computes alone for a while if it waits longer for threads than they save', () => {
    const small = new SmallCommands();
    aloneIn(small, formation(1));
    // Of this command the caller is saved 12 µs.
    small.endedShared(ENOUGH, 0.01);
    expect(aloneIn(small, formation(1))).toBe(0);
    small.endedShared(ENOUGH, 4);
    expect(aloneIn(small, formation(1), { most: 10_000 })).toBe(Math.ceil((16 * 4) / COMMAND_MS));
    small.endedShared(ENOUGH, 0.02);
    expect(aloneIn(small, formation(1))).toBe(Math.ceil((16 * 0.02) / COMMAND_MS));
    for (let k = 0; k < 1000; k++) small.endedShared(ENOUGH, 0.002);
    small.endedShared(ENOUGH, 0.5);
    expect(aloneIn(small, formation(1))).toBe(0);
  });

  test('threads that have saved time may cost as much, but not more than 16 ms', () => {
    /** Returns how many commands the caller computes alone after one in which it waited so long. @param commands that members took part in before */
    const aloneAfter = (waitedMs: number, commands: number) => {
      const small = new SmallCommands();
      aloneIn(small, formation(1));
      // Each command saves the caller 12 µs, and it waits for 2.
      for (let k = 0; k < commands; k++) small.endedShared(ENOUGH, 0.002);
      small.endedShared(ENOUGH, waitedMs);
      return aloneIn(small, formation(1), { most: 10_000 });
    };
    expect(aloneAfter(2, 50)).toBe(Math.ceil((16 * 2) / COMMAND_MS));
    expect(aloneAfter(2, 150)).toBe(0);
    expect(aloneAfter(15, 10_000)).toBe(0);
    expect(aloneAfter(17, 10_000)).toBe(Math.ceil((16 * 17) / COMMAND_MS));
  });
});

test('a small product has the same bits alone and in a loop, where the other thread computes its part', async () => {
  await using engine = await createEngine({ threads: 2 });
  const matrix = gallery('laplace2d5', { nx: 110, ny: 110 });
  // This partition cuts rows between parts, so the bits depend on their number.
  using operator = engine.operator(matrix, { format: 'csr?partition=merge' });
  expect(operator.plan.parts).toBe(2);
  using x = engine.vector(Float64Array.from({ length: matrix.cols }, (_, i) => Math.sin(i)));
  using y = engine.vector(matrix.rows);
  operator.apply(x, y.fill(0));
  expect(engine.team.rankOf(1)).toBe(0);
  const alone = y.toArray();
  // The product runs in a loop until the other thread has taken part.
  const last = performance.now() + 60_000;
  do operator.apply(x, y);
  while (engine.team.rankOf(1) !== 1 && performance.now() < last);
  expect(engine.team.rankOf(1)).toBe(1);
  expect(y.toArray()).toEqual(alone);
  // After this pause the other thread is asleep again.
  await sleep(50);
  operator.apply(x, y.fill(0));
  expect(y.toArray()).toEqual(alone);
});

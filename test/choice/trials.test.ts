/** Which formats are worth a trial. */
import { describe, expect, it, test } from 'vitest';
import type { RankedFormat } from '#dist/choice/choose.js';
import { budgetMs, fastest, learned, type MeasuredFormat, trialMs, worthTrying } from '#dist/choice/trials.js';

function predicted(spec: string, productMs: number, conversionMs = 20): RankedFormat {
  return { spec, productMs, conversionMs, threads: 1, bytes: 0 };
}

function measured(spec: string, productMs: number, measuredMs = productMs): MeasuredFormat {
  return { ...predicted(spec, productMs), measuredMs };
}

const FIRST = measured('first', 1);

function specOf(...given: Parameters<typeof worthTrying>): string | undefined {
  return worthTrying(...given)?.spec;
}

describe('a format is tried', () => {
  it('if its prediction is close to the fastest time', () => {
    expect(specOf([FIRST], [predicted('close', 1.1), predicted('closer', 1.05)], 'many')).toBe('closer');
    expect(specOf([FIRST], [predicted('far', 3)], 'many')).toBeUndefined();
    expect(specOf([FIRST], [], 'many')).toBeUndefined();
  });

  it('if the products pay for it', () => {
    const close = [predicted('close', 1.05)];
    const fewest = [10, 100, 1000, 10_000].find((products) => specOf([FIRST], close, products) !== undefined);
    expect(fewest).toBe(10_000);
    expect(specOf([FIRST], [predicted('close', 1.05, 2000)], 10_000)).toBeUndefined();
    expect(specOf([FIRST], [predicted('close', 1.05, 2000)], 100_000)).toBe('close');
  });

  it('of a small matrix too: many products last for seconds', () => {
    const small = measured('small', 0.001);
    const close = [predicted('close', 0.00105, 0.02)];
    expect(specOf([small], close, 10_000)).toBeUndefined();
    expect(specOf([small], close, 10_000_000)).toBe('close');
    expect(specOf([small], close, 'many')).toBe('close');
    expect(specOf([small], [predicted('far', 0.002, 0.02)], 'many')).toBeUndefined();
  });

  it('if those before it are slower than predicted', () => {
    const far = [predicted('far', 1.5)];
    expect(specOf([measured('first', 1), measured('second', 2)], far, 'many')).toBeUndefined();
    expect(specOf([measured('first', 1, 3), measured('second', 2, 3)], far, 'many')).toBe('far');
  });

  it('whatever the speed of the machine', () => {
    const others = [predicted('close', 1.1), predicted('far', 1.6)];
    for (const products of [1000, 5000, 'many'] as const) {
      const here = specOf([measured('first', 1, 1), measured('second', 1.2, 1.2)], others, products);
      expect(here).toBe(products === 1000 ? undefined : 'close');
    }
  });

  it('later, if its predictions are often too low', () => {
    const doubtful = { ...predicted('doubtful', 1), doubt: 1.2 };
    expect(specOf([FIRST], [doubtful, predicted('sure', 1.1)], 'many')).toBe('sure');
  });
});

test('the fastest is that of the least measured time', () => {
  expect(fastest([measured('a', 1, 3), measured('b', 2, 2), measured('c', 3, 4)]).spec).toBe('b');
});

describe('the time for trials', () => {
  it('is a quarter of a second for small products, more for longer ones, and never much', () => {
    expect(budgetMs(0.01, 'many')).toBe(250);
    expect(budgetMs(1, 'many')).toBe(250);
    expect(budgetMs(5, 'many')).toBeGreaterThan(500);
    expect(budgetMs(500, 'many')).toBe(2000);
  });

  it('is a small share of that of all products', () => {
    expect(budgetMs(1, 1000)).toBe(25);
    expect(budgetMs(0.01, 1000)).toBeLessThan(1);
  });

  it('ends: a format whose trial takes longer is not tried', () => {
    const close = predicted('close', 1.05);
    const price = trialMs(close, 1);
    expect(worthTrying([FIRST], [close], 'many', { leftMs: price })).toBe(close);
    expect(worthTrying([FIRST], [close], 'many', { leftMs: price - 1 })).toBeUndefined();
    expect(worthTrying([FIRST], [close], 'many', { leftMs: price - 1, share: 0.5 })).toBe(close);
  });
});

describe('a matrix that is akin to one whose formats were tried', () => {
  const ranking = [predicted('a', 1), predicted('b', 1.1), predicted('c', 1.2)];
  const specs = (formats: readonly RankedFormat[] | undefined) => formats!.map(({ spec }) => spec);

  it('has the errors of its predictions', () => {
    expect(specs(learned(ranking, [measured('b', 1.1, 1.1), measured('a', 1, 1.3)], 'many'))).toEqual(['b', 'a', 'c']);
    expect(specs(learned(ranking, [measured('c', 1.2, 1.2), measured('a', 1, 2)], 'many'))[0]).toBe('c');
  });

  it('is predicted to take the same times: otherwise nothing is learned', () => {
    expect(learned(ranking, [measured('b', 2, 2), measured('a', 1, 1.3)], 'many')).toBeUndefined();
    expect(learned(ranking, [measured('other', 1, 1)], 'many')).toBeUndefined();
  });

  it('keeps its ranking if all predictions were wrong by the same factor', () => {
    const slow = [measured('a', 1, 5), measured('b', 1.1, 5.5), measured('c', 1.2, 6)];
    expect(specs(learned(ranking, slow, 'many'))).toEqual(['a', 'b', 'c']);
  });
});

/** Which formats are worth a trial. */
import { describe, expect, it, test } from 'vitest';
import type { RankedFormat } from '#dist/choice/choose.js';
import { fastest, type MeasuredFormat, worthTrying } from '#dist/choice/trials.js';

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

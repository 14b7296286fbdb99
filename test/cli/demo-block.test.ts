/** What `sparlane demo` prints for a matrix. */
import { describe, expect, it } from 'vitest';
import { bar, type DemoProduct, demoBlock } from '#dist/cli/demo-block.js';
import { isInCache } from '#dist/cli/product.js';

function product(gflops: number, bandwidthFraction: number, inCache = false): DemoProduct {
  return { name: 'auto', format: 'sell', medianMs: 1, gflops, gbps: 1, bandwidthFraction, inCache, maxError: 0 };
}

describe('a bar', () => {
  const end = bar(product(2, 1), 2).indexOf('│');

  it('ends at the limit of the memory bus for the bytes of its format', () => {
    expect(end).toBeGreaterThan(30);
    expect(bar(product(1, 0.5), 2)).toMatch(/^[█]+[▏▎▍▌▋▊▉]?·+│$/);
    expect(bar(product(1, 0.5), 2).indexOf('│')).toBe(end);
    // Twice the bytes: half of the speed is the limit.
    expect(bar(product(1, 1), 2).trimEnd().length).toBe(Math.round(end / 2) + 1);
  });

  it('is as long as the product is fast, in eighths of a character', () => {
    const lengthOf = (text: string) => text.replace(/[·│ ].*$/, '').length;
    for (const gflops of [0.1, 0.5, 1, 1.7]) {
      const exact = (gflops / 2) * end;
      expect(Math.abs(lengthOf(bar(product(gflops, gflops / 2), 2)) - exact)).toBeLessThanOrEqual(1);
    }
  });

  it('extends beyond the limit if it is faster by noise, and has no limit in a cache', () => {
    expect(bar(product(2, 1.08), 2)).toMatch(/█│/);
    expect(bar(product(2, 3, true), 2)).not.toMatch(/[│·]/);
    expect(bar(product(0, 0), 0)).toMatch(/^ +$/);
  });

  it('is as wide as any other', () => {
    const bars = [product(2, 1), product(0.3, 0.2), product(2, 1.08), product(1, 4, true)].map((it) => bar(it, 2));
    expect(new Set(bars.map(({ length }) => length)).size).toBe(1);
  });
});

it('long names, formats and reasons do not make a block wider or higher', () => {
  const long = { ...product(1, 0.5), format: 'components?sliceRows=128&values=table' };
  const reason = 'a reason that goes on and on '.repeat(9);
  const report = { matrix: 'it', rows: 1, cols: 1, nnz: 4_000_000_000, bandwidthGbps: 1, reason };
  const lines = demoBlock('x'.repeat(32), { ...report, products: [long, long, long] }, ['⣿⣿', '⣿⣿']);
  expect(lines.length).toBe(6);
  expect(lines.filter(({ length }) => length > 80)).toEqual([]);
  expect(lines[0]!.length).toBe(80);
  expect(lines[5]).toMatch(/…$/);
});

it('a product runs from a cache if it fits in one, or is faster than memory by more than noise', () => {
  expect([isInCache(1e6, 0.5), isInCache(1e9, 0.9), isInCache(1e9, 1.15), isInCache(1e8, 1.5)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

/** The sweeps of the GPU's benchmark, without a GPU: the measurements, the tables, and the derived rule. */
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { FloatArray } from '#dist/core/types.js';
import { JINDAL } from '../../bench/cuda/jindal.mjs';
import { matrixByName } from '../../bench/cuda/matrices.mjs';
import { measureSweep } from '../../bench/cuda/measure-sweep.mjs';
import { bestRule, OMEGA } from '../../bench/cuda/omega.mjs';

interface Line {
  readonly matrix: string;
  readonly title: string;
  readonly nnz: number;
  readonly size?: number;
  readonly format: string;
  readonly requested: string;
  readonly us: number;
}

describe.skipIf(process.platform !== 'linux')('a sweep', () => {
  /**
   * Products computed here; the method named wrong gives a wrong product; `open` counts products that were not closed.
   */
  function fake() {
    const open = { vectors: 0, layouts: 0, plans: 0, laidOut: 0 };
    const engine = {
      vector: (source: number | FloatArray) => {
        open.vectors++;
        return { data: typeof source === 'number' ? new Float64Array(source) : source, dispose: () => open.vectors-- };
      },
    };
    const layOut = (_: unknown, matrix: CsrMatrix, __: unknown, { x }: { x: { data: FloatArray } }) => {
      open.layouts++;
      open.laidOut++;
      return {
        close: () => open.layouts--,
        open: (method: string) => {
          open.plans++;
          return {
            method: `${method}, made`,
            product: async () => multiply(matrix, x.data).map((y) => (method === 'wrong' ? y + 1 : y)),
            time: async (repetitions: number) => new Float64Array(repetitions).fill(0.002),
            close: () => open.plans--,
          };
        },
      };
    };
    return { engine, layOut, open };
  }

  function multiply({ rows, rowPtr, colIdx, values }: CsrMatrix, x: FloatArray): Float64Array {
    const y = new Float64Array(rows);
    for (let i = 0; i < rows; i++)
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
    return y;
  }

  async function measured(methods: string[], isOver = () => false) {
    const { engine, layOut, open } = fake();
    const lines: Line[] = [];
    const cases = ['5-point', 'road'].map((name) => ({ name, scale: 1e-4, size: 7 }));
    const products = ['coo', 'components'].map((format) => ({ format, methods }));
    const request = { engine, layOut, cases, products, repetitions: 3, isOver };
    let error: unknown;
    try {
      for await (const line of measureSweep(request)) lines.push(line);
    } catch (thrown) {
      error = thrown;
    }
    const { laidOut, ...left } = open;
    return { lines, laidOut, left, error };
  }

  const NOTHING = { vectors: 0, layouts: 0, plans: 0 };

  test('measures every method of every format on every matrix, over one layout each, and frees everything', async () => {
    const { lines, laidOut, left, error } = await measured(['a?b=1', 'c']);
    expect(error).toBeUndefined();
    expect(lines.map(({ matrix, format, requested }) => `${matrix} ${format} ${requested}`)).toEqual([
      ...['5-point coo a?b=1', '5-point coo c', '5-point components a?b=1', '5-point components c'],
      ...['road coo a?b=1', 'road coo c', 'road components a?b=1', 'road components c'],
    ]);
    expect(lines[0]).toMatchObject({ title: '5-point 2000²', size: 7, method: 'a?b=1, made', us: 2, samples: 3 });
    expect([laidOut, left]).toEqual([4, NOTHING]);
  });

  test('ends with an error at a wrong product, and frees everything', async () => {
    const { lines, left, error } = await measured(['a', 'wrong']);
    expect(lines.length).toBe(1);
    expect(String(error)).toMatch(/y\[0\]: expected .*, got /);
    expect(left).toEqual(NOTHING);
  });

  test('begins no matrix after the time limit', async () => {
    let asked = 0;
    const { lines } = await measured(['a'], () => ++asked > 1);
    expect(new Set(lines.map(({ matrix }) => matrix))).toEqual(new Set(['5-point']));
  });
});

describe('Jindal’s launch shapes', () => {
  test('are those of his tables, and ours, for each of his methods', () => {
    expect(JINDAL.products.map(({ format }: { format: string }) => format)).toEqual([
      ...['coo?adds=atomic&order=column', 'coo?adds=atomic', 'coo', 'components'],
    ]);
    expect(JINDAL.products[2].methods).toEqual([
      ...['shared?blocks=512&threads=32', 'shared?blocks=512&threads=64', 'shared?blocks=512&threads=128'],
      ...['shared?blocks=256&threads=256', 'shared'],
    ]);
    expect(JINDAL.matrices).not.toContain('5-point-own');
  });

  const { format, methods } = JINDAL.products[0];
  const linesOf = (matrix: string, title: string, us: number[]): Line[] =>
    us.map((one, k) => ({ matrix, title, nnz: 1_234_567, format, requested: methods[k], us: one }));

  test('a table for each method, the best shape, and which of his observations hold', () => {
    const lines = [
      ...linesOf('a', 'A', [80, 40, 20, 25, 10]),
      ...linesOf('b', 'B', [80, 40, 50, 50, 60]),
      // Stopped in the middle of its shapes.
      ...linesOf('c', 'C', [80, 40]),
    ];
    const text = [...JINDAL.report(lines)];
    expect(text).toContain('#### atomic adds, by columns (§1.1)');
    expect(text).toContain('| matrix | entries | 512 × 32 | 512 × 64 | 512 × 128 | 256 × 256 | ours | best |');
    expect(text).toContain('| A | 1,234,567 | 80.0 | 40.0 | 20.0 | 25.0 | 10.0 | ours |');
    expect(text).toContain('| B | 1,234,567 | 80.0 | 40.0 | 50.0 | 50.0 | 60.0 | 512 × 64 |');
    expect(text.join('\n')).not.toContain('| C |');
    expect(text).toContain(
      'More threads in 512 blocks are faster on 1 of 2; 512 × 128 and 256 × 256, the same number of threads, differ by factors of 1.00 to 1.25; ' +
        'ours is 0.67 to 2.00 × as fast as the best of his.',
    );
  });
});

describe('ω by the number of entries', () => {
  const OMEGAS = [2, 4, 8, 16, 32, 64, 128, 256, 512];
  const SIZES = [1e4, 1e5, 1e6, 1e7];

  /** A tenth slower for each factor of two away from the best ω. */
  const timesFor = (best: number) => OMEGAS.map((omega) => 10 * (1 + 0.1 * Math.abs(Math.log2(omega / best))));

  const caseOf = (size: number, best: number) => ({ size, nnz: size, us: timesFor(best) });

  test('matrices of all sizes, about as large as asked for', () => {
    const cases: { name: string; size: number; scale: number }[] = OMEGA.cases(OMEGA.matrices);
    for (const { name, size, scale } of cases.filter((one) => one.size <= 3e5)) {
      const { nnz } = matrixByName(name).make(scale);
      expect(nnz / size).toBeGreaterThan(0.5);
      expect(nnz / size).toBeLessThan(1.8);
    }
    expect(new Set(cases.map(({ size }) => size)).size * OMEGA.matrices.length).toBe(cases.length);
  });

  test('the rule with the true number of steps is found, with its ends between the sizes', () => {
    const cases = [8, 8, 32, 256].flatMap((best, k) => [caseOf(SIZES[k]!, best), caseOf(SIZES[k]!, best)]);
    expect(bestRule(cases, SIZES, 3)).toEqual([
      { below: 3e5, omega: 8 },
      { below: 3e6, omega: 32 },
      { below: Number.POSITIVE_INFINITY, omega: 256 },
    ]);
  });

  test('for fewer steps the one that loses least', () => {
    const cases = [8, 8, 16, 256].map((best, k) => caseOf(SIZES[k]!, best));
    expect(bestRule(cases, SIZES, 2)).toEqual([
      { below: 3e6, omega: 8 },
      { below: Number.POSITIVE_INFINITY, omega: 256 },
    ]);
    expect(bestRule(cases.slice(0, 3), SIZES.slice(0, 3), 1)).toEqual([{ below: Number.POSITIVE_INFINITY, omega: 8 }]);
  });

  test('the table, the rules, and the losses of these and of the paper’s', () => {
    const lines: Line[] = [
      [1e4, 8],
      [1e6, 128],
    ].flatMap(([size = 0, best = 0]) => {
      const known = { matrix: 'a', title: 'A', size, nnz: size, format: 'coo' };
      const swept = timesFor(best).map((us, k) => ({ ...known, requested: `flegar?omega=${OMEGAS[k]}`, us }));
      return [...swept, { ...known, requested: 'runs?tiles=1', us: 5 }];
    });
    const text = [...OMEGA.report(lines)];
    expect(text).toContain(
      '| A | 10,000 | 12.0 | 11.0 | 10.0 | 11.0 | 12.0 | 13.0 | 14.0 | 15.0 | 16.0 | 8 | 5.0 | – |',
    );
    expect(text).toContain('| 2 steps | 8 below 100,000, else 128 | 0.0 % | 0.0 % |');
    expect(text).toContain('| the paper’s | 8 below 100,000, else 32 below 1,000,000, else 128 | 0.0 % | 0.0 % |');
    expect(text).toContain('| 1 step | 8 | 20.0 % | 40.0 % |');
  });

  test('without data there is no rule', () => {
    expect([...OMEGA.report([])].length).toBe(4);
  });
});

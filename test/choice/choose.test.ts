import { describe, expect, test } from 'vitest';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { type Circumstances, type Decision, decide, rank } from '#dist/choice/choose.js';
import { machineCosts } from '#dist/choice/machine.js';
import { type MachineCosts, predictNs } from '#dist/choice/model.js';
import { conformanceMatrices } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { DTYPES } from '#dist/core/types.js';
import { examine } from '#dist/features/features.js';
import type { Prospect } from '#dist/formats/format.js';
import { FORMATS, prospectsOf } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';

const TYPICAL = machineCosts(2);
const TWO: Circumstances = { dtype: 'f64', threads: 2, products: 'many', costs: TYPICAL };

function decision(matrix: CsrMatrix, circumstances: Partial<Circumstances> = {}): Decision {
  const examined = examine(matrix);
  const all = { ...TWO, ...circumstances };
  return decide(examined, all, rank(examined, all), { examineMs: 0, chooseMs: 0, tuneMs: 0, multipliesPadding: false });
}

const grid = gallery('laplace2d5', { nx: 200, ny: 200 });
const graph = gallery('rmat', { scale: 13 });

describe('a decision', () => {
  test('ranks the fastest first if conversions do not count', () => {
    const { ranking, chosen } = decision(grid);
    expect(chosen).toBe(ranking[0]);
    expect(ranking.length).toBeGreaterThan(4);
    // csr is not charged for the uncertainty of the other formats.
    const others = ranking.filter(({ spec }) => spec !== 'csr').map(({ productMs, doubt = 1 }) => doubt * productMs);
    expect(others).toEqual(others.toSorted((a, b) => a - b));
  });

  test('for one product is csr: no conversion pays', () => {
    for (const matrix of [grid, graph]) expect(decision(matrix, { products: 1 }).chosen.spec).toBe('csr');
    const { late, reason } = decision(grid, { products: 1 });
    expect(reason).toContain('not 1');
    expect(late!.products).toBeGreaterThan(1);
    // With enough products expected, it is no longer too late.
    expect(decision(grid, { products: 4 * late!.products }).chosen.spec).not.toBe('csr');
  });

  test('for csr never says that a conversion pays too late if it pays in time but gains almost nothing', () => {
    const { ranking } = decision(graph);
    const csr = { ...ranking.find(({ spec }) => spec === 'csr')!, productMs: 1, conversionMs: 0 };
    const reasonAgainst = (conversionMs: number) => {
      const other = { ...csr, spec: 'components', productMs: 0.965, conversionMs };
      const outcome = { examineMs: 0, chooseMs: 0, tuneMs: 0, multipliesPadding: false };
      return decide(examine(graph), { ...TWO, products: 1000 }, [csr, other], outcome).reason;
    };
    expect(reasonAgainst(30)).toBe('nothing else is more than 3 % faster over 1000 products, with its conversion');
    expect(reasonAgainst(70)).toContain('its conversion pays only after 2,000 products, not 1000');
  });

  test('divides few long rows among many threads', () => {
    const wide = transposeMatrix(gallery('rowlengths', { rows: 200_000, cols: 5, mean: 3 }));
    const specOn = (threads: number) =>
      decision(wide, { threads, costs: machineCosts(threads), products: 1000 }).chosen.spec;
    expect(specOn(16)).toMatch(/partition=merge/);
    expect(specOn(1)).not.toMatch(/partition=merge/);
  });

  test('expects no more threads to read a format than have a part of it', () => {
    const [prospect] = prospectsOf(examine(grid), 'f64');
    const nsOn = (threads: number, units: number) =>
      predictNs(machineCosts(threads), examine(grid).features, { ...prospect!, units }, 'f64', threads);
    expect(nsOn(16, 1)).toBeGreaterThan(nsOn(1, 1));
    expect(nsOn(16, 40_000)).toBeLessThan(nsOn(1, 1) / 4);
  });

  test('compares measured times only if both formats were measured', () => {
    const csr = { ...decision(graph).ranking.find(({ spec }) => spec === 'csr')!, productMs: 2 };
    const sell = { ...csr, spec: 'sell', productMs: 1, measuredMs: 5 };
    const outcome = { examineMs: 0, chooseMs: 0, tuneMs: 0, multipliesPadding: false };
    const of = (other: typeof csr) => decide(examine(graph), { ...TWO, products: 1000 }, [sell, other], outcome);
    expect(of(csr)).toMatchObject({ gain: 2, reason: expect.stringContaining('predicted to be 2.00') });
    const measured = { ...csr, measuredMs: 15 };
    expect(of(measured)).toMatchObject({ gain: 3, reason: expect.stringContaining('measured to be 3.00') });
  });

  test('converts sooner or later, never back: more products, never a slower product', () => {
    for (const matrix of [grid, graph, gallery('dense', { rows: 300, cols: 300 })]) {
      const counts = [1, 3, 10, 30, 100, 1000, 100_000];
      const chosen = counts.map((products) => decision(matrix, { products }).chosen);
      const times = chosen.map(({ productMs, doubt = 1 }) => productMs * doubt);
      for (let k = 1; k < times.length; k++) expect(times[k]!).toBeLessThanOrEqual(times[k - 1]! * 1.03);
    }
  });

  test('knows the features of a matrix', () => {
    expect(decision(gallery('laplace2d5', { nx: 300, ny: 300, values: 'real' })).chosen.spec).toBe('dia');
    expect(decision(gallery('laplace2d9', { nx: 60, ny: 60, block: 4, values: 'real' })).chosen.spec).toMatch(
      /^(bsr|inode)/,
    );
    expect(decision(gallery('rowlengths', { distribution: 'geometric', mean: 7 })).chosen.spec).toMatch(
      /^(components|sell|panels)/,
    );
  });

  test('on one thread asks for none', () => {
    for (const { threads } of decision(grid, { threads: 1 }).ranking) expect(threads).toBe(1);
    expect(decision(gallery('laplace2d5', { nx: 30, ny: 30 })).chosen.threads).toBe(1);
    expect(decision(gallery('laplace2d5', { nx: 700, ny: 700 })).chosen.threads).toBe(2);
  });

  test('a full row among short ones is shared along the merge path, or cut off', () => {
    const { ranking } = decision(gallery('circuit', { n: 200_000, hubs: 1, hubLength: 150_000 }), { threads: 32 });
    const at = (spec: string) => ranking.findIndex((format) => format.spec === spec);
    expect(at('csr?partition=merge')).toBeLessThan(at('csr'));
  });

  test('panels, whose slices are few and unequal, are for few threads', () => {
    const powerLaw = gallery('rmat', { scale: 17 });
    expect(decision(powerLaw, { threads: 1 }).chosen.spec).toBe('panels');
    expect(decision(powerLaw, { threads: 16 }).chosen.spec).not.toBe('panels');
  });

  test('without padding is for a format that never has any', () => {
    const padded = FORMATS.filter(({ mayPad }) => mayPad).map(({ name }) => name);
    expect(padded).toEqual(['ell', 'sell', 'hyb', 'dia', 'sss', 'bsr']);
    for (const matrix of [grid, graph, gallery('laplace2d9', { nx: 60, ny: 60, block: 4 })]) {
      const { ranking } = decision(matrix, { padding: false });
      expect(ranking.length).toBeGreaterThan(1);
      for (const { spec } of ranking) expect(padded).not.toContain(spec.split('?')[0]);
    }
  });

  test('is plain data, the same every time', () => {
    const first = decision(graph);
    expect(structuredClone(first)).toEqual(first);
    expect(JSON.parse(JSON.stringify(first))).toEqual(first);
    expect(decision(graph)).toEqual(first);
  });

  test('is made for every matrix and dtype, and names csr among others', () => {
    for (const { name, matrix } of conformanceMatrices()) {
      for (const dtype of DTYPES) {
        const { ranking, gain, reason } = decision(matrix, { dtype });
        expect([name, ranking.some(({ spec }) => spec === 'csr')]).toEqual([name, true]);
        expect(gain).toBeGreaterThan(0);
        expect(reason).not.toMatch(/NaN|Infinity|undefined/);
      }
    }
  });

  test('never takes a kernel that was never measured', () => {
    const { dia: _, ...kernels } = TYPICAL.kernels;
    const { ranking } = decision(grid, { costs: { ...TYPICAL, kernels } });
    expect(ranking.map(({ spec }) => spec)).not.toContain('dia');
    expect(decision(grid).ranking.map(({ spec }) => spec)).toContain('dia');
  });
});

describe('the constants', () => {
  test('are there for every kernel that a format may propose', () => {
    const matrices = [
      ...conformanceMatrices().map(({ matrix }) => matrix),
      gallery('rgg', { n: 40_000 }),
      gallery('laplace2d5', { nx: 30, ny: 30, block: 3 }),
      gallery('rmat', { scale: 12, values: 'ones' }),
    ];
    for (const matrix of matrices) {
      const examined = examine(matrix);
      for (const dtype of DTYPES) {
        for (const { kernel } of prospectsOf(examined, dtype)) {
          expect(Object.keys(TYPICAL.kernels)).toContain(kernel);
        }
      }
    }
  });
});

describe('a tuning', () => {
  const { features } = examine(grid);
  const large: Prospect = { spec: 'csr', kernel: 'csr', bytes: 1e9, entries: 1e6 };
  const small: Prospect = { ...large, bytes: 1e5 };
  const time = (costs: MachineCosts, prospect: Prospect, threads = 2) =>
    predictNs(costs, features, prospect, 'f64', threads);

  test('takes the place of the typical figures, but for those that one thread cannot measure', () => {
    const { kernels, busSpeedup, forkJoinNs, ...alone } = TYPICAL;
    const ofOneThread = { ...alone, entryNs: 0.5, startNs: 99 };
    expect(machineCosts(2, ofOneThread)).toEqual({ ...ofOneThread, busSpeedup, forkJoinNs, kernels });
    expect(machineCosts(2, { ...ofOneThread, busSpeedup: 1.2, forkJoinNs: 5000 })).toMatchObject({
      busSpeedup: 1.2,
      forkJoinNs: 5000,
    });
  });

  test('with slower memory slows matrices beyond the caches, not those in L2', () => {
    const [l2, l3, memory] = TYPICAL.byteNs;
    const slow: MachineCosts = { ...TYPICAL, byteNs: [l2, l3, 2 * memory] };
    const waited = time(slow, large) - time(TYPICAL, large);
    expect(waited).toBeGreaterThan(0.9e9 * (TYPICAL.byteNs[2] / TYPICAL.busSpeedup));
    expect(time(slow, small)).toBeCloseTo(time(TYPICAL, small), -2);
  });

  test('on a machine that is half as fast in everything doubles every time', () => {
    const twice = <T extends readonly number[]>(all: T) => all.map((ns) => 2 * ns) as unknown as T;
    const slow: MachineCosts = {
      ...{ ...TYPICAL, entryNs: 2 * TYPICAL.entryNs },
      ...{ byteNs: twice(TYPICAL.byteNs), missNs: twice(TYPICAL.missNs) },
      ...{ startNs: 2 * TYPICAL.startNs, forkJoinNs: 2 * TYPICAL.forkJoinNs },
    };
    for (const prospect of prospectsOf(examine(graph), 'f64')) {
      for (const threads of [1, 2]) {
        const [here, there] = [slow, TYPICAL].map((costs) => time(costs, prospect, threads));
        expect(here! / there!).toBeCloseTo(2, 9);
      }
    }
  });
});

describe('for blocks of vectors', () => {
  const specs = (matrix: CsrMatrix, columns: number) =>
    rank(examine(matrix), { ...TWO, columns }).map(({ spec }) => spec.replace(/\?.*/, ''));

  test('only formats with a kernel for blocks are offered', () => {
    const mesh = gallery('laplace2d5', { nx: 200, ny: 200 });
    expect(specs(mesh, 1)).toContain('sss');
    expect(specs(mesh, 16)).not.toContain('sss');
    expect(specs(mesh, 16)).toEqual(expect.arrayContaining(['csr', 'sell', 'dia']));
  });

  test('threads never divide a row', () => {
    const { features } = examine(grid);
    const prospect = prospectsOf(examine(grid), 'f64').find(
      ({ spec }) => spec === 'sell?sortScope=1' || spec === 'sell',
    )!;
    const timeOf = (longestRow: number, columns: number) =>
      predictNs(TYPICAL, { ...features, longestRow }, prospect, 'f64', 64, columns);
    expect(timeOf(grid.nnz, 16)).toBeGreaterThan(2 * timeOf(5, 16));
    expect(timeOf(grid.nnz, 1)).toBe(timeOf(5, 1));
  });

  test('a rest is computed when the first stage has ended, its longest row by one thread', () => {
    const { features } = examine(grid);
    const prospect = prospectsOf(examine(grid), 'f64').find(
      ({ spec }) => spec === 'sell?sortScope=1' || spec === 'sell',
    )!;
    const steps = features.nnz / 2;
    const timeOf = (afterwards: number, longestRow: number) =>
      predictNs(TYPICAL, { ...features, longestRow }, { ...prospect, steps, afterwards }, 'f64', 64, 16);
    expect(timeOf(steps, 5)).toBeCloseTo(timeOf(0, 5), 6);
    expect(timeOf(steps, steps)).toBeGreaterThan(2 * timeOf(steps, 5));
  });

  test('fast sums are those of more than two registers of f64, more than one of f32', () => {
    const { features } = examine(graph);
    for (const dtype of ['f64', 'f32'] as const) {
      const csr = prospectsOf(examine(graph), dtype).find(({ spec }) => spec === 'csr')!;
      const timesOf = (columns: number) =>
        (['single', 'fast'] as const).map((sums) => predictNs(TYPICAL, features, csr, dtype, 1, columns, sums));
      for (const columns of [2, 4]) expect(timesOf(columns)[1]).toBe(timesOf(columns)[0]);
      for (const columns of [8, 16, 64]) expect(timesOf(columns)[1]).toBeLessThan(timesOf(columns)[0]!);
    }
  });

  test('the rows of X and Y are counted for every column', () => {
    const solid = gallery('laplace3d27', { nx: 40, ny: 40, nz: 40 });
    const csrWith = (columns: number) => rank(examine(solid), { ...TWO, columns }).find(({ spec }) => spec === 'csr')!;
    const [one, sixteen] = [csrWith(1), csrWith(16)];
    expect(sixteen.bytes - one.bytes).toBe(15 * 8 * (solid.rows + solid.cols));
    expect(sixteen.productMs).toBeGreaterThan(2 * one.productMs);
    expect(sixteen.productMs).toBeLessThan(16 * one.productMs);
  });

  test('fewer bytes of the matrix gain less, the more columns there are', () => {
    const saved = (columns: number) => {
      const ranking = rank(examine(grid), { ...TWO, columns });
      const bytesOf = (name: string) => ranking.find(({ spec }) => spec === name)!.bytes;
      return bytesOf('csr') / bytesOf('dia');
    };
    expect(saved(1)).toBeGreaterThan(1.3);
    expect(saved(64)).toBeLessThan(1.1);
  });
});

test('a machine with more threads has more memory channels and more cache', () => {
  expect([1, 8, 16].map((threads) => machineCosts(threads).busSpeedup.toFixed(2))).toEqual(['1.00', '5.93', '9.14']);
  expect(machineCosts(8).cacheBytes).toEqual(TYPICAL.cacheBytes);
  const many = machineCosts(16);
  expect(many.cacheBytes).toEqual([TYPICAL.cacheBytes[0], 4e7]);
  expect(many.kernels).toBe(TYPICAL.kernels);
});

test('a symmetric matrix is not stored by blocks of its half where there is a block for each thread', () => {
  // Of a finite element matrix with rows of 81 entries that is in the cache sss took 2.2 × the time of csr on 16 threads, and auto took sss.
  const blocks = gallery('elasticity3d', { nx: 26, ny: 26, nz: 26 });
  const on = (threads: number) => decision(blocks, { threads, costs: machineCosts(threads) });
  const time = (d: Decision, name: string) => d.ranking.find(({ spec }) => spec.startsWith(name))!.productMs;
  const [two, sixteen] = [on(2), on(16)];
  expect(time(sixteen, 'sss') / time(sixteen, 'csr')).toBeGreaterThan(1.2 * (time(two, 'sss') / time(two, 'csr')));
});

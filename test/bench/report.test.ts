/** The report as a whole, from a few lines of results. */
import { describe, expect, test } from 'vitest';
import { spreadApart } from '../../bench/report/charts/ends.mjs';
import { standalone } from '../../bench/report/draw.mjs';
import { html } from '../../bench/report/html.mjs';
import { renderReport } from '../../bench/report/render.mjs';
import { BEST, casesOf, parseResults, speedups } from '../../bench/report/results.mjs';
import { unbalanced } from './markup.js';

const SECTIONS = [
  ...[
    'summary',
    'matrices',
    'winners',
    'profile',
    'statistics',
    'scaling',
    'conversions',
    'caches',
    'suites',
    'method',
  ],
  'absent',
];

const MATRICES = [
  { matrix: 'grid', standIn: false, regular: true, variance: 0.1, nnz: 1000 },
  { matrix: 'web <&> "graph"', standIn: true, regular: false, variance: 900, nnz: 5000 },
];
const CONTENDERS = [
  { contender: 'sparlane auto', group: 'ours', format: 'sell', speed: 1.5 },
  { contender: 'sparlane csr', group: 'ours', format: 'csr', speed: 1.1 },
  { contender: 'sparlane sell', group: 'ours', format: 'sell', speed: 1.6 },
  { contender: 'gcc -O3 -march=native', group: 'native', format: 'csr', speed: 1 },
  { contender: 'Eigen', group: 'native', format: 'csr', speed: 0.8 },
  { contender: 'mathjs', group: 'javascript', format: 'csr', speed: 0.01 },
];

interface Shape {
  readonly threads: readonly number[];
  readonly dtypes: readonly string[];
  readonly caches: readonly string[];
}

/** Lines in which the baseline takes a millisecond for 1000 entries on one thread, the others that over their speed. */
function results({ threads, dtypes, caches }: Shape, contenders = CONTENDERS): Record<string, unknown>[] {
  const conditions = MATRICES.flatMap((matrix) =>
    threads.flatMap((number) => dtypes.map((dtype) => ({ ...matrix, threads: number, dtype }))),
  );
  return [
    {
      kind: 'machine',
      date: '2026-11-21T00:00:00.000Z',
      cpu: 'a processor',
      cores: 2,
      flags: ['avx2'],
      node: '20.20.2',
    },
    ...MATRICES.map((matrix) => ({
      ...{
        kind: 'matrix',
        suite: 'jindal',
        how: 'file /a/folder/grid.mtx',
        rows: 100,
        cols: 100,
        mean: 10,
        max: 20,
        bandwidth: 9,
      },
      ...{ symmetric: true, spy: 'data:image/png;base64,iVBORw0KGgo=', ...matrix },
    })),
    ...conditions.map(({ matrix, threads: number, dtype }) => ({
      ...{ kind: 'bus', suite: 'jindal', matrix, threads: number, dtype, readGbps: 20, triadGbps: 15 },
    })),
    ...conditions.flatMap(({ matrix, nnz, threads: number, dtype }) =>
      contenders.flatMap(({ speed, ...contender }) =>
        caches.map((cache) => {
          const medianMs = (nnz / 1000 / speed / number) * (cache === 'cold' ? 2 : 1);
          return {
            ...{
              kind: 'product',
              suite: 'jindal',
              matrix,
              ...contender,
              requested: contender.format,
              threads: number,
              dtype,
              cache,
            },
            ...{ medianMs, minMs: medianMs, spreadPercent: 2, samples: 25, gflops: (2 * nnz) / medianMs / 1e6 },
            ...{ bytes: 12 * nnz, gbps: 1, setupMs: 5 * medianMs, setupProducts: 5, maxError: 0 },
          };
        }),
      ),
    ),
    { kind: 'missing', contender: 'PETSc', reason: 'not installed' },
    { kind: 'failed', suite: 'jindal', matrix: 'grid', contender: 'librsb', threads: 1, dtype: 'f64', error: 'wrong' },
  ];
}

const textOf = (lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n');
const FULL = textOf(results({ threads: [1, 2], dtypes: ['f64', 'f32'], caches: ['hot', 'cold'] }));

describe('page', () => {
  const { text, svgs } = renderReport([FULL]);

  test('every element that is opened is closed, in order', () => {
    expect(unbalanced(text)).toEqual([]);
  });

  test('every section is there, with a link to it', () => {
    for (const id of SECTIONS) {
      expect(text).toContain(`<section id="${id}"`);
      expect(text).toContain(`<a href="#${id}">`);
    }
  });

  test('is self-contained and has no scripts', () => {
    const targets = [...text.matchAll(/(?:href|src|url\()[="']*([^"')\s>]+)/g)].map(([, target]) => target!);
    expect(targets.length).toBeGreaterThan(SECTIONS.length);
    expect(targets.filter((target) => !target.startsWith('#') && !target.startsWith('data:image/png;'))).toEqual([]);
    expect(text).not.toMatch(/<script|<link|@import|https?:|\son\w+=/);
  });

  test('describes a matrix, with its name escaped', () => {
    expect(text).toContain('<h4>web &lt;&amp;&gt; &quot;graph&quot;</h4>');
    expect(text).toContain('≈ stand-in');
    expect(text).toContain('file grid.mtx');
    expect(text).not.toContain('/a/folder');
  });

  test('shows the geometric means over plain C', () => {
    expect(text).toContain('<b>1.60 ×</b><span>best of ours</span>');
    expect(text).toContain('<b>1.50 ×</b><span>auto, the default</span>');
    expect(text).toContain('<b>0.80 ×</b><span>Eigen, the fastest other</span>');
  });

  test('names missing and failed contenders', () => {
    expect(text).toContain('<dt>PETSc</dt><dd>not installed</dd>');
    expect(text).toContain('grid: wrong');
  });

  test('a chart has only valid numbers, and is a separate file', () => {
    expect(svgs.size).toBeGreaterThan(20);
    for (const [name, svg] of svgs) {
      expect(`${svg}`, name).not.toMatch(/NaN|undefined|Infinity/);
      expect(standalone(svg), name).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*><style>/);
      expect(unbalanced(standalone(svg)), name).toEqual([]);
    }
  });
});

test.each([
  ['one thread, no peers, nothing cold', { threads: [1], dtypes: ['f64'], caches: ['hot'] }, CONTENDERS.slice(0, 3)],
  ['plain CSR alone', { threads: [1, 2], dtypes: ['f64'], caches: ['hot', 'cold'] }, CONTENDERS.slice(1, 2)],
])('what was not measured is left out: %s', (_, shape, contenders) => {
  const { text } = renderReport([textOf(results(shape, contenders))]);
  expect(unbalanced(text)).toEqual([]);
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  expect(text).toContain('our plain CSR');
});

describe('results', () => {
  const parsed = parseResults([FULL]);

  test('the best of ours is the fastest of our formats, the choice included', () => {
    const [grid] = casesOf(parsed, { dtype: 'f64', threads: 1 });
    expect(grid.products.get(BEST)).toMatchObject({ contender: 'sparlane sell', medianMs: 1 / 1.6 });
    expect(grid.readGbps).toBe(20);
  });

  test('speeds are over the baseline', () => {
    const cases = casesOf(parsed, { dtype: 'f32', threads: 2 });
    const ratios = speedups(cases, 'Eigen', parsed.baseline).map(({ ratio }: { ratio: number }) => ratio);
    expect(ratios).toEqual([expect.closeTo(0.8, 12), expect.closeTo(0.8, 12)]);
  });

  test('a repeated line replaces the first one, also if that had failed', () => {
    const again = { ...JSON.parse(FULL.split('\n').find((line) => line.includes('"contender":"Eigen"'))!) };
    const mended = parseResults([
      FULL,
      textOf([
        { ...again, medianMs: 123 },
        { ...again, contender: 'librsb' },
      ]),
    ]);
    const [grid] = casesOf(mended, { dtype: again.dtype, threads: again.threads });
    expect(grid.products.get('Eigen').medianMs).toBe(123);
    expect(parsed.failed).toHaveLength(1);
    expect(mended.failed).toHaveLength(0);
  });

  test('some of the dtypes', () => {
    const some = parseResults([FULL], { dtypes: ['f32'] });
    expect(some.dtypes).toEqual(['f32']);
    expect(casesOf(some, { dtype: 'f64', threads: 1 })).toEqual([]);
    expect(casesOf(some, { dtype: 'f32', threads: 1 })).toHaveLength(2);
  });

  test('refuses lines outside the contract', () => {
    expect(() => parseResults(['{"kind":"machine"}\nnot json'])).toThrow('results, line 2: expected JSON');
    expect(() => parseResults(['{"kind":"product '])).toThrow('line 1');
    expect(() => parseResults(['{"kind":"gossip"}'])).toThrow('got gossip');
    expect(() => parseResults([''])).toThrow('expected at least one line of kind product');
  });
});

test('values in a template are escaped, HTML is not', () => {
  expect(`${html`<p>${'a < b'}${[html`<b>${'&'}</b>`, 1]}${undefined}${false}</p>`}`).toBe(
    '<p>a &lt; b<b>&amp;</b>1</p>',
  );
});

test('labels are moved apart, and back from the end', () => {
  expect(spreadApart([0, 1, 50], 10)).toEqual([0, 10, 50]);
  expect(spreadApart([88, 90, 99], 10, 100)).toEqual([80, 90, 100]);
});

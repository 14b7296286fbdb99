/** The papers' experiments without a GPU: the cases, the plans, the measurements, and the page that is made from a record. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createEngine, gallery } from '#dist/index.node.js';
import { CASES } from '../../bench/cuda/papers/cases.mjs';
import { measureCase } from '../../bench/cuda/papers/measure.mjs';
import { contendersOf, ENTRIES_PER_WARP, LAUNCHES } from '../../bench/cuda/papers/plans.mjs';
import { BASES } from '../../bench/matrices/suites/abdelfattah.mjs';
import { papersPage } from '../../bench/papers/page.mjs';
import { ABDELFATTAH, JINDAL } from '../../bench/papers/published.mjs';
import { PaperResults } from '../../bench/papers/results.mjs';
import { asMuch, mostly, ofAll } from '../../bench/papers/words.mjs';

interface Line {
  readonly kind: string;
  readonly library?: string;
  readonly order?: string;
  readonly requested?: string;
  readonly error?: string;
  readonly isRefusal?: boolean;
  readonly coldUs?: number;
}

describe('cases', () => {
  test('are as many as in the papers', () => {
    const counts = Object.fromEntries(
      Object.entries(CASES).map(([paper, make]) => [paper, (make as () => unknown[])().length]),
    );
    // Tables 3 and 4 and one more; Table II with its reservoir and two large sizes of blocks for nine matrices.
    expect(counts).toMatchObject({ 'bell-garland': 20, 'lane-booth': 64, abdelfattah: 109, jindal: 15, lp: 12 });
    expect(counts.flegar).toBeGreaterThan(400);
  });

  test('the reservoir is as large as published, where a CPU’s suite has a part of it', async () => {
    const reservoir = CASES.abdelfattah().find(({ name }: { name: string }) => name === 'spe5Ref_dpdp');
    expect(reservoir.block).toBe(7);
    expect(reservoir.how).not.toContain('made at');
    const part = await reservoir.make(0.001);
    expect(part.rows % 7).toBe(0);
  });
});

describe('published figures', () => {
  test('are of the matrices of the suites', () => {
    const fifteen = CASES.jindal().map(({ name }: { name: string }) => name);
    for (const table of Object.values(JINDAL) as Map<string, number[]>[]) {
      expect([...table.keys()].toSorted()).toEqual(fifteen.toSorted());
      for (const us of table.values()) expect(us.length).toBe(LAUNCHES.length);
    }
    expect(Object.keys(ABDELFATTAH)).toEqual([...BASES.map(({ name }: { name: string }) => name), 'spe5Ref_dpdp']);
  });
});

describe.skipIf(process.platform !== 'linux')('measurements', () => {
  /** A device whose products are computed here; the method `wrong` gives a wrong one. `open` counts what is not closed. */
  async function measured(contenders: unknown[], isOver = () => false) {
    const engine = await createEngine({ threads: 1 });
    const operators = new Map();
    let open = 0;
    const fake = {
      vector: (...given: Parameters<typeof engine.vector>) => engine.vector(...given),
      operator(...given: Parameters<typeof engine.operator>) {
        const operator = engine.operator(...given);
        operators.set(operator.matrix, operator);
        return operator;
      },
      gpus: [
        {
          plan(stored: unknown, _: string, { method = 'default' }) {
            open++;
            return {
              methods: [method],
              run(x: never, y: never) {
                operators.get(stored).apply(x, y);
                if (method === 'wrong') (y as { fill(value: number): void }).fill(7);
              },
              [Symbol.dispose]: () => open--,
            };
          },
          space: { time: (_: unknown, count: number) => new Float64Array(count).fill(0.002) },
        },
      ],
    };
    const matrix = gallery('laplace2d5', { nx: 30, ny: 20, values: 'real' });
    const request = {
      engine: fake,
      matrix,
      dtypes: ['f64', 'f32'],
      contenders,
      programs: '/nowhere',
      repetitions: 3,
      isOver,
    };
    const lines: Line[] = [];
    for await (const line of measureCase(request)) lines.push(line);
    await engine.dispose();
    return { lines, open };
  }

  const ours = (format: string, ...methods: string[]) => ({ library: 'sparlane', order: 'natural', format, methods });

  test('every method of a layout, in every dtype and order, and everything is closed', async () => {
    const { lines, open } = await measured([
      ours('csr', '', 'scalar'),
      { ...ours('csr', 'scalar'), order: 'rcm' },
      { ...ours('csrk', 'gpuspmv3'), order: 'bandk', groups: { superRowSize: 8, superSuperRowSize: 4 } },
    ]);
    expect(lines.map(({ kind, order, requested }) => `${kind} ${order} ${requested}`)).toEqual([
      ...['product natural csr', 'product natural csr scalar', 'product natural csr', 'product natural csr scalar'],
      ...['product rcm csr scalar', 'product rcm csr scalar'],
      ...['product bandk csrk gpuspmv3', 'product bandk csrk gpuspmv3'],
    ]);
    expect(lines[0]).toMatchObject({ coldUs: 2, warmUs: 2, samples: 3 });
    expect(open).toBe(0);
  });

  test('a wrong product, a format that refuses and a missing program are lines, and the next ones are measured', async () => {
    const { lines, open } = await measured([
      ours('csr', 'wrong', 'scalar'),
      ours('sss', ''),
      { library: 'paper', order: 'natural', program: 'jindal', products: ['row 1 32 32'] },
    ]);
    expect(lines.slice(0, 4).map(({ kind, error = '', isRefusal }) => [kind, error.slice(0, 10), isRefusal])).toEqual([
      ['failed', 'y[0]: expe', false],
      ['product', '', undefined],
      ['failed', expect.any(String), true],
      ['failed', 'no program', false],
    ]);
    expect(open).toBe(0);
  });

  test('begins nothing after the time limit', async () => {
    expect((await measured([ours('csr', '')], () => true)).lines).toEqual([]);
  });
});

test('the page and its charts are those of the record', () => {
  const main = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [main, 'papers', '--check'], { encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});

test('verdicts: half of a gain is enough, of a loss too much', () => {
  expect([asMuch(4, 4), asMuch(4, 2), asMuch(4, 1.5), asMuch(4, 0.9), asMuch(4, undefined)]).toEqual([
    ...['holds', 'holds', 'partly', 'does not hold', undefined],
  ]);
  expect([ofAll(3, 3), ofAll(2, 3), ofAll(1, 3), ofAll(0, 0)]).toEqual(['holds', 'partly', 'does not hold', undefined]);
  expect([mostly(7, 10), mostly(5, 10), mostly(1, 10)]).toEqual(['holds', 'partly', 'does not hold']);
});

describe('the page', () => {
  /** A record in which every product of every case takes `usOf`. */
  function recordOf(paper: string, usOf: (requested: string, library: string, nnz: number) => number, keep = 3) {
    const lines: object[] = [
      { kind: 'machine', device: 'a GPU', driver: '1', date: '2026-11-26T00:00:00Z', commit: 'abc' },
    ];
    for (const one of CASES[paper as keyof typeof CASES]().slice(0, keep)) {
      const [rows, nnz] = [1000, 300_000];
      const about = { paper, suite: one.suite, matrix: one.name };
      lines.push({
        kind: 'matrix',
        ...about,
        published: one.published,
        block: one.block,
        rows,
        cols: rows,
        nnz,
        mean: 300,
      });
      for (const { library, order, format, methods, products } of contendersOf(paper, { rows, nnz }, one)) {
        for (const what of methods ?? products) {
          const requested = library === 'sparlane' ? `${format} ${what}`.trim() : what;
          for (const dtype of ['f64', 'f32'])
            lines.push({
              kind: 'product',
              ...about,
              library,
              order,
              requested,
              dtype,
              coldUs: usOf(requested, library, nnz),
            });
        }
      }
    }
    return new PaperResults(lines);
  }

  const rowOf = (text: string, claim: string) => text.split('\n').find((line) => line.includes(claim)) ?? '';

  test('judges the paper’s own kernels by its own claims', () => {
    const grids = (requested: string) => (requested.startsWith('dia') ? 10 : requested.startsWith('ell') ? 12 : 40);
    const { text, charts } = papersPage(recordOf('bell-garland', grids, 20), '/charts');
    expect(rowOf(text, 'f32: DIA is the fastest on grids')).toMatch(/DIA first on 5 of 5, then ELL on 5 \| \*\*holds/);
    expect(rowOf(text, 'f32: the cache of x makes DIA')).toMatch(/1\.00 × \| \*\*does not hold/);
    expect(text).toContain('![Figure 27a: GFLOP/s, f32, without the cache of x](/charts/bell-garland-27a.svg)');
    expect([...charts.keys()]).toContain('bell-garland-27a');
    expect(String(charts.get('bell-garland-27a'))).toContain('Laplace 27pt');
  });

  test('counts where Jindal’s observations hold, beside his own tables', () => {
    const threads = (requested: string) => {
      const [method, blocks, width] = requested.split(' ');
      const speed = { column: 1, row: 2, reordered: 4, scan: 5 }[method!] ?? 1;
      return (1e6 * speed) / (Number(blocks) * Number(width) || 1e6);
    };
    const { text } = papersPage(recordOf('jindal', threads, 15), '/charts');
    expect(rowOf(text, 'f32: atomic adds are mostly faster by columns')).toMatch(
      /14 of 15; .* 15 of 15; 2\.00 × in the mean \| \*\*holds/,
    );
    expect(rowOf(text, 'f64: more threads are faster')).toMatch(/60 of 60; .* 60 of 60; 4\.00 × .* \*\*holds/);
    expect(rowOf(text, '64 entries a warp are the best')).toMatch(/\| 32; 64 take 1\.00 × as long \| \*\*partly/);
    expect(ENTRIES_PER_WARP.length).toBe(8);
  });

  test('COO against the fastest of each matrix, and the paper’s table beside the same here', () => {
    const { text } = papersPage(
      recordOf('flegar', (requested) => (requested.startsWith('coo') ? 30 : 10)),
      '/charts',
    );
    expect(rowOf(text, 'COO is never more than twice')).toMatch(
      /3 of 3 beyond 2, at most 3\.00 × \| \*\*does not hold/,
    );
    expect(text).toContain('| COO | 24.3 | 64.3 | 38.9 | 37.2 | 9.16 | 20.0 | 20.0 | 20.0 | 20.0 | 0.00 |');
  });

  test('a run on a CPU is judged by itself, on the most threads', () => {
    const run = (cores: number, two: number) => [
      { kind: 'machine', cores, cpu: `CPU ${cores}`, date: '2026-11-26T00:00:00Z' },
      ...['a', 'b'].flatMap((matrix, k) => {
        const about = { suite: 'lane-booth-1', matrix };
        const product = (contender: string, gflops: number, threads = cores) => ({
          ...{ kind: 'product', ...about, contender, threads, dtype: 'f64', cache: 'hot', gflops },
        });
        return [
          { kind: 'matrix', ...about, nnz: 1e6, regular: k === 0 },
          product('sparlane csrk', two),
          product('sparlane csrk?superRowSize=512', 1.5 * two),
          product('sparlane csr5', 4),
          product('sparlane csrk', 99, 1),
          product('gcc -O3 -march=native', 1, 1),
        ];
      }),
    ];
    const { text, charts } = papersPage(new PaperResults([...run(16, 10), ...run(2, 3)]), '/charts');
    expect(rowOf(text, 'regular: CSR-2 over CSR5')).toMatch(
      /16 cores of CPU 16 .* 10\.0 over 4\.00: 2\.50 ×, 1 matrices \| \*\*holds/,
    );
    expect(text).toMatch(/2 cores of CPU 2 .* 3\.00 over 4\.00: 0\.75 ×, 1 matrices \| \*\*does not hold/);
    expect(rowOf(text, 'super-rows of 96 rows')).toMatch(/50 % longer .* \*\*does not hold/);
    expect(rowOf(text, 'CSR-2 over a plain product on one core')).toMatch(
      /8 to 12 × on 16 cores \| 10\.0 × \| \*\*holds/,
    );
    expect([...charts.keys()]).toEqual(expect.arrayContaining(['lane-booth-6-regular-16', 'lane-booth-6-irregular-2']));
  });

  test.each(Object.keys(CASES))('%s: has its chapter, and one product is enough', (paper) => {
    const { text } = papersPage(
      recordOf(paper, () => 10),
      '/charts',
    );
    expect(text.match(/^### /gm)?.length).toBe(1);
    expect(text).not.toMatch(/undefined|NaN|Infinity/);
  });
});

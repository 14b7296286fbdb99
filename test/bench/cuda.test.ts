/** The benchmark of the GPU, without a GPU: its matrices, turns on the device, the order of the measurements, its tables. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { csrMatrix } from '#dist/core/csr.js';
import { gallery } from '#dist/gallery/registry.js';
import { contendersOf } from '../../bench/cuda/cases.mjs';
import { claimsOf } from '../../bench/cuda/claims.mjs';
import { cusparseProducts, formatsFor } from '../../bench/cuda/contenders.mjs';
import { report } from '../../bench/cuda/markdown.mjs';
import { MATRICES, matrixByName } from '../../bench/cuda/matrices.mjs';
import { measureMatrix } from '../../bench/cuda/measure.mjs';
import { Results } from '../../bench/cuda/results.mjs';
import { alone, openTurns } from '../../bench/cuda/turn.mjs';
import { fakeEngine } from './fake.js';

const NAMES: string[] = MATRICES.map((entry: { name: string }) => entry.name);

describe('matrices', () => {
  test.each(NAMES)('%s: canonical, and small at a small scale', (name) => {
    const matrix = matrixByName(name).make(0.001);
    expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
    expect(matrix.nnz).toBeLessThan(300_000);
    // Generated again: equal bit by bit.
    expect(matrixByName(name).make(0.001)).toEqual(matrix);
  });

  test('at full size they are those of the figures', () => {
    for (const name of ['5-point', 'debruijn']) {
      const { make, published } = matrixByName(name);
      const { rows, nnz } = make(1);
      expect(rows).toBe(published.rows);
      expect(Math.abs(nnz - published.nnz)).toBeLessThanOrEqual(4);
    }
  });

  test('the error for a wrong name lists the names', () => {
    expect(() => matrixByName('5point')).toThrow(/matrix: expected 5-point \| .*, got 5point/);
  });
});

test.skipIf(process.platform !== 'linux')(
  'turns on the device do not overlap, and end where their use fails',
  async () => {
    const name = `\0sparlane-test-${process.pid}`;
    let inside = 0;
    const use = async () => {
      inside++;
      await sleep(10);
      expect(inside--).toBe(1);
    };
    const failing = alone(async () => {
      await use();
      throw new Error('no');
    }, name);
    const others = [1, 2, 3].map(() => alone(use, name));
    await expect(failing).rejects.toThrow('no');
    await Promise.all(others);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a thread that cannot wait for promises takes turns too, with those of other processes',
  async () => {
    const name = `\0sparlane-test-turns-${process.pid}`;
    const turns = openTurns(name);
    let end = Promise.resolve();
    try {
      expect(turns.alone(() => 7)).toBe(7);
      expect(() =>
        turns.alone(() => {
          throw new Error('no');
        }),
      ).toThrow('no');
      let inside = false;
      turns.alone(() => {
        end = alone(async () => {
          inside = true;
        }, name);
      });
      expect(inside).toBe(false);
      await end;
      expect(inside).toBe(true);
    } finally {
      await turns.close();
    }
  },
);

async function measured(more: object) {
  const matrix = gallery('laplace2d5', { nx: 5, ny: 4 });
  const request = {
    ...{ engine: fakeEngine(matrix), matrix, dtypes: ['f64'], repetitions: 5, products: [], isOver: () => false },
    ...more,
  };
  const lines = [];
  for await (const line of measureMatrix(request)) lines.push(line);
  return lines;
}

describe.skipIf(process.platform !== 'linux')('what is measured', () => {
  test('each format by its default method, then by the others', async () => {
    const lines = await measured({ formats: ['csr', 'coo'], everyMethod: true });
    expect(lines.map(({ requested, method }) => `${requested}: ${method}`)).toEqual([
      'csr: vector?width=8',
      'coo: vector?width=8',
      'csr scalar: scalar?width=8',
      'coo scalar: scalar?width=8',
    ]);
    expect(lines[0]).toMatchObject({
      kind: 'product',
      coldUs: 3,
      warmUs: 2,
      spread: 0,
      samples: 5,
      gbps: 2,
      dtype: 'f64',
    });
  });

  test('a format with a method is measured by it, and not again among the other methods', async () => {
    const lines = await measured({ formats: ['csr', 'csr scalar'], everyMethod: true });
    expect(lines.map(({ requested, method }) => `${requested}: ${method}`)).toEqual([
      'csr: vector?width=8',
      'csr scalar: scalar?width=8',
    ]);
  });

  test('a wrong product, and a format that refuses, are reported as failed', async () => {
    const [csr, ell, dia] = await measured({ formats: ['csr', 'ell', 'dia'] });
    expect(csr.kind).toBe('product');
    expect(ell).toMatchObject({
      kind: 'failed',
      requested: 'ell',
      error: expect.stringMatching(/^y\[2\]: expected .*, got 0$/),
    });
    expect(dia).toMatchObject({ kind: 'failed', requested: 'dia', error: 'not for this one' });
  });

  test('cuSPARSE comes right after the first of ours; an absent program is reported as missing', async () => {
    const lines = await measured({ formats: ['csr', 'coo'], products: ['csr ALG1'], cusparse: '/nowhere' });
    expect(lines.map(({ library, requested }) => `${library} ${requested}`)).toEqual([
      ...['sparlane csr', 'cuSPARSE csr ALG1', 'sparlane coo'],
    ]);
    expect(lines[1].error).toBe('no program /nowhere/cusparse-f64');
  });

  test('nothing begins after the time limit', async () => {
    let left = 1;
    const lines = await measured({ formats: ['csr', 'coo'], isOver: () => left-- === 0 });
    expect(lines.map(({ kind, requested }) => `${kind} ${requested}`)).toEqual(['product csr', 'stopped coo']);
  });

  test('formats with codes for values only where there are few values; blocks only where there are blocks', () => {
    expect(formatsFor({ name: 'rmat' }).some((format: string) => format.includes('values=table'))).toBe(false);
    expect(formatsFor({ name: '5-point-own' })[0]).toContain('values=table');
    expect(cusparseProducts({})).not.toContain('bsr 7');
    expect(cusparseProducts({ block: 7 })).toContain('bsr 7');
  });

  test('blocks are multiplied by the paper’s kernel without our cutting, balanced, and as large as they are; CSR balanced everywhere', () => {
    for (const name of NAMES) expect(formatsFor(matrixByName(name))).toContain('csr balanced');
    const ofBlocks = (name: string) => formatsFor(matrixByName(name)).filter((format: string) => /^bsr/.test(format));
    expect(ofBlocks('rmat')).toEqual(['bsr', 'bsr?maxRowBlocks=8']);
    expect(ofBlocks('circuit-blocks')).toEqual([
      ...['bsr', 'bsr?maxRowBlocks=8', 'bsr k1?maxRowBlocks=0', 'bsr?maxRowBlocks=16'],
    ]);
    expect(ofBlocks('blocks-32')[1]).toBe('bsr?blockSize=32 k2?maxRowBlocks=0');
    expect(ofBlocks('blocks-256')).toEqual([
      ...['bsr?blockSize=256', 'bsr?blockSize=256 k3?maxRowBlocks=0', 'bsr?blockSize=256&maxRowBlocks=16', 'bsr'],
    ]);
  });
});

describe('tables', () => {
  const product = (matrix: string, library: string, requested: string, coldUs: number) => ({
    ...{
      kind: 'product',
      matrix,
      dtype: 'f64',
      library,
      requested,
      coldUs,
      device: 'GPU',
      driver: '580',
      commit: 'c0ffee',
    },
    ...{ format: requested.split(' ')[0], method: requested.split(' ')[1] ?? 'row' },
  });
  const lines = [
    { kind: 'matrix', matrix: '5-point', scale: 1, regular: true, max: 5, mean: 4.998 },
    product('5-point', 'sparlane', 'csr', 100),
    product('5-point', 'sparlane', 'csr scalar', 80),
    product('5-point', 'sparlane', 'dia', 50),
    product('5-point', 'sparlane', 'coo', 70),
    product('5-point', 'sparlane', 'coo flegar', 240),
    product('5-point', 'sparlane', 'coo segmented', 250),
    product('5-point', 'sparlane', 'csr5 tiles', 90),
    product('5-point', 'sparlane', 'csrk?k=3 stream', 60),
    product('5-point', 'cuSPARSE', 'csr ALG1 preprocess', 120),
    product('5-point', 'cuSPARSE', 'sell 32', 75),
    {
      kind: 'failed',
      matrix: '5-point',
      dtype: 'f64',
      library: 'sparlane',
      requested: 'ell',
      error: 'wrong',
      isRefusal: false,
    },
    {
      kind: 'failed',
      matrix: '5-point',
      dtype: 'f64',
      library: 'sparlane',
      requested: 'sss',
      error: 'no',
      isRefusal: true,
    },
  ];
  const results = new Results(lines);

  test('our best and our CSR, cuSPARSE’s, the aim, and the ratios', () => {
    const text = [...report(results)];
    expect(text[0]).toBe('GPU, driver 580, commit c0ffee.');
    expect(text).toContain(
      '| 5-point 2000² | 50.0 | dia by row | 80.0 | 75.0 | sell 32 | 120.0 (132) | 56 | 1.50 | 1.50 | 1.12 |',
    );
    expect(text).toContain('- 5-point f64, sparlane ell: wrong');
    expect(text.join('\n')).not.toContain('sss');
  });

  test("claims are made only with measurements of a paper's own method", () => {
    const claims = claimsOf(results, 'f64');
    expect(claims.map(({ title }: { title: string }) => title)).toEqual([
      'Flegar & Anzt 2017: COO',
      'Bell & Garland 2008: structured grids',
    ]);
    expect(claims[0].found).toBe('at most 3.20; beyond 2 on 1 of 1');
    expect(claims[1].rows[0].at(-1)).toBe('dia < csr < coo');
    const slow = product('5-point', 'sparlane', 'csrk?k=3 gpuspmv3', 180);
    const [, csr3] = claimsOf(new Results([...lines, slow]), 'f64');
    expect(csr3.title).toBe('Lane & Booth 2022: CSR-3');
    expect(csr3.found).toContain('regular: 0.50 × as fast as CSR5, 0.67 × as fast as cuSPARSE');
    const csri = product('5-point', 'sparlane', 'csr balanced', 480);
    const [coo] = claimsOf(new Results([...lines, csri]), 'f64');
    expect(coo.found).toBe('at most 3.20; beyond 2 on 1 of 1; 2.00 × as fast as balanced CSR (CSRI)');
  });

  describe('blocks', () => {
    const matrix = (name: string) => ({ kind: 'matrix', matrix: name, scale: 1, max: 9, mean: 5 });
    const bsr = (name: string, format: string, method: string, coldUs: number) => ({
      ...product(name, 'sparlane', `bsr ${method}`, coldUs),
      ...{ format, method, gbps: 3000 },
    });
    const peer = (name: string, coldUs: number) => product(name, 'cuSPARSE', 'bsrmv 64', coldUs);
    const ofBlocks = new Results([
      ...[...lines, matrix('blocks-64'), matrix('circuit-blocks-64')],
      bsr('blocks-64', 'bsr?blockSize=8', 'k1?arrays=4', 90),
      bsr('blocks-64', 'bsr?blockSize=64', 'k3?nb=32', 100),
      bsr('blocks-64', 'bsr?blockSize=64', 'k2?arrays=1', 120),
      bsr('blocks-64', 'bsr?blockSize=64&maxRowBlocks=16', 'k3?nb=32 + ordered', 110),
      peer('blocks-64', 300),
      bsr('circuit-blocks-64', 'bsr?blockSize=64', 'k3?nb=32&maxRowBlocks=16', 40),
      bsr('circuit-blocks-64', 'bsr?blockSize=64', 'k3?nb=32', 500),
      bsr('circuit-blocks-64', 'bsr?blockSize=64&maxRowBlocks=16', 'k3?nb=32 + ordered', 50),
    ]);
    type Claim = { readonly title: string; readonly found: string; readonly rows: readonly (readonly string[])[] };
    const claimOf = (title: string) =>
      claimsOf(ofBlocks, 'f64').find((claim: Claim) => claim.title === `Abdelfattah et al. 2016: ${title}`) as Claim;

    test('K3 on blocks of the matrix’s own size, beside K2 and cuSPARSE', () => {
      const { rows, found } = claimOf('large blocks, K3');
      expect(rows).toEqual([
        ['64×64 blocks on 56²', '100.0', 'k3?nb=32', '3000', '120.0', '300.0', 'bsrmv 64', '1.20', '3.00'],
      ]);
      expect(found).toBe('3.00 × as fast as cuSPARSE (geometric mean), 1.20 × as fast as K2');
      expect(claimOf('BSR').found).toBe('3.00 × as fast (geometric mean)');
    });

    test('balanced BSR is compared with the kernel that cuts nothing', () => {
      const { rows } = claimOf('balanced BSR');
      expect(rows.map((row) => row.slice(3))).toEqual([
        ['100.0', '110.0', '0.91', '–'],
        ['500.0', '50.0', '10.00', '40.0'],
      ]);
    });

    test('are in no table of formats', () => {
      expect(ofBlocks.matrices.map(({ name }: { name: string }) => name)).toEqual(['5-point']);
      expect([...report(ofBlocks)].filter((line) => line.startsWith('| 64×64 blocks on 56²')).length).toBe(3);
      expect(contendersOf(ofBlocks).formats).not.toContain('sparlane bsr');
    });
  });
});

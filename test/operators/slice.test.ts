/** Trials on a slice of a matrix, where caches are small enough that some ten thousand entries are many. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Circumstances, rank } from '#dist/choice/choose.js';
import { machineCosts } from '#dist/choice/machine.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { examine } from '#dist/features/features.js';
import { storeMatrix } from '#dist/formats/store.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { sliceFor } from '#dist/operators/slice.js';
import { tryFormats } from '#dist/operators/try-formats.js';

const engine = await createEngine({ threads: 2, tuning: 'built-in' });
afterAll(() => engine.dispose());
let bytesBefore: number;
beforeEach(() => {
  bytesBefore = engine.heap.bytesInUse;
});
afterEach(() => expect(engine.heap.bytesInUse).toBe(bytesBefore));

const GRAPH = gallery('rmat', { scale: 14 });
const LAPLACE = gallery('laplace2d5', { nx: 200, ny: 200 });
const HERE: Circumstances = {
  ...{ dtype: 'f64', threads: 2, products: 'many' },
  costs: { ...machineCosts(2), cacheBytes: [10_000, 400_000] },
};

/** Twelve stored entries per entry: a product takes some four times that of csr, which the noise of a busy machine does not. */
const SLOW = 'bsr?blockSize=4&maxFill=20';

const rankingOf = (matrix: CsrMatrix) => rank(examine(matrix), HERE);

describe('a slice', () => {
  test('has rows of the matrix in the order of the matrix, from all parts of it, and half fills the cache', () => {
    using scope = engine.heap.scope();
    const ranking = rankingOf(GRAPH);
    const slice = sliceFor(scope, GRAPH, ranking, HERE)!;
    const { rows, cols, nnz, rowPtr, colIdx, values } = slice.matrix;
    expect(cols).toBe(GRAPH.cols);
    expect(slice.share).toBeCloseTo((nnz + rows) / (GRAPH.nnz + GRAPH.rows));
    expect(slice.share * ranking[0]!.bytes).toBeGreaterThan(0.6 * 400_000);
    expect(slice.share).toBeLessThan(0.4);
    const text = ({ rowPtr: ptr, colIdx: columns, values: numbers }: typeof GRAPH, i: number) =>
      `${columns.subarray(ptr[i], ptr[i + 1])};${numbers.subarray(ptr[i], ptr[i + 1])}`;
    const places: number[] = [];
    for (let i = 0, place = 0; i < rows; i++, place++) {
      const wanted = text({ ...GRAPH, rowPtr, colIdx, values }, i);
      while (place < GRAPH.rows && text(GRAPH, place) !== wanted) place++;
      places.push(place);
    }
    expect(places.at(-1)).toBeLessThan(GRAPH.rows);
    expect(places[0]).toBeLessThan(GRAPH.rows / 8);
    expect(places.at(-1)).toBeGreaterThan(GRAPH.rows / 2);
  });

  test('is not for a matrix that is not much larger than the cache, nor for formats that need all rows', () => {
    using scope = engine.heap.scope();
    const costs = { ...machineCosts(2), cacheBytes: [10_000, 40_000_000] } as const;
    expect(sliceFor(scope, GRAPH, rankingOf(GRAPH), { ...HERE, costs })).toBeUndefined();
    const ranking = rankingOf(LAPLACE);
    const [sss, csr] = ['sss', 'csr'].map((name) => ranking.find(({ spec }) => spec === name)!);
    expect(sliceFor(scope, LAPLACE, [sss!, csr!], HERE)).toBeUndefined();
    expect(sliceFor(scope, LAPLACE, [csr!, sss!], HERE)!.ranking).toEqual([csr]);
  });
});

describe('trials on a slice', () => {
  /** Stores formats as others: which ones on the slice, and which ones on the whole. */
  function tryAs(onSlice: Record<string, string>, onWhole: Record<string, string>) {
    const [csr, sell] = ['csr', 'sell'].map((name) => rankingOf(GRAPH).find(({ spec }) => spec === name)!);
    const ranking = [csr!, { ...sell!, productMs: csr!.productMs }];
    const stored: [whole: boolean, spec: string][] = [];
    const storeAs = (matrix: CsrMatrix, spec: string) => {
      stored.push([matrix === GRAPH, spec]);
      return storeMatrix(engine.heap, matrix, (matrix === GRAPH ? onWhole : onSlice)[spec]!, 'f64');
    };
    const first = { stored: storeAs(GRAPH, 'csr'), ranking };
    const { heap, cpu: backend } = engine;
    const best = tryFormats(first, {
      ...{ heap, backend, matrix: GRAPH, circumstances: HERE, storeAs },
      budgetMs: () => 10_000,
    });
    best.stored[Symbol.dispose]();
    return { best, stored };
  }

  test('only the predicted format and the winner are stored whole', () => {
    const { best, stored } = tryAs({ csr: SLOW, sell: 'csr' }, { csr: SLOW, sell: 'csr' });
    expect(stored).toEqual([
      [true, 'csr'],
      [false, 'csr'],
      [false, 'sell'],
      [true, 'sell'],
    ]);
    expect(best.stored.spec).toBe('csr');
    expect(best.ranking.map(({ spec }) => spec)).toEqual(['sell', 'csr']);
  });

  test('the predicted format stays if it is the fastest', () => {
    const { best, stored } = tryAs({ csr: 'csr', sell: SLOW }, { csr: 'csr', sell: SLOW });
    expect(stored.length).toBe(3);
    expect(best.stored.spec).toBe('csr');
    expect(best.ranking.map(({ spec }) => spec)).toEqual(['csr', 'sell']);
  });

  test('the predicted format stays if the winner is slower with the whole matrix', () => {
    const { best } = tryAs({ csr: SLOW, sell: 'csr' }, { csr: 'csr', sell: SLOW });
    expect(best.stored.spec).toBe('csr');
    const [first, second] = best.ranking;
    expect([first!.spec, second!.spec]).toEqual(['csr', 'sell']);
    expect(second!.measuredMs).toBeGreaterThan(first!.measuredMs!);
  });
});

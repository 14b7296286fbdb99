/** Ways to compute a product: the same bits, and the first products decide between them. */
import { expect, test } from 'vitest';
import { trialOf } from '#dist/backends/team/trial.js';
import { CSR_HEADER } from '#dist/formats/csr/csr.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { placeOf } from '#dist/memory/header.js';

/** Entries of a large matrix. */
const WORK = 2 ** 22;

/** Spins for some milliseconds. */
function pass(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** A matrix of which only `ways` is used, and the way that is selected. */
function matrixOf(count: number): { matrix: StoredMatrix; selected: () => number } {
  let way = 0;
  const ways = Array.from({ length: count }, (_, k) => () => {
    way = k;
  });
  const matrix: Partial<StoredMatrix> = { ways };
  return { matrix: matrix as StoredMatrix, selected: () => way };
}

test.each([[[2, 0.5]], [[0.5, 2]], [[2, 1.5, 0.5, 1]]])('the fastest way is kept (ms: %j)', (ms) => {
  const { matrix, selected } = matrixOf(ms.length);
  const trial = trialOf(matrix, WORK)!;
  const ways: number[] = [];
  const fastest = ms.indexOf(0.5);
  // A turn of the fastest way has two products or three, since it takes 1 ms; others have one.
  for (let k = 0; k < 5 * (ms.length + 2) + 10; k++) {
    trial.run(() => {
      ways.push(selected());
      pass(ms[selected()]!);
    });
  }
  for (const way of ms.keys()) {
    const products = ways.filter((one) => one === way).length;
    if (way === fastest) expect(products).toBeGreaterThanOrEqual(5 * 2 + 10);
    else expect(products).toBe(5);
  }
  expect(new Set(ways.slice(-10))).toEqual(new Set([fastest]));
});

test('a small matrix, or one with one way, has no trial', () => {
  expect(trialOf(matrixOf(2).matrix, 1000)).toBeUndefined();
  expect(trialOf(matrixOf(1).matrix, WORK)).toBeUndefined();
  expect(trialOf({} as StoredMatrix, WORK)).toBeUndefined();
});

test.each([
  ['csr', 4],
  ['csrk', 4],
  ['csrk?index=16', 4],
  ['csr?partition=merge', 4],
  ['coo', 2],
])('%s: all ways have the same bits', async (format, count) => {
  await using engine = await createEngine({ threads: 3 });
  for (const [name, options] of [
    ['laplace3d27', { nx: 20, ny: 21, nz: 23, values: 'real' }],
    ['rmat', { scale: 12, edgeFactor: 16 }],
    ['delaunay', { n: 5000 }],
  ] as const) {
    using A = engine.operator(gallery(name, options), { format });
    using x = engine.vector(Float64Array.from({ length: A.cols }, (_, j) => Math.sin(j)));
    const product = (select: () => void) => {
      select();
      using y = engine.vector(new Float64Array(A.rows).fill(Number.NaN));
      A.apply(x, y);
      return Buffer.from(y.toArray().buffer);
    };
    const products = (A.matrix as StoredMatrix).ways!.map(product);
    expect(products).toHaveLength(count);
    for (const one of products) expect(one.equals(products[0]!)).toBe(true);
  }
});

/** Rows end in branches, at first, in parts that have at most so many, by the word of the header. */
test.each([
  ['rows of 0 or 8 entries', 40_000, (i: number) => 8 * (((i * 40503) >>> 7) & 1), 2 ** 31 - 1],
  ['many rows of 1 to 4 entries', 40_000, (i: number) => 1 + (((i * 40503) >>> 7) & 3), 4500],
  ['few rows of 1 to 4 entries', 3000, (i: number) => 1 + (((i * 40503) >>> 7) & 3), 4500],
])('%s: branches in parts of at most so many of them', async (name, rows, lengthOf, branches) => {
  await using engine = await createEngine({ threads: 2 });
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i]! + lengthOf(i);
  const colIdx = new Uint32Array(rowPtr[rows]!);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) colIdx[k] = k - rowPtr[i]!;
  using A = engine.operator(
    { rows, cols: 8, rowPtr, colIdx, values: new Float64Array(colIdx.length).fill(1) },
    { format: 'csr' },
  );
  const { header } = (A.matrix as StoredMatrix).stages.spmv![0]!;
  const most = engine.heap.view(Uint32Array, header, 4)[placeOf(CSR_HEADER, 'way')]! >>> 1;
  expect(most).toBe(branches);
  expect(rows + rowPtr[rows]! / 12 <= most, 'branches in one part').toBe(!name.startsWith('many'));
});

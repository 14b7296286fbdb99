/** Singular values, and the trace, over ranks, as threads of this process. */
import { CsrBuilder, type CsrMatrix, createEngine, gallery, runRanks, type SvdsSolution, svds } from 'sparlane';
import { expect, test } from 'vitest';
import { below, randomStream, unit } from '#dist/gallery/draw.js';
import { program, ranksInTurn, runInTurn } from './conform.js';

interface Found extends Pick<SvdsSolution, 'values' | 'residualNorms' | 'reason' | 'converged' | 'decision'> {
  /** Row by row, of all ranks. */
  readonly U: Float64Array;
  readonly V: Float64Array;
  readonly traces: readonly { readonly value: number; readonly error: number }[];
}

function randomMatrix(rows: number, cols: number, entries: number): CsrMatrix {
  const random = randomStream(7, 'values');
  const builder = new CsrBuilder(rows, cols);
  for (let k = 0; k < entries; k++) builder.add(below(random, rows), below(random, cols), unit(random) - 0.5);
  return builder.build();
}

function times({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]!]!;
    return sum;
  });
}

const column = (block: Float64Array, k: number, j: number) =>
  Float64Array.from({ length: block.length / k }, (_, i) => block[i * k + j]!);

function expectOrthonormal(block: Float64Array, k: number) {
  for (let i = 0; i < k; i++)
    for (let j = 0; j <= i; j++) {
      const [x, y] = [column(block, k, i), column(block, k, j)];
      expect(x.reduce((sum, value, row) => sum + value * y[row]!, 0)).toBeCloseTo(Number(i === j), 10);
    }
}

const SQUARE = gallery('convection2d', { nx: 12, ny: 11 });
const TALL = randomMatrix(300, 70, 1500);
const WIDE = randomMatrix(60, 210, 1100);
/** Of rank 8: fewer than the values that are asked for. */
const LOW = { ...randomMatrix(8, 50, 200), rows: 90 };
const LOW_RANK: CsrMatrix = { ...LOW, rowPtr: Uint32Array.from({ length: 91 }, (_, i) => LOW.rowPtr[Math.min(i, 8)]!) };

const CASES = [
  ['square', SQUARE, { which: 'largest' }],
  ['square, the smallest', SQUARE, { which: 'smallest' }],
  ['tall', TALL, { which: 'largest' }],
  ['wide', WIDE, { which: 'largest' }],
  ['square, by AᵀA', SQUARE, { which: 'largest', method: 'cross' }],
  ['tall, by AᵀA', TALL, { which: 'largest', method: 'cross' }],
  ['wide, by AᵀA', { ...WIDE }, { which: 'largest', method: 'cross', k: 2 }],
  ['wide, the smallest', WIDE, { which: 'smallest' }],
  ['of a rank that is too low', LOW_RANK, { which: 'largest', k: 10 }],
] as const;

const asked = CASES.map(([, matrix, given]) => ({ matrix, k: 5, method: 'lanczos', ...given }));
const foundBy = runInTurn<Found>('svds.mjs', asked);

test.each(CASES.map(([name], place) => [name, place] as const))('%s', async (_, place) => {
  const { matrix, k, which, method } = asked[place]!;
  await using engine = await createEngine({ threads: 1 });
  const { U, V, values: known } = svds(engine, matrix, k, { which });
  U.dispose();
  V.dispose();
  for (const ranks of ranksInTurn(place)) {
    const all = await foundBy(place, ranks);
    for (const found of all) {
      expect([found.reason, found.converged, found.decision.method]).toEqual(['tolerance', k, method]);
      expect([found.values, found.U, found.V]).toEqual([all[0]!.values, all[0]!.U, all[0]!.V]);
      for (const [j, value] of found.values.entries()) expect(Math.abs(value - known[j]!)).toBeLessThan(1e-8);
    }
    const [first] = all;
    expect([first!.U.length, first!.V.length]).toEqual([matrix.rows * k, matrix.cols * k]);
    expectOrthonormal(first!.U, k);
    expectOrthonormal(first!.V, k);
    for (let j = 0; j < k; j++) {
      const [image, u] = [times(matrix, column(first!.V, k, j)), column(first!.U, k, j)];
      expect(Math.hypot(...image.map((value, i) => value - first!.values[j]! * u[i]!))).toBeLessThan(1e-7);
    }
  }
});

test('randomized; and the trace, estimated and exact', async () => {
  const { rows, rowPtr, colIdx, values } = SQUARE;
  let known = 0;
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) if (colIdx[k] === i) known += values[k]!;
  await using engine = await createEngine({ threads: 1 });
  const exact = svds(engine, SQUARE, 3);
  exact.U.dispose();
  exact.V.dispose();
  for (const ranks of [1, 2, 3]) {
    const data = { matrix: SQUARE, k: 3, method: 'randomized', powerIterations: 8 };
    const all = (await runRanks(program('svds.mjs'), { ranks, threads: 1, data })) as Found[];
    for (const found of all) {
      expect([found.reason, found.values, found.traces]).toEqual(['passes', all[0]!.values, all[0]!.traces]);
      for (const [j, value] of found.values.entries()) expect(value / exact.values[j]!).toBeCloseTo(1, 2);
      const [estimate, whole] = found.traces;
      expect(Math.abs(estimate!.value - known)).toBeLessThan(4 * estimate!.error);
      expect(Math.abs(whole!.value - known)).toBeLessThan(1e-9);
      expect(whole!.error).toBe(0);
    }
  }
});

test('a method that needs entries, and ranks that ask for something else, are errors that say so', async () => {
  const data = { matrix: SQUARE, k: 3, which: 'smallest', method: 'inverse' };
  await expect(runRanks(program('svds.mjs'), { ranks: 2, threads: 1, data })).rejects.toThrow(
    /method: expected lanczos, for an operator without entries or over ranks/,
  );
  const differing = { matrix: SQUARE, k: 3, differs: true };
  await expect(runRanks(program('svds.mjs'), { ranks: 2, threads: 1, data: differing })).rejects.toThrow(
    /seed of the singular values: expected 1 as on rank 0, got 2/,
  );
});

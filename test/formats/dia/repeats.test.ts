/** Equal chunks of DIA: two chunks with the same hashes are compared, in TypeScript and by the kernel. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnTeam } from '#dist/backends/team/run-loop.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { diagonalsOf } from '#dist/formats/dia/diagonals.js';
import { compareChunks, hashChunks } from '#dist/formats/dia/repeat-loops.js';
import { ALONE } from '#dist/formats/layout/workspace.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';

const HEIGHT = 8;

type Entry = readonly [row: number, col: number, value: number];

function matrixOf(rows: number, entries: readonly Entry[]): CsrMatrix {
  const builder = new CsrBuilder(rows, 40);
  for (const [row, col, value] of entries) builder.add(row, col, value);
  return builder.build();
}

/** Pairs of chunks of 8 rows, by what differs. */
const PAIRS: Readonly<Record<string, CsrMatrix>> = {
  nothing: matrixOf(16, [
    ...([
      [0, 3, 1],
      [5, 6, -2],
    ] as const),
    ...([
      [8, 11, 1],
      [13, 14, -2],
    ] as const),
  ]),
  value: matrixOf(16, [
    [0, 3, 1],
    [8, 11, 2],
  ]),
  'sign of zero': matrixOf(16, [
    [0, 3, 0],
    [8, 11, -0],
  ]),
  column: matrixOf(16, [
    [0, 3, 1],
    [8, 12, 1],
  ]),
  row: matrixOf(16, [
    [0, 3, 1],
    [9, 11, 1],
  ]),
  length: matrixOf(16, [
    [0, 3, 1],
    [8, 11, 1],
    [8, 12, 1],
  ]),
  'number of rows': matrixOf(12, [
    [0, 3, 1],
    [8, 11, 1],
  ]),
  // The diagonal of offset −9 passes through the second chunk only.
  'diagonals that pass through': matrixOf(24, [
    [0, 3, 1],
    [8, 11, 1],
    [16, 7, 1],
  ]),
};

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** The owner of the second chunk, if the first one is said to be, by the loop itself and by its kernel; and the hashes. */
function compare(matrix: CsrMatrix) {
  const { heap, context } = engine;
  using scope = heap.scope();
  const { offsets, counts } = diagonalsOf(heap, matrix, HEIGHT, ALONE);
  const { rows } = matrix;
  const arrays = {
    rowPtr: scope.copy(Uint32Array, matrix.rowPtr),
    colIdx: scope.copy(Uint32Array, matrix.colIdx),
    values: scope.copy(Float64Array, matrix.values),
    offsets: scope.copy(Int32Array, offsets),
    counts: scope.copy(Uint32Array, counts.counts),
  };
  const job = { rows, chunkHeight: HEIGHT, diagonals: offsets.length, width: 2, ...arrays };
  const units = counts.counts.length;
  const span = { units, workBefore: (unit: number) => unit };
  return [undefined, runOnTeam(context)].map((runLoop) => {
    const owner = scope.array(Uint32Array, units).fill(0);
    const hashes = scope.array(Uint32Array, 2 * units);
    for (const loop of [hashChunks, compareChunks]) {
      const whole = { ...job, owner, hashes };
      if (runLoop === undefined) loop.run(whole, 0, units);
      else runLoop(loop as typeof compareChunks, whole, span);
    }
    return { owner: owner[1]!, hashes: [...hashes] };
  });
}

describe('a pair of chunks that differs in', () => {
  test.each(Object.entries(PAIRS))('%s', (what, matrix) => {
    const [loop, kernel] = compare(matrix);
    expect(loop!.owner).toBe(what === 'nothing' ? 0 : 1);
    expect(kernel).toEqual(loop);
    const [low, high, otherLow, otherHigh] = loop!.hashes;
    const isSame = low === otherLow && high === otherHigh;
    expect(isSame).toBe(/nothing|number|pass/.test(what));
  });
});

test.each(DTYPES)('products have the bits of values in full, in %s', async (dtype) => {
  await using team = await createEngine({ threads: 2 });
  const grid = gallery('laplace3d7', { nx: 33, ny: 31, nz: 29 });
  const type = dtype === 'f32' ? 'f32' : 'f64';
  const x = team.vector(grid.cols, { dtype: type });
  x.data.forEach((_, j) => {
    x.data[j] = 1 / (1 + (j % 7));
  });
  const [full, table] = ['dia', 'dia?values=table'].map((format) => {
    using operator = team.operator(grid, { format, dtype });
    expect(operator.matrix.spec).toBe(format);
    const y = team.vector(grid.rows, { dtype: type });
    operator.apply(x, y);
    return Array.from(y.data);
  });
  expect(table).toEqual(full);
});

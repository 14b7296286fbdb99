/** A loop finds equal chunks of DIA; its TypeScript and its kernel find the same ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnTeam } from '#dist/backends/team/run-loop.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { diagonalsOf } from '#dist/formats/dia/diagonals.js';
import { findRepeats } from '#dist/formats/dia/repeat-loops.js';
import { repeatsOf } from '#dist/formats/dia/repeats.js';
import { type RunLoop, serially } from '#dist/formats/layout/loop.js';
import { ALONE } from '#dist/formats/layout/workspace.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';

const HEIGHT = 8;

type Entry = readonly [row: number, col: number, value: number];

function matrixOf(rows: number, entries: readonly Entry[]): CsrMatrix {
  const builder = new CsrBuilder(rows, 60);
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
  'row on one diagonal': matrixOf(16, [
    [0, 3, 1],
    [9, 12, 1],
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

/** Returns the owner of the second chunk by the loop, and by its kernel, and the hashes of both chunks. */
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
  const chunks = { rows, chunkHeight: HEIGHT, diagonals: offsets.length, width: 2, ...arrays };
  const units = counts.counts.length;
  const span = { units, workBefore: (unit: number) => unit };
  return [serially, runOnTeam(context)].map((runLoop) => {
    const hashes = scope.array(Uint32Array, 2 * units);
    const slots = scope.array(Uint32Array, units);
    const owner = scope.array(Uint32Array, units);
    const job = { ...chunks, hashes, slots, owner };
    // A chunk that is alone in its range is its own owner, and so gets hashes.
    for (let unit = 0; unit < units; unit++) findRepeats.run(job, unit, unit + 1);
    const alone = [...hashes];
    hashes.fill(0);
    runLoop(findRepeats, job, span);
    return { owner: owner[1], hashes: [...hashes], alone };
  });
}

/** Runs a loop over ranges of one unit. */
const oneByOne: RunLoop = (loop, job, { units }) => {
  for (let unit = 0; unit < units; unit++) loop.run(job, unit, unit + 1);
};

/** Returns the owner of each chunk. Chunks are stored that are their own owners. */
function ownersOf(matrix: CsrMatrix, runLoop: RunLoop): number[] {
  const diagonals = diagonalsOf(engine.heap, matrix, HEIGHT, ALONE);
  const { owner, stored } = repeatsOf(matrix, diagonals, { ...ALONE, runLoop });
  const { counts } = diagonals.counts;
  expect([...stored.counts]).toEqual([...counts].map((count, chunk) => (owner[chunk] === chunk ? count : 0)));
  return [...owner];
}

describe('a pair of chunks that differs in', () => {
  test.each(Object.entries(PAIRS))('%s', (what, matrix) => {
    const [loop, kernel] = compare(matrix);
    expect(kernel).toEqual(loop);
    const { owner, hashes, alone } = loop!;
    expect(owner).toBe(what === 'nothing' ? 0 : 1);
    expect(hashes).toEqual(what === 'nothing' ? [...alone.slice(0, 2), 0, 0] : alone);
    const isSame = alone[0] === alone[2] && alone[1] === alone[3];
    expect(isSame).toBe(/nothing|number|pass/.test(what));
    expect(ownersOf(matrix, oneByOne)[1]).toBe(owner);
  });
});

describe('chunks are stored once', () => {
  /** Makes a matrix whose chunks have a full diagonal each. All values of a chunk are its kind. */
  const kinds = (chunks: readonly number[]) =>
    matrixOf(
      HEIGHT * chunks.length,
      chunks.flatMap((kind, chunk) =>
        Array.from({ length: HEIGHT }, (_, lane): Entry => [HEIGHT * chunk + lane, HEIGHT * chunk + lane, kind]),
      ),
    );

  test.each([
    [
      [1, 1, 1, 1],
      [0, 0, 0, 0],
    ],
    [
      [1, 2, 1, 2],
      [0, 1, 0, 1],
    ],
    [
      [1, 1, 2, 2, 1, 1, 2],
      [0, 0, 2, 2, 0, 0, 2],
    ],
    [
      [1, 2, 3, 4],
      [0, 1, 2, 3],
    ],
    [
      [1, 2, 2, 3, 2, 3],
      [0, 1, 1, 3, 1, 3],
    ],
  ])('of kinds %j', (chunks, owners) => {
    const matrix = kinds(chunks);
    expect(ownersOf(matrix, serially)).toEqual(owners);
    expect(ownersOf(matrix, oneByOne)).toEqual(owners);
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

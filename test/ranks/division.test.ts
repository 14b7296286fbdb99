/** Rows divided by kernels on a team, from the heap and through windows: the same parts as in TypeScript on one thread. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnTeam } from '#dist/backends/team/run-loop.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Engine } from '#dist/engine/engine.js';
import { workspaceFor } from '#dist/formats/layout/workspace.js';
import { createEngine } from '#dist/index.node.js';
import { type DividedRows, divideRows } from '#dist/ranks/division.js';

const ROWS = 20_011;
const COLS = 3 * ROWS;
/** Rank 1 owns the middle third of the columns. */
const COLUMNS = Float64Array.of(0, ROWS, 2 * ROWS, COLS);

/** Own entries, with ghosts before them, behind them, on both sides, or alone; empty rows. */
function rowsOfRank(): CsrMatrix {
  const builder = new CsrBuilder(ROWS, COLS);
  for (let i = 0; i < ROWS; i++) {
    if (i % 53 === 7) continue;
    const own = ROWS + i;
    if (i % 31 !== 3) for (const step of [-2, 0, 1, 5]) builder.add(i, clamped(own + step), i + step / 8);
    if (i % 17 === 1 || i % 31 === 3) for (const step of [1, 2, 9]) builder.add(i, (i * 7 + step) % ROWS, step);
    if (i % 23 < 2) for (const step of [0, 4]) builder.add(i, 2 * ROWS + ((i + step) % ROWS), -step - 0.5);
  }
  return builder.build();
}

function clamped(column: number): number {
  return Math.min(Math.max(column, ROWS), 2 * ROWS - 1);
}

function plain({ own, ghost, boundaryRows, ghosts }: DividedRows) {
  const arrays = ({ rowPtr, colIdx, values, ...rest }: CsrMatrix) => ({
    ...rest,
    arrays: [rowPtr, colIdx, values].map((array) => array.slice()),
  });
  return { own: arrays(own), ghost: arrays(ghost), boundaryRows, ghosts };
}

describe.each([1, 3])('%i threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads });
  });
  afterAll(() => engine.dispose());

  test.each([
    ['f64', rowsOfRank()],
    ['f32', { ...rowsOfRank(), values: Float32Array.from(rowsOfRank().values) }],
  ])('%s', (_, matrix) => {
    const expected = plain(divideRows(matrix, 1, COLUMNS));
    const { heap } = engine;
    const { bytesInUse } = heap;
    {
      using scope = heap.scope();
      const rowPtr = scope.copy(Uint32Array, matrix.rowPtr);
      const colIdx = scope.copy(Uint32Array, matrix.colIdx);
      const type = matrix.values instanceof Float64Array ? Float64Array : Float32Array;
      const values = scope.copy<Float64Array | Float32Array>(type, matrix.values);
      const runLoop = runOnTeam(engine.context, 1500);
      for (const placed of [
        { ...matrix, rowPtr },
        { ...matrix, rowPtr, colIdx, values },
      ]) {
        using workspace = workspaceFor(heap, placed, runLoop);
        const divided = divideRows(placed, 1, COLUMNS, workspace);
        for (const part of [divided.own.colIdx, divided.own.values, divided.ghost.colIdx])
          expect(heap.owns(part)).toBe(true);
        expect(plain(divided)).toEqual(expected);
      }
    }
    expect(heap.bytesInUse).toBe(bytesInUse);
  });
});

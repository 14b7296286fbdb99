/** Conversions by a team, of matrices in the heap and of others: the same bytes as on one thread. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnTeam } from '#dist/backends/team/run-loop.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Engine } from '#dist/engine/engine.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { type LoopArray, serially, typeOf } from '#dist/formats/layout/loop.js';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import type { Heap } from '#dist/memory/heap.js';
import { fewOrAll } from '../../soak.js';

/** Symmetric, with zeros and empty rows, of sizes that no chunk, block or tile divides. */
function oddMatrix(n = 10_007): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    if (i % 97 === 5) continue;
    builder.add(i, i, i % 11 === 0 ? 0 : i + 0.25);
    for (const step of [1, 2, 3, 131]) {
      const j = i + step;
      if (j >= n || j % 97 === 5 || (step === 3 && i % 5 > 0)) continue;
      const value = (i * step) % 13 === 0 ? 0 : (i % 17) - 8.5;
      builder.add(i, j, value);
      builder.add(j, i, value);
    }
  }
  return { ...builder.build(), symmetry: 'symmetric' };
}

/** Few values, but some of them late, and others only in the middle: codes are renumbered in some blocks of entries. */
function lateValues(): CsrMatrix {
  const grid = gallery('laplace2d5', { nx: 160, ny: 170 });
  const values = grid.values.map((value, k) => (k % 997 === 996 ? Math.floor(k / 1500) : value));
  return { ...grid, values, symmetry: 'general' };
}

/** Values of f32, which a layout of f64 stores in full. */
function single(): CsrMatrix {
  const grid = gallery('laplace2d9', { nx: 150, ny: 150, values: 'real' });
  return { ...grid, values: Float32Array.from(grid.values) };
}

const MATRICES: Readonly<Record<string, CsrMatrix>> = {
  odd: oddMatrix(),
  single: single(),
  late: lateValues(),
  elasticity: gallery('laplace3d27', { nx: 9, ny: 11, nz: 7, block: 3, values: 'real' }),
  rmat: gallery('rmat', { scale: 13 }),
};

/** The arrays of a stored matrix and its pieces, by name, as bytes. */
function arraysOf(stored: StoredMatrix): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  (stored.pieces ?? [stored]).forEach((piece, p) => {
    for (const [name, array] of Object.entries(piece)) {
      // A product writes the halos; a conversion does not.
      if (!ArrayBuffer.isView(array) || name === 'halos') continue;
      found[`${p}.${name}`] = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    }
  });
  return found;
}

/** Work of a window for each thread: the matrices have tens of them. */
const WINDOW_WORK = 1500;

/** The row pointers alone are in the heap: columns and values pass through it. */
function atItsDoor(heap: Heap, matrix: CsrMatrix) {
  const scope = heap.scope();
  const [colIdx, values] = [oddlyPlaced(matrix.colIdx), oddlyPlaced(matrix.values)];
  const copies = { rowPtr: scope.copy(Uint32Array, matrix.rowPtr), colIdx, values };
  return { matrix: { ...matrix, ...copies }, [Symbol.dispose]: () => scope[Symbol.dispose]() };
}

/** A copy one element behind the begin of its buffer. */
function oddlyPlaced<T extends LoopArray>(array: T): T {
  const copy = new (typeOf(array))(
    new ArrayBuffer(array.byteLength + array.BYTES_PER_ELEMENT),
    array.BYTES_PER_ELEMENT,
    array.length,
  );
  copy.set(array);
  return copy;
}

function inHeap(heap: Heap, matrix: CsrMatrix) {
  const scope = heap.scope();
  const { rowPtr, colIdx, values } = matrix;
  const copies = {
    rowPtr: scope.copy(Uint32Array, rowPtr),
    colIdx: scope.copy(Uint32Array, colIdx),
    values: values instanceof Float32Array ? scope.copy(Float32Array, values) : scope.copy(Float64Array, values),
  };
  return { matrix: { ...matrix, ...copies }, [Symbol.dispose]: () => scope[Symbol.dispose]() };
}

describe.each([3, 2, 1].slice(0, fewOrAll(1, 3)))('%i threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads });
  });
  afterAll(() => engine.dispose());

  test.each(FORMAT_SPECS)('%s', (spec) => {
    const { heap, context } = engine;
    const inUse = heap.bytesInUse;
    let compared = 0;
    for (const [name, given] of Object.entries(MATRICES)) {
      using staged = inHeap(heap, given);
      for (const dtype of ['f64', 'mixed'] as const) {
        const store = (runLoop = serially) => storeMatrix(heap, staged.matrix, spec, dtype, { runLoop });
        using alone = storeOrRefuse(store);
        if (alone === undefined) {
          expect(storeOrRefuse(() => store(runOnTeam(context)))).toBeUndefined();
          continue;
        }
        using door = atItsDoor(heap, given);
        using together = store(runOnTeam(context));
        using passing = storeMatrix(heap, door.matrix, spec, dtype, { runLoop: runOnTeam(context, WINDOW_WORK) });
        const expected = arraysOf(alone);
        for (const [how, stored] of Object.entries({ together, passing })) {
          const got = arraysOf(stored);
          expect(Object.keys(got)).toEqual(Object.keys(expected));
          const different = Object.keys(expected).filter((array) => !expected[array]!.equals(got[array]!));
          expect(different, `${name}, ${dtype}, ${how}`).toEqual([]);
        }
        compared += Object.values(expected).reduce((sum, { length }) => sum + length, 0);
      }
    }
    expect(compared).toBeGreaterThan(0);
    expect(heap.bytesInUse).toBe(inUse);
  });
});

function storeOrRefuse(store: () => StoredMatrix): StoredMatrix | undefined {
  try {
    return store();
  } catch {
    return undefined;
  }
}

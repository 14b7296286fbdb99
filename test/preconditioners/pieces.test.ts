/** Pieces of a matrix by their definition, and slices of rows by what they need. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_ENTRY } from '#dist/algebra/diagonal.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { createEngine, type Engine, gallery, rcm } from '#dist/index.node.js';
import type { HeapScope } from '#dist/memory/heap.js';
import { groupTriangles } from '#dist/preconditioners/triangular/groups.js';
import { cutIntoPieces } from '#dist/preconditioners/triangular/pieces.js';
import { sliceTriangles } from '#dist/preconditioners/triangular/slices.js';
import { splitSymmetric, splitTriangles } from '#dist/preconditioners/triangular/split.js';
import { rotatedAnisotropy } from '../../bench/solve/choice-problems.mjs';
import { ragged, SYMMETRIC, shuffled, skewed } from './matrices.js';

let engine: Engine;
let scope: HeapScope;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
  scope = engine.heap.scope();
});
afterAll(() => engine.dispose());

const nodes = gallery('laplace2d5', { nx: 5, ny: 4, block: 3 });
const MATRICES = {
  ...SYMMETRIC,
  'rows that are not symmetric': skewed(47),
  'a path': gallery('laplace1d3', { nx: 40 }),
};

/** All entries between different rows. */
function edges({ rows, rowPtr, colIdx }: CsrMatrix): [number, number][] {
  return Array.from({ length: rows }, (_, i) =>
    Array.from(colIdx.subarray(rowPtr[i]!, rowPtr[i + 1]!), (j): [number, number] => [i, j]),
  )
    .flat()
    .filter(([i, j]) => i !== j);
}

describe.each(Object.entries(MATRICES))('%s', (name, matrix) => {
  const n = matrix.rows;
  const natural = Uint32Array.from({ length: n }, (_, i) => i);
  const cases = [1, 3, 8, 20, n].flatMap((blockRows) =>
    [natural, rcm(matrix).rowOrder].map((order) => ({ blockRows, order })),
  );

  test.each(cases)('blocks of $blockRows rows', ({ blockRows, order }) => {
    const {
      order: elimination = order,
      ptr,
      stages,
      placed,
      blocks,
      borderRows,
    } = cutIntoPieces(matrix, order, blockRows);
    expect([...elimination].sort((a, b) => a - b)).toEqual([...natural]);
    expect(blocks).toBe(Math.ceil(n / blockRows));
    expect(stages.reduce((sum, count) => sum + count, 0)).toBe(ptr.length - 1);
    expect([...placed].sort((a, b) => a - b)).toEqual([...natural.subarray(0, ptr.length - 1)]);
    const place = new Uint32Array(n);
    order.forEach((row, i) => {
      place[row] = i;
    });
    const blockOf = (row: number) => Math.floor(place[row]! / blockRows);
    const isBorder = new Array<boolean>(n).fill(false);
    for (const [i, j] of edges(matrix)) {
      if (blockOf(i) > blockOf(j)) isBorder[i] = true;
      if (blockOf(j) > blockOf(i)) isBorder[j] = true;
    }
    expect(borderRows).toBe(isBorder.filter(Boolean).length);
    // A piece is the border or the interior of one block. Borders of even blocks come before all interiors, the others after them.
    const kinds = Array.from({ length: ptr.length - 1 }, (_, piece) => {
      const rows = [...elimination.subarray(ptr[piece], ptr[piece + 1])];
      expect(new Set(rows.map((row) => `${blockOf(row)} ${isBorder[row]}`)).size).toBeLessThanOrEqual(1);
      expect(rows).not.toEqual([]);
      if (!isBorder[rows[0]!]) return 1;
      return blockOf(rows[0]!) % 2 === 0 ? 0 : 2;
    });
    expect(kinds).toEqual(kinds.slice().sort());
    // Only entries between two borders of one stage are dropped.
    const at = new Uint32Array(n);
    elimination.forEach((row, i) => {
      at[row] = i;
    });
    const pieceOf = (row: number) => ptr.findLastIndex((first) => first <= at[row]!);
    const between = edges(matrix).filter(
      ([i, j]) => pieceOf(i) !== pieceOf(j) && kinds[pieceOf(i)] === kinds[pieceOf(j)],
    );
    const split = splitTriangles(engine.context, scope, { matrix, order: elimination, pieces: { ptr, stages } });
    expect(split.dropped).toBe(between.length);
    expect(split.lower.idx.length + split.upper!.idx.length).toBe(edges(matrix).length - between.length);
  });

  test.each(cases)('slices of blocks of $blockRows rows come after what they need', ({ blockRows, order }) => {
    const pieces = cutIntoPieces(matrix, order, blockRows);
    const elimination = pieces.order ?? order;
    const splitting = { matrix, order: elimination, pieces };
    const symmetric = name in SYMMETRIC ? splitSymmetric(engine.context, scope, splitting) : undefined;
    const split = symmetric ?? splitTriangles(engine.context, scope, splitting);
    const upper = symmetric?.turned ?? split.upper!;
    const { lower } = split;
    const turned = symmetric?.turned.from;
    const { ptr: piecePtr, placed } = pieces;
    const slices = sliceTriangles(engine.context, scope, { rows: n, lower, upper, turned, piecePtr, placed });
    const { lanes, rowOf, first, last } = slices;
    const laneOf = new Int32Array(n).fill(-1);
    rowOf.forEach((row, lane) => {
      if (laneOf[row] === -1) laneOf[row] = lane;
    });
    expect(laneOf).not.toContain(-1);
    for (let piece = 0; piece < first.length; piece++) {
      const rows = new Set(rowOf.subarray(lanes * first[piece]!, lanes * last[piece]!));
      expect([...rows].sort((a, b) => a - b)).toEqual([...natural.subarray(piecePtr[piece], piecePtr[piece + 1])]);
    }
    for (const [triangle, sliced, sign] of [
      [lower, slices.lower, 1],
      [upper, slices.upper, -1],
    ] as const) {
      const pieceOf = (row: number) => piecePtr.findLastIndex((begin) => begin <= row);
      const sliceOf = (lane: number) => Math.floor(lane / lanes);
      for (let row = 0; row < n; row++)
        for (let k = triangle.ptr[row]!; k < triangle.ptr[row + 1]!; k++) {
          const column = triangle.idx[k]!;
          if (pieceOf(column) !== pieceOf(row)) continue;
          expect(sign * (sliceOf(laneOf[row]!) - sliceOf(laneOf[column]!))).toBeGreaterThan(0);
        }
      // Each lane has the entries of its row, and padding; slices and entries of U come from the last one on.
      rowOf.forEach((row, lane) => {
        const slice = sliceOf(lane);
        const found: number[] = [];
        const steps = sliced.ptr[slice + 1]! - sliced.ptr[slice]!;
        const step = sign === 1 ? sliced.ptr[slice]! : sliced.ptr.at(-1)! - sliced.ptr[slice + 1]!;
        for (let at = lanes * step + (lane % lanes); at < lanes * (step + steps); at += lanes) {
          const base = sliced.idx instanceof Uint16Array ? sliced.base[slice]! : 0;
          if (sliced.from[at] !== 0) found.push(sliced.idx[at]! + base);
        }
        const columns = Array.from(triangle.idx.subarray(triangle.ptr[row], triangle.ptr[row + 1]), (j) => laneOf[j]!);
        expect(found).toEqual(sign === 1 ? columns : columns.reverse());
      });
    }
  });
});

describe('triangles', () => {
  const full = gallery('laplace1d3', { nx: 1, block: 90 });
  const matrices = { 'long rows': full, 'ragged rows': ragged(80) };
  test.each(Object.entries(matrices))('of %s have their entries with ascending columns', (_, matrix) => {
    const n = matrix.rows;
    const order = shuffled(n);
    const split = splitTriangles(engine.context, scope, { matrix, order });
    const place = new Uint32Array(n);
    order.forEach((row, i) => {
      place[row] = i;
    });
    for (let i = 0; i < n; i++) {
      const row = order[i]!;
      const entries = Array.from(
        matrix.colIdx.subarray(matrix.rowPtr[row]!, matrix.rowPtr[row + 1]!),
        (column, k): [number, number] => [place[column]!, matrix.rowPtr[row]! + k],
      ).sort(([a], [b]) => a - b);
      const rowOf = ({ ptr, idx, from }: typeof split.lower) =>
        Array.from(idx.subarray(ptr[i]!, ptr[i + 1]!), (column, k) => [column, from[ptr[i]! + k]!]);
      expect(rowOf(split.lower)).toEqual(entries.filter(([j]) => j < i));
      expect(rowOf(split.upper!)).toEqual(entries.filter(([j]) => j > i));
      expect(split.diagonal[i]).toBe(entries.find(([j]) => j === i)?.[1] ?? NO_ENTRY);
    }
  });
});

describe('groups', () => {
  const natural = Uint32Array.from({ length: nodes.rows }, (_, i) => i);
  const groupsOf = (blockRows: number) => {
    const pieces = cutIntoPieces(nodes, natural, blockRows);
    const split = splitSymmetric(engine.context, scope, { matrix: nodes, order: pieces.order, pieces });
    const { lower, turned } = split;
    const { ptr: piecePtr, placed } = pieces;
    const pattern = { rows: nodes.rows, lower, upper: turned, turned: turned.from, piecePtr, placed };
    return groupTriangles(engine.context, scope, pattern);
  };

  test('are the nodes, whose rows share a list of columns', () => {
    const { kind, rowOf, lower, upper } = groupsOf(1000)!;
    expect(kind).toBe('groups');
    expect([...rowOf.subarray(0, 8)]).toEqual([0, 1, 2, 0, 3, 4, 5, 3]);
    // Node 1 needs the three columns of node 0, in lanes 0 to 2.
    expect([...lower.ptr.subarray(0, 3)]).toEqual([0, 0, 3]);
    expect([...lower.idx.subarray(0, 3)]).toEqual([0, 1, 2]);
    for (const { from } of [lower, upper]) {
      const entries = [...from].filter((_, k) => k % 4 !== 3 && from[k] !== 0).sort((a, b) => a - b);
      expect(entries).toEqual(Array.from(entries.keys(), (k) => k + 1));
    }
  });

  test('are not made of rows with columns of their own', () => {
    const [, matrix] = Object.entries(SYMMETRIC)[0]!;
    const pieces = cutIntoPieces(matrix, undefined, 1000);
    const { lower, turned } = splitSymmetric(engine.context, scope, { matrix, order: undefined, pieces });
    const { ptr: piecePtr, placed } = pieces;
    const pattern = { rows: matrix.rows, lower, upper: turned, turned: turned.from, piecePtr, placed };
    expect(groupTriangles(engine.context, scope, pattern)).toBeUndefined();
  });
});

test('blocks are chosen by the number of entries, of rows and of those in borders', () => {
  const blocksOf = (name: string, given: object) => cutIntoPieces(gallery(name, given as never), undefined, 0).blocks;
  expect(blocksOf('laplace2d5', { nx: 100, ny: 100 })).toBe(1);
  expect(blocksOf('laplace2d5', { nx: 300, ny: 300 })).toBe(2);
  // Fewer rows than 100², but eleven times as many entries.
  expect(blocksOf('elasticity3d', { nx: 14, ny: 14, nz: 14 })).toBe(2);
  expect(blocksOf('laplace2d5', { nx: 600, ny: 600 })).toBe(14);
  // A plane has 1600 of 64000 rows.
  expect(blocksOf('laplace3d7', { nx: 40, ny: 40, nz: 40 })).toBe(2);
});

test.each([
  ['five points', () => gallery('laplace2d5', { nx: 330, ny: 330 }), 4],
  ['an anisotropy across the rows of the grid', () => rotatedAnisotropy(330, 1e-3, 90), 2],
  ['an anisotropy along them', () => rotatedAnisotropy(330, 1e-3, 0), 4],
  ['an anisotropy at an angle', () => rotatedAnisotropy(330), 2],
] as [string, () => CsrMatrix, number][])(
  'more than two blocks only where borders drop little: %s',
  (_, make, blocks) => {
    const matrix = make();
    expect(cutIntoPieces(matrix, undefined, 0).blocks).toBe(blocks);
    const natural = Uint32Array.from({ length: matrix.rows }, (_, i) => i);
    expect(cutIntoPieces(matrix, natural, 0).blocks).toBe(blocks);
  },
);

/** Greedy graph growing: the properties of every partition, and the parts of a mesh. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { growParts } from '#dist/formats/pkt/grow-parts.js';
import { gallery } from '#dist/gallery/registry.js';
import { smallMatrix } from '../../gallery/arbitrary.js';

/** Entries between parts, as a fraction of all. */
function cut({ rows, rowPtr, colIdx, nnz }: CsrMatrix, partOf: Uint32Array): number {
  let between = 0;
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) if (partOf[colIdx[k]!] !== partOf[i]) between++;
  return between / nnz;
}

function ofEntries(rows: number, entries: readonly (readonly [row: number, col: number])[]): CsrMatrix {
  const builder = new CsrBuilder(rows, rows);
  for (const [row, col] of entries) builder.add(row, col, 1);
  return builder.build();
}

describe('every partition', () => {
  const square = smallMatrix({ max: 24 }).filter(({ rows, cols }) => rows === cols);

  it('has each row in one part, ascending, in as few parts as possible of equal size', () => {
    const property = fc.property(square, fc.integer({ min: 1, max: 30 }), (matrix, mostRows) => {
      const { partPtr, order, partOf } = growParts(matrix, mostRows);
      const parts = Math.ceil(matrix.rows / mostRows);
      expect(partPtr.length).toBe(parts + 1);
      expect([partPtr[0], partPtr[parts]]).toEqual([0, matrix.rows]);
      expect(order.toSorted()).toEqual(Uint32Array.from({ length: matrix.rows }, (_, row) => row));
      for (let part = 0; part < parts; part++) {
        const members = order.subarray(partPtr[part], partPtr[part + 1]);
        expect([Math.floor(matrix.rows / parts), Math.ceil(matrix.rows / parts)]).toContain(members.length);
        expect(members).toEqual(members.toSorted());
        for (const row of members) expect(partOf[row]).toBe(part);
      }
    });
    fc.assert(property);
  });

  it('is the same every time', () => {
    const matrix = gallery('rmat', { scale: 9, edgeFactor: 5 });
    expect(growParts(matrix, 50)).toEqual(growParts(matrix, 50));
  });
});

it('takes neighbours, nearest first', () => {
  const ring = ofEntries(
    8,
    Array.from({ length: 8 }, (_, i) => [i, (i + 1) % 8]),
  );
  expect(growParts(ring, 4).order).toEqual(Uint32Array.of(0, 1, 2, 7, 3, 4, 5, 6));
});

it('follows an entry both ways: the graph is that of A + Aᵀ', () => {
  const upward = ofEntries(4, [
    [0, 3],
    [2, 1],
  ]);
  const downward = ofEntries(4, [
    [3, 0],
    [1, 2],
  ]);
  for (const matrix of [upward, downward]) expect(growParts(matrix, 2).order).toEqual(Uint32Array.of(0, 3, 1, 2));
});

it('puts small components together in one part', () => {
  const matrix = ofEntries(8, [
    [0, 4],
    [1, 5],
  ]);
  expect(growParts(matrix, 4).order).toEqual(Uint32Array.of(0, 1, 4, 5, 2, 3, 6, 7));
});

it('begins a part at the first vertex found and not used', () => {
  const star = ofEntries(7, [
    [0, 6],
    [0, 5],
    [5, 4],
    [6, 3],
    [6, 1],
  ]);
  // 0 finds 5 and 6, 5 finds 4; then 6, found first, begins the second part with its neighbours.
  expect(growParts(star, 2).order).toEqual(Uint32Array.of(0, 5, 1, 6, 3, 4, 2));
});

it('finds the parts of a mesh in any numbering', () => {
  const matrix = gallery('rgg', { n: 20_000 });
  const inOrder = Uint32Array.from({ length: matrix.rows }, (_, row) => Math.floor(row / 1000));
  expect(cut(matrix, inOrder)).toBeGreaterThan(0.9);
  expect(cut(matrix, growParts(matrix, 1000).partOf)).toBeLessThan(0.08);
});

it('is not led astray by a hub', () => {
  const rows = 4000;
  const mesh = gallery('rgg', { n: rows });
  const builder = new CsrBuilder(rows, rows);
  for (let i = 0; i < rows; i++) {
    builder.add(0, i, 1);
    builder.add(i, 0, 1);
    for (let k = mesh.rowPtr[i]!; k < mesh.rowPtr[i + 1]!; k++) builder.add(i, mesh.colIdx[k]!, 1);
  }
  expect(cut(mesh, growParts(builder.build(), 400).partOf)).toBeLessThan(0.15);
});

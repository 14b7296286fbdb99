import { describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { randomStream } from '#dist/gallery/draw.js';
import { arranged, rowLengths } from '../../bench/matrices/suites/lengths.mjs';
import { mirroredPattern } from '../../bench/matrices/suites/mirrored.mjs';
import { scaledFigures, standIn } from '../../bench/matrices/suites/stand-in.mjs';

const MESH = {
  ...{ rows: 20_000, cols: 20_000, nnz: 280_000, min: 3, max: 40, variance: 12, diagonal: true, symmetric: 1 },
  ...{ values: 'symmetric', kind: 'mesh', block: 1, spread: [0.04, 0.01, 0.06], run: 2, similarity: 0.8, seed: 1 },
};
const HUBS = { ...MESH, kind: 'power-law', nnz: 120_000, min: 1, max: 4000, variance: 1500, spread: [0.4, 0.3, 1] };

const KINDS = [
  { title: 'a mesh', figures: MESH },
  {
    title: 'a mesh of blocks of 3',
    figures: { ...MESH, kind: 'blocks', block: 3, rows: 19_998, cols: 19_998, max: 39 },
  },
  {
    title: 'a matrix whose rows are no multiple of its blocks',
    figures: { ...MESH, kind: 'blocks', block: 7, max: 42 },
  },
  { title: 'a graph', figures: { ...MESH, kind: 'graph', diagonal: false, spread: [0.2, 0.3, 1] } },
  { title: 'a power law with hubs', figures: HUBS },
  { title: 'a directed power law', figures: { ...HUBS, symmetric: 0, values: 'general', colMax: 900 } },
  { title: 'a power law, mirrored in part', figures: { ...HUBS, symmetric: 0.4, values: 'general', colMax: 900 } },
  { title: 'a band, mirrored in part', figures: { ...MESH, symmetric: 0.4, values: 'general', colMax: 40 } },
  { title: 'random columns', figures: { ...MESH, kind: 'random', symmetric: 0, values: 'general', colMax: 40 } },
  {
    title: 'few long rows',
    figures: {
      ...{ ...MESH, rows: 400, cols: 60_000, nnz: 400_000, min: 2, max: 20_000, variance: 2e6, diagonal: false },
      ...{ kind: 'power-law', symmetric: 0, values: 'general', colMax: 40, spread: [0.9, 0.1, 1] },
    },
  },
];

/** Much faster than comparing numbers one by one with messages. */
function areEqual(a: CsrMatrix, b: CsrMatrix): boolean {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);
  return bytes(a.colIdx).equals(bytes(b.colIdx)) && bytes(a.values).equals(bytes(b.values));
}

const near = (got: number, aim: number, share: number) => Math.abs(got - aim) <= share * Math.abs(aim);

describe.each(KINDS)('$title', ({ figures }) => {
  const matrix: CsrMatrix = standIn(figures);
  const statistics = matrixStatistics(matrix);

  test('is canonical', () => {
    expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
  });

  test('has the figures asked for', () => {
    const { rows, cols, nnz, rowLengths: lengths } = statistics;
    expect({ rows, cols, max: lengths.max }).toEqual({ rows: figures.rows, cols: figures.cols, max: figures.max });
    expect(near(nnz, figures.nnz, 2e-3)).toBe(true);
    expect(near(lengths.variance, figures.variance, 0.02)).toBe(true);
    if (rows === cols) expect(Math.abs(statistics.patternSymmetry! - figures.symmetric)).toBeLessThan(0.02);
  });

  test('its values have the stated symmetry, and none is 0', () => {
    expect(statistics.symmetry).toBe(figures.values);
    expect(matrix.symmetry).toBe(figures.values);
    expect(matrix.values.every((value) => value !== 0 && Math.abs(value) < 1)).toBe(true);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(areEqual(standIn(figures), matrix)).toBe(true);
    expect(areEqual(standIn({ ...figures, seed: 2 }), matrix)).toBe(false);
  });

  test('keeps its shape when it shrinks', () => {
    const small = scaledFigures(figures, 0.2);
    const { rows, cols, nnz, rowLengths: lengths } = matrixStatistics(standIn(figures, 0.2));
    expect({ rows, cols }).toEqual({ rows: small.rows, cols: small.cols });
    expect(near(nnz, small.nnz, 0.02)).toBe(true);
    expect(near(lengths.max, small.max, figures.block / small.max)).toBe(true);
    expect(near(lengths.variance, small.variance, 0.05)).toBe(true);
  });
});

test('blocks are dense, and on multiples of their size', () => {
  const { rows, rowPtr, colIdx } = standIn({
    ...MESH,
    kind: 'blocks',
    block: 3,
    rows: 3000,
    cols: 3000,
    nnz: 42_000,
    max: 39,
  });
  for (let i = 0; i < rows; i += 3) {
    const row = colIdx.slice(rowPtr[i], rowPtr[i + 1]);
    expect(colIdx.slice(rowPtr[i + 1], rowPtr[i + 2])).toEqual(row);
    expect(colIdx.slice(rowPtr[i + 2], rowPtr[i + 3])).toEqual(row);
    for (let k = 0; k < row.length; k += 3)
      expect([...row.slice(k, k + 3)]).toEqual([0, 1, 2].map((q) => 3 * Math.floor(row[k] / 3) + q));
  }
});

test('a band is about as narrow as requested', () => {
  expect(matrixStatistics(standIn(MESH)).bandwidth).toBeLessThan(0.06 * MESH.rows);
});

test('a symmetric pattern has the row lengths asked for, one by one', () => {
  const random = randomStream(3, 'structure');
  const lengths = arranged(
    rowLengths({ rows: 5000, sum: 60_000, min: 2, max: 900, variance: 400, tail: true }),
    false,
    random,
  );
  const shape = { diagonal: true, width: 200, far: 0.3, run: 2, similarity: 0.5 };
  const { rowPtr } = mirroredPattern(lengths, shape, random);
  const wrong = lengths.filter((length: number, i: number) => rowPtr[i + 1] - rowPtr[i] !== length).length;
  expect(wrong).toBeLessThan(0.002 * lengths.length);
});

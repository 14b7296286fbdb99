import { describe, expect, test } from 'vitest';
import { matrixStatistics } from '#dist/features/statistics.js';
import { randomStream, unit } from '#dist/gallery/draw.js';
import { gallery } from '#dist/gallery/registry.js';
import { entriesOf } from './arbitrary.js';

/** Pairs 'i,j' in the order of CSR. */
function pairs(n: number, isEdge: (i: number, j: number) => boolean): string[] {
  const edges: string[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) if (isEdge(i, j)) edges.push(`${i},${j}`);
  }
  return edges;
}

function pattern(name: string, params: Record<string, number | string>): string[] {
  return entriesOf(gallery(name, params)).map(([i, j]) => `${i},${j}`);
}

describe('debruijn', () => {
  test.each([1, 2, 3, 4, 5, 6])('order %i joins words that overlap', (order) => {
    const n = 2 ** order;
    const follows = (i: number, j: number) => Math.floor(j / 2) === i % (n / 2);
    const isEdge = (i: number, j: number) => follows(i, j) || follows(j, i);
    expect(pattern('debruijn', { order })).toEqual(pairs(n, isEdge));
    expect(pattern('debruijn', { order, loops: 'drop' })).toEqual(pairs(n, (i, j) => i !== j && isEdge(i, j)));
  });

  test('order 20 has the entry counts of peers.md and, without loops, of SuiteSparse debr', () => {
    expect(gallery('debruijn').nnz).toBe(4_194_300);
    expect(gallery('debruijn', { loops: 'drop' }).nnz).toBe(4_194_298);
  });
});

describe('rmat', () => {
  test('draws edgeFactor · 2^scale edges and keeps each once', () => {
    const { rows, cols, nnz } = gallery('rmat', { scale: 12, edgeFactor: 8 });
    expect([rows, cols]).toEqual([4096, 4096]);
    expect(nnz).toBeGreaterThan(0.8 * 8 * 4096);
    expect(nnz).toBeLessThan(8 * 4096);
  });

  test('quarters have the shares a, b, c and the rest', () => {
    // So sparse that hardly an edge is drawn twice.
    const matrix = gallery('rmat', { scale: 20, edgeFactor: 1, a: 0.4, b: 0.3, c: 0.2 });
    const half = matrix.rows / 2;
    const shares = [0, 0, 0, 0];
    for (const [i, j] of entriesOf(matrix)) shares[(i < half ? 0 : 2) + (j < half ? 0 : 1)]! += 1 / matrix.nnz;
    [0.4, 0.3, 0.2, 0.1].forEach((share, quarter) => {
      expect(shares[quarter]).toBeCloseTo(share, 2);
    });
  });

  test('a = 1 draws one edge only', () => {
    expect(pattern('rmat', { scale: 3, edgeFactor: 4, a: 1, b: 0, c: 0 })).toEqual(['0,0']);
    expect(pattern('rmat', { scale: 3, edgeFactor: 4, a: 0, b: 1, c: 0 })).toEqual(['0,7']);
    expect(pattern('rmat', { scale: 3, edgeFactor: 4, a: 0, b: 0, c: 1 })).toEqual(['7,0']);
    expect(pattern('rmat', { scale: 3, edgeFactor: 4, a: 0, b: 0, c: 0 })).toEqual(['7,7']);
  });

  test('probabilities that sum to more than 1 are refused', () => {
    expect(() => gallery('rmat', { scale: 3, a: 0.9 })).toThrow(/a \+ b \+ c: expected a sum of at most 1, got 1\.28/);
  });
});

describe('rgg', () => {
  test.each([
    [1, 13],
    [2, 1],
    [50, 0],
    [50, 13],
    [300, 4],
    [300, 60],
    [300, 1e6],
  ])('%i points, degree %d: every pair within the radius, no other', (n, degree) => {
    const random = randomStream(7, 'structure');
    const points = Array.from({ length: n }, () => [unit(random), unit(random)] as const);
    const radius = Math.sqrt(degree / (Math.PI * n));
    const isNear = (i: number, j: number) =>
      (points[i]![0] - points[j]![0]) ** 2 + (points[i]![1] - points[j]![1]) ** 2 <= radius * radius;
    expect(pattern('rgg', { n, degree, seed: 7 })).toEqual(pairs(n, (i, j) => i !== j && isNear(i, j)));
  });

  test('the mean degree is the requested one, except at the border', () => {
    const { rowLengths } = matrixStatistics(gallery('rgg', { n: 20_000, degree: 9 }));
    expect(rowLengths.mean).toBeGreaterThan(8.6);
    expect(rowLengths.mean).toBeLessThan(9.1);
  });

  test('grid order is the same graph with a small bandwidth', () => {
    const random = gallery('rgg', { n: 5000 });
    const grid = gallery('rgg', { n: 5000, order: 'grid' });
    const lengths = ({ rowPtr }: typeof grid) => Array.from(rowPtr, (end, i) => end - (rowPtr[i - 1] ?? 0)).sort();
    expect(lengths(grid)).toEqual(lengths(random));
    expect(matrixStatistics(random).bandwidth).toBeGreaterThan(4500);
    expect(matrixStatistics(grid).bandwidth).toBeLessThan(600);
  });
});

describe('road', () => {
  function reachable({ rows, rowPtr, colIdx }: ReturnType<typeof gallery>): number {
    const seen = new Uint8Array(rows);
    const queue = [0];
    seen[0] = 1;
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head]!;
      for (const next of colIdx.subarray(rowPtr[node]!, rowPtr[node + 1]!)) {
        if (seen[next] === 0) queue.push(next);
        seen[next] = 1;
      }
    }
    return queue.length;
  }

  test.each([
    [1, 1, 0.2],
    [1, 9, 0.2],
    [9, 1, 0.2],
    [30, 20, 0],
    [30, 20, 1],
    [60, 70, 0.2],
  ])('%i × %i nodes, extra %d: connected, neighbours on the grid only', (nx, ny, extra) => {
    const matrix = gallery('road', { nx, ny, extra });
    expect(reachable(matrix)).toBe(nx * ny);
    for (const [i, j] of entriesOf(matrix)) {
      const steps = Math.abs((i % nx) - (j % nx)) + Math.abs(Math.floor(i / nx) - Math.floor(j / nx));
      expect(steps).toBe(1);
    }
    const inner = (nx - 1) * (ny - 1);
    const edges = nx * ny - 1 + extra * inner;
    expect(Math.abs(matrix.nnz / 2 - edges)).toBeLessThanOrEqual(5 * Math.sqrt(inner * extra * (1 - extra)));
  });

  test('two to three entries a row, one to four at the extremes', () => {
    const { rowLengths, symmetry } = matrixStatistics(gallery('road', { nx: 200, ny: 200, values: 'ones' }));
    expect(rowLengths.mean).toBeGreaterThan(2.3);
    expect(rowLengths.mean).toBeLessThan(2.5);
    expect([rowLengths.min, rowLengths.max]).toEqual([1, 4]);
    expect(symmetry).toBe('symmetric');
  });

  test('random order is as connected, and far from the diagonal', () => {
    const matrix = gallery('road', { nx: 40, ny: 40, order: 'random' });
    expect(reachable(matrix)).toBe(1600);
    expect(matrixStatistics(matrix).bandwidth).toBeGreaterThan(1400);
  });
});

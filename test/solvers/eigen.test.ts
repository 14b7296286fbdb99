/** Power iteration, and PageRank. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import {
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  functionOperator,
  gallery,
  pageRank,
  powerIteration,
} from '#dist/index.node.js';
import { SPACES, useSums } from './engines.js';

function links(vertices: number, ...edges: readonly (readonly [number, number, number?])[]): CsrMatrix {
  const builder = new CsrBuilder(vertices, vertices);
  for (const [from, to, weight = 1] of edges) builder.add(from, to, weight);
  return builder.build();
}

/** By definition: the matrix of the walk, dense, and many steps. */
function rankByHand({ rows, rowPtr, colIdx, values }: CsrMatrix, damping: number, start: readonly number[]): number[] {
  const total = start.reduce((sum, weight) => sum + weight, 0);
  const v = start.map((weight) => weight / total);
  let x = v;
  for (let step = 0; step < 2000; step++) {
    const next = v.map((share) => share * (1 - damping));
    for (let i = 0; i < rows; i++) {
      const entries = Array.from({ length: rowPtr[i + 1]! - rowPtr[i]! }, (_, k) => rowPtr[i]! + k);
      const sum = entries.reduce((all, k) => all + values[k]!, 0);
      if (sum === 0) for (const [j, share] of v.entries()) next[j]! += damping * share * x[i]!;
      else for (const k of entries) next[colIdx[k]!]! += (damping * values[k]! * x[i]!) / sum;
    }
    x = next;
  }
  return x;
}

/** Vertex 4 has no links, vertex 5 no link to it, 0 one to itself. */
const GRAPH = links(6, [0, 0], [0, 1], [1, 2, 3], [1, 0], [2, 3], [3, 0], [2, 4], [5, 4]);

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
  });
  afterAll(() => engine.dispose());

  test.each([0.85, 0.5, 0])('ranks are those of the definition (damping %d)', (damping) => {
    const { ranks, converged, relativeChange } = pageRank(engine, GRAPH, { damping, rtol: 1e-12 });
    expect([converged, relativeChange <= 1e-12]).toEqual([true, true]);
    const expected = rankByHand(GRAPH, damping, [1, 1, 1, 1, 1, 1]);
    for (const [i, rank] of ranks.toArray().entries()) expect(rank).toBeCloseTo(expected[i]!, 10);
    ranks.dispose();
  });

  test('several personalizations at once', () => {
    const starts = [
      [1, 0, 0, 0, 0, 0],
      [0, 0, 2, 0, 2, 0],
      [1, 2, 3, 4, 5, 6],
    ];
    const { bytesInUse } = engine.heap;
    const { ranks } = pageRank(engine, GRAPH, { personalization: starts, rtol: 1e-12 });
    const columns = ranks.toArray({ order: 'column' });
    starts.forEach((start, j) => {
      const expected = rankByHand(GRAPH, 0.85, start);
      const { ranks: alone } = pageRank(engine, GRAPH, { personalization: start, rtol: 1e-12 });
      for (const [i, rank] of expected.entries()) {
        expect(columns[6 * j + i]).toBeCloseTo(rank, 10);
        expect(alone.toArray()[i]).toBeCloseTo(rank, 10);
      }
      alone.dispose();
    });
    ranks.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('one personalization has the same bits alone and twice', () => {
    const start = [1, 2, 3, 4, 5, 6];
    const { ranks: alone } = pageRank(engine, GRAPH, { personalization: start });
    const { ranks: twice } = pageRank(engine, GRAPH, { personalization: [start, start] });
    const columns = twice.toArray({ order: 'column' });
    expect(columns.subarray(0, 6)).toEqual(columns.subarray(6));
    for (const [i, rank] of alone.toArray().entries()) expect(columns[i]).toBeCloseTo(rank, 14);
    alone.dispose();
    twice.dispose();
  });

  test('a heap without room for the work has the same bits', async () => {
    const graph = gallery('rmat', { scale: 13, edgeFactor: 24, values: 'ones' });
    // The matrix has 12 bytes for each entry, and the work in the heap 40.
    const [small, large] = await Promise.all(
      [24 * graph.nnz, 80 * graph.nnz].map((maximumBytes) => createEngine({ maximumBytes, threads: 2 })),
    );
    const { ranks } = pageRank(small!, graph);
    const { ranks: expected } = pageRank(large!, graph);
    expect(ranks.toArray()).toEqual(expected.toArray());
    await Promise.all([small!.dispose(), large!.dispose()]);
  });

  test('ends with a reason', () => {
    const reasonOf = (options: Parameters<typeof pageRank>[2]) => {
      const { ranks, reason } = pageRank(engine, GRAPH, options);
      ranks.dispose();
      return reason;
    };
    expect(reasonOf({ maxIterations: 2 })).toBe('iterations');
    expect(reasonOf({ onStep: ({ iteration }) => iteration < 3 })).toBe('stopped');
    expect(reasonOf({ signal: AbortSignal.abort() })).toBe('stopped');
  });

  test.each([
    [
      'a sum that overflows',
      links(2, [1, 0, 1e308], [1, 1, 1e308]),
      {},
      /^links: expected weights whose sum has an inverse/,
    ],
    ['a negative weight', links(2, [0, 1, -1]), {}, /^links: expected finite weights of at least 0, got -1 as entry 0/],
    ['a rectangle', gallery('dense', { rows: 2, cols: 3 }), {}, /^links: expected as many rows as columns/],
    ['damping', GRAPH, { damping: 2 }, /^damping: expected a number from 0 to 1/],
    ['a short start', GRAPH, { personalization: [1, 2] }, /^personalization: expected length 6/],
    ['an empty start', GRAPH, { personalization: [[0, 0, 0, 0, 0, 0]] }, /^personalization\[0\]: expected finite/],
    ['an option', GRAPH, { alpha: 0.9 }, /^options: expected only the options damping/],
  ])('a wrong argument: %s', (_, matrix, options, message) => {
    expect(() => pageRank(engine, matrix, options as never)).toThrow(message);
  });

  test('the greatest eigenvalue of a Laplacian', () => {
    using A = engine.operator(gallery('laplace2d5', { nx: 5, ny: 4 }), { format: 'csr' });
    const { value, x, converged, relativeResidual } = powerIteration(A, { rtol: 1e-7 });
    expect(converged).toBe(true);
    expect(value).toBeCloseTo(4 + 2 * Math.cos(Math.PI / 6) + 2 * Math.cos(Math.PI / 5), 10);
    const numbers = x.toArray();
    expect(Math.hypot(...numbers)).toBeCloseTo(1, 12);
    const product = new Float64Array(20);
    A.apply(numbers, product);
    const error = product.map((y, i) => y - value * numbers[i]!);
    expect(Math.hypot(...error) / value).toBeCloseTo(relativeResidual, 10);
    x.dispose();
  });

  test('power iteration ends with a reason', () => {
    const reasonOf = (matrix: CsrMatrix, options: Parameters<typeof powerIteration>[1] = {}) => {
      using A = engine.operator(matrix, { format: 'csr' });
      const { x, reason } = powerIteration(A, options);
      x.dispose();
      return reason;
    };
    const rotation = links(2, [0, 1, 1], [1, 0, -1]);
    expect(reasonOf(rotation)).toBe('iterations');
    expect(reasonOf(links(3))).toBe('tolerance');
    expect(reasonOf(links(0))).toBe('tolerance');
    expect(reasonOf(links(2, [0, 0, Number.NaN]))).toBe('not-finite');
    expect(reasonOf(rotation, { onStep: () => false })).toBe('stopped');
    expect(reasonOf(links(2, [0, 0, 3]), { x0: Float64Array.of(1, 0) })).toBe('tolerance');
    expect(() => reasonOf(rotation, { tol: 1 } as never)).toThrow(/^options/);
  });
});

test('an operator larger than the memory is refused, with what does not fit', async () => {
  await using engine = await createEngine({ threads: 1 });
  using huge = functionOperator(engine, 4e9, 4e9, () => {});
  expect(() => powerIteration(huge)).toThrow(expect.objectContaining({ code: 'heap' }));
});

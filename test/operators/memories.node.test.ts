/** Rows of a matrix in several memories. A matrix beyond 4 GiB: `npx bench memories`. */
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { sampleVector } from '#dist/conformance/matrices.js';
import { DTYPES, vectorArray } from '#dist/core/types.js';
import { platformOfNode } from '#dist/engine/create-engine.node.js';
import type { Engine } from '#dist/engine/engine.js';
import { startEngine } from '#dist/engine/start-engine.js';
import type { CreatePool } from '#dist/execution/pool.js';
import { poolOf } from '#dist/execution/pool.node.js';
import { cg, createEngine, csrMatrix, gallery, type MatrixOperator, precondition, solve } from '#dist/index.node.js';
import { compileKernels } from '#dist/kernels/compile.node.js';
import { ByRowsOperator } from '#dist/operators/by-rows.js';
import { memoriesFor } from '#dist/operators/memory-shares.js';
import { killableEngine, killWhileRunning } from '../execution/killable.js';
import { fewOrAll } from '../soak.js';

const engines = await Promise.all([1, 2, 3].map((threads) => createEngine({ threads, tuning: 'built-in' })));
afterAll(() => Promise.all(engines.map((engine) => engine.dispose())));
const [alone, pair] = engines as [Engine, Engine, Engine];

/** Rows of all lengths, many without entries. */
const graph = gallery('rmat', { scale: 13 });

const MATRICES = {
  graph,
  'no rows': gallery('dense', { rows: 0, cols: 3 }),
  'no entries': csrMatrix({ rows: 5, cols: 4, rowPtr: [0, 0, 0, 0, 0, 0], colIdx: [] }),
  'two rows': gallery('dense', { rows: 2, cols: 7 }),
  wide: gallery('dense', { rows: 40, cols: 3000 }),
};

/** The heaps that hold the rows of an operator. */
function heapsOf(operator: MatrixOperator) {
  return (operator as ByRowsOperator).parts.map(({ operator: { space } }) => space.heap!);
}

/** An engine of two threads whose first memory has room for so many bytes. */
async function fullEngine(bytesFree: number): Promise<Engine> {
  const engine = await createEngine({ threads: 2, tuning: 'built-in' });
  engine.heap.alloc(engine.heap.bytesFree - bytesFree);
  return engine;
}

describe.each(engines.map((engine) => [engine.threads, engine] as const))('%i threads', (_, engine) => {
  test.each(Object.entries(MATRICES))('the bits of one memory: %s', (_name, matrix) => {
    for (const dtype of DTYPES) {
      const type = vectorArray(dtype);
      using one = engine.operator(matrix, { format: 'csr', dtype });
      for (const memories of [1, 2, 3]) {
        using several = engine.operator(matrix, { format: 'csr', dtype, memories });
        for (const columns of [1, 3]) {
          const numbers = type.from(sampleVector(matrix.cols * columns, 'real', 1));
          const before = type.from(sampleVector(matrix.rows * columns, 'real', 2));
          using x = engine.vector(numbers, { dtype, columns });
          for (const [alpha, beta] of [
            [1, 0],
            [-2, 0.5],
          ] as const) {
            const product = (operator: MatrixOperator) => {
              using y = engine.vector(before, { dtype, columns });
              if (beta === 0) y.fill(Number.NaN);
              operator.apply(x, y, alpha, beta);
              return y.toArray();
            };
            expect(product(several)).toEqual(product(one));
          }
        }
      }
    }
  });

  test('transposed: the sum of the parts, with own entries and with shared ones', () => {
    const x = sampleVector(graph.rows, 'real', 1);
    const before = sampleVector(graph.cols, 'real', 2);
    using one = engine.operator(graph, { format: 'csr' });
    const rows = one.transposed().toCsr();
    for (const memories of [2, 3]) {
      using several = engine.operator(graph, { format: 'csr', memories });
      for (const memory of ['own', 'shared'] as const) {
        const transposed = several.transposed({ memory });
        expect([transposed.rows, transposed.cols]).toEqual([graph.cols, graph.rows]);
        for (const [alpha, beta] of [
          [1, 0],
          [-2, 0.5],
        ] as const) {
          const y = beta === 0 ? new Float64Array(graph.cols).fill(Number.NaN) : Float64Array.from(before);
          transposed.apply(x, y, alpha, beta);
          const expected = expectedProduct(rows, 'f64', x, before, alpha, beta);
          expect(compareProduct(expected, y).firstWrong).toBe(-1);
          const again = beta === 0 ? new Float64Array(graph.cols) : Float64Array.from(before);
          transposed.apply(x, again, alpha, beta);
          expect(again).toEqual(y);
        }
      }
    }
  });
});

test('products in several memories in any order, with products in the first one between', () => {
  const engine = engines[2]!;
  const grid = gallery('laplace2d5', { nx: 400, ny: 400 });
  using one = engine.operator(grid, { format: 'csr' });
  const operators = [one, ...[2, 3, 2].map((memories) => engine.operator(grid, { format: 'csr', memories }))];
  using x = engine.vector(sampleVector(grid.cols, 'real', 3));
  using y = engine.vector(grid.rows);
  one.apply(x, y);
  const expected = y.toArray();
  for (let k = 0; k < fewOrAll(100, 3000); k++) {
    y.fill(Number.NaN);
    operators[(k * k + (k >> 2)) % operators.length]!.apply(x, y);
    expect(y.data.every((sum, i) => sum === expected[i])).toBe(true);
  }
  for (const operator of operators.slice(1)) operator.dispose();
});

test('it says how many memories; they are used again, and everything in them is freed', () => {
  const { bytesInUse } = pair.heap;
  const first = pair.operator(graph, { memories: 2 });
  expect(String(first)).toMatch(/, 2 memories\)$/);
  expect(first.plan.memories).toBe(2);
  const heaps = heapsOf(first);
  expect(new Set([pair.heap, ...heaps]).size).toBe(3);
  const held = heaps.map((heap) => heap.bytesInUse);
  first.transposed().apply(new Float64Array(graph.rows), new Float64Array(graph.cols));
  {
    using x = pair.vector(graph.cols, { columns: 4 });
    using y = pair.vector(graph.rows, { columns: 4 });
    first.apply(x, y);
  }
  first.dispose();
  const free = heaps.map((heap) => heap.bytesInUse);
  for (const [p, bytes] of free.entries()) expect(bytes).toBeLessThan(held[p]!);
  expect(pair.heap.bytesInUse).toBe(bytesInUse);
  using second = pair.operator(graph, { memories: 2 });
  expect(heapsOf(second)).toEqual(heaps);
});

test('each memory is as large as the first: a matrix that one of 2 MiB does not hold', async () => {
  const larger = gallery('rmat', { scale: 14 });
  await using small = await createEngine({ threads: 2, maximumBytes: 2 ** 21, tuning: 'built-in' });
  // The user's limit is not exceeded without being asked.
  expect(() => small.operator(larger, { format: 'csr' })).toThrow(expect.objectContaining({ code: 'heap' }));
  using several = small.operator(larger, { format: 'csr', memories: 3 });
  const x = sampleVector(larger.cols, 'real', 1);
  const y = new Float64Array(larger.rows);
  several.apply(x, y);
  const expected = expectedProduct(larger, 'f64', x, y, 1, 0);
  expect(compareProduct(expected, y).firstWrong).toBe(-1);

  // No room for the transpose of a part beside it: its entries are scattered, if the format can.
  using halves = small.operator(larger, { format: 'csr', memories: 2 });
  using rows = alone.operator(larger, { format: 'csr' });
  halves.transposed().apply(x, y);
  const sums = expectedProduct(rows.transposed().toCsr(), 'f64', x, y, 1, 0);
  expect(compareProduct(sums, y).firstWrong).toBe(-1);
  using others = small.operator(larger, { format: 'csr5', memories: 2 });
  expect(() => others.transposed()).toThrow(expect.objectContaining({ code: 'heap' }));
  const held = heapsOf(others).map((heap) => heap.bytesInUse);
  expect(() => others.transposed()).toThrow(expect.objectContaining({ code: 'heap' }));
  expect(heapsOf(others).map((heap) => heap.bytesInUse)).toEqual(held);
});

describe('what does not fit into the first memory is in others without being asked', () => {
  const x = sampleVector(graph.cols, 'real', 1);
  const grid = gallery('laplace3d27', { nx: 30, ny: 30, nz: 30 });

  test.each(['csr', 'auto'])('%s', async (format) => {
    await using engine = await fullEngine(2 ** 20);
    using operator = engine.operator(graph, { format });
    const heaps = heapsOf(operator);
    expect(heaps).not.toContain(engine.heap);
    expect(() => engine.operator(graph, { format, memories: 1 })).toThrow(expect.objectContaining({ code: 'heap' }));
    const y = new Float64Array(graph.rows);
    operator.apply(x, y);
    expect(compareProduct(expectedProduct(graph, 'f64', x, y, 1, 0), y).firstWrong).toBe(-1);
  });

  test('a layout that is chosen, and fits, is in the first memory', async () => {
    await using engine = await fullEngine(12 * grid.nnz);
    const { bytesFree } = engine.heap;
    using operator = engine.operator(grid);
    expect(operator).not.toBeInstanceOf(ByRowsOperator);
    expect(engine.heap.bytesFree).toBeLessThan(bytesFree);
  });

  test('systems are solved; a preconditioner that has no room says what needs none', async () => {
    const numbers = new Float64Array(grid.rows).fill(1);
    await using engine = await fullEngine(15 * 8 * grid.rows);
    const options = { order: 'natural', format: 'csr', rtol: 1e-8 } as const;
    // What the first solve of an engine keeps.
    solve(engine, grid, numbers, { ...options, method: 'cg', preconditioner: 'jacobi' }).x.dispose();
    const { bytesFree } = engine.heap;
    for (const [method, preconditioner] of [
      ['cg', 'jacobi'],
      ['bicgstab', 'jacobi'],
      ['minres', 'none'],
    ] as const) {
      const solution = solve(engine, grid, numbers, { ...options, method, preconditioner, maxIterations: 5000 });
      expect([method, solution.converged]).toEqual([method, true]);
      solution.x.dispose();
      expect(engine.heap.bytesFree).toBe(bytesFree);
    }
    for (const preconditioner of ['ilu0', 'amg'])
      expect(() => solve(engine, grid, numbers, { ...options, method: 'cg', preconditioner })).toThrow(
        expect.objectContaining({
          code: 'heap',
          message: expect.stringMatching(/jacobi .* joinRanks, docs\/ranks.md$/),
        }),
      );
    expect(engine.heap.bytesFree).toBe(bytesFree);
  });

  test('the number of memories: as csr, three quarters of each are filled; x must leave room', () => {
    const most = 2 ** 32;
    const shape = { rows: 1e7, cols: 1e7, nnz: 420e6 };
    expect(memoriesFor(most, shape, 'f64')).toBe(2);
    expect(memoriesFor(most, { ...shape, nnz: 840e6 }, 'f64')).toBe(4);
    expect(memoriesFor(most, { ...shape, nnz: 840e6 }, 'mixed')).toBe(3);
    expect(() => memoriesFor(most, { ...shape, cols: 2 ** 29 }, 'f64')).toThrow(
      /^x: expected less than 4294967296 bytes/,
    );
    expect(memoriesFor(most, { ...shape, cols: 2 ** 29 }, 'f32')).toBeGreaterThan(2);
  });
});

test('a solver over an operator of several memories takes the steps of one memory; recordings too', () => {
  const grid = gallery('laplace2d5', { nx: 120, ny: 120 });
  const steps = [1, 2].map((memories) => {
    using A = pair.operator(grid, { format: 'csr', memories });
    using M = precondition(pair, grid, 'jacobi');
    const b = pair.vector(grid.rows).fill(1);
    const { x, iterations, converged } = cg(A, b, { preconditioner: M });
    expect(converged).toBe(true);
    const [twice, y] = [x.like(), x.like()];
    using recording = pair.record(() => {
      twice.axpby(2, x, 0);
      A.apply(twice, y);
      y.axpy(-1, b);
    });
    recording.launch();
    return { iterations, x: x.toArray(), y: y.toArray() };
  });
  expect(steps[1]).toEqual(steps[0]);
});

test('a wrong number of memories, and what does not go with several', () => {
  for (const memories of [0, 65, 1.5, '2'] as number[])
    expect(() => alone.operator(graph, { memories })).toThrow(/^memories: expected an integer from 1 to 64/);
  expect(() => alone.operator(graph, { memories: 2, device: 'reference' })).toThrow(/^memories: .*device 'cpu'/);
  expect(() => alone.operator(graph, { memories: 2, allowPermutation: true })).toThrow(
    /^allowPermutation: .*one memory/,
  );
});

test('threads that cannot be given a memory: an error, and the limit of the first memory', async () => {
  const createPool: CreatePool = async (threads) => {
    const script = new URL('../execution/fixtures/returning-member.mjs', import.meta.url);
    return poolOf(
      Array.from({ length: threads }, () => new Worker(script)),
      false,
    );
  };
  const { otherMemories } = platformOfNode();
  const platform = { compileKernels, createPool, cores: 2, otherMemories: otherMemories! };
  await using engine = await startEngine(platform, { threads: 2 });
  expect(() => engine.operator(graph, { memories: 2 })).toThrow(
    expect.objectContaining({ code: 'backend', message: expect.stringMatching(/^memories: expected 1, or Node/) }),
  );
  engine.heap.alloc(engine.heap.bytesFree - 2 ** 20);
  expect(() => engine.operator(graph)).toThrow(expect.objectContaining({ code: 'heap' }));
  await using page = await startEngine({ compileKernels, createPool, cores: 2 }, { threads: 1 });
  expect(() => page.operator(graph, { memories: 2 })).toThrow(/^memories: expected 1 on other platforms than Node/);
});

test('threads killed at random moments: new ones have the memories, no answer is wrong', async () => {
  const killable = await killableEngine();
  await using engine = killable.engine;
  const grid = gallery('laplace2d5', { nx: 400, ny: 400 });
  using one = engine.operator(grid, { format: 'csr' });
  using several = engine.operator(grid, { format: 'csr', memories: 2 });
  using x = engine.vector(grid.cols).fill(1);
  using y = engine.vector(grid.rows);
  one.apply(x, y);
  const expected = y.toArray();
  const run = () => {
    y.fill(Number.NaN);
    several.apply(x, y);
    return y.data.every((sum, i) => sum === expected[i]);
  };
  await killWhileRunning(killable, fewOrAll(200, 1000), { run, isTime: (n) => n % 40 === 20, mostMs: 2000 });
});

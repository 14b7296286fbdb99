/** Complex matrices in the asynchronous engine. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import {
  complexFrom,
  complexMatrix,
  complexOperator,
  createEngine,
  createSolver,
  type Engine,
  factor,
  gallery,
  realEquivalent,
  solve,
  write,
} from '#dist/index.node.js';
import { temporaryFolder } from '../cli/run-cli.js';
import { helmholtz } from '../complex/systems.js';

const MATRIX = helmholtz();
const N = 2 * MATRIX.rows;
const side = (k: number) => Float64Array.from({ length: N }, (_, i) => Math.cos(i * (k + 1)));

let engine: AsyncEngine;
let here: Engine;

beforeAll(async () => {
  engine = await createAsyncEngine({ threads: 1, binary: 'simd', complex: true });
  here = await createEngine({ threads: 1, binary: 'simd', complex: true });
});
afterAll(() => Promise.all([engine.dispose(), here.dispose()]));

test('an operator: what it tells, products with the bits of the synchronous one, complex factors', async () => {
  using A = await engine.complexOperator(MATRIX, { format: 'sell' });
  using B = complexOperator(here, MATRIX, { format: 'sell' });
  expect([A.rows, A.cols, A.format, A.nnz]).toEqual([B.rows, B.cols, B.format, B.matrix.nnz]);
  expect(A.info).toMatchObject({ field: 'complex', symmetry: 'symmetric', dtype: 'f64' });
  const expected = new Float64Array(N);
  B.apply(side(0), expected);
  expect(await A.apply(side(0))).toEqual(expected);
  const [alpha, beta] = [
    { re: 0.5, im: 2 },
    { re: -1, im: 0.25 },
  ];
  const y = side(2);
  B.apply(side(1), y, alpha, beta);
  expect(await A.apply(side(1), side(2), alpha, beta)).toEqual(y);
  using vector = await engine.vector(side(1));
  using to = await engine.vector(side(2));
  expect(await A.apply(vector, to, alpha, beta)).toBe(to.data);
  expect(to.data).toEqual(y);
});

test('c64, arrays of every layout, moved ones, files and the gallery', async () => {
  using single = await engine.complexOperator(MATRIX, { dtype: 'c64' });
  expect(await single.apply(new Float32Array(N).fill(1))).toBeInstanceOf(Float32Array);
  // [1 + 2i, 0; 3 − i, 4]
  const coo = { rows: 2, cols: 2, rowIdx: [1, 0, 1], colIdx: [0, 0, 1], values: [3, -1, 1, 2, 4, 0] };
  const csc = { rows: 2, cols: 2, colPtr: [0, 2, 3], rowIdx: [0, 1, 1], values: [1, 2, 3, -1, 4, 0] };
  for (const arrays of [coo, csc]) {
    using A = await engine.complexOperator({ ...arrays, field: 'complex' });
    expect(await A.apply([1, 0, 0, 1])).toEqual(Float64Array.of(1, 2, 3, 3));
  }
  const values = Float64Array.of(1, 2);
  const moved = { rows: 1, cols: 1, rowPtr: Uint32Array.of(0, 1), colIdx: Uint32Array.of(0), values };
  using one = await engine.complexOperator({ ...moved, field: 'complex' }, { transfer: true });
  expect([values.length, await one.apply([0, 1])]).toEqual([0, Float64Array.of(-2, 1)]);
  const file = temporaryFolder();
  for (const name of ['a.mtx', 'a.npz']) {
    writeFileSync(file(name), new Uint8Array(await new Response(await write(name, MATRIX)).arrayBuffer()));
    using A = await engine.complexOperator({ file: file(name) });
    expect(A.nnz).toBe(4 * MATRIX.nnz);
  }
  using real = await engine.complexOperator({ gallery: 'gallery:laplace2d5?nx=3&ny=2' });
  expect([real.rows, real.info.field]).toEqual([12, 'complex']);
});

test('solve: of a matrix, a file and an operator, with progress, and the bits of the synchronous engine', async () => {
  const b = side(0);
  const given = { method: 'cocg', preconditioner: 'ilu0', rtol: 1e-9 } as const;
  using x = solve(here, MATRIX, b, given).x;
  const found = await engine.solve(MATRIX, b, given);
  expect(found).toMatchObject({ converged: true, reason: 'tolerance', decision: { method: 'cocg' } });
  expect(found.x).toEqual(x.toArray());
  using A = await engine.complexOperator(MATRIX);
  expect((await engine.solve(A, b, given)).x).toEqual(found.x);
  const file = temporaryFolder();
  writeFileSync(file('a.npz'), new Uint8Array(await new Response(await write('a.npz', MATRIX)).arrayBuffer()));
  expect((await engine.solve({ file: file('a.npz') }, b, given)).x).toEqual(found.x);
  for (const format of ['auto', 'sell'])
    expect(await engine.solve(MATRIX, b, { format })).toMatchObject({ converged: true });
  const steps: number[] = [];
  const slow = await engine.solve(
    complexFrom(gallery('laplace2d5', { nx: 150, ny: 150 })),
    new Float64Array(45_000).fill(1),
    { method: 'cg', preconditioner: 'none', onProgress: ({ iteration }) => steps.push(iteration) },
  );
  expect(slow.converged).toBe(true);
  expect(steps.length).toBeGreaterThan(0);
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
});

test('an abort ends a solve with x as it is; before the first step it rejects, and nothing stays allocated', async () => {
  const big = complexFrom(gallery('laplace2d5', { nx: 250, ny: 250 }));
  const b = new Float64Array(2 * big.rows).fill(1);
  await engine.solve(MATRIX, side(0), { method: 'gmres' });
  const { bytesInUse } = await engine.status();
  const leaving = new AbortController();
  const given = { method: 'cg', preconditioner: 'none', rtol: 1e-14 } as const;
  const stopped = await engine.solve(big, b, { ...given, signal: leaving.signal, onProgress: () => leaving.abort() });
  expect(stopped).toMatchObject({ reason: 'stopped', converged: false });
  expect(stopped.iterations).toBeGreaterThan(0);
  const gone = AbortSignal.abort();
  await expect(engine.solve(big, b, { ...given, signal: gone })).rejects.toMatchObject({ name: 'AbortError' });
  await expect(engine.complexOperator(big, { signal: gone })).rejects.toMatchObject({ name: 'AbortError' });
  const preparing = new AbortController();
  const made = engine.factor(big, { signal: preparing.signal, onProgress: () => preparing.abort() });
  await expect(made).rejects.toMatchObject({ name: 'AbortError' });
  expect((await engine.status()).bytesInUse).toBeLessThan(bytesInUse + 2 ** 16);
});

test('a solver of many right-hand sides, also of the synchronous engine', async () => {
  using solver = await engine.solver(MATRIX, { method: 'bicgstab', preconditioner: 'ilu0', format: 'sell' });
  using own = createSolver(here, MATRIX, { method: 'bicgstab', preconditioner: 'ilu0', format: 'sell' });
  expect([solver.rows, solver.format, own.format]).toEqual([N, own.format, solver.format]);
  for (const k of [0, 1]) {
    const { x, converged } = await solver.solve(side(k));
    using expected = own.solve(side(k)).x;
    expect(converged).toBe(true);
    expect(x).toEqual(expected.toArray());
  }
  await expect(solver.update(MATRIX.values)).rejects.toMatchObject({ code: 'argument' });
  const bytes = here.heap.bytesInUse;
  const another = createSolver(here, MATRIX);
  another.dispose();
  expect(() => createSolver(here, MATRIX, { method: 'none' })).toThrow('method');
  expect(here.heap.bytesInUse).toBe(bytes);
});

test('factors, also with other values', async () => {
  using factors = await engine.factor(MATRIX);
  using own = factor(here, MATRIX);
  expect(factors.rows).toBe(N);
  expect((await factors.solve(side(1))).x).toEqual(own.solve(side(1)));
  const twice = complexMatrix({ ...MATRIX, values: MATRIX.values.map((value) => 2 * value) });
  await factors.update(realEquivalent(twice).values);
  own.update(realEquivalent(twice).values);
  expect((await factors.solve(side(1))).x).toEqual(own.solve(side(1)));
  using A = await engine.complexOperator(MATRIX);
  using ofOperator = await engine.factor(A);
  const { relativeResidual } = await ofOperator.solve(side(1));
  expect(relativeResidual).toBeLessThan(1e-14);
});

test('operators in a function of the caller', async () => {
  using A = await engine.complexOperator(MATRIX);
  const norm = await engine.run(
    (worker: Engine, operator: { rows: number; imaginary: { apply(x: unknown, y: unknown): void } }) => {
      const [x, y] = [worker.vector(new Float64Array(operator.rows).fill(1)), worker.vector(operator.rows)];
      operator.imaginary.apply(x, y);
      return [...y.data.slice(0, 2)];
    },
    [A] as never,
  );
  expect(norm).toEqual([-1, 1]);
});

test('what is refused says what was expected', async () => {
  await expect(engine.operator(MATRIX)).rejects.toMatchObject({
    code: 'argument',
    message: expect.stringMatching(/^field: expected real/),
  });
  await expect(engine.eigs(MATRIX, 2)).rejects.toThrow(/^field: expected real/);
  const bytes = new Blob(['%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n']);
  await expect(engine.operator({ file: bytes, name: 'a.mtx' })).rejects.toThrow(
    /^a\.mtx:1: expected a field real .*readComplex/,
  );
  await expect(engine.complexOperator({ ...MATRIX, values: [1], field: 'complex' })).rejects.toMatchObject({
    code: 'shape',
  });
  await expect(engine.complexOperator(MATRIX, { format: 'csr5' })).rejects.toThrow(
    /^format: expected one with complex kernels/,
  );
  await expect(engine.complexOperator(MATRIX, { dtype: 'f64' as never })).rejects.toThrow(
    /^dtype: expected c128 or c64|^dtype/,
  );
  using real = await engine.operator({ gallery: 'gallery:laplace2d5?nx=3&ny=2' });
  await expect(real.apply(new Float64Array(6), undefined, { re: 1, im: 1 })).rejects.toMatchObject({
    code: 'argument',
  });
  await using plain = await createAsyncEngine({ threads: 1 });
  await expect(plain.complexOperator(MATRIX)).rejects.toMatchObject({
    code: 'backend',
    message: expect.stringMatching(/complex: true/),
  });
  await expect(plain.solve(MATRIX, side(0))).rejects.toMatchObject({ code: 'backend' });
  // Factors are those of the real equivalent.
  using factors = await plain.factor(MATRIX);
  expect(factors.rows).toBe(N);
});

/** Specs, arguments and what all preconditioners have in common. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import {
  createEngine,
  csrMatrix,
  diagonalOf,
  type Engine,
  gallery,
  jacobi,
  LinearOperator,
  PRECONDITIONERS,
  precondition,
} from '#dist/index.node.js';
import { distance } from './dense.js';
import { ragged } from './matrices.js';

const matrix = ragged(40);
const empty = csrMatrix({ rows: 0, cols: 0, rowPtr: [0], colIdx: [] });
const r = Float64Array.from({ length: 40 }, (_, i) => ((i * 13) % 7) - 3);

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  // The first sum takes memory that all sums use.
  using x = engine.vector(40);
  using sum = engine.scalar();
  x.norm(sum);
});
afterAll(() => engine.dispose());

describe('precondition', () => {
  test.each([
    ['cholesky', /^preconditioner: expected jacobi \| .*ic0.*, got 'cholesky'/],
    ['jacobi?omega=1', /^preconditioner jacobi: expected only the parameters \(none\), got 'omega'/],
    ['ic0?blocks=-1', /^preconditioner ic0 blocks: expected an integer from 0 to 2147483648, got '-1'/],
    ['ic0?order=best', /^preconditioner ic0 order: expected auto \| natural \| rcm, got 'best'/],
    ['ic0?blocks', /^preconditioner: expected key=value/],
    [5, /^preconditioner: expected name\?key=value/],
  ])('refuses the spec %s', (spec, message) => {
    expect(() => precondition(engine, matrix, spec as string)).toThrow(message);
  });

  test('refuses wrong arguments', () => {
    expect(() => precondition({} as never, matrix, 'jacobi')).toThrow(/^engine: expected one made by createEngine/);
    const wide = csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 1], colIdx: [0] });
    expect(() => precondition(engine, wide, 'jacobi')).toThrow(
      /^matrix: expected as many rows as columns, got '1 × 2'/,
    );
    expect(() => precondition(engine, matrix, 'jacobi', { type: 'f32' } as never)).toThrow(/^options: expected only/);
    expect(() => precondition(engine, matrix, 'jacobi', { dtype: 'f16' as never })).toThrow(/^dtype: expected f64/);
  });

  test('the spec names what differs from the defaults', () => {
    using M = precondition(engine, matrix, 'ic0?blocks=0&order=rcm');
    expect(M.spec).toBe('ic0?order=rcm');
    expect(M.explain()).toMatchObject({ spec: 'ic0?order=rcm', order: 'rcm', rows: 40, shift: 0 });
    expect(`${M}`).toBe('Preconditioner (ic0?order=rcm, 40 × 40)');
  });
});

describe.each(PRECONDITIONERS)('$name', ({ name, isSymmetric }) => {
  test('has a row in docs/solving.md', () => {
    const guide = readFileSync(new URL('../../docs/solving.md', import.meta.url), 'utf8');
    expect(guide).toMatch(new RegExp(`^\\| \`${name}[?\`]`, 'm'));
  });

  test.each(['f64', 'f32', 'mixed'] as const)('is an operator of %s that frees all its memory', (dtype) => {
    const { bytesInUse } = engine.heap;
    {
      using M = precondition(engine, matrix, name, { dtype });
      expect(M).toBeInstanceOf(LinearOperator);
      expect([M.rows, M.cols, M.vectorType]).toEqual([40, 40, dtype === 'f32' ? Float32Array : Float64Array]);
      expect(M.bytes).toBeGreaterThan(0);
      expect(M.explain()).toMatchObject({ spec: name, rows: 40, bytes: M.bytes, setupMs: M.setupMs });
      expect(structuredClone(M.explain())).toEqual(M.explain());
      const x = new M.vectorType(r);
      const z = new M.vectorType(40);
      M.apply(x, z);
      expect(z.every(Number.isFinite)).toBe(true);
      const y = new M.vectorType(40).fill(2);
      M.apply(x, y, -0.5, 3);
      const expected = z.map((value) => 6 - value / 2);
      expect(distance(y, expected)).toBeLessThan(dtype === 'f32' ? 1e-6 : 1e-14);
      M.apply(x, y.fill(Number.NaN));
      expect(y).toEqual(z);
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('has the same bits in a recording, and for vectors and blocks of them', () => {
    using M = precondition(engine, matrix, name);
    using x = engine.vector(r);
    using z = engine.vector(40);
    M.apply(x, z);
    const expected = z.toArray();
    z.fill(0);
    using recording = engine.record(() => {
      M.apply(x, z);
      z.scale(2);
    });
    recording.launch();
    recording.launch();
    expect(z.toArray()).toEqual(expected.map((value) => 2 * value));
    using X = engine.vector(
      [...r].flatMap((value) => [value, -value]),
      { columns: 2 },
    );
    using Z = engine.vector(40, { columns: 2 });
    M.apply(X, Z);
    // −0 + 0 is 0.
    expect(Z.toArray().map((value) => value + 0)).toEqual(
      Float64Array.from([...expected].flatMap((value) => [value, 0 - value])),
    );
  });

  test.runIf(isSymmetric)('is symmetric: ⟨M⁻¹ u, v⟩ = ⟨u, M⁻¹ v⟩', () => {
    // The diagonal varies, so that D⁻¹ A is not symmetric.
    const diagonal = diagonalOf(matrix);
    expect(new Set(diagonal).size).toBeGreaterThan(5);
    using M = precondition(engine, matrix, name);
    const [u, v] = [sampleVector(40, 'real', 1), sampleVector(40, 'real', 2)];
    const [zu, zv] = [new Float64Array(40), new Float64Array(40)];
    M.apply(u, zu);
    M.apply(v, zv);
    const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
    const scale = Math.hypot(...zu) * Math.hypot(...v);
    expect(Math.abs(dot(zu, v) - dot(u, zv))).toBeLessThan(1e-13 * scale);
  });

  test('update is as good as a new one', () => {
    // As symmetric as the matrix.
    const rowOf = (k: number) => matrix.rowPtr.findLastIndex((first) => first <= k);
    const values = matrix.values.map((value, k) => value * (1 + ((rowOf(k) + matrix.colIdx[k]!) % 3) / 10));
    using M = precondition(engine, matrix, name);
    using fresh = precondition(engine, { ...matrix, values }, name);
    const [z, expected] = [new Float64Array(40), new Float64Array(40)];
    M.update(values);
    M.apply(r, z);
    fresh.apply(r, expected);
    expect(z).toEqual(expected);
    M.update(matrix.values);
    using again = precondition(engine, matrix, name);
    M.apply(r, z);
    again.apply(r, expected);
    expect(z).toEqual(expected);
  });

  test('update refuses wrong values', () => {
    using M = precondition(engine, matrix, name);
    expect(() => M.update('1' as never)).toThrow(/^values: expected an array of numbers/);
    expect(() => M.update(['1'] as never)).toThrow(/^values\[0\]: expected a number/);
    expect(() => M.update(new Float64Array(3))).toThrow(
      new RegExp(`^values: expected length nnz = ${matrix.nnz}, got 3`),
    );
    M.dispose();
    expect(() => M.update(matrix.values)).toThrow(/^preconditioner: expected one that is in use/);
  });

  test('a matrix without rows', () => {
    using M = precondition(engine, empty, name);
    M.apply(new Float64Array(0), new Float64Array(0));
    M.update(new Float64Array(0));
  });

  test('a matrix with NaN is refused, and nothing stays allocated', () => {
    const { bytesInUse } = engine.heap;
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const values = matrix.values.map(() => wrong);
      expect(() => precondition(engine, { ...matrix, values }, name)).toThrow(
        expect.objectContaining({ name: 'SparlaneError', code: 'structure' }),
      );
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

test('a recording joins a preconditioner with the operations around it', () => {
  using z = engine.vector(40);
  using q = engine.vector(r);
  using residual = engine.vector(r);
  using rz = engine.scalar();
  const run = vi.spyOn(engine.team, 'run');
  const forkJoins = (spec: string) => {
    using M = precondition(engine, matrix, spec);
    using recording = engine.record(() => {
      residual.axpy(-1, q);
      M.apply(residual, z);
      residual.dot(z, rz);
    });
    run.mockClear();
    recording.launch();
    return run.mock.calls.length;
  };
  for (const spec of ['jacobi', 'ic0', 'chebyshev?degree=4']) expect(forkJoins(spec)).toBe(1);
});

test('jacobi of an operator is that of its matrix', () => {
  const laplacian = gallery('laplace2d5', { nx: 5, ny: 4 });
  using A = engine.operator(laplacian);
  using M = jacobi(A);
  using other = precondition(engine, laplacian, 'jacobi');
  const b = r.slice(0, 20);
  const [z, expected] = [new Float64Array(20), new Float64Array(20)];
  M.apply(b, z);
  other.apply(b, expected);
  expect(z).toEqual(expected);
  expect(z).toEqual(b.map((value) => value * (1 / 4)));
});

test('jacobi names a diagonal that it cannot invert', () => {
  const holes = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 0], values: [1, 1] });
  expect(() => precondition(engine, holes, 'jacobi')).toThrow(
    /^matrix: expected a diagonal of finite numbers other than 0, got 0 in row 1/,
  );
});

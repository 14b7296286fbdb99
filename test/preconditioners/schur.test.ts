/** Block preconditioners of saddle points: by hand, in any order of the rows, and how the iterations of Stokes grow. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import {
  addMatrices,
  bicgstab,
  CsrBuilder,
  createEngine,
  csrMatrix,
  type Engine,
  gallery,
  galleryRightHandSide,
  gmres,
  minres,
  permuteMatrix,
  precondition,
  rigidBodyModes,
  scaleMatrix,
  solve,
} from '#dist/index.node.js';
import { SPACES } from '../solvers/engines.js';
import { relativeResidual } from '../solvers/residual.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

function applied(matrix: CsrMatrix, spec: string, r: ArrayLike<number>, by: Engine = engine): Float64Array {
  using M = precondition(by, matrix, spec);
  const z = new Float64Array(matrix.rows);
  M.apply(Float64Array.from(r), z);
  return z;
}

/** A of 3 rows, B of 2, C with one entry. */
const SMALL = csrMatrix([
  [4, 1, 0, 1, 0],
  [1, 2, 0, 2, 1],
  [0, 0, 5, 0, 3],
  [1, 2, 0, 0, 0],
  [0, 1, 3, 0, -7],
]);
/** Its Schur complement has the diagonal −1/4 − 4/2 and −7 − 1/2 − 9/5. */
const S = [-2.25, -9.3] as const;
const R = [8, 6, 10, 9, 93];

describe('by hand', () => {
  test('diagonal', () => {
    const z = applied(SMALL, 'schur?first=jacobi', R);
    [2, 3, 2, 9 / -S[0], 93 / -S[1]].forEach((value, i) => {
      expect(z[i]).toBeCloseTo(value, 14);
    });
    const exact = applied(SMALL, 'schur?first=direct', R);
    // [4 1; 1 2] x = [8, 6]
    [10 / 7, 16 / 7, 2].forEach((value, i) => {
      expect(exact[i]).toBeCloseTo(value, 14);
    });
  });

  test('triangular', () => {
    const z = applied(SMALL, 'schur?first=jacobi&form=triangular', R);
    // r₂ − B z₁ = 9 − (2 + 2 · 3), 93 − (3 + 3 · 2)
    [2, 3, 2, 1 / S[0], 84 / S[1]].forEach((value, i) => {
      expect(z[i]).toBeCloseTo(value, 14);
    });
  });

  test('of a matrix that is not symmetric, with both blocks beside the diagonal', () => {
    const matrix = csrMatrix([
      [2, 0, 3],
      [0, 4, 0],
      [-5, 6, 1],
    ]);
    // 1 + 5 · 3 / 2; the first field is named, since all diagonal entries are positive.
    const z = applied(matrix, 'schur?split=2&first=jacobi&form=triangular', [2, 4, 18]);
    expect([...z]).toEqual([1, 1, 17 / 8.5]);
  });

  test('what it says of itself', () => {
    using M = precondition(engine, SMALL, 'schur?first=ic0');
    expect(M.explain()).toMatchObject({ spec: 'schur?first=ic0', rows: 5, firstRows: 3, bytes: M.bytes });
    const symmetric = (spec: string) => {
      using made = precondition(engine, SMALL, spec);
      return made.isSymmetric;
    };
    const specs = ['schur', 'schur?first=ic0', 'schur?first=ilu0', 'schur?form=triangular', 'schur?first=amg?cycle=k'];
    expect(specs.map(symmetric)).toEqual([true, true, false, false, false]);
  });
});

describe('Stokes', () => {
  const stokes = (n: number) => {
    const given = { nx: n, ny: n };
    return { matrix: gallery('stokes2d', given), b: galleryRightHandSide('stokes2d', given) };
  };

  function iterationsOf(n: number, spec: string, method: typeof minres): number {
    const { matrix, b } = stokes(n);
    using A = engine.operator(matrix);
    using M = precondition(engine, matrix, spec);
    const { x, converged, iterations } = method(A, b, { preconditioner: M });
    expect(converged).toBe(true);
    expect(relativeResidual(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
    x.dispose();
    return iterations;
  }

  test.each([
    ['schur?first=direct', minres, [28, 28, 28]],
    ['schur', minres, [51, 61, 66]],
    ['schur?first=amg?cycle=w,coarsest=200', minres, [51, 55, 57]],
    ['schur?form=triangular', gmres, [25, 28, 28]],
    ['schur?form=triangular', bicgstab, [15, 17, 19]],
  ] as const)('iterations hardly grow with the size: %s', (spec, method, most) => {
    [32, 64, 128].forEach((n, i) => {
      expect(iterationsOf(n, spec, method)).toBeLessThanOrEqual(most[i]!);
    });
  });

  test('is symmetric positive definite', () => {
    const { matrix } = stokes(40);
    const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
    const [u, v] = [3, 7].map((k) => Float64Array.from({ length: matrix.rows }, (_, i) => Math.sin(k * i * i + k)));
    const [zu, zv] = [applied(matrix, 'schur', u!), applied(matrix, 'schur', v!)];
    expect(Math.abs(dot(zu, v!) - dot(u!, zv))).toBeLessThan(1e-12 * Math.sqrt(dot(zu, zu) * dot(v!, v!)));
    expect(dot(zu, u!)).toBeGreaterThan(0);
  });

  test.each(['schur?first=jacobi', 'schur?first=jacobi&form=triangular'])('in any order of the rows: %s', (spec) => {
    const { matrix } = stokes(7);
    const { rows } = matrix;
    const order = Uint32Array.from({ length: rows }, (_, i) => (i * 37) % rows);
    expect(new Set(order).size).toBe(rows);
    const permuted = permuteMatrix(matrix, { rowOrder: order, colOrder: order });
    const r = Float64Array.from({ length: rows }, (_, i) => Math.sin(i * i));
    const z = applied(matrix, spec, r);
    const other = applied(
      permuted,
      spec,
      Float64Array.from(order, (row) => r[row]!),
    );
    other.forEach((value, i) => {
      expect(value).toBeCloseTo(z[order[i]!]!, 12);
    });
    const first = 2 * 6 * 7;
    expect(applied(matrix, `${spec}&split=${first}`, r)).toEqual(z);
  });

  test.each(
    ['schur?first=jacobi', 'schur?first=chebyshev&form=triangular'].flatMap((spec) =>
      SPACES.map(([place, make]) => [spec, place, make] as const),
    ),
  )('same bits in a recording: %s, %s', async (spec, _, make) => {
    const own = await make();
    const { matrix, b } = stokes(9);
    {
      using M = precondition(own, matrix, spec);
      using x = own.vector(b);
      using z = own.vector(b.length);
      M.apply(x, z);
      const expected = z.toArray();
      const inHeap = applied(matrix, spec, b);
      expected.forEach((value, i) => {
        expect(value).toBeCloseTo(inHeap[i]!, 12);
      });
      using recording = own.record(() => {
        x.scale(2);
        M.apply(x, z);
        z.scale(0.5);
      });
      recording.launch();
      expect(z.toArray()).toEqual(expected);
    }
    await own.dispose();
  });

  test.each(['schur', 'schur?form=triangular'])('same bits on any number of threads: %s', async (spec) => {
    const { matrix, b } = stokes(80);
    const [one, ...others] = await Promise.all(
      [1, 2, 3].map(async (threads) => {
        const own = await createEngine({ threads });
        const z = applied(matrix, spec, b, own);
        await own.dispose();
        return z;
      }),
    );
    for (const z of others) expect(z).toEqual(one);
  });

  test.each(['schur?first=ic0', 'schur?first=direct&form=triangular'])('update is as good as a new one: %s', (spec) => {
    const { matrix, b } = stokes(12);
    const factors = Float64Array.from({ length: matrix.rows }, (_, i) => 1 + (i % 3));
    const scaled = scaleMatrix(matrix, { rows: factors, cols: factors });
    const { bytesInUse } = engine.heap;
    {
      using M = precondition(engine, matrix, spec);
      M.update(scaled.values);
      const z = new Float64Array(matrix.rows);
      M.apply(b, z);
      expect(z).toEqual(applied(scaled, spec, b));
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('with a wind in the first field (Oseen), which is then not symmetric', () => {
    const n = 48;
    const { matrix, b } = stokes(n);
    const along = Array.from({ length: (n - 1) * n }, (_, i) => i).filter((i) => i % (n - 1) !== n - 2);
    const wind = csrMatrix({
      ...{ rows: matrix.rows, cols: matrix.rows },
      rowIdx: [...along, ...along.map((i) => i + 1)],
      colIdx: [...along.map((i) => i + 1), ...along],
      values: [...along.map(() => 0.1), ...along.map(() => -0.1)],
    });
    const oseen = addMatrices(matrix, wind);
    using A = engine.operator(oseen);
    using M = precondition(engine, oseen, 'schur?form=triangular');
    const { x, converged, iterations } = gmres(A, b, { preconditioner: M });
    expect([converged, iterations < 35]).toEqual([true, true]);
    x.dispose();
  });

  test('in solve, by name', () => {
    const { matrix, b } = stokes(24);
    const { x, converged, decision } = solve(engine, matrix, b, { method: 'minres', preconditioner: 'schur' });
    expect([converged, decision.preconditioner]).toEqual([true, 'schur']);
    x.dispose();
  });

  test('minres refuses a form that is not definite', () => {
    const { matrix, b } = stokes(12);
    using A = engine.operator(matrix);
    using M = precondition(engine, matrix, 'schur?form=triangular');
    const { reason, x } = minres(
      A,
      b.map((_, i) => Math.sin(i * i)),
      { preconditioner: M },
    );
    expect(reason).toBe('not-definite');
    x.dispose();
  });

  test('of −B and C, which is not symmetric, with gmres', () => {
    const { matrix } = stokes(24);
    const first = 2 * 23 * 24;
    const signs = Float64Array.from({ length: matrix.rows }, (_, i) => (i < first ? 1 : -1));
    const flipped = scaleMatrix(matrix, { rows: signs, cols: new Float64Array(matrix.rows).fill(1) });
    const b = galleryRightHandSide('stokes2d', { nx: 24, ny: 24 });
    using A = engine.operator(flipped);
    using M = precondition(engine, flipped, `schur?split=${first}&form=triangular`);
    const { x, converged, iterations } = gmres(A, b, { preconditioner: M });
    expect([converged, iterations < 30]).toEqual([true, true]);
    x.dispose();
  });
});

describe('elasticity with constraints', () => {
  /** A block of n³ cubes. Every eighth of them keeps its volume, for which it has a row behind those of the displacements. */
  const n = 8;
  const block = gallery('elasticity3d', { nx: n, ny: n, nz: n });
  const half = Array.from({ length: n / 2 }, (_, i) => 2 * i);
  const cubes = half.flatMap((z) => half.flatMap((y) => half.slice(1).map((x) => [x, y, z] as const)));
  const rows = block.rows + cubes.length;
  const builder = new CsrBuilder(rows, rows);
  for (let i = 0; i < block.rows; i++)
    for (let k = block.rowPtr[i]!; k < block.rowPtr[i + 1]!; k++) builder.add(i, block.colIdx[k]!, block.values[k]!);
  cubes.forEach((cube, k) => {
    for (let corner = 0; corner < 8; corner++) {
      const [x, y, z] = cube.map((first, axis) => first + ((corner >> axis) & 1)) as [number, number, number];
      const unknown = 3 * (x - 1 + n * (y + (n + 1) * z));
      for (const axis of [0, 1, 2]) {
        builder.add(block.rows + k, unknown + axis, ((corner >> axis) & 1) === 1 ? 1 : -1);
        builder.add(unknown + axis, block.rows + k, ((corner >> axis) & 1) === 1 ? 1 : -1);
      }
    }
  });
  const matrix = builder.build();
  const points: number[] = [];
  for (let z = 0; z <= n; z++) for (let y = 0; y <= n; y++) for (let x = 1; x <= n; x++) points.push(x, y, z);
  const modes = (behind: number) =>
    rigidBodyModes(points, 3).map((mode) => Float64Array.from({ length: rows }, (_, i) => mode[i] ?? behind));
  const weight = Float64Array.from({ length: rows }, (_, i) => (i < block.rows && i % 3 === 2 ? -1 : 0));
  const spec = 'schur?first=amg?coarsest=200';

  function solved(K: CsrMatrix, b: Float64Array, given: string, nearNullSpace?: readonly Float64Array[]) {
    using A = engine.operator(K);
    using M = precondition(engine, K, given, nearNullSpace && { nearNullSpace });
    const { x, converged, iterations } = minres(A, b, { preconditioner: M });
    expect(converged).toBe(true);
    return { x: x.toArray(), iterations, blockRows: M.explain().blockRows };
  }

  test('the near-null space of the first field, and its nodes', () => {
    const without = solved(matrix, weight, spec);
    expect(without.blockRows).toBe(3);
    expect(without.iterations).toBeLessThan(0.6 * solved(matrix, weight, `${spec},block=1`).iterations);
    const withModes = solved(matrix, weight, spec, modes(0));
    expect(withModes.iterations).toBeLessThan(0.75 * without.iterations);
    expect(relativeResidual(matrix, withModes.x, weight)).toBeLessThan(1.01e-8);
    // Numbers of the second field are not used.
    expect(solved(matrix, weight, spec, modes(7))).toEqual(withModes);
  });

  test('its vectors have the order of the rows of the matrix', () => {
    const order = Uint32Array.from({ length: rows }, (_, i) => rows - 1 - i);
    const permuted = permuteMatrix(matrix, { rowOrder: order, colOrder: order });
    const reversed = (v: Float64Array) => v.toReversed();
    const { iterations } = solved(permuted, reversed(weight), spec, modes(0).map(reversed));
    expect(iterations).toBeLessThan(0.85 * solved(permuted, reversed(weight), spec).iterations);
  });

  test('a first field that uses none refuses it', () => {
    const nearNullSpace = modes(0);
    expect(() => precondition(engine, matrix, 'schur?first=ic0', { nearNullSpace })).toThrow(
      "nearNullSpace: expected a preconditioner that uses it, such as amg, got 'schur?first=ic0'",
    );
    const short = nearNullSpace.map((mode) => mode.subarray(1));
    expect(() => precondition(engine, matrix, spec, { nearNullSpace: short })).toThrow(
      `nearNullSpace[0]: expected length ${rows}, got ${rows - 1}`,
    );
  });
});

describe('the order of solve', () => {
  /** Nodes of elasticity at random: the unknowns of a node stay together. */
  const block = gallery('elasticity3d', { nx: 12, ny: 12, nz: 12 });
  const nodes = block.rows / 3;
  const order = Uint32Array.from({ length: block.rows }, (_, i) => 3 * ((Math.floor(i / 3) * 77) % nodes) + (i % 3));
  const matrix = permuteMatrix(block, { rowOrder: order, colOrder: order });
  const b = new Float64Array(matrix.rows).fill(1);

  test.each([
    ['amg', 'natural'],
    ['amg?block=1', 'rcm'],
    ['amg?block=3', 'natural'],
    ['block-jacobi?size=3', 'natural'],
    ['schur', 'natural'],
    ['schur?first=amg?block=1', 'rcm'],
    ['schur?first=jacobi', 'rcm'],
    ['schur?first=amg?block=3,theta=0.02', 'natural'],
    ['schur?split=270', 'natural'],
  ])('of %s is %s', (preconditioner, expected) => {
    expect(new Set(order).size).toBe(block.rows);
    const options = { method: 'gmres', preconditioner, maxIterations: 5 };
    const { x, decision } = solve(engine, matrix, b, options);
    expect(decision.order).toBe(expected);
    x.dispose();
    if (expected === 'natural')
      expect(() => solve(engine, matrix, b, { ...options, order: 'rcm' })).toThrow(
        /^order: expected natural for .*, which tells rows apart by their places, got 'rcm'/,
      );
  });
});

describe('refuses', () => {
  test.each([
    [
      'a split beyond the rows',
      SMALL,
      'schur?split=6',
      'argument',
      /^schur split: expected an integer from 0 to 5 rows, got 6/,
    ],
    [
      'a split that is no integer',
      SMALL,
      'schur?split=1.5',
      'argument',
      /^preconditioner schur split: expected an integer/,
    ],
    [
      'an unknown parameter of first',
      SMALL,
      'schur?first=amg?cycle=w,size=3',
      'argument',
      /^schur first amg: expected only the parameters theta, block, .*, got 'size'/,
    ],
    [
      'an unknown first',
      SMALL,
      'schur?first=schur',
      'argument',
      /^schur first: expected amg \| jacobi \| .*, got 'schur'/,
    ],
    [
      'a diagonal without positive numbers',
      csrMatrix([
        [-1, 2],
        [2, 0],
      ]),
      'schur',
      'structure',
      /^matrix: expected rows with a positive diagonal, which are the first field, got none/,
    ],
    [
      'a constraint without entries',
      csrMatrix([
        [1, 0],
        [0, 0],
      ]),
      'schur',
      'structure',
      /^matrix: expected a Schur complement with a diagonal of finite numbers other than 0, got 0 in row 1/,
    ],
    [
      'a first field with zeros on its diagonal',
      csrMatrix([
        [0, 1, 1],
        [1, 0, 1],
        [1, 1, 0],
      ]),
      'schur?split=2&first=direct',
      'structure',
      /^matrix: expected a diagonal of finite numbers other than 0, got 0 in row 0/,
    ],
  ] as const)('%s', (_, matrix, spec, code, message) => {
    const { bytesInUse } = engine.heap;
    expect(() => precondition(engine, matrix, spec)).toThrow(expect.objectContaining({ code }));
    expect(() => precondition(engine, matrix, spec)).toThrow(message);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

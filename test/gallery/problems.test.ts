/** The systems of the gallery: they are what they say, and have a right-hand side. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagonalOf } from '#dist/algebra/diagonal.js';
import { equalsTranspose } from '#dist/core/symmetry.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, GALLERY, gallery, galleryRightHandSide, solve } from '#dist/index.node.js';
import { relativeResidual, residualOf } from '../solvers/residual.js';

const zeros = (n: number) => new Float64Array(n);
const product = (matrix: ReturnType<typeof gallery>, x: ArrayLike<number>) =>
  residualOf(matrix, x, zeros(matrix.rows)).map((value) => -value);

test('diffusion without a jump is the Laplacian inside', () => {
  const matrix = gallery('diffusion2d', { nx: 6, ny: 6, jump: 1, anisotropy: 1 });
  const laplacian = gallery('laplace2d5', { nx: 6, ny: 6 });
  expect(matrix.colIdx).toEqual(laplacian.colIdx);
  const inside = 2 * 6 + 3;
  const row = (of: typeof matrix) => [...of.values.slice(of.rowPtr[inside]!, of.rowPtr[inside + 1]!)];
  expect(row(matrix)).toEqual(row(laplacian));
});

test('diffusion jumps between squares, and is weak along y', () => {
  const matrix = gallery('diffusion2d', { nx: 4, ny: 4, squares: 2, jump: 100, anisotropy: 0.5 });
  expect(equalsTranspose(matrix, 'values')).toBe(true);
  const entry = (i: number, j: number) => {
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) if (matrix.colIdx[k] === j) return matrix.values[k];
    return undefined;
  };
  expect([entry(0, 1), entry(1, 2), entry(2, 3)]).toEqual([-1, -200 / 101, -100]);
  expect([entry(0, 4), entry(4, 8)]).toEqual([-0.5, -100 / 101]);
  expect(entry(0, 0)).toBe(1 + 0.5 + 2 + 1);
});

test('the wind circulates: rows of inner cells sum up to what diffusion loses, none of it is created', () => {
  const matrix = gallery('convection2d', { nx: 12, ny: 12 });
  expect(equalsTranspose(matrix, 'pattern')).toBe(true);
  expect(equalsTranspose(matrix, 'values')).toBe(false);
  // The discrete flux of a constant field through the faces of a cell is 0 but for the rounding, as the wind has no sources.
  const sums = product(matrix, zeros(144).fill(1));
  for (let y = 1; y < 11; y++) for (let x = 1; x < 11; x++) expect(sums[12 * y + x]).toBeCloseTo(0, 3);
  // An M-matrix: its solution lies between the boundary values 0 and 1.
  for (let i = 0; i < 144; i++)
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++)
      expect(Math.sign(matrix.values[k]!)).toBe(matrix.colIdx[k] === i ? 1 : -1);
});

test('slow flow: a flow without sources, whose pressure is linear, is at rest inside; a constant pressure moves nothing', () => {
  const [nx, ny] = [7, 5];
  const matrix = gallery('stokes2d', { nx, ny });
  expect(equalsTranspose(matrix, 'values')).toBe(true);
  const [along, across] = [(nx - 1) * ny, nx * (ny - 1)];
  expect(matrix.rows).toBe(along + across + nx * ny);
  // u = (y², 0) has Δu = (2, 0), so p = 2 x. Velocities are in the middle of faces, pressures in that of cells.
  const x = zeros(matrix.rows);
  for (let j = 0; j < ny; j++) for (let i = 1; i < nx; i++) x[j * (nx - 1) + i - 1] = ((j + 0.5) / ny) ** 2;
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) x[along + across + j * nx + i] = (2 * (i + 0.5)) / nx;
  const forces = product(matrix, x);
  for (let j = 1; j < ny - 1; j++)
    for (let i = 2; i < nx - 1; i++) expect(forces[j * (nx - 1) + i - 1]).toBeCloseTo(0, 13);
  for (let k = along; k < along + across; k++) expect(forces[k]).toBeCloseTo(0, 13);
  for (let j = 0; j < ny; j++)
    for (let i = 1; i < nx - 1; i++) expect(forces[along + across + j * nx + i]).toBeCloseTo(0, 13);
  const constant = zeros(matrix.rows).fill(1, along + across);
  expect(Math.max(...product(matrix, constant).map(Math.abs))).toBeLessThan(1e-15);
  // The wall beside the first velocity is half a cell away, and so counts twice.
  expect(diagonalOf(matrix)[0]).toBeCloseTo(3 * (ny / nx) + 2 * (nx / ny), 13);
  const b = galleryRightHandSide('stokes2d', { nx, ny });
  expect(Array.from(b.keys()).filter((i) => b[i] !== 0)).toEqual(
    Array.from({ length: nx - 1 }, (_, i) => along - nx + 1 + i),
  );
});

test('elasticity: a motion of the whole block strains it only at the clamped side; rotations too', () => {
  const extents = { nx: 4, ny: 3, nz: 2 };
  const matrix = gallery('elasticity3d', extents);
  expect(equalsTranspose(matrix, 'values')).toBe(true);
  expect(matrix.rows).toBe(3 * 4 * 4 * 3);
  const motions: Record<string, (x: number, y: number, z: number) => readonly [number, number, number]> = {
    shift: () => [1, 2, 3],
    'turn around z': (x, y) => [-y, x, 0],
    'turn around x': (_, y, z) => [0, -z, y],
  };
  for (const motion of Object.values(motions)) {
    const u: number[] = [];
    for (let z = 0; z <= 2; z++) for (let y = 0; y <= 3; y++) for (let x = 1; x <= 4; x++) u.push(...motion(x, y, z));
    product(matrix, u).forEach((force, i) => {
      // Nodes in the first layer feel the clamped side.
      if (Math.floor(i / 3) % 4 > 0) expect(force).toBeCloseTo(0, 12);
    });
  }
});

test('elasticity: a stretched bar has the stress that its modulus says', () => {
  const extents = { nx: 2, ny: 1, nz: 1, poisson: 0 };
  const matrix = gallery('elasticity3d', extents);
  const u = Array.from({ length: 8 }, (_, node) => [(node % 2) + 1, 0, 0]).flat();
  // Strain 1, modulus 1, cross-section 1: a quarter of the force on each of the four corners at the end, none inside.
  const force = product(matrix, u);
  for (let node = 0; node < 8; node++) {
    expect(force[3 * node]).toBeCloseTo(node % 2 === 1 ? 0.25 : 0, 12);
    expect(force[3 * node + 1]).toBeCloseTo(0, 12);
  }
});

test('delaunay: rows sum up to the mass, all of it nearly the unit square', () => {
  const matrix = gallery('delaunay', { n: 2000 });
  expect(equalsTranspose(matrix, 'values')).toBe(true);
  const masses = product(matrix, zeros(2000).fill(1));
  const b = galleryRightHandSide('delaunay', { n: 2000 });
  for (const [i, mass] of masses.entries()) expect(mass).toBeCloseTo(b[i]!, 10);
  const area = b.reduce((sum, part) => sum + part, 0);
  expect(area).toBeGreaterThan(0.97);
  expect(area).toBeLessThan(1);
  expect(diagonalOf(matrix).every((value) => value > 0)).toBe(true);
});

describe('right-hand sides', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
  });
  afterAll(() => engine.dispose());

  test.each([
    ['diffusion2d', { nx: 30, ny: 20 }, 'cg'],
    ['convection2d', { nx: 30, ny: 20 }, 'bicgstab'],
    ['stokes2d', { nx: 12, ny: 10 }, 'minres'],
    ['elasticity3d', { nx: 6, ny: 5, nz: 4 }, 'cg'],
    ['delaunay', { n: 800 }, 'cg'],
  ])('%s is solved', (name, given, method) => {
    const matrix = gallery(name, given);
    const b = galleryRightHandSide(name, given);
    const { x, converged } = solve(engine, matrix, b, { method });
    expect(converged).toBe(true);
    expect(relativeResidual(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
    const least = Math.min(...x.toArray());
    if (name !== 'elasticity3d' && name !== 'stokes2d') expect(least).toBeGreaterThan(-1e-6);
    else expect(least).toBeLessThan(name === 'stokes2d' ? -0.1 : -1);
    x.dispose();
  });

  test('delaunay: the solution of −Δu + u = 1 is 1', () => {
    const given = { n: 500, seed: 3 };
    const { x } = solve(engine, gallery('delaunay', given), galleryRightHandSide('delaunay', given), { rtol: 1e-12 });
    for (const value of x.toArray()) expect(value).toBeCloseTo(1, 8);
    x.dispose();
  });

  test('every family has one, as long as its rows; ones where the matrix belongs to no system', () => {
    for (const { name, parameters } of GALLERY) {
      const small = {
        nx: 4,
        ny: 4,
        nz: 4,
        nt: 4,
        n: 40,
        order: 4,
        scale: 5,
        rows: 40,
        hubLength: 20,
        halfBandwidth: 5,
        perRow: 3,
      };
      const given = Object.fromEntries(
        Object.entries(small).filter(
          ([key]) => parameters[key]?.kind === 'integer' || parameters[key]?.kind === 'number',
        ),
      );
      for (const block of [1, 2]) {
        const b = galleryRightHandSide(name, { ...given, block });
        expect(b.length).toBe(gallery(name, { ...given, block }).rows);
        expect(b.some((value) => value !== 0)).toBe(true);
      }
      expect([...galleryRightHandSide(name, { ...given, values: 'ones' })].every((value) => value === 1)).toBe(true);
    }
    expect(() => galleryRightHandSide('nope')).toThrow(/^gallery matrix/);
  });
});

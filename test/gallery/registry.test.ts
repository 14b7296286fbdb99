import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { csrMatrix } from '#dist/core/csr.js';
import { SparlaneError } from '#dist/core/errors.js';
import { type ParameterValues, resolveParameters } from '#dist/core/parameters.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { GALLERY, gallery, parseGalleryUrl } from '#dist/gallery/registry.js';

/** A small instance of every family, and the hash of its arrays: users notice a change of either. */
const SMALL: Record<string, { params: ParameterValues; hash: string }> = {
  laplace1d3: { params: { nx: 50 }, hash: '18968e6d5ebc1e5f' },
  laplace2d5: { params: { nx: 9, ny: 7 }, hash: '3b20026ebd4d6f2b' },
  laplace2d9: { params: { nx: 9, ny: 7 }, hash: 'a4deedb9f4fc43bc' },
  laplace3d7: { params: { nx: 5, ny: 4, nz: 6 }, hash: '394e52f9cc8d086e' },
  laplace3d27: { params: { nx: 5, ny: 4, nz: 6 }, hash: '188c84414d896d73' },
  dense: { params: { rows: 20, cols: 30 }, hash: '20e961ecdb3b6f44' },
  debruijn: { params: { order: 8 }, hash: 'dbcf53f0291e08b9' },
  rmat: { params: { scale: 11, edgeFactor: 3 }, hash: '82ed2cab72a8a604' },
  rgg: { params: { n: 500 }, hash: 'e8914ca896255b44' },
  road: { params: { nx: 20, ny: 30, order: 'random' }, hash: 'c3ef9f6031f14967' },
  banded: { params: { rows: 300, halfBandwidth: 20, perRow: 6 }, hash: 'c70f69290f029092' },
  rowlengths: { params: { rows: 300, cols: 200, distribution: 'uniform' }, hash: '017e1b8163ddc3a7' },
  circuit: { params: { n: 400, hubLength: 150 }, hash: 'e8d33d473be3a568' },
  qcd: { params: { nx: 3, ny: 3, nz: 3, nt: 4 }, hash: '8d4c130456528890' },
  diffusion2d: { params: { nx: 9, ny: 7, squares: 3 }, hash: '5e9bcdfdf1c6e11a' },
  convection2d: { params: { nx: 9, ny: 7 }, hash: '0c57bb81b0d23b5d' },
  stokes2d: { params: { nx: 5, ny: 4 }, hash: '62457f289360b3bb' },
  elasticity3d: { params: { nx: 3, ny: 2, nz: 4 }, hash: '2b94fec95c084fd6' },
  delaunay: { params: { n: 300 }, hash: '8f42b3631fb27c77' },
};

function hash({ rowPtr, colIdx, values }: ReturnType<typeof gallery>): string {
  const digest = createHash('sha256');
  for (const array of [rowPtr, colIdx, values]) digest.update(new Uint8Array(array.buffer));
  return digest.digest('hex').slice(0, 16);
}

test('every family has a small instance here, and a unique name', () => {
  expect(GALLERY.map(({ name }) => name)).toEqual(Object.keys(SMALL));
});

describe.each(Object.entries(SMALL))('%s', (name, { params, hash: recorded }) => {
  test('is canonical without sorting, for all values and blocks', () => {
    for (const values of ['real', 'integer', 'ones']) {
      for (const block of [1, 3]) {
        const matrix = gallery(name, { ...params, values, block });
        const checked = csrMatrix(matrix);
        // Not copied to be sorted, so canonical already.
        expect(checked.colIdx).toBe(matrix.colIdx);
        expect(checked.rowPtr).toBe(matrix.rowPtr);
        expect(checked.nnz).toBe(matrix.nnz);
        expect(matrix.nnz).toBeGreaterThan(0);
      }
    }
  });

  test('is the same, bit for bit, for the same seed', () => {
    expect(hash(gallery(name, params))).toBe(recorded);
    expect(hash(gallery(name, { ...params, values: 'real', seed: 2 }))).not.toBe(
      hash(gallery(name, { ...params, values: 'real', seed: 1 })),
    );
  });

  test('its values are of the stated field', () => {
    const real = gallery(name, { ...params, values: 'real' });
    const integer = gallery(name, { ...params, values: 'integer' });
    const ones = gallery(name, { ...params, values: 'ones' });
    expect([real.field, integer.field, ones.field]).toEqual(['real', 'integer', 'pattern']);
    expect(real.values.every((value) => value !== 0 && Math.abs(value) < 1 && !Number.isInteger(value))).toBe(true);
    expect([...new Set(integer.values)].sort((a, b) => a - b)).toEqual([-4, -3, -2, -1, 1, 2, 3, 4]);
    expect([...new Set(ones.values)]).toEqual([1]);
    expect(integer.colIdx).toEqual(real.colIdx);
    expect(ones.colIdx).toEqual(real.colIdx);
  });

  test('a symmetry that it claims is there, and one that is there by structure is claimed', () => {
    const ones = gallery(name, { ...params, values: 'ones' });
    expect(ones.symmetry).toBe(matrixStatistics(ones).symmetry);
    expect(gallery(name, { ...params, values: 'real' }).symmetry).toBe('general');
  });

  test('its size is known in advance: exactly, or as an expectation if entries are random', () => {
    const family = GALLERY.find((candidate) => candidate.name === name)!;
    const size = family.size(resolveParameters(name, family.parameters, params));
    const { rows, cols, nnz } = gallery(name, params);
    expect([size.rows, size.cols]).toEqual([rows, cols]);
    expect(nnz / size.entries).toBeGreaterThan(0.75);
    expect(nnz / size.entries).toBeLessThan(1.1);
  });

  test('its parameters are described, and their defaults allowed', () => {
    const { parameters, summary, source } = GALLERY.find((candidate) => candidate.name === name)!;
    expect([summary, source].every((text) => text.length > 10)).toBe(true);
    expect(Object.keys(parameters).slice(-3)).toEqual(['values', 'seed', 'block']);
    const defaults = Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [key, parameter.default]));
    expect(resolveParameters(name, parameters, defaults)).toEqual(defaults);
    expect(Object.values(parameters).every(({ doc }) => doc !== '')).toBe(true);
  });
});

test('structure and values draw from streams of their own', () => {
  const one = gallery('rmat', { scale: 6, seed: 1 });
  const two = gallery('rmat', { scale: 6, seed: 2 });
  expect(one.colIdx).not.toEqual(two.colIdx);
  expect(gallery('dense', { rows: 4, cols: 4, seed: 1 }).values).toEqual(one.values.slice(0, 16));
});

describe('parseGalleryUrl', () => {
  test('reads a name and parameters, numbers as numbers', () => {
    expect(parseGalleryUrl('gallery:laplace2d5?nx=300&ny=1e3&block=7')).toEqual({
      name: 'laplace2d5',
      given: { nx: 300, ny: 1000, block: 7 },
    });
    expect(parseGalleryUrl('gallery:rgg?degree=.5&order=grid&values=integer').given).toEqual({
      degree: 0.5,
      order: 'grid',
      values: 'integer',
    });
    expect(parseGalleryUrl('gallery:rmat')).toEqual({ name: 'rmat', given: {} });
  });

  test('what it returns makes the matrix', () => {
    const { name, given } = parseGalleryUrl('gallery:laplace2d5?nx=3&ny=3&block=2');
    expect(gallery(name, given)).toEqual(gallery('laplace2d5', { nx: 3, ny: 3, block: 2 }));
  });

  test.each([
    ['laplace2d5', /gallery URL: expected gallery:name\?parameter=value&…, got 'laplace2d5'/],
    ['file:a.mtx', /gallery URL: expected/],
    ['gallery:laplace', /gallery matrix: expected laplace1d3 \| .* \| delaunay, got 'laplace'/],
    ['gallery:', /gallery matrix: .* got ''/],
    ['gallery:rgg?m=3', /gallery:rgg: expected .* n, degree, order, values, seed, block, got 'm'/],
    ['gallery:rgg?__proto__=5', /gallery:rgg: expected .* got '__proto__'/],
    ['gallery:rgg?n=', /gallery:rgg n: expected an integer .*, got ''/],
    ['gallery:rgg?n=ten', /gallery:rgg n: expected an integer .*, got 'ten'/],
    ['gallery:rgg?n', /expected key=value .*, got 'n'/],
  ])('%s is refused', (url, message) => {
    expect(() => parseGalleryUrl(url)).toThrow(message);
    expect(() => parseGalleryUrl(url)).toThrow(SparlaneError);
  });
});

describe('gallery refuses', () => {
  test.each<[string, ParameterValues, RegExp]>([
    ['poisson', {}, /gallery matrix: expected laplace1d3 \| /],
    ['rgg', { N: 5 }, /gallery:rgg: expected .* n, degree, .* got 'N'/],
    ['rgg', { n: 0 }, /gallery:rgg n: expected an integer from 1 to/],
    ['rgg', { n: 2.5 }, /gallery:rgg n: expected an integer/],
    ['rgg', { degree: Number.NaN }, /gallery:rgg degree: expected a number from 0/],
    ['rgg', { order: 'hilbert' }, /gallery:rgg order: expected random \| grid, got 'hilbert'/],
    ['rgg', { values: 'stencil' }, /gallery:rgg values: expected real \| integer \| ones, got 'stencil'/],
    ['qcd', { nx: 2 }, /gallery:qcd nx: expected an integer from 3/],
    ['laplace1d3', { seed: -1 }, /gallery:laplace1d3 seed: expected an integer from 0/],
    ['laplace1d3', { nx: 5, block: 0 }, /gallery:laplace1d3 block: expected an integer from 1 to 1024/],
  ])('%s with %j', (name, params, message) => {
    expect(() => gallery(name, params)).toThrow(message);
  });

  test('sizes that are absurd, before it allocates', () => {
    const started = performance.now();
    expect(() => gallery('laplace2d5', { nx: 1e5, ny: 1e5 })).toThrow(/gallery:laplace2d5 rows: expected at most 429/);
    expect(() => gallery('laplace3d27', { nx: 1000, block: 64 })).toThrow(
      /laplace3d27 entries: expected at most 10737/,
    );
    expect(() => gallery('dense', { rows: 1e5, cols: 1e5 })).toThrow(/gallery:dense entries: .* got 10000000000/);
    expect(() => gallery('rmat', { scale: 28, edgeFactor: 1024 })).toThrow(/gallery:rmat entries/);
    expect(() => gallery('laplace1d3', { nx: 1e9, block: 5 })).toThrow(/gallery:laplace1d3 rows: .* got 5000000000/);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

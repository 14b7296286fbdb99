import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gallery } from '#dist/gallery/registry.js';
import { dense } from '#dist/io/kinds/dense.js';
import { FILE_KINDS } from '#dist/io/kinds/registry.js';
import { read, readBlock, readVector } from '#dist/io/read.node.js';
import { save } from '#dist/io/save.node.js';
import { type FileContent, write } from '#dist/io/write.js';
import { DENSE, fixturePath, havePython, runPython, skipNote } from './kinds/support.js';
import { entriesOf, failure } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-write-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

const matrix = gallery('laplace2d5', { nx: 40, ny: 30 });
const random = gallery('rmat', { scale: 9 });
const vector = Float64Array.of(0.1, -0, Infinity, -1e300, NaN);
/** The extensions of the kinds that can be written, as errors name them. */
const extensionsOf = (writes: 'write' | 'writeBlock') =>
  FILE_KINDS.flatMap((kind) => (kind[writes] === undefined ? [] : [`.${kind.extensions[0]}`])).join(' or ');
const FOR_MATRIX = extensionsOf('write');
const FOR_VECTORS = extensionsOf('writeBlock');
const block = { rows: 3, columns: 2, values: Float64Array.of(0, 1, 2, 3, 4, 5) };

describe('save', () => {
  it.each(['a.npz', 'a.mtx'])('a matrix as %s gives the same back', async (name) => {
    for (const written of [matrix, random]) {
      await save(path(name), written);
      const { kind, ...result } = await read(path(name));
      expect(kind).toBe(name === 'a.npz' ? 'npz' : 'matrix-market');
      expect(entriesOf(result)).toEqual(entriesOf(written));
      expect([result.rows, result.cols]).toEqual([written.rows, written.cols]);
    }
  });

  it('a matrix of f4 as npz keeps them', async () => {
    await save(path('a.npz'), { ...random, values: Float32Array.from(random.values), field: 'real' });
    expect((await read(path('a.npz'))).values).toBeInstanceOf(Float32Array);
  });

  it.each(['x.npy', 'x.mtx'])('a vector as %s gives the same back', async (name) => {
    await save(path(name), vector);
    expect(await readVector(path(name))).toEqual(vector);
  });

  it.each(['x.npy', 'x.mtx'])('a block as %s gives the same back', async (name) => {
    await save(path(name), block);
    expect(await readBlock(path(name))).toEqual(block);
  });

  it('plain arrays of numbers, with f4 as they are', async () => {
    await save(path('x.npy'), [1, 2, 3]);
    expect(await readVector(path('x.npy'))).toEqual(Float64Array.of(1, 2, 3));
    await save(path('x.npy'), Float32Array.of(1, 2));
    expect(await readVector(path('x.npy'))).toEqual(Float32Array.of(1, 2));
  });

  it('a comment, where the kind has comments', async () => {
    await save(path('x.mtx'), vector, { comment: 'hello' });
    expect(readFileSync(path('x.mtx'), 'utf8')).toContain('\n% hello\n');
    await save(path('x.npy'), vector, { comment: 'hello' });
  });

  it.each<[string, unknown, string]>([
    ['x.csv', matrix, `name: expected a name for a matrix with ${FOR_MATRIX}, got 'x.csv'`],
    ['x.npy', matrix, `name: expected a name for a matrix with ${FOR_MATRIX}, got 'x.npy'`],
    ['x.npz', vector, `name: expected a name for vectors with ${FOR_VECTORS}, got 'x.npz'`],
    ['x.mtx.gz', vector, `name: expected a name for vectors with ${FOR_VECTORS}, got 'x.mtx.gz'`],
    ['x', vector, `name: expected a name for vectors with ${FOR_VECTORS}, got 'x'`],
    ['x.npy', 5, 'content: expected a matrix, a vector or a block, got 5'],
    ['x.npy', ['a'], "content[0]: expected a number, got 'a'"],
    ['x.npy', { ...block, columns: 4 }, 'values: expected length rows · columns = 12, got Float64Array of length 6'],
    [
      'x.mtx',
      { rows: 1 },
      'matrix: expected the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO), got rows',
    ],
  ])('refuses %s for what it cannot have', async (name, content, message) => {
    expect((await failure(write(name, content as FileContent))).message).toBe(message);
  });
});

describe.skipIf(!havePython)(`SciPy${skipNote}`, () => {
  it('reads what is saved', async () => {
    await save(path('m.npz'), random);
    await save(path('m.mtx'), random);
    await save(path('v.npy'), vector);
    await save(path('b.npy'), block);
    const printed = runPython(
      `m = sp.load_npz(args[0]); t = io.mmread(args[1]).tocsr()
assert m.format == 'csr' and m.has_canonical_format and m.indices.dtype == np.int32 and m.dtype == np.float64
assert (m != t).nnz == 0 and m.shape == t.shape
m.check_format(full_check=True)
v = np.load(args[2]); b = np.load(args[3])
assert v.shape == (5,) and str(v[1]) == '-0.0' and np.isnan(v[4]) and v[0] == 0.1
assert b.tolist() == [[0, 1], [2, 3], [4, 5]]
print(m.nnz, m.sum())`,
      ...['m.npz', 'm.mtx', 'v.npy', 'b.npy'].map(path),
    );
    const sum = [...random.values].reduce((total, value) => total + value, 0);
    expect(printed.trim().split(' ').map(Number)).toEqual([random.nnz, sum]);
  });

  it('writes what is read: random matrices in every format, types and orders', async () => {
    runPython(
      `rng = np.random.default_rng(7)
for k, f in enumerate(['csr', 'csc', 'coo', 'bsr', 'dia']):
    for c in (True, False):
        m = sp.random(60, 84, 0.05, random_state=rng, format='coo')
        m = m.tobsr((3, 4)) if f == 'bsr' else m.asformat(f)
        sp.save_npz(f'{args[0]}/{f}-{c}.npz', m, compressed=c)
        np.save(f'{args[0]}/{f}-{c}.npy', m.toarray() if c else np.asfortranarray(m.toarray()))
m = sp.random(50, 50, 0.1, random_state=rng, format='csc')
io.hb_write(f'{args[0]}/csc.rua', m)
np.save(f'{args[0]}/csc.npy', m.toarray())`,
      folder,
    );
    const names = ['csr', 'csc', 'coo', 'bsr', 'dia'].flatMap((format) => [`${format}-True`, `${format}-False`]);
    for (const name of names) {
      const block = dense('x', await read(path(`${name}.npz`)));
      expect(block).toEqual(await readBlock(path(`${name}.npy`)));
      expect(block.values.some((value) => value !== 0)).toBe(true);
    }
    expect(dense('x', await read(path('csc.rua')))).toEqual(await readBlock(path('csc.npy')));
  });

  it('reads the same in the fixtures', () => {
    const printed = runPython(
      'import json\nprint(json.dumps([sp.load_npz(a).toarray().tolist() for a in args]))',
      ...['csr', 'csc', 'coo', 'bsr', 'dia'].map((name) => fixturePath(`${name}.npz`)),
    );
    for (const rows of JSON.parse(printed)) expect(rows).toEqual(DENSE);
  });
});

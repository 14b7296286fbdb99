/** Complex matrices from files and into files. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ComplexMatrix, complexMatrix } from '#dist/core/complex.js';
import { csrMatrix, read, readBlock, readComplex, readComplexVector, readVector, write } from '#dist/index.node.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readText = (text: string) => readComplex(bytesOf(text), { name: 'a.mtx' });

function dense({ rows, cols, rowPtr, colIdx, values }: ComplexMatrix): [number, number][][] {
  const all = Array.from({ length: rows }, () => Array.from({ length: cols }, (): [number, number] => [0, 0]));
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) all[i]![colIdx[k]!] = [values[2 * k]!, values[2 * k + 1]! + 0];
  return all;
}

const HEAD = '%%MatrixMarket matrix coordinate complex';

describe('Matrix Market', () => {
  test('general, in any order, with a comment, with duplicates', async () => {
    const matrix = await readText(`${HEAD} general\n% x\n\n2 3 4\n2 1 3 0\n1 3 0 -1\n1 1 1 1e0\n1 1 0 1\n`);
    expect(dense(matrix)).toEqual([
      [
        [1, 2],
        [0, 0],
        [0, -1],
      ],
      [
        [3, 0],
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(matrix.symmetry).toBe('general');
  });

  test.each([
    ['symmetric', '2 1 3 4', [3, 4]],
    ['hermitian', '2 1 3 4', [3, -4]],
    ['skew-symmetric', '2 1 3 4', [-3, -4]],
    ['hermitian', '1 2 3 -4', [3, -4]],
  ] as const)('%s: the mirror image of %s', async (symmetry, line, upper) => {
    const diagonal = symmetry === 'skew-symmetric' ? '' : '1 1 5 0\n';
    const matrix = await readText(`${HEAD} ${symmetry}\n2 2 ${diagonal === '' ? 1 : 2}\n${diagonal}${line}\n`);
    expect(matrix.symmetry).toBe(symmetry);
    expect(dense(matrix)[0]![1]).toEqual(upper);
    expect(dense(matrix)[1]![0]).toEqual([3, 4]);
  });

  test('dense columns', async () => {
    const general = await readText('%%MatrixMarket matrix array complex general\n2 2\n1 2\n3 4\n5 6\n7 8\n');
    expect(dense(general)).toEqual([
      [
        [1, 2],
        [5, 6],
      ],
      [
        [3, 4],
        [7, 8],
      ],
    ]);
    const hermitian = await readText('%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n3 4\n5 0\n');
    expect(dense(hermitian)).toEqual([
      [
        [1, 0],
        [3, -4],
      ],
      [
        [3, 4],
        [5, 0],
      ],
    ]);
    const skew = await readText('%%MatrixMarket matrix array complex skew-symmetric\n3 3\n1 2\n3 4\n5 6\n');
    expect(dense(skew)[2]).toEqual([
      [3, 4],
      [5, 6],
      [0, 0],
    ]);
  });

  test('a real file has imaginary parts 0', async () => {
    const matrix = await readText('%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n');
    expect([...matrix.values]).toEqual([5, 0, 3, 0, 3, 0]);
    expect(matrix.symmetry).toBe('symmetric');
  });

  test.each([
    [
      `${HEAD} odd\n1 1 1\n1 1 1 0\n`,
      "a.mtx:1: expected a symmetry general | symmetric | skew-symmetric | hermitian, got 'odd'",
    ],
    [`${HEAD} general\n1 1\n`, "a.mtx:2: expected a line with rows, columns, entries, got '1 1'"],
    [`${HEAD} general\n1 x 1\n`, "a.mtx:2: expected columns as an integer from 0 to 4294967295, got 'x'"],
    [`${HEAD} hermitian\n1 2 1\n`, 'a.mtx:2: expected as many columns as rows (hermitian), got 1 × 2'],
    [
      `${HEAD} general\n1 1 1\n1 1 1\n`,
      "a.mtx:3: expected row, column, real part, imaginary part on a line (complex), got '1 1 1'",
    ],
    [`${HEAD} general\n1 1 1\n1 1 1 i\n`, "a.mtx:3: expected a value, got 'i'"],
    [
      `${HEAD} general\n1 1 1\n0 1 1 0\n`,
      'a.mtx:3: expected a row from 1 to 1 (Matrix Market counts from 1, this file from 0), got',
    ],
    [`${HEAD} general\n1 1 2\n1 1 1 0\n`, 'a.mtx:3: expected 2 entries, got the end of the file after 1'],
    [`${HEAD} general\n1 1 1\n1 1 1 0\n1 1 1 0\n`, 'a.mtx:4: expected the end of the file after 1 entries'],
    [`${HEAD} hermitian\n1 1 1\n1 1 1 2\n`, 'a.mtx:3: expected a real number on the diagonal (hermitian)'],
    [`${HEAD} skew-symmetric\n1 1 1\n1 1 1 2\n`, 'a.mtx:3: expected no entry on the diagonal but 0 (skew-symmetric)'],
    [
      `${HEAD} symmetric\n2 2 2\n1 2 1 2\n2 1 1 2\n`,
      'a.mtx:4: expected an entry or its mirror image, not both (symmetric), got (2, 1) after (1, 2) on line 3',
    ],
    [`${HEAD} general\n`, 'a.mtx:1: expected a line with the sizes, got the end of the file'],
    [`${HEAD} general\n4000000000 1 0\n`, 'expected at most'],
  ])('%j is refused', async (text, message) => {
    await expect(readText(text)).rejects.toThrow(message);
  });

  test('readers of real matrices name the other one', async () => {
    await expect(read(bytesOf(`${HEAD} general\n1 1 1\n1 1 1 0\n`), { name: 'a.mtx' })).rejects.toThrow(
      '(readComplex reads complex matrices)',
    );
  });
});

const GENERAL = complexMatrix({
  rows: 2,
  cols: 3,
  rowPtr: [0, 2, 3],
  colIdx: [0, 2, 1],
  values: [1, 0.1, -0, NaN, 1e300, -2],
});
const HERMITIAN = complexMatrix({
  rows: 2,
  cols: 2,
  rowPtr: [0, 2, 4],
  colIdx: [0, 1, 0, 1],
  values: [1, 0, 2, -3, 2, 3, 4, 0],
  symmetry: 'hermitian',
});

async function back(name: string, matrix: ComplexMatrix): Promise<ComplexMatrix> {
  const bytes = new Uint8Array(await new Response(await write(name, matrix)).arrayBuffer());
  return readComplex(bytes, { name });
}

test.each(['a.mtx', 'a.npz'])('%s: what is written comes back', async (name) => {
  for (const matrix of [GENERAL, HERMITIAN]) {
    const found = await back(name, matrix);
    expect(found).toMatchObject({ rowPtr: matrix.rowPtr, colIdx: matrix.colIdx, values: matrix.values });
    // SciPy has no symmetries.
    expect(found.symmetry).toBe(name === 'a.npz' ? 'general' : matrix.symmetry);
  }
  const single = complexMatrix({ ...GENERAL, values: Float32Array.of(1, 2, 3, 4, 5, 6) });
  expect((await back('a.npz', single)).values).toEqual(single.values);
});

test('a file of a matrix with a symmetry has one triangle, and its comment', async () => {
  const text = await new Response(await write('a.mtx', HERMITIAN, { comment: 'one\ntwo' })).text();
  expect(text).toBe(`${HEAD} hermitian\n% one\n% two\n2 2 3\n1 1 1 0\n2 1 2 3\n2 2 4 0\n`);
  const wrong = complexMatrix({ ...HERMITIAN, values: [1, 0, 2, 3, 2, 3, 4, 0] });
  await expect(write('a.mtx', wrong)).rejects.toThrow('expected an entry and its mirror image (hermitian), got');
  await expect(write('a.npy', GENERAL)).rejects.toThrow(
    "expected a name for a complex matrix with .npz or .mtx, got 'a.npy'",
  );
});

test("SciPy's file", async () => {
  const path = fileURLToPath(new URL('kinds/fixtures/complex.npz', import.meta.url));
  const matrix = await readComplex(readFileSync(path), { name: 'complex.npz' });
  expect(matrix.nnz).toBeGreaterThan(0);
  for (let k = 0; k < matrix.nnz; k++) expect(matrix.values[2 * k]! + 0).toBe(0);
  const real = await readComplex(readFileSync(path.replace('complex.npz', 'csr.npz')), { name: 'csr.npz' });
  expect(real.values.some((value) => value !== 0)).toBe(true);
  expect(csrMatrix(await read(path.replace('complex.npz', 'csr.npz'))).values.length * 2).toBe(real.values.length);
});

describe('vectors and blocks', () => {
  const values = Float64Array.of(1, -2, 0, 0, 0.1, 1e300);
  const bytesOfBlock = async (name: string, block: Parameters<typeof write>[1]) =>
    new Uint8Array(await new Response(await write(name, block)).arrayBuffer());

  test.each(['v.npy', 'v.mtx'])('%s: what is written comes back', async (name) => {
    const bytes = await bytesOfBlock(name, { rows: 3, columns: 1, values, field: 'complex' });
    expect(await readComplexVector(bytes, { name })).toEqual(values);
    const matrix = await readComplex(bytes, { name });
    expect([matrix.rows, matrix.cols]).toEqual([3, 1]);
    // A dense matrix of Matrix Market stores its zeros.
    expect(matrix.nnz).toBe(name === 'v.npy' ? 2 : 3);
    await expect(readVector(bytes, { name })).rejects.toThrow('readComplex');
    await expect(read(bytes, { name })).rejects.toThrow('readComplex');
  });

  test('single numbers stay single', async () => {
    const bytes = await bytesOfBlock('v.npy', {
      rows: 3,
      columns: 1,
      values: values.map(Math.fround),
      field: 'complex',
    });
    expect(new TextDecoder('latin1').decode(bytes)).toContain("'<c16'");
    const single = Float32Array.of(1, 2, 3, 4);
    const small = await bytesOfBlock('v.npy', { rows: 2, columns: 1, values: single, field: 'complex' });
    expect(new TextDecoder('latin1').decode(small)).toContain("'<c8'");
    expect(await readComplexVector(small)).toEqual(single);
  });

  test('real numbers of any kind get imaginary parts 0', async () => {
    for (const name of ['v.npy', 'v.mtx'])
      expect(await readComplexVector(await bytesOfBlock(name, [3, 4]), { name })).toEqual(Float64Array.of(3, 0, 4, 0));
    const column = csrMatrix({ rows: 2, cols: 1, rowPtr: [0, 0, 1], colIdx: [0], values: [7] });
    expect(await readComplexVector(await bytesOfBlock('v.npz', column), { name: 'v.npz' })).toEqual(
      Float64Array.of(0, 0, 7, 0),
    );
  });

  test("a block is a dense matrix, in NumPy's order or Fortran's", async () => {
    const block = { rows: 2, columns: 2, values: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8), field: 'complex' as const };
    const rows = [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ];
    for (const name of ['b.npy', 'b.mtx'])
      expect(dense(await readComplex(await bytesOfBlock(name, block), { name }))).toEqual(rows);
    const bytes = await bytesOfBlock('b.npy', block);
    const text = new TextDecoder('latin1').decode(bytes).replace('False', 'True ');
    const fortran = Uint8Array.from(text.slice(0, 128), (character) => character.charCodeAt(0));
    bytes.set(fortran);
    expect(dense(await readComplex(bytes, { name: 'b.npy' }))).toEqual([
      [
        [1, 2],
        [5, 6],
      ],
      [
        [3, 4],
        [7, 8],
      ],
    ]);
    await expect(readComplexVector(bytes, { name: 'b.npy' })).rejects.toThrow(
      'b.npy: expected a vector, one column, got 2 × 2',
    );
    await expect(readBlock(bytes, { name: 'b.npy' })).rejects.toThrow('expected real numbers');
  });

  test("NumPy's file, and a block whose length is wrong", async () => {
    const path = fileURLToPath(new URL('kinds/fixtures/complex.npy', import.meta.url));
    expect(await readComplexVector(path)).toEqual(Float64Array.of(0, 1));
    await expect(write('v.npy', { rows: 3, columns: 1, values: [1, 2, 3] as never, field: 'complex' })).rejects.toThrow(
      'values: expected length 2 · rows · columns = 6, got',
    );
    await expect(write('v.npy', { rows: 3, columns: 1, values, field: 'real' as never })).rejects.toThrow(
      "field: expected complex, got 'real'",
    );
  });
});

/** Files of which each rank reads a share. */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { permutation, randomStream } from '#dist/gallery/draw.js';
import { type ComplexMatrix, type CsrMatrix, complexFrom, complexMatrix, gallery, save } from '#dist/index.node.js';
import { petscBytes } from '#dist/io/petsc/write.js';

/** Returns the text of entries in random order, a comment or a blank line here and there, and some entries in two lines. */
function shuffledText(
  banner: string,
  { rows, cols }: CsrMatrix,
  entries: readonly string[],
  more: readonly string[] = [],
): string {
  const order = permutation(randomStream(3, 'structure'), entries.length);
  const lines = Array.from(order, (k) => `${entries[k]}${k % 97 === 0 ? '\n% comment' : k % 89 === 0 ? '\r\n' : ''}`);
  const all = [...lines, ...more];
  return `%%MatrixMarket matrix coordinate ${banner}\n${rows} ${cols} ${all.length}\n${all.join('\n')}\n`;
}

/** Returns lines of the entries for which the text of a value is not undefined. */
function linesOf(
  { rows, rowPtr, colIdx }: CsrMatrix,
  textOf: (row: number, col: number) => string | undefined,
): string[] {
  const lines: string[] = [];
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const value = textOf(i, colIdx[k]!);
      if (value !== undefined) lines.push(`${i + 1} ${colIdx[k]! + 1}${value}`);
    }
  return lines;
}

export const GRID = gallery('laplace2d9', { nx: 70, ny: 60 });
/** Writes files larger than what every rank reads as a whole, right and wrong ones. @param folder has `large.npz` */
export async function writeShares(folder: string): Promise<void> {
  const path = (name: string) => join(folder, name);
  const general = linesOf(GRID, (row, col) => ` ${Math.sin(row + 3 * col)}`);
  const one = (row: number, col: number) => (row + col) % 3 === 0;
  // Each pair has one entry, in either triangle.
  const triangle = linesOf(GRID, (row, col) =>
    row === col || (row > col ? one(row, col) : !one(row, col)) ? ` ${Math.sin(row + col)}` : undefined,
  );
  const lower = (text: (row: number, col: number) => string) =>
    linesOf(GRID, (row, col) => (row > col ? text(row, col) : undefined));
  const write = (name: string, banner: string, lines: readonly string[], more: readonly string[] = []) =>
    writeFile(path(name), shuffledText(banner, GRID, lines, more));
  await write('shuffled.mtx', 'real general', general, general.slice(0, 1000));
  await write('triangles.mtx', 'real symmetric', triangle, triangle.slice(500, 900));
  await write(
    'lower.mtx',
    'pattern symmetric',
    lower(() => ''),
  );
  await write(
    'skew-shares.mtx',
    'integer skew-symmetric',
    lower((row, col) => ` ${row - 2 * col}`),
  );
  await write('both-shares.mtx', 'real symmetric', triangle, ['1 2 1', '2 1 1']);
  await write('wrong.mtx', 'real general', general, ['1 x 3', ...general]);
  const text = shuffledText('real general', GRID, general);
  await writeFile(path('few.mtx'), text.replace(/\n.*\n$/, '\n'));
  await writeFile(path('many.mtx'), `${text}1 1 1\n`);
  await writeFile(path('shuffled.mtx.gz'), gzipSync(await readFile(path('shuffled.mtx'))));
  const whole = { shape: GRID, firstRow: 0, firstEntry: 0, matrix: GRID };
  const file = await open(path('grid.petsc'), 'w');
  for (const { at, bytes } of petscBytes(whole)) await file.write(bytes, 0, bytes.length, at);
  await file.close();
  const small = gallery('rmat', { scale: 8 });
  const dense = { rows: small.rows, columns: small.cols, values: numbersOf(small) };
  await save(path('dense.npy'), dense);
  await save(path('single.npy'), { ...dense, values: Float32Array.from(dense.values) });
  await truncate(path('grid.petsc'), path('cut.petsc'));
  await truncate(path('large.npz'), path('cut.npz'));
}

/** Writes files with complex numbers of which ranks read shares, and files that ranks must refuse. */
export async function writeComplexShares(folder: string): Promise<void> {
  const path = (name: string) => join(folder, name);
  const pair = (row: number, col: number) => ` ${Math.sin(row + 3 * col)} ${row === col ? 0 : Math.cos(row - 2 * col)}`;
  const general = linesOf(GRID, pair);
  // Each pair of entries has one entry, in either triangle.
  const isStored = (row: number, col: number) => row > col === ((row + col) % 3 === 0);
  const triangle = linesOf(GRID, (row, col) => (row === col || isStored(row, col) ? pair(row, col) : undefined));
  const strict = linesOf(GRID, (row, col) => (row > col ? pair(row, col) : undefined));
  const write = (name: string, symmetry: string, lines: readonly string[], more: readonly string[] = []) =>
    writeFile(path(name), shuffledText(`complex ${symmetry}`, GRID, lines, more));
  await write('general.mtx', 'general', general);
  await write('symmetric.mtx', 'symmetric', triangle);
  await write('hermitian.mtx', 'hermitian', triangle);
  await write('skew.mtx', 'skew-symmetric', strict);
  await write('duplicates.mtx', 'general', general, general.slice(0, 1000));
  await write('hermitian-duplicates.mtx', 'hermitian', triangle, triangle.slice(500, 900));
  await write('both.mtx', 'hermitian', triangle, ['1 2 1 1', '2 1 1 -1']);
  await write('diagonal.mtx', 'hermitian', triangle, ['7 7 1 2']);
  await write('wrong.mtx', 'general', general, ['1 1 1', ...general]);
  const text = shuffledText('complex general', GRID, general);
  await writeFile(path('few.mtx'), text.replace(/\n.*\n$/, '\n'));
  await writeFile(path('many.mtx'), `${text}1 1 1 0\n`);
  await writeFile(path('mac.mtx'), text.replaceAll('\r\n', '\n').replaceAll('\n', '\r'));
  await writeFile(path('general.mtx.gz'), gzipSync(text));
  const matrix = complexFrom(GRID, { ...GRID, values: GRID.values.map((_, k) => Math.cos(k)) });
  await save(path('double.npz'), matrix);
  await save(path('single.npz'), single(matrix));
  await save(path('real.npz'), { ...GRID, symmetry: 'general' });
  const small = gallery('rmat', { scale: 7 });
  const reals = numbersOf(small);
  // Of some complex numbers the real part is 0, of others the imaginary part.
  const numbers = Float64Array.from({ length: 2 * reals.length }, (_, k) => (k % 3 === 0 ? 0 : reals[k >> 1]!));
  const dense = { rows: small.rows, columns: small.cols, values: numbers, field: 'complex' } as const;
  await save(path('double.npy'), dense);
  await save(path('single.npy'), { ...dense, values: Float32Array.from(numbers) });
  await truncate(path('double.npz'), path('cut.npz'));
}

function single(matrix: ComplexMatrix): ComplexMatrix {
  return complexMatrix({ ...matrix, values: Float32Array.from(matrix.values) });
}

function numbersOf({ rows, cols, rowPtr, colIdx, values }: CsrMatrix): Float64Array {
  const numbers = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) numbers[i * cols + colIdx[k]!] = values[k]!;
  return numbers;
}

async function truncate(source: string, target: string): Promise<void> {
  const bytes = await readFile(source);
  await writeFile(target, bytes.subarray(0, bytes.length - 1000));
}

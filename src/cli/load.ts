/** Loads the matrices and vectors named on the command line. */
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';
import type { ReadOptions } from '../io/bytes/bytes.js';
import type { ByteSource } from '../io/bytes/source.js';
import { openFile } from '../io/files.node.js';
import type { DenseBlock } from '../io/kinds/kind.js';
import { writeMatrixMarketBlock } from '../io/matrix-market/writer.js';
import { readAny, readComplexVector, readVector } from '../io/read.node.js';
import { saveStream } from '../io/save.node.js';
import { write } from '../io/write.js';
import { showProgress } from './output.js';

/** A real matrix: a file, or `gallery:name?parameters`. @throws SparlaneError `structure` for a complex one */
export async function loadMatrix(source: string): Promise<CsrMatrix> {
  const matrix = await loadAnyMatrix(source);
  if (matrix.field !== 'complex') return matrix;
  const expected = 'a real matrix (info, multiply and solve take complex ones)';
  throw mismatch('structure', source, expected, 'a complex one');
}

/** The same for commands that take complex matrices, too. */
export async function loadAnyMatrix(source: string): Promise<CsrMatrix | ComplexMatrix> {
  if (!source.startsWith('gallery:')) return load(source, readAny);
  const { name, given } = parseGalleryUrl(source);
  using _ = showProgress(`generating ${source}`);
  return gallery(name, given);
}

/**
 * A vector of a length, with as many numbers in memory: two for each element, where the matrix is complex.
 *
 * @param what its length is: `rows`
 * @throws SparlaneError `shape` for another length; as the reader, which refuses complex numbers for a real matrix
 */
export async function loadVector(path: string, what: string, length: number, isComplex: boolean): Promise<FloatArray> {
  const values = await load(path, isComplex ? readComplexVector : readVector);
  const found = values.length / partsOf(isComplex);
  if (found === length) return values;
  const got = isComplex ? `one of length ${found}` : values;
  throw mismatch('shape', path, `a vector of length ${what} = ${length}`, got, { [what]: length, length: found });
}

/** A vector of ones; of complex ones, pairs (1, 0). */
export function ones(length: number, isComplex: boolean): Float64Array {
  const values = new Float64Array(partsOf(isComplex) * length);
  for (let k = 0; k < values.length; k += partsOf(isComplex)) values[k] = 1;
  return values;
}

/** Numbers of an element of a vector. */
export function partsOf(isComplex: boolean): 1 | 2 {
  return isComplex ? 2 : 1;
}

/** Saves a vector: `.npy` as NumPy does, other names as a Matrix Market array with a comment. */
export async function saveVector(path: string, values: FloatArray, comment: string, isComplex = false): Promise<void> {
  const rows = values.length / partsOf(isComplex);
  const block: DenseBlock = { rows, columns: 1, values, ...(isComplex && { field: 'complex' }) };
  const stream = /\.npy$/i.test(path) ? await write(path, block) : writeMatrixMarketBlock(block, { comment });
  await saveStream(path, stream);
}

/** Checks a source as far as possible without loading it. */
export function checkSource(source: string): void {
  if (source.startsWith('gallery:')) parseGalleryUrl(source);
}

async function load<T>(path: string, reader: (source: ByteSource, options: ReadOptions) => Promise<T>): Promise<T> {
  const { source, name, size } = await openFile(path);
  using progress = showProgress(`reading ${name}`);
  let shown = 0;
  const onProgress = (bytesRead: number) => {
    const percent = Math.floor((100 * bytesRead) / size);
    if (percent === shown) return;
    shown = percent;
    progress.say(`reading ${name}: ${percent} %`);
  };
  return reader(source, size > 0 ? { name, onProgress } : { name });
}

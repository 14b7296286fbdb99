/** The readers of files of any kind, in Node: they also accept the path of a file, and use Node's zlib. */
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { openPlain, type PlainFile, type ReadOptions } from './bytes/bytes.js';
import { download, nameIn } from './bytes/download.js';
import { UNPACKING } from './bytes/unpacking.node.js';
import { openFile } from './files.node.js';
import type { DenseBlock, FileKind, FileMatrix } from './kinds/kind.js';
import { kindOf } from './kinds/registry.js';
import type { FileSource } from './matrix-market/matrix-market.node.js';
import {
  type ReadFileOptions,
  readAnyMatrix,
  readColumn,
  readComplexColumn,
  readComplexMatrix,
  readDense,
  readMatrix,
} from './read-plain.js';

/**
 * Reads the matrix of a file, whose kind its first bytes tell: Matrix Market, SciPy's `.npz`, NumPy's `.npy`, PETSc binary,
 * Harwell-Boeing, Rutherford-Boeing, or edges as CSV or TSV; in gzip, tar and zip, too (`docs/files.md`).
 *
 * @param source a path, a `file:` URL, a URL of the net, which is fetched, or any source of bytes
 * @throws SparlaneError `parse`, with the file, the line or the byte, the expected and the actual content, or the reason
 *   why a file cannot be read; `heap` for a file that claims absurdly much; `argument` for an invalid source or option; the
 *   signal's reason on abort
 *
 * @example
 * const A = engine.operator(await read('A.npz'));
 * const { rowNames, ...graph } = await read('edges.csv');
 */
export function read(source: FileSource, options: ReadFileOptions = {}): Promise<FileMatrix> {
  return readMatrix(openAny, source, options);
}

/** A complex matrix of a file with complex numbers, a real one of any other. @throws as `read` */
export function readAny(source: FileSource, options: ReadFileOptions = {}): Promise<CsrMatrix | ComplexMatrix> {
  return readAnyMatrix(openAny, source, options);
}

/** Reads a complex matrix: Matrix Market, `.npz` or `.npy`. A real matrix of any kind gets imaginary parts 0. @throws as `read` */
export function readComplex(source: FileSource, options: ReadFileOptions = {}): Promise<ComplexMatrix> {
  return readComplexMatrix(openAny, source, options);
}

/** Reads a block of vectors, or all numbers of a matrix. @throws as `read`, and `heap` beyond 2²⁹ numbers */
export function readBlock(source: FileSource, options: ReadFileOptions = {}): Promise<DenseBlock> {
  return readDense(openAny, source, options);
}

/** Reads a vector: a file with one column. @throws as `read` */
export function readVector(source: FileSource, options: ReadFileOptions = {}): Promise<FloatArray> {
  return readColumn(openAny, source, options);
}

/** Reads a complex vector, a file with one column, as pairs (re, im): Matrix Market, `.npy` or `.npz`. Real numbers of any file get imaginary parts 0. @throws as `read` */
export function readComplexVector(source: FileSource, options: ReadFileOptions = {}): Promise<FloatArray> {
  return readComplexColumn(openAny, source, options);
}

/** Opens a file and finds its kind. The caller reads it, or abandons it. @throws as `read` */
export async function openKind(
  source: string | URL,
  options: ReadOptions,
): Promise<{ readonly kind: FileKind; readonly file: PlainFile }> {
  const file = await openAny(source, options);
  return { kind: kindOf(file), file };
}

/** The name of the kind of a file, and its first bytes, unpacked; no more of it is read. @throws as `read` */
export async function kindOfSource(
  source: string | URL,
  options: ReadOptions,
): Promise<{ readonly kind: string; readonly head: Uint8Array }> {
  const { kind, file } = await openKind(source, { ...options, onProgress: undefined });
  file.abandon();
  return { kind: kind.name, head: file.head };
}

async function openAny(source: FileSource, options: ReadOptions): Promise<PlainFile> {
  if (typeof source !== 'string' && !(source instanceof URL)) return openPlain(source, options, UNPACKING);
  const url = String(source);
  if (/^https?:\/\//.test(url)) {
    const { name = nameIn(url), signal } = options;
    return openPlain(await download(url, signal), { ...options, name }, UNPACKING);
  }
  const { source: bytes, name } = await openFile(source);
  return openPlain(bytes, { ...options, name: options.name ?? name }, UNPACKING);
}

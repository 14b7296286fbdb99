/** The readers of files of any kind, in a page and everywhere else. */
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { openPlain, type PlainFile, type ReadOptions } from './bytes/bytes.js';
import { download, nameIn } from './bytes/download.js';
import type { ByteSource } from './bytes/source.js';
import { UNPACKING } from './bytes/unpacking.js';
import type { DenseBlock, FileMatrix } from './kinds/kind.js';
import {
  type ReadFileOptions,
  readAnyMatrix,
  readColumn,
  readComplexColumn,
  readComplexMatrix,
  readDense,
  readMatrix,
} from './read-plain.js';

/** A URL, which is fetched, or any source of bytes. */
export type UrlSource = string | URL | ByteSource;

/**
 * Reads the matrix of a file, whose kind its first bytes tell: Matrix Market, SciPy's `.npz`, NumPy's `.npy`, PETSc binary,
 * Harwell-Boeing, Rutherford-Boeing, or edges as CSV or TSV; in gzip, tar and zip, too (`docs/files.md`).
 *
 * @throws SparlaneError `parse`, with the file, the line or the byte, the expected and the actual content, or the reason
 *   why a file cannot be read; `heap` for a file that claims absurdly much; `argument` for an invalid source or option; the
 *   signal's reason on abort
 *
 * @example
 * const A = engine.operator(await read('https://example.org/A.npz'));
 * const { rowNames, ...graph } = await read(file, { edges: { names: true } });
 */
export function read(source: UrlSource, options: ReadFileOptions = {}): Promise<FileMatrix> {
  return readMatrix(openUrl, source, options);
}

/** A complex matrix of a file with complex numbers, a real one of any other. @throws as `read` */
export function readAny(source: UrlSource, options: ReadFileOptions = {}): Promise<CsrMatrix | ComplexMatrix> {
  return readAnyMatrix(openUrl, source, options);
}

/** Reads a complex matrix: Matrix Market, `.npz` or `.npy`. A real matrix of any kind gets imaginary parts 0. @throws as `read` */
export function readComplex(source: UrlSource, options: ReadFileOptions = {}): Promise<ComplexMatrix> {
  return readComplexMatrix(openUrl, source, options);
}

/** Reads a block of vectors, or all numbers of a matrix. @throws as `read`, and `heap` beyond 2²⁹ numbers */
export function readBlock(source: UrlSource, options: ReadFileOptions = {}): Promise<DenseBlock> {
  return readDense(openUrl, source, options);
}

/** Reads a vector: a file with one column. @throws as `read` */
export function readVector(source: UrlSource, options: ReadFileOptions = {}): Promise<FloatArray> {
  return readColumn(openUrl, source, options);
}

/** Reads a complex vector, a file with one column, as pairs (re, im): Matrix Market, `.npy` or `.npz`. Real numbers of any file get imaginary parts 0. @throws as `read` */
export function readComplexVector(source: UrlSource, options: ReadFileOptions = {}): Promise<FloatArray> {
  return readComplexColumn(openUrl, source, options);
}

async function openUrl(source: UrlSource, options: ReadOptions): Promise<PlainFile> {
  if (typeof source !== 'string' && !(source instanceof URL)) return openPlain(source, options, UNPACKING);
  const url = String(source);
  const { name = nameIn(url), signal } = options;
  return openPlain(await download(url, signal), { ...options, name }, UNPACKING);
}

/** The readers for Node: they also accept the path of a file, and use Node's zlib. */
import type { CsrMatrix } from '../../core/csr.js';
import { checkOptions, type FileText, openText, type ReadOptions } from '../bytes/bytes.js';
import type { ByteSource } from '../bytes/source.js';
import { UNPACKING } from '../bytes/unpacking.node.js';
import { openFile } from '../files.node.js';
import { parseMatrix, parseRows, parseRowWork, parseVector, type RangeOfRows } from './matrix-market.js';
import type { RowWork } from './row-work.js';

/** A path, a `file:` URL, or any source of bytes. */
export type FileSource = string | URL | ByteSource;

/**
 * Reads a matrix from a Matrix Market file: text, gzip, or a tar archive as the SuiteSparse collection ships them.
 *
 *     const matrix = await readMatrixMarket('west0067.tar.gz');
 *
 * @throws SparlaneError `parse`, with the file, the line, the expected and the actual content, or the reason why a file
 *   cannot be read; `heap` if the header claims absurdly many rows for its entries; `argument` for an invalid source;
 *   the signal's reason on abort.
 */
export async function readMatrixMarket(source: FileSource, options: ReadOptions = {}): Promise<CsrMatrix> {
  return parseMatrix(await openFileText(source, options));
}

/**
 * Reads a vector: a matrix of one column, in array or coordinate format.
 *
 * @throws as `readMatrixMarket`
 */
export async function readMatrixMarketVector(source: FileSource, options: ReadOptions = {}): Promise<Float64Array> {
  return parseVector(await openFileText(source, options));
}

/** As `parseRows`. @throws as `readMatrixMarket` */
export async function readMatrixMarketRows(
  source: FileSource,
  rangeOf: RangeOfRows,
  options: ReadOptions = {},
): Promise<CsrMatrix> {
  return parseRows(await openFileText(source, options), rangeOf);
}

/** As `parseRowWork`. @throws as `readMatrixMarket` */
export async function readRowWork(source: FileSource, options: ReadOptions = {}): Promise<RowWork | undefined> {
  return parseRowWork(await openFileText(source, options));
}

async function openFileText(source: FileSource, options: ReadOptions): Promise<FileText> {
  if (typeof source !== 'string' && !(source instanceof URL)) return openText(source, options, UNPACKING);
  checkOptions(options);
  const { source: bytes, name } = await openFile(source);
  return openText(bytes, { ...options, name: options.name ?? name }, UNPACKING);
}

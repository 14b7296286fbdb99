/** The readers as Node has them: they take the path of a file as well. */
import type { CsrMatrix } from '../core/csr.js';
import { checkOptions, type ReadOptions } from './bytes.js';
import { openFile } from './files.node.js';
import * as anywhere from './matrix-market.js';
import type { ByteSource } from './source.js';

/** A path, a `file:` URL, or bytes from anywhere. */
export type FileSource = string | URL | ByteSource;

/**
 * Reads a matrix from a Matrix Market file: text, gzip, or a tar archive as the SuiteSparse collection ships them.
 *
 *     const matrix = await readMatrixMarket('west0067.tar.gz');
 *
 * @throws SparlaneError `parse`, with the file, the line, what was expected there and what was found, or why a file cannot
 *   be read; `heap` for a header that claims absurdly many rows for its entries; `argument` for a source that is none; the
 *   signal's reason when it is aborted.
 */
export async function readMatrixMarket(source: FileSource, options: ReadOptions = {}): Promise<CsrMatrix> {
  return anywhere.readMatrixMarket(...(await opened(source, options)));
}

/**
 * Reads a vector: a matrix of one column, in array or coordinate format.
 *
 * @throws as `readMatrixMarket`
 */
export async function readMatrixMarketVector(source: FileSource, options: ReadOptions = {}): Promise<Float64Array> {
  return anywhere.readMatrixMarketVector(...(await opened(source, options)));
}

async function opened(source: FileSource, options: ReadOptions): Promise<[ByteSource, ReadOptions]> {
  if (typeof source !== 'string' && !(source instanceof URL)) return [source, options];
  checkOptions(options);
  const { source: bytes, name } = await openFile(source);
  return [bytes, { ...options, name: options.name ?? name }];
}

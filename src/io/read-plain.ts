/** From an unpacked file of any kind to a matrix, a vector or a block. */
import { knownKeys } from '../core/checks.js';
import { type ComplexMatrix, complexFrom } from '../core/complex.js';
import type { FloatArray } from '../core/types.js';
import type { PlainFile, ReadOptions } from './bytes/bytes.js';
import { checkColumns, dense } from './kinds/dense.js';
import type { DenseBlock, EdgeListOptions, FileMatrix } from './kinds/kind.js';
import { kindOf } from './kinds/registry.js';

export interface ReadFileOptions extends ReadOptions {
  /** How a list of edges (CSV, TSV) is read. Other kinds ignore it. */
  edges?: EdgeListOptions | undefined;
}

/** Opens a source of one platform. */
export type Open<S> = (source: S, options: ReadOptions) => Promise<PlainFile>;

/** The options of the source, and those of edges. @throws SparlaneError `argument` for unknown options */
function split(given: ReadFileOptions): { options: ReadOptions; edges: EdgeListOptions } {
  knownKeys('options', given, { name: true, onProgress: true, signal: true, threads: true, edges: true });
  const { edges = {}, ...options } = given;
  knownKeys('edges', edges, { header: true, names: true, bipartite: true, weights: true });
  return { options, edges };
}

export async function readMatrix<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<FileMatrix> {
  const { options, edges } = split(given);
  const file = await open(source, options);
  const kind = kindOf(file);
  return { kind: kind.name, ...(await kind.read(file, edges)) };
}

export async function readComplexMatrix<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<ComplexMatrix> {
  const { options, edges } = split(given);
  const file = await open(source, options);
  const { readComplex, read } = kindOf(file);
  return readComplex === undefined ? complexFrom(await read(file, edges)) : readComplex(file);
}

/** @param columns how many there must be; undefined: any number */
export async function readDense<S>(
  open: Open<S>,
  source: S,
  given: ReadFileOptions,
  columns?: number,
): Promise<DenseBlock> {
  const { options, edges } = split(given);
  const file = await open(source, options);
  const { readBlock, read } = kindOf(file);
  if (readBlock !== undefined) return readBlock(file, columns);
  const matrix = await read(file, edges);
  checkColumns(file.name, matrix.rows, matrix.cols, columns);
  return dense(file.name, matrix);
}

export async function readColumn<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<FloatArray> {
  return (await readDense(open, source, given, 1)).values;
}

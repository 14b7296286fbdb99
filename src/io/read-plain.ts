/** From an unpacked file of any kind to a matrix, a vector or a block. */
import { knownKeys } from '../core/checks.js';
import { type ComplexMatrix, complexFrom } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import type { PlainFile, ReadOptions } from './bytes/bytes.js';
import { checkColumns, dense } from './kinds/dense.js';
import type { DenseBlock, EdgeListOptions, FileMatrix } from './kinds/kind.js';
import { kindOf } from './kinds/registry.js';

/** Functions that read files of any kind take these options. */
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

/** A complex matrix of a file with complex numbers, a real one of any other. */
export async function readAnyMatrix<S>(
  open: Open<S>,
  source: S,
  given: ReadFileOptions,
): Promise<CsrMatrix | ComplexMatrix> {
  const { options, edges } = split(given);
  const file = await open(source, options);
  const { readAny, read } = kindOf(file);
  return readAny === undefined ? read(file, edges) : readAny(file);
}

export async function readComplexMatrix<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<ComplexMatrix> {
  const matrix = await readAnyMatrix(open, source, given);
  return matrix.field === 'complex' ? matrix : complexFrom(matrix);
}

/** @param columns how many there must be; undefined: any number @param takesComplex whether the numbers may be complex */
export async function readDense<S>(
  open: Open<S>,
  source: S,
  given: ReadFileOptions,
  columns?: number,
  takesComplex = false,
): Promise<DenseBlock> {
  const { options, edges } = split(given);
  const file = await open(source, options);
  const { readBlock, readAny, read } = kindOf(file);
  if (readBlock !== undefined) return readBlock(file, columns, takesComplex);
  const matrix = takesComplex && readAny !== undefined ? await readAny(file) : await read(file, edges);
  checkColumns(file.name, matrix.rows, matrix.cols, columns);
  return dense(file.name, matrix);
}

export async function readColumn<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<FloatArray> {
  return (await readDense(open, source, given, 1)).values;
}

/** Pairs (re, im), of a file with real numbers, too. */
export async function readComplexColumn<S>(open: Open<S>, source: S, given: ReadFileOptions): Promise<FloatArray> {
  const { values, field } = await readDense(open, source, given, 1, true);
  if (field === 'complex') return values;
  const pairs = new (values instanceof Float32Array ? Float32Array : Float64Array)(2 * values.length);
  values.forEach((value, k) => {
    pairs[2 * k] = value;
  });
  return pairs;
}

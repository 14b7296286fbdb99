/** Matrices, vectors and blocks → files of the kinds that can be written, as streams. */
import { asFloats, isArrayLike, type NumberArray } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { type ComplexMatrix, isComplexMatrix } from '../core/complex.js';
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { DenseBlock } from './kinds/kind.js';
import { writerOf } from './kinds/registry.js';

/** A matrix, arrays or rows of one; a complex matrix; a vector; or a block of vectors. */
export type FileContent = MatrixInput | ComplexMatrix | NumberArray | DenseBlock;

/** `save` and `write` take these options. */
export interface SaveOptions {
  /** Of Matrix Market files: written below the banner. Other kinds have no comments. */
  comment?: string | undefined;
}

/**
 * The bytes of a file of the kind that the extension of its name says: `.mtx`, `.npz` (matrices, as CSR), `.npy` (vectors
 * and blocks). They are produced on demand.
 *
 * @param name the name of the file; a path will do
 * @throws SparlaneError `argument` for another extension, or one of a kind that has no such content; as `csrMatrix`; `heap`
 *   for an `.npz` beyond 4 GiB; `structure` for a matrix without its declared symmetry, as `writeMatrixMarket`
 *
 * @example
 * const blob = await new Response(await write('A.npz', matrix)).blob(); // in a page
 */
export async function write(
  name: string,
  content: FileContent,
  options: SaveOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  if (typeof name !== 'string') throw mismatch('argument', 'name', 'a string', name);
  knownKeys('options', options, { comment: true });
  const { comment } = options;
  if (typeof content !== 'object' || content === null)
    throw mismatch('argument', 'content', 'a matrix, a vector or a block', content);
  if (isComplexMatrix(content)) return writerOf(name, 'writeComplex').writeComplex(content, comment);
  if (isBlock(content)) return writerOf(name, 'writeBlock').writeBlock(checkedBlock(content), comment);
  if (isVector(content)) {
    const values = asFloats('content', content);
    return writerOf(name, 'writeBlock').writeBlock({ rows: values.length, columns: 1, values }, comment);
  }
  return writerOf(name, 'write').write(csrMatrix(content as MatrixInput), comment);
}

/** An array of rows is a matrix. */
function isVector(content: FileContent): content is NumberArray {
  return isArrayLike(content) && !(Array.isArray(content) && isArrayLike(content[0]));
}

function isBlock(content: FileContent): content is DenseBlock {
  return 'columns' in content;
}

function checkedBlock(block: DenseBlock): DenseBlock {
  const rows = integer('rows', block.rows);
  const columns = integer('columns', block.columns, 1);
  const values = asFloats('values', block.values);
  const { field } = block;
  if (field !== undefined) oneOf('field', field, ['complex']);
  const length = rows * columns * (field === undefined ? 1 : 2);
  if (values.length === length) return { rows, columns, values, ...(field && { field }) };
  const expected = `length ${field === undefined ? '' : '2 · '}rows · columns = ${length}`;
  throw mismatch('shape', 'values', expected, values, { rows, columns, length: values.length });
}

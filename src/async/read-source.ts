/** Creates a matrix, in the worker, from the source that the caller sends (`send-source.ts`). */
import type { ComplexMatrix } from '../core/complex.js';
import { isDenseMatrix, type MatrixInput } from '../core/csr.js';
import type { SentMatrix } from './protocol.js';

type SentFile = Extract<SentMatrix, { readonly file: unknown }>;

type ReadFile<T> = (
  source: SentFile['file'],
  options: { readonly name: string | undefined; readonly signal: AbortSignal },
) => Promise<T>;

/** The readers of the platform. */
export interface Readers {
  readonly read: ReadFile<MatrixInput>;
  /** The same for a file that may have complex numbers. */
  readonly readAny: ReadFile<MatrixInput | ComplexMatrix>;
}

export type LoadReaders = () => Promise<Readers>;

/** @throws SparlaneError `parse` or `argument` for a source that is not a real matrix; the signal's reason on abort */
export async function readSource(source: SentMatrix, signal: AbortSignal, load: LoadReaders): Promise<MatrixInput> {
  // What takes a real matrix refuses the arrays of a complex one.
  if ('arrays' in source) return source.arrays as MatrixInput;
  if ('gallery' in source) return galleryMatrix(source.gallery);
  return (await load()).read(source.file, { name: source.name, signal });
}

/** The same for a matrix that may be complex. @throws as `readSource` */
export async function readAnySource(
  source: SentMatrix,
  signal: AbortSignal,
  load: LoadReaders,
): Promise<MatrixInput | ComplexMatrix> {
  if ('file' in source) return (await load()).readAny(source.file, { name: source.name, signal });
  if ('gallery' in source) return galleryMatrix(source.gallery);
  const { arrays } = source;
  if (isDenseMatrix(arrays) || arrays.field !== 'complex') return arrays;
  return (await import('../core/complex.js')).complexMatrix(arrays);
}

async function galleryMatrix(url: string): Promise<MatrixInput> {
  const { gallery, parseGalleryUrl } = await import('../gallery/registry.js');
  const { name, given } = parseGalleryUrl(url);
  return gallery(name, given);
}

/** Creates a matrix, in the worker, from the source that the caller sends (`send-source.ts`). */
import type { MatrixInput } from '../core/csr.js';
import type { SentMatrix } from './protocol.js';

type SentFile = Extract<SentMatrix, { readonly file: unknown }>;

/** The `read` of the platform. */
export type ReadFile = (
  source: SentFile['file'],
  options: { readonly name: string | undefined; readonly signal: AbortSignal },
) => Promise<MatrixInput>;

/** @throws SparlaneError `parse` or `argument` for a source that is not a matrix; the signal's reason on abort */
export async function readSource(source: SentMatrix, signal: AbortSignal, read: ReadFile): Promise<MatrixInput> {
  if ('arrays' in source) return source.arrays;
  if ('gallery' in source) {
    const { gallery, parseGalleryUrl } = await import('../gallery/registry.js');
    const { name, given } = parseGalleryUrl(source.gallery);
    return gallery(name, given);
  }
  return read(source.file, { name: source.name, signal });
}

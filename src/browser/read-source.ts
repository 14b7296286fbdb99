/** Creates a matrix, in the worker, from the source that the page sends (`send-source.ts`). */
import type { MatrixInput } from '../core/csr.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';
import { read } from '../io/read.js';
import type { SentMatrix } from './protocol.js';

/** @throws SparlaneError `parse` or `argument` for a source that is not a matrix; the signal's reason on abort */
export async function readSource(source: SentMatrix, signal: AbortSignal): Promise<MatrixInput> {
  if ('arrays' in source) return source.arrays;
  if ('gallery' in source) {
    const { name, given } = parseGalleryUrl(source.gallery);
    return gallery(name, given);
  }
  return read(source.matrixMarket, { name: source.name, signal });
}

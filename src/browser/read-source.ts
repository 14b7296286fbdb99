/** Creates a matrix, in the worker, from the source that the page sends (`send-source.ts`). */
import type { MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';
import { readMatrixMarket } from '../io/matrix-market/matrix-market.js';
import type { SentMatrix } from './protocol.js';

/** @throws SparlaneError `parse` or `argument` for a source that is not a matrix; the signal's reason on abort */
export async function readSource(source: SentMatrix, signal: AbortSignal): Promise<MatrixInput> {
  if ('arrays' in source) return source.arrays;
  if ('gallery' in source) {
    const { name, given } = parseGalleryUrl(source.gallery);
    return gallery(name, given);
  }
  const { matrixMarket, name } = source;
  const bytes = typeof matrixMarket === 'string' ? await download(matrixMarket, signal) : matrixMarket;
  return readMatrixMarket(bytes, { name, signal });
}

async function download(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw mismatch('parse', url, 'a file that can be fetched', String(error), { url });
  });
  if (!response.ok || response.body === null) {
    throw mismatch('parse', url, 'a file that can be fetched', `HTTP status ${response.status}`, { url });
  }
  return response.body;
}

/** Loads the matrices and vectors named on the command line. */
import type { CsrMatrix } from '../core/csr.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';
import { openFile } from '../io/files.node.js';
import { readMatrixMarket, readMatrixMarketVector } from '../io/matrix-market/matrix-market.node.js';
import { showProgress } from './output.js';

/** A file, or `gallery:name?parameters`. */
export async function loadMatrix(source: string): Promise<CsrMatrix> {
  if (!source.startsWith('gallery:')) return read(source, readMatrixMarket);
  const { name, given } = parseGalleryUrl(source);
  using _ = showProgress(`generating ${source}`);
  return gallery(name, given);
}

export function loadVector(path: string): Promise<Float64Array> {
  return read(path, readMatrixMarketVector);
}

/** Checks a source as far as possible without loading it. */
export function checkSource(source: string): void {
  if (source.startsWith('gallery:')) parseGalleryUrl(source);
}

async function read<T>(path: string, reader: typeof readMatrixMarket | typeof readMatrixMarketVector): Promise<T> {
  const { source, name, size } = await openFile(path);
  using progress = showProgress(`reading ${name}`);
  let shown = 0;
  const onProgress = (bytesRead: number) => {
    const percent = Math.floor((100 * bytesRead) / size);
    if (percent === shown) return;
    shown = percent;
    progress.say(`reading ${name}: ${percent} %`);
  };
  return (await reader(source, size > 0 ? { name, onProgress } : { name })) as T;
}

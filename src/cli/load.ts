/** Loads the matrices and vectors named on the command line. */
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';
import type { ReadOptions } from '../io/bytes/bytes.js';
import type { ByteSource } from '../io/bytes/source.js';
import { openFile } from '../io/files.node.js';
import { writeMatrixMarketVector } from '../io/matrix-market/writer.js';
import { read, readVector } from '../io/read.node.js';
import { saveStream } from '../io/save.node.js';
import { write } from '../io/write.js';
import { showProgress } from './output.js';

/** A file, or `gallery:name?parameters`. */
export async function loadMatrix(source: string): Promise<CsrMatrix> {
  if (!source.startsWith('gallery:')) return load(source, read);
  const { name, given } = parseGalleryUrl(source);
  using _ = showProgress(`generating ${source}`);
  return gallery(name, given);
}

export function loadVector(path: string): Promise<FloatArray> {
  return load(path, readVector);
}

/** Saves a vector: `.npy` as NumPy does, other names as a Matrix Market array with a comment. */
export async function saveVector(path: string, values: FloatArray, comment: string): Promise<void> {
  const stream = /\.npy$/i.test(path) ? await write(path, values) : writeMatrixMarketVector(values, { comment });
  await saveStream(path, stream);
}

/** Checks a source as far as possible without loading it. */
export function checkSource(source: string): void {
  if (source.startsWith('gallery:')) parseGalleryUrl(source);
}

async function load<T>(path: string, reader: (source: ByteSource, options: ReadOptions) => Promise<T>): Promise<T> {
  const { source, name, size } = await openFile(path);
  using progress = showProgress(`reading ${name}`);
  let shown = 0;
  const onProgress = (bytesRead: number) => {
    const percent = Math.floor((100 * bytesRead) / size);
    if (percent === shown) return;
    shown = percent;
    progress.say(`reading ${name}: ${percent} %`);
  };
  return reader(source, size > 0 ? { name, onProgress } : { name });
}

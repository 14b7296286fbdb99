/** Files in Node, as the readers and writers want them. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { SparlaneError } from '../core/errors.js';
import type { ByteSource } from './bytes.js';
import { fileError, reasonOf } from './parse-error.js';

export interface OpenFile {
  /** Closes the file when it has been read to its end, or given up. */
  readonly source: ByteSource;
  /** What errors should call it: the name without its folders. */
  readonly name: string;
  /** In bytes, compressed ones if it is compressed: what `onProgress` counts up to. 0 for a pipe. */
  readonly size: number;
}

/** Larger than the default of 64 KiB: fewer turns of the event loop. */
const READ_BYTES = 1 << 18;

/** @throws SparlaneError `parse`, naming the path and the reason of the system */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path).catch((error: unknown) => {
    throw fileError(path, 'a file that can be read', reasonOf(error), error);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw fileError(path, 'a file that can be read', 'a directory');
  }
  return { source: handle.createReadStream({ highWaterMark: READ_BYTES }), name: basename(path), size: stats.size };
}

/**
 * Writes a stream to a file, which is overwritten. A stream that fails leaves what it had written.
 *
 * @throws SparlaneError `argument`, naming the path and the reason of the system; what the stream throws, as it is
 */
export async function saveStream(path: string, stream: ReadableStream<Uint8Array>): Promise<void> {
  try {
    const file = await open(path, 'w');
    await pipeline(Readable.fromWeb(stream as NodeReadableStream<Uint8Array>), file.createWriteStream());
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const message = `${path}: expected a file that can be written, got ${reasonOf(error)}`;
    throw new SparlaneError('argument', message, { file: path }, { cause: error });
  }
}

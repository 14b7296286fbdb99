/**
 * gzip → text in Node, with zlib: concatenated members are one text, and zeros after the last member are padding.
 *
 * `DecompressionStream` (`gzip.ts`) refuses both since Node 24.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { damagedGzip } from '../parse-error.js';
import { type ByteChunks, letGo } from './chunks.js';

/** Bytes of text per piece; the default of 16 KiB needs four times as many turns of the event loop. */
const PIECE_BYTES = 1 << 16;

export async function* gunzip(chunks: ByteChunks, name: string): ByteChunks {
  let failure: { readonly error: unknown } | undefined;
  async function* watched(): ByteChunks {
    try {
      yield* chunks;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  const text = createGunzip({ chunkSize: PIECE_BYTES });
  // No read-ahead: a piece is requested after the previous one is used up. Errors are thrown while the text is read.
  pipeline(Readable.from(watched(), { objectMode: false, highWaterMark: 1 }), text, () => {});
  try {
    yield* text;
  } catch (error) {
    throw failure === undefined ? damagedGzip(name, error) : failure.error;
  } finally {
    letGo(chunks);
  }
}

/**
 * gzip → text in Node, by its zlib: concatenated members are one text, and zeros behind the last one are padding.
 *
 * `DecompressionStream` (`gzip.ts`) refuses both since Node 24.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Chunks, letGo } from './chunks.js';
import { damagedGzip } from './parse-error.js';

/** Of text; the default of 16 KiB is four times as many turns. */
const PIECE_BYTES = 1 << 16;

export async function* gunzip(chunks: Chunks, name: string): Chunks {
  let failure: { readonly error: unknown } | undefined;
  async function* watched(): Chunks {
    try {
      yield* chunks;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  const text = createGunzip({ chunkSize: PIECE_BYTES });
  // Not read ahead: a piece when the one before is used up. Errors come out of the text.
  pipeline(Readable.from(watched(), { objectMode: false, highWaterMark: 1 }), text, () => {});
  try {
    yield* text;
  } catch (error) {
    throw failure === undefined ? damagedGzip(name, error) : failure.error;
  } finally {
    letGo(chunks);
  }
}

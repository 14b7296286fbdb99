/**
 * What unpacks files in Node: its zlib, on a thread of its own while the caller parses. Concatenated members of gzip are one text, and zeros
 * after the last member are padding; `DecompressionStream` (`gzip.ts`) refuses both since Node 24.
 *
 * Cost: of a compressed `.npz` of 20 MB with 76 MB of arrays, the main thread computes checksums only (2-core AMD EPYC, 26 November 2026:
 * `inflate.ts` and `crc32.ts` there 1.1 s, these 0.2).
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { damagedGzip, reasonOf } from '../parse-error.js';
import { type ByteChunks, letGo } from './chunks.js';
import { crc32 } from './crc32.js';
import { MAX_IDLE_BYTES, type Unpacking, type ZipTools } from './unpacking.js';

/** Bytes per piece; the default of 16 KiB needs many times as many turns of the event loop. */
const PIECE_BYTES = 1 << 18;

/** What a stream of zlib makes of bytes. @param damaged the error for bytes that it refuses */
async function* through(chunks: ByteChunks, stream: Transform, damaged: (error: unknown) => Error): ByteChunks {
  let failure: { readonly error: unknown } | undefined;
  async function* watched(): ByteChunks {
    try {
      yield* chunks;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  // No read-ahead: a piece is requested after the previous one is used up. Errors are thrown while the content is read.
  pipeline(Readable.from(watched(), { objectMode: false, highWaterMark: 1 }), stream, () => {});
  try {
    yield* stream;
  } catch (error) {
    throw failure === undefined ? damaged(error) : failure.error;
  } finally {
    letGo(chunks);
  }
}

/** Copies: a source may use its memory again while zlib reads the piece. */
async function* counted(chunks: ByteChunks, add: (bytes: number) => void): ByteChunks {
  for await (const chunk of chunks) {
    add(chunk.length);
    yield chunk.slice();
  }
}

/** Exported for tests. */
export const ZIP_TOOLS: ZipTools = {
  async *inflate(packed, damaged) {
    const stream = zlib.createInflateRaw({ chunkSize: PIECE_BYTES });
    let given = 0;
    const bytes = counted(packed, (length) => {
      given += length;
    });
    yield* through(bytes, stream, (error) => damaged(reasonOf(error)));
    if (given - stream.bytesWritten > MAX_IDLE_BYTES) throw damaged();
  },
  // Of Node since 20.15, but not of every platform that has its modules.
  crc32: zlib.crc32 ?? crc32,
};

export const UNPACKING: Unpacking = {
  gunzip: (chunks, name) =>
    through(chunks, zlib.createGunzip({ chunkSize: PIECE_BYTES }), (error) => damagedGzip(name, error)),
  async *unzip(archive, name) {
    const { zipEntries } = await import('./zip.js');
    yield* zipEntries(archive, name, ZIP_TOOLS);
  },
};

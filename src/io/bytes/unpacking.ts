/** What unpacks files: a page, and everything without Node's zlib. */
import type { ArchiveEntry } from './archive.js';
import type { ByteChunks } from './chunks.js';
import { gunzip } from './gzip.js';

/** Decompresses gzip; `name` is for errors. */
export type Gunzip = (chunks: ByteChunks, name: string) => ByteChunks;

/** A file of a zip archive. */
export interface ZipMember extends ArchiveEntry {
  /**
   * Reads the rest of the packed bytes into memory, so that `chunks` can still be read when the archive has ended. False if they are more
   * than `most`.
   */
  readonly keep: (most: number) => Promise<boolean>;
}

/** The files of an archive. @throws SparlaneError `parse` for one that is damaged, at the latest behind its last file */
export type Unzip = (archive: ByteChunks, name: string) => AsyncGenerator<ZipMember, void, undefined>;

/** How a platform unpacks files. */
export interface Unpacking {
  readonly gunzip: Gunzip;
  /** What it needs is loaded when it begins. */
  readonly unzip: Unzip;
}

/** The error for deflated bytes that are damaged, with a reason; without one: for bytes behind their end. */
export type DamagedFile = (reason?: string) => Error;

/** Bytes behind the end of deflated ones that are no error, at most: those of a block that is stored as it is come when all are there, 64 KiB. */
export const MAX_IDLE_BYTES: number = 1 << 18;

/** What a zip archive needs of a platform. */
export interface ZipTools {
  readonly inflate: (packed: ByteChunks, damaged: DamagedFile) => ByteChunks;
  /** As `crc32.ts`. */
  readonly crc32: (bytes: Uint8Array, before: number) => number;
}

export const UNPACKING: Unpacking = {
  gunzip,
  async *unzip(archive, name) {
    const [{ zipEntries }, { inflate }, { crc32 }] = await Promise.all([
      import('./zip.js'),
      import('./inflate.js'),
      import('./crc32.js'),
    ]);
    yield* zipEntries(archive, name, { inflate, crc32 });
  },
};

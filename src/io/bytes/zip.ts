/**
 * zip archives as streams, by fflate.
 *
 * fflate reads an archive from its front, and does not compare checksums. They stand in the directory at the end of the
 * archive (APPNOTE.TXT, §4.3.12) and are compared when that is reached: damage is an error, never a wrong number. Of an
 * archive that was written as a stream, sizes stand behind the files, and fflate finds their ends by a signature; where that
 * occurs by chance in a file, the archive is refused as damaged.
 */
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { fileError, reasonOf } from '../parse-error.js';
import type { ArchiveEntries } from './archive.js';
import { type Chunks, joined, letGo } from './chunks.js';
import { crc32 } from './crc32.js';

/** So much is unpacked at once: at most a thousand times as many bytes. */
const PUSH_BYTES = 1 << 14;
/** Of the end of the archive, for the directory: that of five hundred files at least. */
const TAIL_BYTES = 1 << 18;

/** A file of the archive, as it arrives. */
interface Member {
  readonly path: string;
  readonly size: number | undefined;
  readonly pieces: Uint8Array[];
  crc: number;
  done: boolean;
}

/** The files of an archive. @throws SparlaneError `parse` for one that is damaged, at the latest behind its last file */
export async function* zipEntries(archive: Chunks, name: string): ArchiveEntries {
  const zip = new ZipStream(archive, name);
  try {
    for (let k = 0; ; k++) {
      while (k >= zip.members.length && (await zip.advance()));
      const member = zip.members[k];
      if (member === undefined) break;
      // A directory has no content.
      if (!member.path.endsWith('/')) yield { path: member.path, size: member.size, chunks: zip.content(member) };
      for await (const _ of zip.content(member));
    }
    zip.check();
  } finally {
    letGo(archive);
  }
}

class ZipStream {
  readonly members: Member[] = [];
  readonly #archive: Chunks;
  readonly #name: string;
  readonly #unzip: Unzip;
  /** What was read of the archive, but not unpacked yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #tail: Uint8Array = new Uint8Array(0);
  #failure: unknown;

  constructor(archive: Chunks, name: string) {
    this.#archive = archive;
    this.#name = name;
    this.#unzip = new Unzip((file) => this.#begin(file));
    this.#unzip.register(UnzipInflate);
  }

  /** What remains of a file. */
  async *content(member: Member): Chunks {
    for (;;) {
      for (let piece = member.pieces.shift(); piece !== undefined; piece = member.pieces.shift()) yield piece;
      if (member.done) return;
      if (!(await this.advance())) throw this.#damaged(`the end of the archive in ${member.path}`);
    }
  }

  /** Unpacks one more piece of the archive; false at its end. */
  async advance(): Promise<boolean> {
    if (this.#rest.length === 0) {
      const { done, value } = await this.#archive.next();
      if (done) return false;
      this.#rest = value;
      this.#tail = joined(this.#tail, value.subarray(-TAIL_BYTES)).slice(-TAIL_BYTES);
    }
    try {
      this.#unzip.push(this.#rest.slice(0, PUSH_BYTES));
    } catch (error) {
      throw this.#damaged(reasonOf(error));
    }
    this.#rest = this.#rest.subarray(PUSH_BYTES);
    if (this.#failure !== undefined) throw this.#damaged(reasonOf(this.#failure));
    return true;
  }

  #begin(file: UnzipFile): void {
    const member: Member = { path: file.name, size: file.originalSize, pieces: [], crc: 0, done: false };
    this.members.push(member);
    file.ondata = (error, bytes, final) => {
      if (error !== null) {
        this.#failure ??= error;
        return;
      }
      member.crc = crc32(bytes, member.crc);
      if (bytes.length > 0) member.pieces.push(bytes);
      member.done ||= final;
    };
    file.start();
  }

  /** Compares the files with the directory. */
  check(): void {
    const checksums = directory(this.#tail);
    if (checksums === undefined) throw this.#damaged('no directory at its end');
    const { members } = this;
    if (checksums.length !== members.length) throw this.#damaged(`${members.length} of ${checksums.length} files`);
    const wrong = members.find(({ crc }, k) => crc !== checksums[k]!);
    if (wrong !== undefined) throw this.#damaged(`a wrong checksum of ${wrong.path}`);
  }

  #damaged(reason: string): Error {
    return fileError(this.#name, 'a complete zip archive', `one that is cut short or damaged (${reason})`);
  }
}

const END_SIGNATURE = 0x0605_4b50;
const END_BYTES = 22;
const ENTRY_SIGNATURE = 0x0201_4b50;
const ENTRY_BYTES = 46;

/** The checksums in the directory, in its order; undefined if there is none, or if it is longer than the tail. */
function directory(tail: Uint8Array): number[] | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  let end = tail.length - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== END_SIGNATURE) end--;
  if (end < 0) return undefined;
  const count = view.getUint16(end + 10, true);
  // Counted back from its end: an archive beyond 4 GiB has records of its own between the two, and no offset here.
  let at = end - view.getUint32(end + 12, true);
  while (at > 0 && at < end && view.getUint32(at, true) !== ENTRY_SIGNATURE) at--;
  const checksums: number[] = [];
  for (let k = 0; k < count; k++) {
    if (at < 0 || at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE) return undefined;
    checksums.push(view.getUint32(at + 16, true));
    at += ENTRY_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return checksums;
}

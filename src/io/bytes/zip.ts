/**
 * zip archives as streams, inflated by what the platform has (`unpacking.ts`).
 *
 * An archive is read from its front: a header, the packed bytes of the file, the next header. The directory at its end says all that
 * again, and each file has a checksum, so that damage, or an archive that readers of the directory understand otherwise, is an error,
 * never a wrong number: a checksum is compared before the end of the content is told, the directory before that of the archive.
 *
 * Of a file that was written as a stream, sizes and checksum stand behind it. Its end is found by the signature of the next header and by
 * the size in front of that, which must be the number of packed bytes.
 */
import { fileError } from '../parse-error.js';
import { type ByteChunks, joined, letGo } from './chunks.js';
import { ByteReader } from './reader.js';
import type { ZipMember, ZipTools } from './unpacking.js';
import {
  CENTRAL_SIGNATURE,
  checkDirectory,
  damagedZip,
  type FileRecord,
  LOCAL_SIGNATURE,
  readLocal,
  readSignature,
} from './zip-records.js';

/** The files of an archive. @throws SparlaneError `parse` for one that is damaged, at the latest behind its last file */
export async function* zipEntries(
  archive: ByteChunks,
  name: string,
  tools: ZipTools,
): AsyncGenerator<ZipMember, void, undefined> {
  const reader = new ByteReader(name, archive);
  const files: FileRecord[] = [];
  try {
    for (;;) {
      const begin = reader.position;
      const signature = await readSignature(reader);
      if (signature !== LOCAL_SIGNATURE) return await checkDirectory(reader, signature, files);
      const header = await readLocal(reader, begin);
      const packed = new PackedFile(reader, header, header.isStreamed);
      const { path, size } = header;
      // A directory has no content.
      if (!path.endsWith('/')) {
        const keep = (most: number) => packed.keep(most);
        yield { path, size: header.isStreamed ? undefined : size, chunks: content(packed, name, tools), keep };
      }
      await packed.finish();
      files.push(packed.record);
    }
  } finally {
    letGo(archive);
  }
}

const STORED = 0;
const DEFLATED = 8;
/** APPNOTE.TXT, §4.4.5. */
const METHODS: ReadonlyMap<number, string> = new Map([
  [1, 'shrunk'],
  [6, 'imploded'],
  [9, 'Deflate64'],
  [12, 'bzip2'],
  [14, 'LZMA'],
  [20, 'Zstandard'],
  [93, 'Zstandard'],
  [95, 'xz'],
  [98, 'PPMd'],
]);

/** What a file contains. Its size and checksum are compared before its end. */
async function* content(packed: PackedFile, archive: string, { inflate, crc32 }: ZipTools): ByteChunks {
  const { path, method, isEncrypted } = packed.record;
  const name = `${archive}/${path}`;
  if (isEncrypted) throw fileError(name, 'a file that is not encrypted', 'an encrypted one');
  if (method !== STORED && method !== DEFLATED) {
    const known = METHODS.get(method);
    const got = `compression method ${method}${known === undefined ? '' : ` (${known})`}`;
    throw fileError(name, 'a file that is stored or deflated (methods 0 and 8)', got);
  }
  let crc = 0;
  let size = 0;
  const damaged = (reason = `bytes behind the end of ${path}`) => damagedZip(archive, reason);
  for await (const piece of method === STORED ? packed.bytes() : inflate(packed.bytes(), damaged)) {
    crc = crc32(piece, crc);
    size += piece.length;
    if (size > packed.most) throw damaged(`more than the ${packed.most} bytes of ${path}`);
    yield piece;
  }
  if (size !== packed.record.size) throw damaged(`${size} of the ${packed.record.size} bytes of ${path}`);
  if (crc !== packed.record.crc) throw damaged(`a wrong checksum of ${path}`);
}

/** The packed bytes of a file, as they arrive. */
class PackedFile {
  /** Of a file that was written as a stream, complete behind its last byte. */
  record: FileRecord;
  /** Bytes of the content, at most; infinite as long as they are not known. */
  most: number;
  readonly #source: ByteChunks;
  readonly #kept: Uint8Array[] = [];

  constructor(reader: ByteReader, record: FileRecord, isStreamed: boolean) {
    this.record = record;
    this.most = isStreamed ? Number.POSITIVE_INFINITY : record.size;
    this.#source = isStreamed ? this.#untilDescriptor(reader) : this.#known(reader);
  }

  /** Those that are not used up. */
  async *bytes(): ByteChunks {
    for (;;) {
      const piece = this.#kept.shift() ?? (await this.#source.next()).value;
      if (piece === undefined) return;
      yield piece;
    }
  }

  /** Reads all into memory. False if they are more than `most`. */
  async keep(most: number): Promise<boolean> {
    if (this.most < Number.POSITIVE_INFINITY && this.record.packedSize > most) return false;
    for (let kept = 0; kept <= most; ) {
      const { done, value } = await this.#source.next();
      if (done) return true;
      // A copy: a source may use its memory again.
      this.#kept.push(value.slice());
      kept += value.length;
    }
    return false;
  }

  /** Reads on behind the file. What was not kept is gone. */
  async finish(): Promise<void> {
    while (!(await this.#source.next()).done);
  }

  async *#known(reader: ByteReader): ByteChunks {
    for (let left = this.record.packedSize; left > 0; ) {
      const piece = await reader.piece(left, this.record.path);
      left -= piece.length;
      yield piece;
    }
  }

  async *#untilDescriptor(reader: ByteReader): ByteChunks {
    let before = 0;
    let held: Uint8Array = new Uint8Array(0);
    for (;;) {
      const bytes = joined(held, await reader.piece(PIECE_BYTES, this.record.path));
      const end = findEnd(bytes, before);
      if (end !== undefined) {
        reader.unread(bytes.subarray(end.next));
        const { crc, size, packedSize } = end;
        this.most = size;
        this.record = { ...this.record, crc, size, packedSize };
        yield bytes.subarray(0, packedSize - before);
        return;
      }
      const safe = Math.max(0, bytes.length - HELD_BYTES);
      if (safe > 0) yield bytes.subarray(0, safe);
      before += safe;
      held = bytes.subarray(safe);
    }
  }
}

const PIECE_BYTES = 1 << 16;

/**
 * A descriptor, which stands behind a file that was written as a stream, with or without its signature, with sizes of four or eight bytes. The end of one
 * with eight also reads as one with four if the file has eight bytes more than it has packed, so eight are tried first.
 */
const DESCRIPTORS = [
  { signature: 4, sizeBytes: 8 },
  { signature: 4, sizeBytes: 4 },
  { signature: 0, sizeBytes: 8 },
  { signature: 0, sizeBytes: 4 },
] as const;
const DESCRIPTOR_SIGNATURE = 0x0807_4b50;
/** The longest descriptor and the signature behind it, less one: what may be cut off. */
const HELD_BYTES = 27;

interface End {
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where the next header begins. */
  readonly next: number;
}

/** Finds the descriptor of a file, `before` bytes of which were in front of these. */
function findEnd(bytes: Uint8Array<ArrayBuffer>, before: number): End | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let next = bytes.indexOf(P); next >= 0 && next + 4 <= bytes.length; next = bytes.indexOf(P, next + 1)) {
    const signature = view.getUint32(next, true);
    if (signature !== LOCAL_SIGNATURE && signature !== CENTRAL_SIGNATURE) continue;
    for (const { signature: front, sizeBytes } of DESCRIPTORS) {
      const begin = next - front - 4 - 2 * sizeBytes;
      if (begin < 0 || (front > 0 && view.getUint32(begin, true) !== DESCRIPTOR_SIGNATURE)) continue;
      const sizeAt = (at: number) =>
        view.getUint32(at, true) + (sizeBytes === 8 ? 2 ** 32 * view.getUint32(at + 4, true) : 0);
      const sizes = begin + front + 4;
      const [packedSize, size] = [sizeAt(sizes), sizeAt(sizes + sizeBytes)];
      if (packedSize === before + begin) return { crc: view.getUint32(sizes - 4, true), packedSize, size, next };
    }
  }
  return undefined;
}

/** The first byte of all signatures. */
const P = 0x50;

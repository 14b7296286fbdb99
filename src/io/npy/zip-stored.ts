/**
 * Files → a zip archive that stores them as they are, as a stream.
 *
 * Sizes and checksums stand in front of each file, so that the archive can be read as a stream, too; writers of streams put
 * them behind it. Source: PKWARE, APPNOTE.TXT 6.3.10, §4.3. Its plain records count to 4 GiB.
 */
import { mismatch } from '../../core/errors.js';
import { crc32 } from '../bytes/crc32.js';

export interface StoredFile {
  readonly path: string;
  readonly pieces: readonly Uint8Array[];
}

const LOCAL = 0x0403_4b50;
const CENTRAL = 0x0201_4b50;
const END = 0x0605_4b50;
/** Version 2.0: files in folders. */
const VERSION = 20;
/** 1 January 1980, the first day of zip: the same matrix gives the same bytes. */
const DATE = 0x21;
const MAX_BYTES = 0xffff_ffff;

/** @throws SparlaneError `heap` if the archive would exceed 4 GiB */
export function* zipStored(name: string, files: readonly StoredFile[]): Generator<Uint8Array> {
  const total = files.reduce((sum, { pieces }) => sum + sizeOf(pieces) + 256, 0);
  if (total > MAX_BYTES) throw mismatch('heap', name, `at most ${MAX_BYTES} bytes`, total, { bytes: total });
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path, pieces } of files) {
    const size = sizeOf(pieces);
    const crc = pieces.reduce((before, piece) => crc32(piece, before), 0);
    const encoded = new TextEncoder().encode(path);
    // Flags, method (stored), time, date; checksum, packed and plain size; length of the name, and of extra fields.
    const common = [
      [VERSION, 0, 0, 0, DATE],
      [crc, size, size],
      [encoded.length, 0],
    ] as const;
    const local = record(LOCAL, common[0], common[1], common[2]);
    yield local;
    yield encoded;
    yield* pieces;
    // In addition the version of the writer; length of a comment, disk, attributes (two), and where the file begins.
    const [flags, sizes, lengths] = common;
    directory.push(record(CENTRAL, [VERSION, ...flags], sizes, [...lengths, 0, 0, 0, 0, 0], [offset]), encoded);
    offset += local.length + encoded.length + size;
  }
  yield* directory;
  const { length } = files;
  yield record(END, [0, 0, length, length], [sizeOf(directory), offset], [0]);
}

/** A signature, and fields of two bytes and of four in turn. */
function record(signature: number, ...fields: readonly (readonly number[])[]): Uint8Array {
  const bytes: number[] = [];
  const push = (value: number, width: number) => {
    for (let k = 0; k < width; k++) bytes.push((value / 256 ** k) & 0xff);
  };
  push(signature, 4);
  fields.forEach((group, k) => {
    for (const value of group) push(value, k % 2 === 0 ? 2 : 4);
  });
  return Uint8Array.from(bytes);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

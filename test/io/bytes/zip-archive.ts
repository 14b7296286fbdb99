/** Zip archives of any make, right or wrong, for tests. */
import { deflateRawSync } from 'node:zlib';
import { crc32 } from '#dist/io/bytes/crc32.js';

/** What a header says of a file. */
export interface ZipFields {
  path: string;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  /** Only in the directory: where the header is. */
  begin: number;
}

export interface ZipFile {
  path: string;
  bytes: Uint8Array;
  /** Default: stored. */
  deflated?: boolean;
  /** Sizes and checksum stand behind the file; `bare`: without a signature. */
  streamed?: boolean | 'bare';
  /** Sizes of 64 bits. */
  wide?: boolean;
  /** Bytes instead of the packed ones; sizes are those of them and of `bytes`. */
  packed?: Uint8Array;
  /** Other values in its header, or behind it, and in the directory. */
  local?: Partial<ZipFields>;
  central?: Partial<ZipFields>;
}

export interface ZipEnd {
  /** With the records of Zip64. */
  wide?: boolean;
  /** Other numbers in the last record. */
  count?: number;
  bytes?: number;
  begin?: number;
  comment?: string;
  /** Bytes between the files and the directory, and behind all. */
  gap?: Uint8Array;
  behind?: Uint8Array;
  /** Files, by place, that the directory does not have. */
  unlisted?: number[];
}

const MOST = 0xffff_ffff;

export function zipArchive(files: readonly ZipFile[], end: ZipEnd = {}): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const used = () => pieces.reduce((sum, { length }) => sum + length, 0);
  files.forEach((file, place) => {
    const { path, bytes, deflated = false, streamed = false, wide = false } = file;
    const packed = file.packed ?? (deflated ? deflateRawSync(bytes) : bytes);
    const name = new TextEncoder().encode(path);
    const fields = { path, flags: 0x800 | (streamed ? 8 : 0), method: deflated ? 8 : 0, crc: crc32(bytes) };
    const all: ZipFields = { ...fields, packedSize: packed.length, size: bytes.length, begin: used() };
    const local = { ...all, ...file.local };
    const front = streamed ? { ...local, crc: 0, packedSize: 0, size: 0 } : local;
    const localName = file.local?.path === undefined ? name : new TextEncoder().encode(file.local.path);
    const sizes = wide ? [MOST, MOST] : [front.packedSize, front.size];
    const extra = wide ? record('2 2 8 8', 1, 16, front.size, front.packedSize) : new Uint8Array(0);
    pieces.push(
      record(
        '4 2 2 2 2 2 4 4 4 2 2',
        0x04034b50,
        45,
        front.flags,
        front.method,
        0,
        0x21,
        front.crc,
        ...sizes,
        localName.length,
        extra.length,
      ),
      ...[localName, extra, packed],
    );
    if (streamed === true) pieces.push(record('4', 0x08074b50));
    if (streamed) pieces.push(record(wide ? '4 8 8' : '4 4 4', local.crc, local.packedSize, local.size));
    if (end.unlisted?.includes(place)) return;
    const central = { ...all, ...file.central };
    const centralName = file.central?.path === undefined ? name : new TextEncoder().encode(file.central.path);
    const [packedSize, size, begin] = wide ? [MOST, MOST, MOST] : [central.packedSize, central.size, central.begin];
    const more = wide ? record('2 2 8 8 8', 1, 24, central.size, central.packedSize, central.begin) : new Uint8Array(0);
    directory.push(
      record(
        '4 2 2 2 2 2 2 4 4 4 2 2 2 2 2 4 4',
        0x02014b50,
        45,
        45,
        central.flags,
        central.method,
        0,
        0x21,
        central.crc,
        packedSize!,
        size!,
        centralName.length,
        more.length,
        0,
        0,
        0,
        0,
        begin!,
      ),
      ...[centralName, more],
    );
  });
  if (end.gap !== undefined) pieces.push(end.gap);
  const begin = end.begin ?? used();
  const bytes = end.bytes ?? directory.reduce((sum, { length }) => sum + length, 0);
  const count = end.count ?? files.length - (end.unlisted?.length ?? 0);
  pieces.push(...directory);
  const comment = new TextEncoder().encode(end.comment ?? '');
  if (end.wide) {
    const at = used();
    pieces.push(record('4 8 2 2 4 4 8 8 8 8', 0x06064b50, 44, 45, 45, 0, 0, count, count, bytes, begin));
    pieces.push(record('4 4 8 4', 0x07064b50, 0, at, 1));
  }
  const last = end.wide ? [0xffff, 0xffff, MOST, MOST] : [count, count, bytes, begin];
  pieces.push(record('4 2 2 2 2 4 4 2', 0x06054b50, 0, 0, ...last, comment.length), comment);
  if (end.behind !== undefined) pieces.push(end.behind);
  return new Uint8Array(Buffer.concat(pieces));
}

/** Little-endian numbers of so many bytes each. */
function record(widths: string, ...values: number[]): Uint8Array {
  return Uint8Array.from(
    widths
      .split(' ')
      .flatMap((width, k) =>
        Array.from({ length: Number(width) }, (_, at) => Math.floor(values[k]! / 256 ** at) % 256),
      ),
  );
}

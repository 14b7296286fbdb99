/**
 * The records of a zip archive: a header in front of each file, and the directory behind the last one, which says the same again.
 *
 * Source: PKWARE, APPNOTE.TXT 6.3.10, §4.3 to §4.5; with the fields of 64 bits (Zip64).
 * Differs: archives of several parts, and signatures of directories, are refused.
 */
import { fileError } from '../parse-error.js';
import type { ByteReader } from './reader.js';

export const LOCAL_SIGNATURE = 0x0403_4b50;
export const CENTRAL_SIGNATURE = 0x0201_4b50;
const END_SIGNATURE = 0x0605_4b50;
const END64_SIGNATURE = 0x0606_4b50;
const LOCATOR_SIGNATURE = 0x0706_4b50;

/** What a record says of a file. */
export interface FileRecord {
  readonly path: string;
  /** How it is compressed. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Of its content. */
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where its header begins. */
  readonly begin: number;
}

/** The header in front of a file. Its sizes and checksum stand behind the file instead if `isStreamed`. */
export interface LocalHeader extends FileRecord {
  readonly isStreamed: boolean;
}

/** The error for an archive that contradicts itself. */
export function damagedZip(file: string, reason: string): Error {
  return fileError(file, 'a complete zip archive', `one that is cut short or damaged (${reason})`);
}

const WHAT = 'the header of a file in a zip archive, or its directory';

export async function readSignature(reader: ByteReader): Promise<number> {
  return new DataView((await reader.take(4, WHAT)).buffer).getUint32(0, true);
}

/** Fields of two and of four bytes, behind the signature. */
async function fields(
  reader: ByteReader,
  bytes: number,
): Promise<{ u16(at: number): number; u32(at: number): number }> {
  const view = new DataView((await reader.take(bytes - 4, WHAT)).buffer);
  return { u16: (at) => view.getUint16(at - 4, true), u32: (at) => view.getUint32(at - 4, true) };
}

const ENCRYPTED = 1;
const STREAMED = 1 << 3;
const UTF8 = 1 << 11;

/** @param begin where its signature is */
export async function readLocal(reader: ByteReader, begin: number): Promise<LocalHeader> {
  const { u16, u32 } = await fields(reader, 30);
  const flags = u16(6);
  const path = await readPath(reader, u16(26), flags);
  const [size, packedSize] = await readWide(reader, u16(28), [u32(22), u32(18)]);
  const isStreamed = (flags & STREAMED) !== 0;
  const isEncrypted = (flags & ENCRYPTED) !== 0;
  return { path, method: u16(8), isEncrypted, isStreamed, crc: u32(14), packedSize: packedSize!, size: size!, begin };
}

async function readPath(reader: ByteReader, length: number, flags: number): Promise<string> {
  const bytes = await reader.take(length, WHAT);
  return (flags & UTF8) === 0 ? String.fromCharCode(...bytes) : new TextDecoder().decode(bytes);
}

const WIDE_ID = 1;
const IS_WIDE = 0xffff_ffff;

/** Reads extra fields, of which that of Zip64 has the values that do not fit into 32 bits, in this order. */
async function readWide(reader: ByteReader, length: number, narrow: readonly number[]): Promise<number[]> {
  const extra = new DataView((await reader.take(length, WHAT)).buffer);
  for (let at = 0; at + 4 <= length; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== WIDE_ID) continue;
    const end = Math.min(length, at + 4 + extra.getUint16(at + 2, true));
    let next = at + 4;
    return narrow.map((value) => {
      if (value !== IS_WIDE || next + 8 > end) return value;
      next += 8;
      return wide(extra, next - 8);
    });
  }
  return [...narrow];
}

function wide(view: DataView, at: number): number {
  return view.getUint32(at, true) + 2 ** 32 * view.getUint32(at + 4, true);
}

/**
 * Reads the directory, up to the end of the archive, and compares it with the files.
 *
 * @param signature that of its first record, which has been read
 * @throws SparlaneError `parse` if one of them says something else, or if there is more
 */
export async function checkDirectory(
  reader: ByteReader,
  signature: number,
  files: readonly FileRecord[],
): Promise<void> {
  const begin = reader.position - 4;
  const byBegin = new Map(files.map((file) => [file.begin, file]));
  let next = signature;
  for (; next === CENTRAL_SIGNATURE; next = await readSignature(reader)) {
    const listed = await readCentral(reader);
    const file = byBegin.get(listed.begin);
    if (file === undefined)
      throw damagedZip(reader.file, `no file ${listed.path} at byte ${listed.begin}, as its directory says`);
    byBegin.delete(listed.begin);
    for (const key of COMPARED) {
      if (file[key] === listed[key]) continue;
      throw damagedZip(reader.file, `${NAMES[key]} of ${file.path} is ${file[key]}, in its directory ${listed[key]}`);
    }
  }
  if (next !== END_SIGNATURE && next !== END64_SIGNATURE)
    throw damagedZip(reader.file, `no header of a file and no directory at byte ${reader.position - 4}`);
  for (const { path } of byBegin.values()) throw damagedZip(reader.file, `${path} is not in its directory`);
  await readEnd(reader, next, files.length, begin);
}

const NAMES = {
  path: 'the name',
  method: 'the method',
  packedSize: 'the compressed size',
  size: 'the size',
  crc: 'the checksum',
};
const COMPARED = ['path', 'method', 'packedSize', 'size', 'crc'] as const;

async function readCentral(reader: ByteReader): Promise<FileRecord> {
  const { u16, u32 } = await fields(reader, 46);
  const flags = u16(8);
  const path = await readPath(reader, u16(28), flags);
  const [size, packedSize, begin] = await readWide(reader, u16(30), [u32(24), u32(20), u32(42)]);
  await reader.take(u16(32), WHAT);
  const isEncrypted = (flags & ENCRYPTED) !== 0;
  return { path, method: u16(10), isEncrypted, crc: u32(16), packedSize: packedSize!, size: size!, begin: begin! };
}

/** The records behind the directory, which say where it is, and the end of the archive. */
async function readEnd(reader: ByteReader, signature: number, count: number, begin: number): Promise<void> {
  const end = reader.position - 4;
  let last = signature;
  if (signature === END64_SIGNATURE) {
    const view = new DataView((await reader.take(52, WHAT)).buffer);
    // Its own size, without the signature and itself.
    for (let more = wide(view, 0) - 44; more > 0; more -= 1 << 16) await reader.take(Math.min(more, 1 << 16), WHAT);
    checkEnd(reader, [wide(view, 28), wide(view, 36), wide(view, 44)], [count, end - begin, begin]);
    if ((await readSignature(reader)) !== LOCATOR_SIGNATURE)
      throw damagedZip(reader.file, 'no locator of its directory');
    await reader.take(16, WHAT);
    last = await readSignature(reader);
  }
  if (last !== END_SIGNATURE) throw damagedZip(reader.file, 'no last record');
  const { u16, u32 } = await fields(reader, 22);
  // All ones: what the record of Zip64 says.
  const isWide = signature === END64_SIGNATURE;
  const plain = (value: number, most: number, actual: number) => (isWide && value === most ? actual : value);
  const said = [plain(u16(10), 0xffff, count), plain(u32(12), IS_WIDE, end - begin), plain(u32(16), IS_WIDE, begin)];
  checkEnd(reader, said, [count, end - begin, begin]);
  await reader.take(u16(20), WHAT);
  await reader.finish();
}

/** Compares the number of files, the bytes of the directory, and where it begins. */
function checkEnd(reader: ByteReader, said: readonly number[], actual: readonly number[]): void {
  const text = ([count, bytes, begin]: readonly number[]) =>
    `${count} files in a directory of ${bytes} bytes at byte ${begin}`;
  if (text(said) !== text(actual)) throw damagedZip(reader.file, `${text(actual)}, at its end ${text(said)}`);
}

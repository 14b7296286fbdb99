/**
 * A share of the lines of a coordinate file on a disk: several readers of one file take equal shares of its bytes, and each line belongs to the reader in
 * whose share it begins. Nobody knows the numbers of the lines before its share, so an error here is one of the file as a whole: a reader of all lines says
 * where it is.
 */
import type { EntryChunk } from '../../core/entries.js';
import type { FileText, OpenDisk } from '../bytes/bytes.js';
import type { ReadAt } from '../bytes/disk.js';
import { NEWLINE, wholeLines } from '../bytes/lines.js';
import { parseError } from '../parse-error.js';
import { blockBytes, MIN_LINE_BYTES, PIECE_BYTES } from './blocks.js';
import { CoordinateBody } from './coordinate.js';
import { HeaderReader, type MatrixMarketHeader } from './header.js';
import { readBlocks } from './read-blocks.js';
import { keepScanner, lineScanner } from './scanner.js';

/** A file is read in `count` shares, which are numbered from 0. */
export interface ShareNumber {
  readonly number: number;
  readonly count: number;
}

export interface EntryShare {
  /** The header is that of the whole file. */
  readonly header: MatrixMarketHeader;
  /** The entries of the share are in the order of the file; mirror images are not among them. */
  readonly entries: EntryChunk;
  /** The entries are in these triangles: 1 is the lower one, 2 the upper one, 3 both. */
  readonly triangles: number;
}

/**
 * Returns undefined for a file that has no shares: one that is compressed or no file on a disk, an array, or where the process has no WebAssembly. The number of
 * entries is not compared with that of the header, which is one of all shares. The caller lets go of the file.
 *
 * @throws SparlaneError `parse` for a wrong header, or a wrong line of this share, whose number in the error means nothing
 */
export async function parseShare(
  { name, chunks, disk }: FileText,
  share: ShareNumber,
): Promise<EntryShare | undefined> {
  const head = new HeaderReader(name);
  const scanner = await lineScanner();
  if (disk === undefined || scanner === undefined) return undefined;
  const error = (bytes: number) =>
    parseError(name, 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  const begin = await readHeader(head, wholeLines(chunks, error));
  const { header } = head;
  if (header === undefined) throw head.missing();
  if (header.format !== 'coordinate') return undefined;
  const body = new CoordinateBody(header, head.line, scanner);
  await readShare(body, disk, begin, share, scanner, error);
  keepScanner(scanner);
  return { header, entries: body.entries.all, triangles: body.triangles };
}

/** Reads the header. Returns where the lines behind it begin, in the file. */
async function readHeader(head: HeaderReader, lines: AsyncIterator<Uint8Array>): Promise<number> {
  let position = 0;
  while (head.header === undefined) {
    const { done, value } = await lines.next();
    if (done) break;
    const next = head.read(value);
    position += head.header === undefined ? value.length : next;
  }
  return position;
}

async function readShare(
  body: CoordinateBody,
  disk: OpenDisk,
  first: number,
  { number, count }: ShareNumber,
  scanner: Parameters<typeof readBlocks>[1],
  error: (bytes: number) => Error,
): Promise<void> {
  const length = disk.size - first;
  const beginOf = (share: number) =>
    share === 0 ? first : lineBegin(disk.readAt, first + Math.floor((length * share) / count), disk.size);
  const begin = await beginOf(number);
  const end = number + 1 === count ? disk.size : await beginOf(number + 1);
  if (begin >= end) return;
  const helpers = Math.min(disk.threads - 1, disk.threadsFor(end - begin));
  body.entries.expect((end - begin) / MIN_LINE_BYTES);
  await readBlocks(body, scanner, disk, { begin, end, bytes: blockBytes(end - begin, 1 + helpers) }, helpers, error);
}

/** Returns where the first line begins that does so at a position or behind it; the end of the file if there is none. */
async function lineBegin(readAt: ReadAt, position: number, end: number): Promise<number> {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = position - 1; at < end; at += PIECE_BYTES) {
    const used = await readAt(piece, at);
    const newline = piece.subarray(0, used).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    if (used < PIECE_BYTES) break;
  }
  return end;
}

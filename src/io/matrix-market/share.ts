/**
 * A share of the lines of a coordinate file on a disk: several readers of one file take equal shares of its bytes, and each line belongs to the reader in
 * whose share it begins. Nobody knows the numbers of the lines before its share, so an error here is one of the file as a whole: a reader of all lines says
 * where it is.
 */
import type { EntryChunk } from '../../core/entries.js';
import type { PlainFile } from '../bytes/bytes.js';
import { chunksFrom, type OpenDisk, type ReadAt } from '../bytes/disk.js';
import { lineFeeds, NEWLINE, wholeLines } from '../bytes/lines.js';
import { parseError } from '../parse-error.js';
import { blockBytes, MIN_LINE_BYTES, PIECE_BYTES } from './blocks.js';
import type { Body } from './body.js';
import { ComplexCoordinates, checkComplexLines, isComplexFile } from './complex.js';
import { CoordinateBody } from './coordinate.js';
import { HeaderReader, type MatrixMarketHeader } from './header.js';
import { parseRowWork } from './matrix-market.js';
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
  /**
   * The entries of the share are in the order of the file; mirror images are not among them. Those of a complex file are here twice: with their real
   * parts, and with their imaginary parts.
   */
  readonly parts: readonly EntryChunk[];
  /** The entries are in these triangles: 1 is the lower one, 2 the upper one, 3 both. */
  readonly triangles: number;
}

/**
 * Returns undefined for a file that has no shares: one that is compressed or no file on a disk, or an array. The number of entries is not compared with that of the
 * header, which is one of all shares. The caller lets go of the file.
 *
 * @param takesComplex whether numbers may be complex
 * @throws SparlaneError `parse` for a wrong header, or a wrong line of this share, whose number in the error means nothing; the signal's reason on abort
 */
export async function parseShare(
  { name, head: firstBytes, disk }: PlainFile,
  share: ShareNumber,
  takesComplex = false,
): Promise<EntryShare | undefined> {
  if (disk === undefined) return undefined;
  const error = (bytes: number) =>
    parseError(name, 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  const isComplex = takesComplex && isComplexFile(firstBytes);
  const head = new HeaderReader(name, isComplex);
  const bytes = chunksFrom(disk, 0, disk.size, PIECE_BYTES);
  const first = await readHeader(head, wholeLines(isComplex ? lineFeeds(bytes) : bytes, error));
  const { header } = head;
  if (header === undefined) throw head.missing();
  if (header.format !== 'coordinate') return undefined;
  const [begin, end] = await bytesOfShare(disk, first, share);
  if (isComplex) {
    const body = new ComplexCoordinates(header, head.line);
    await readLines(body, disk, begin, end, error);
    return { header, parts: [body.entries.all, body.imaginary.all], triangles: body.triangles };
  }
  const body = await readRealLines(header, head.line, disk, begin, end, error);
  return { header, parts: [body.entries.all], triangles: body.triangles };
}

/** Reads all lines of a Matrix Market file in coordinates, and keeps no entry: the error for a wrong line then has its number. @throws SparlaneError `parse` */
export async function checkLines(file: PlainFile, takesComplex: boolean): Promise<void> {
  if (takesComplex && isComplexFile(file.head)) await checkComplexLines(file);
  else await parseRowWork(file);
}

/** Reads the header. Returns where the lines behind it begin, in the file. */
async function readHeader(head: HeaderReader, lines: AsyncIterator<Uint8Array>): Promise<number> {
  let position = 0;
  while (head.header === undefined) {
    const { done, value } = await lines.next();
    if (done) break;
    position += head.read(value);
  }
  return position;
}

/** Returns where the lines of a share begin and end. @param first byte behind the header */
async function bytesOfShare(
  { readAt, size }: OpenDisk,
  first: number,
  { number, count }: ShareNumber,
): Promise<readonly [begin: number, end: number]> {
  const beginOf = (share: number) =>
    share === 0 ? first : lineBegin(readAt, first + Math.floor(((size - first) * share) / count), size);
  return [await beginOf(number), number + 1 === count ? size : await beginOf(number + 1)];
}

type LineError = (bytes: number) => Error;

/** Reads real numbers, by blocks where the process has WebAssembly. */
async function readRealLines(
  header: MatrixMarketHeader,
  line: number,
  disk: OpenDisk,
  begin: number,
  end: number,
  error: LineError,
): Promise<CoordinateBody> {
  const scanner = await lineScanner();
  const body = new CoordinateBody(header, line, scanner);
  if (scanner === undefined) {
    await readLines(body, disk, begin, end, error);
    return body;
  }
  if (begin < end) {
    const helpers = Math.min(disk.threads - 1, disk.threadsFor(end - begin));
    body.entries.expect((end - begin) / MIN_LINE_BYTES);
    await readBlocks(body, scanner, disk, { begin, end, bytes: blockBytes(end - begin, 1 + helpers) }, helpers, error);
  }
  keepScanner(scanner);
  return body;
}

async function readLines(body: Body, disk: OpenDisk, begin: number, end: number, error: LineError): Promise<void> {
  for await (const lines of wholeLines(lineFeeds(chunksFrom(disk, begin, end)), error)) body.read(lines, 0);
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

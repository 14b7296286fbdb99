/** The lines of a Matrix Market file, from its begin to its end: the header, and then a body of its format. */
import type { FileText } from '../bytes/bytes.js';
import { wholeLines } from '../bytes/lines.js';
import { parseError } from '../parse-error.js';
import { BLOCK_BYTES, blockBytes } from './blocks.js';
import type { Body } from './body.js';
import { CoordinateBody } from './coordinate.js';
import { HeaderReader, type MatrixMarketHeader } from './header.js';
import { keepScanner, type LineScanner, lineScanner } from './scanner.js';

/** A value of an array, and its newline. */
const MIN_ENTRY_BYTES = 2;

/** Reads a file into the body that is started behind its header. */
export async function readEntries<B extends Body>(
  { name, chunks, disk }: FileText,
  start: (
    head: MatrixMarketHeader,
    line: number,
    scanner: LineScanner | undefined,
    lines: Uint8Array,
    begin: number,
  ) => B,
  head: HeaderReader = new HeaderReader(name),
): Promise<B> {
  const scanner = await lineScanner();
  let body: B | undefined;
  const tooLong = (bytes: number): Error =>
    parseError(name, (body ?? head).line + 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  let position = 0;
  for await (const lines of wholeLines(chunks, tooLong)) {
    position += lines.length;
    const begin = body === undefined ? head.read(lines) : 0;
    if (head.header === undefined) continue;
    if (body === undefined) {
      body = start(head.header, head.line, scanner, lines, begin);
      if (disk !== undefined) body.entries.expect(disk.size / MIN_ENTRY_BYTES);
    }
    body.read(lines, begin);
    if (scanner === undefined || disk === undefined || !(body instanceof CoordinateBody)) continue;
    // A rest of less than a block comes by the stream.
    const rest = disk.size - position;
    if (rest < BLOCK_BYTES) continue;
    const { readBlocks } = await import('./read-blocks.js');
    const helpers = Math.min(disk.threads - 1, disk.threadsFor(rest));
    const blocks = { begin: position, end: disk.size, bytes: blockBytes(rest, 1 + helpers) };
    await readBlocks(body, scanner, disk, blocks, helpers, tooLong);
    break;
  }
  if (body === undefined) throw head.missing();
  body.finish();
  if (scanner !== undefined) keepScanner(scanner);
  return body;
}

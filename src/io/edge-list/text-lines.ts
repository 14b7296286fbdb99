/** The lines of a list of edges, or of a table: UTF-8, with a mark in front or without, and with any line ends. */
import type { NamedChunks } from '../bytes/bytes.js';
import { lineFeeds, lineText, MAX_LINE_BYTES, NEWLINE, wholeLines } from '../bytes/lines.js';
import { parseError, quote } from '../parse-error.js';
import { FieldSplitter } from './fields.js';

/** Lines that were read at once: how many, and where the next one begins. */
export interface UsualLines {
  readonly lines: number;
  readonly next: number;
}

export class LineReader {
  readonly file: string;
  /** Number of the last line that was read. */
  line = 0;
  /** Where the bytes that `visit` gets begin in the unpacked file. */
  position = 0;

  constructor(file: string) {
    this.file = file;
  }

  /**
   * Calls `visit` with each line that is neither blank nor a comment: `bytes[begin]` to `bytes[end - 1]`, and a newline behind it.
   *
   * @param readUsual is called first; it may read lines from `bytes[begin]` on, of at most 64 KiB each
   */
  async forEach(
    { chunks }: NamedChunks,
    visit: (bytes: Uint8Array, begin: number, end: number) => void,
    readUsual?: (bytes: Uint8Array, begin: number) => UsualLines | undefined,
  ): Promise<void> {
    for await (const bytes of wholeLines(lineFeeds(chunks), (length) => this.#tooLong(this.line + 1, length))) {
      for (let begin = this.line === 0 ? markBytes(bytes) : 0; begin < bytes.length; ) {
        const usual = readUsual?.(bytes, begin);
        if (usual !== undefined) {
          this.line += usual.lines;
          begin = usual.next;
          if (begin === bytes.length) break;
        }
        const end = bytes.indexOf(NEWLINE, begin);
        this.line++;
        if (end - begin > MAX_LINE_BYTES) throw this.#tooLong(this.line, end - begin);
        if (!FieldSplitter.isIdle(bytes, begin, end)) visit(bytes, begin, end);
        begin = end + 1;
      }
      this.position += bytes.length;
    }
  }

  error(expected: string, got: string): Error {
    return parseError(this.file, Math.max(this.line, 1), expected, got);
  }

  /** The same for a whole line. */
  lineError(expected: string, bytes: Uint8Array, begin: number, end: number): Error {
    return this.error(expected, quote(lineText(bytes, begin, end)));
  }

  /** The error for bytes that are not UTF-8. */
  encodingError(bytes: Uint8Array, begin: number, end: number): Error {
    const wrong = invalidByte(bytes, begin, end);
    const byte = this.position + wrong;
    const got = `the byte 0x${bytes[wrong]!.toString(16)} in ${quote(lineText(bytes, begin, end))}, byte ${byte} of the file`;
    return parseError(this.file, this.line, 'text in UTF-8', got, { byte });
  }

  #tooLong(line: number, bytes: number): Error {
    return parseError(this.file, line, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  }
}

/** Bytes of a mark of UTF-8 at the begin of a file, as spreadsheets write it: 3 or 0. */
export function markBytes(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** What a decoder puts in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd];

/** The place of the first byte that is not UTF-8. */
function invalidByte(bytes: Uint8Array, begin: number, end: number): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(begin, end));
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) {
    const place = begin + new TextEncoder().encode(text.slice(0, at)).length;
    // The file may have this character itself.
    if (REPLACEMENT_BYTES.some((byte, k) => bytes[place + k] !== byte)) return place;
  }
  return begin;
}

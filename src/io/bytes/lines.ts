/** Whole lines from pieces of any size. Copies only lines that are split over two pieces. */
import { type ByteChunks, joined } from './chunks.js';

export const NEWLINE = 0x0a;
export const SPACE = 0x20;
export const TAB = 0x09;
export const RETURN = 0x0d;
const PERCENT = 0x25;

/** The format allows 1024. The limit prevents that a file of one endless line fills the memory. */
export const MAX_LINE_BYTES: number = 1 << 16;

/** The same bytes with line feeds in place of carriage returns that have none behind them: the line ends of old Macs. */
export async function* lineFeeds(chunks: ByteChunks): ByteChunks {
  /** Whether the byte before the chunk is a carriage return, which waits for the next byte. */
  let waits = false;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (waits) yield Uint8Array.of(chunk[0] === NEWLINE ? RETURN : NEWLINE);
    waits = chunk.at(-1) === RETURN;
    let bytes = waits ? chunk.subarray(0, -1) : chunk;
    for (let at = bytes.indexOf(RETURN); at >= 0; at = bytes.indexOf(RETURN, at + 1)) {
      // Behind the last byte of `bytes` there may be another carriage return.
      if ((at + 1 < bytes.length ? bytes[at + 1] : RETURN) === NEWLINE) continue;
      if (bytes.buffer === chunk.buffer) bytes = bytes.slice();
      bytes[at] = NEWLINE;
    }
    if (bytes.length > 0) yield bytes;
  }
  if (waits) yield Uint8Array.of(NEWLINE);
}

/** Blocks of whole lines. Each block ends with a newline, even if the file does not. */
export async function* wholeLines(chunks: ByteChunks, tooLong: (bytes: number) => Error): ByteChunks {
  let partial: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    let begin = 0;
    if (partial.length > 0) {
      begin = chunk.indexOf(NEWLINE) + 1;
      partial = joined(partial, begin === 0 ? chunk : chunk.subarray(0, begin));
      const length = begin === 0 ? partial.length : partial.length - 1;
      if (length > MAX_LINE_BYTES) throw tooLong(length);
      if (begin === 0) continue;
      yield partial;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > begin) yield chunk.subarray(begin, end);
    partial = chunk.slice(end);
  }
  if (partial.length > 0) yield joined(partial, Uint8Array.of(NEWLINE));
}

/**
 * Skips blank lines and, if `comments` is set, lines that begin with `%`, starting at `bytes[begin]`, the begin of a
 * line in a block of whole lines. Returns the number of skipped lines and the begin of the next line.
 */
export function skipLines(bytes: Uint8Array, begin: number, comments: boolean): { lines: number; next: number } {
  let next = begin;
  let lines = 0;
  for (const end = bytes.length; next < end; lines++) {
    let at = next;
    let byte = bytes[at]!;
    while (byte === SPACE || byte === TAB || byte === RETURN) byte = bytes[++at]!;
    if (comments && byte === PERCENT) at = bytes.indexOf(NEWLINE, at);
    else if (byte !== NEWLINE) break;
    next = at + 1;
  }
  return { lines, next };
}

/**
 * Positions of the lines without an item, among lines with one item each. With them, the line number of an item can be
 * computed afterwards. A run of such lines costs 16 bytes, whatever its length.
 */
export class LineGaps {
  /** Two numbers per gap: the number of items before it, and the number of its lines. */
  #gaps: Float64Array = new Float64Array(32);
  #used = 0;

  add(itemsBefore: number, lines: number): void {
    if (this.#used > 0 && this.#gaps[this.#used - 2] === itemsBefore) {
      this.#gaps[this.#used - 1]! += lines;
      return;
    }
    if (this.#used === this.#gaps.length) {
      const grown = new Float64Array(2 * this.#used);
      grown.set(this.#gaps);
      this.#gaps = grown;
    }
    this.#gaps[this.#used++] = itemsBefore;
    this.#gaps[this.#used++] = lines;
  }

  /** The number of lines without an item before an item. */
  before(item: number): number {
    let lines = 0;
    for (let k = 0; k < this.#used && this.#gaps[k]! <= item; k += 2) lines += this.#gaps[k + 1]!;
    return lines;
  }
}

/** A line as text, without the newline at `end`. Slow: only for headers, rare values and errors. */
export function lineText(bytes: Uint8Array, begin: number, end: number): string {
  return new TextDecoder().decode(bytes.slice(begin, Math.min(end, begin + MAX_LINE_BYTES)));
}

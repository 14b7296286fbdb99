/**
 * The lines behind the header of a Matrix Market file, in blocks of whole lines.
 *
 * Each format has one loop over the bytes that knows the usual shape of a line and nothing else: it stops at any other.
 * Blank lines and comments are passed over. A line that is rare (`inf`) or wrong is looked at as text, which defines the
 * format and says what is wrong. Then the loop goes on behind it.
 */
import { type ErrorDetail, mismatch } from '../core/errors.js';
import { EntryList } from './entries.js';
import { lineText, NEWLINE, skipLines } from './lines.js';
import type { Header } from './matrix-market-header.js';
import { parseNumber } from './number.js';
import { parseError, quote } from './parse-error.js';

export const ZERO = 0x30;

/** The rows that a header gets without any entry, and for each entry. */
const FREE_ROWS = 2 ** 24;
const ROWS_PER_ENTRY = 64;

export abstract class Body {
  readonly header: Header;
  readonly entries: EntryList;
  /** The number of the last line that was read. */
  line: number;

  constructor(header: Header, line: number) {
    this.header = header;
    this.entries = new EntryList(header.field);
    this.line = line;
  }

  /** Reads whole lines, from `bytes[begin]` to the end of the block. */
  read(bytes: Uint8Array, begin: number): void {
    let at = this.readUsualLines(bytes, begin);
    while (at < bytes.length) {
      const { lines, next } = skipLines(bytes, at, true);
      if (lines > 0) {
        this.#skip(lines);
        at = next;
      } else {
        const end = bytes.indexOf(NEWLINE, at);
        this.#readLine(lineText(bytes, at, end).trim());
        at = end + 1;
      }
      at = this.readUsualLines(bytes, at);
    }
  }

  /** At the end of the file: all that the header promised is there. */
  finish(): void {
    const { entries } = this.header;
    const found = this.countRead();
    if (found < entries) {
      throw this.error(`${entries} entries`, `the end of the file after ${found}`, { entries, found });
    }
    checkClaim(this.header);
  }

  /** Returns where the first line that is not usual begins, or the end of the block. */
  protected abstract readUsualLines(bytes: Uint8Array, begin: number): number;

  /** A line with an entry, or with several values of an array, that may be rare or wrong. */
  protected abstract readEntry(tokens: readonly string[]): void;

  protected abstract countRead(): number;

  /** Lines that hold no entry. */
  protected skipped(_lines: number): void {}

  #skip(lines: number): void {
    this.line += lines;
    this.skipped(lines);
  }

  /** Also a comment, or a blank line, behind a space that is rare: a form feed. */
  #readLine(text: string): void {
    if (text === '' || text.startsWith('%')) {
      this.#skip(1);
      return;
    }
    this.line++;
    if (this.countRead() === this.header.entries) throw this.tooMany(text);
    this.readEntry(text.split(/\s+/));
  }

  protected tooMany(text: string): Error {
    const { entries } = this.header;
    return this.error(`the end of the file after ${entries} entries`, quote(text), { entries });
  }

  protected value(token: string): number {
    const integral = this.header.field === 'integer';
    const value = parseNumber(token);
    if (value !== undefined && (!integral || Number.isInteger(value))) return value;
    throw this.error(integral ? 'an integer value' : 'a value', quote(token));
  }

  protected error(expected: string, got: string, detail?: ErrorDetail): Error {
    return parseError(this.header.file, this.line, expected, got, detail);
  }
}

/**
 * Rows cost memory whether they hold anything or not: pointers of a matrix, elements of a vector. So forty bytes of text
 * could ask for 16 GiB and, where the system gives what it has not got, have the process killed. A matrix of 2²⁴ empty
 * rows, 64 MiB of pointers, is believed. By now the number of entries is known to be true.
 */
function checkClaim({ file, rows, entries }: Header): void {
  const most = Math.max(FREE_ROWS, ROWS_PER_ENTRY * entries);
  if (rows > most) throw mismatch('heap', file, `at most ${most} rows for ${entries} entries`, rows, { rows, entries });
}

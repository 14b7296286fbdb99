/**
 * The lines after the header of a Matrix Market file, in blocks of whole lines.
 *
 * Each format has one loop over the bytes, which handles only the usual form of a line and stops at any other line: that of
 * coordinates is WebAssembly.
 * Blank lines and comments are skipped. A rare (`inf`) or wrong line is parsed as text. This slower parser defines the
 * format and reports errors. Then the loop continues after that line.
 */
import type { ErrorDetail } from '../../core/errors.js';
import { lineText, NEWLINE, skipLines } from '../bytes/lines.js';
import { checkClaim } from '../claims.js';
import { parseError, quote } from '../parse-error.js';
import { EntryList, type KeepEntry } from './entries.js';
import type { MatrixMarketHeader } from './header.js';
import { parseNumber } from './number.js';

export abstract class Body {
  readonly header: MatrixMarketHeader;
  readonly entries: EntryList;
  /** The number of the last line that was read. */
  line: number;

  constructor(header: MatrixMarketHeader, line: number, keeps?: KeepEntry) {
    this.header = header;
    this.entries = new EntryList(header.field, keeps, header.symmetry !== 'general');
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

  /** At the end of the file: checks that the number of entries is the one in the header. */
  finish(): void {
    const { entries } = this.header;
    const found = this.countRead();
    this.entries.sieve();
    if (found < entries) {
      throw this.error(`${entries} entries`, `the end of the file after ${found}`, { entries, found });
    }
    checkClaim(this.header);
  }

  /** Returns the begin of the first unusual line, or the end of the block. */
  protected abstract readUsualLines(bytes: Uint8Array, begin: number): number;

  /** A line with an entry, or with several values of an array, that may be rare or wrong. */
  protected abstract readEntry(tokens: readonly string[]): void;

  protected abstract countRead(): number;

  /** Counts lines without an entry. */
  protected skipped(_lines: number): void {}

  #skip(lines: number): void {
    this.line += lines;
    this.skipped(lines);
  }

  /** The line may also be a comment or blank, if it begins with a rare space such as a form feed. */
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

  /** A row or a column, from 1 on. */
  protected index(name: 'row' | 'column', token: string, size: number): number {
    const index = /^\d+$/.test(token) ? Number(token) : Number.NaN;
    if (index >= 1 && index <= size) return index;
    const hint = index === 0 ? ' (Matrix Market counts from 1, this file from 0)' : '';
    throw this.error(`a ${name} from 1 to ${size}${hint}`, quote(token), { index, size });
  }

  protected error(expected: string, got: string, detail?: ErrorDetail): Error {
    return parseError(this.header.file, this.line, expected, got, detail);
  }
}

/**
 * A line of text → fields, separated by commas, semicolons, tabs, or by any run of spaces and tabs.
 *
 * Source: RFC 4180 for quotes: a field may stand in double quotes, and a double quote in it is written twice.
 * Differs: a field does not contain a line feed.
 */
import { RETURN, SPACE, TAB } from '../bytes/lines.js';

export type Separator = ',' | ';' | '\t' | ' ';

const QUOTE = 0x22;
const HASH = 0x23;
const PERCENT = 0x25;

/** The separator of a line: the first of tab, comma and semicolon that occurs in it, else spaces. */
export function separatorOf(line: string): Separator {
  return (['\t', ',', ';'] as const).find((separator) => line.includes(separator)) ?? ' ';
}

/** Bytes of a mark of UTF-8 at the begin of a file, as spreadsheets write it: 3 or 0. */
export function markBytes(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Fields that are kept of a line; what follows is not looked at. */
const MAX_FIELDS = 1 << 16;

/** The fields of the line that was split last. */
export class FieldSplitter {
  count = 0;
  /** Where each field begins and ends, without spaces around it and without its quotes. */
  begins: Uint32Array = new Uint32Array(16);
  ends: Uint32Array = new Uint32Array(16);
  /** Whether some field has a double quote that is written twice. */
  hasEscapes = false;
  readonly #separator: number;

  constructor(separator: Separator) {
    this.#separator = separator.charCodeAt(0);
  }

  /** Whether the line is blank, or a comment: `#` or `%`. */
  static isIdle(bytes: Uint8Array, begin: number, end: number): boolean {
    let at = begin;
    while (at < end && isSpace(bytes[at]!)) at++;
    return at === end || bytes[at] === HASH || bytes[at] === PERCENT;
  }

  /** Splits a line. False if a quote is not closed, or if something follows it. */
  split(bytes: Uint8Array, begin: number, lineEnd: number): boolean {
    const separator = this.#separator;
    this.count = 0;
    this.hasEscapes = false;
    let end = lineEnd;
    while (end > begin && (bytes[end - 1] === RETURN || bytes[end - 1] === SPACE)) end--;
    let at = begin;
    do {
      while (at < end && isSpace(bytes[at]!) && (bytes[at] !== separator || separator === SPACE)) at++;
      let first = at;
      let last: number;
      if (bytes[at] === QUOTE && at < end) {
        first = at + 1;
        last = this.#closing(bytes, first, end);
        if (last < 0) return false;
        at = last + 1;
        while (at < end && bytes[at] === SPACE) at++;
        if (at < end && separator !== SPACE && bytes[at] !== separator) return false;
      } else {
        while (at < end && bytes[at] !== separator && !(separator === SPACE && bytes[at] === TAB)) at++;
        last = at;
        while (last > first && bytes[last - 1] === SPACE) last--;
      }
      this.#push(first, last);
      while (separator === SPACE && at < end && isSpace(bytes[at]!)) at++;
      if (separator === SPACE && at < end) at--;
    } while (at++ < end && this.count < MAX_FIELDS);
    return true;
  }

  /** A field as text. */
  text(bytes: Uint8Array, field: number): string {
    const begin = this.begins[field]!;
    const end = this.ends[field]!;
    let text = '';
    for (let at = begin; at < end; at++) {
      // Other than ASCII. A copy: the decoder refuses views of shared memory.
      if (bytes[at]! >= 0x80) {
        text = new TextDecoder().decode(bytes.slice(begin, end));
        break;
      }
      text += String.fromCharCode(bytes[at]!);
    }
    return this.hasEscapes ? text.replaceAll('""', '"') : text;
  }

  #closing(bytes: Uint8Array, begin: number, end: number): number {
    for (let at = begin; at < end; at++) {
      if (bytes[at] !== QUOTE) continue;
      if (bytes[at + 1] !== QUOTE || at + 1 === end) return at;
      this.hasEscapes = true;
      at++;
    }
    return -1;
  }

  #push(begin: number, end: number): void {
    if (this.count === this.begins.length) {
      const [begins, ends] = [this.begins, this.ends];
      this.begins = new Uint32Array(2 * this.count);
      this.ends = new Uint32Array(2 * this.count);
      this.begins.set(begins);
      this.ends.set(ends);
    }
    this.begins[this.count] = begin;
    this.ends[this.count++] = end;
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === RETURN;
}

/**
 * A line of text → fields, separated by commas, semicolons, tabs, or by any run of spaces and tabs.
 *
 * Source: RFC 4180 for quotes: a field may stand in double quotes, and a double quote in it is written twice.
 * Differs: a field does not contain a line feed. A field behind two others that begins with `{` ends with the line (`attributes.ts`).
 */
import { RETURN, SPACE, TAB } from '../bytes/lines.js';

export type Separator = ',' | ';' | '\t' | ' ';

const QUOTE = 0x22;
const HASH = 0x23;
const PERCENT = 0x25;
const BRACE = 0x7b;

/** Without fields in quotes and attributes. */
const UNQUOTED = /"(?:[^"]|"")*"|(?<=[\s,;])\{.*/g;
const NUMBERS = /^[\s\d.eE+-]*$/;

/**
 * The separator of a line: the first of tab, semicolon and comma that occurs in it, else spaces. A comma beside semicolons is a decimal
 * one. Numbers between both tabs and spaces are separated by runs of them.
 */
export function separatorOf(line: string): Separator {
  const text = line.replace(UNQUOTED, '').trim();
  const found = (['\t', ';', ','] as const).find((separator) => text.includes(separator)) ?? ' ';
  const isBlank = found === '\t' && NUMBERS.test(text) && text.split('\t').some((field) => field.trim().includes(' '));
  return isBlank ? ' ' : found;
}

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
        if (separator !== SPACE) while (at < end && isSpace(bytes[at]!) && bytes[at] !== separator) at++;
        if (at < end && bytes[at] !== separator && !(separator === SPACE && bytes[at] === TAB)) return false;
      } else if (bytes[at] === BRACE && at < end && this.count > 1) {
        at = last = end;
      } else {
        while (at < end && bytes[at] !== separator && !(separator === SPACE && bytes[at] === TAB)) at++;
        last = at;
        while (last > first && isSpace(bytes[last - 1]!)) last--;
      }
      this.#push(first, last);
      while (separator === SPACE && at < end && isSpace(bytes[at]!)) at++;
      if (separator === SPACE && at < end) at--;
    } while (at++ < end);
    return true;
  }

  /** Whether a field stands in quotes. */
  isQuoted(bytes: Uint8Array, field: number): boolean {
    return bytes[this.begins[field]! - 1] === QUOTE && bytes[this.ends[field]!] === QUOTE;
  }

  /** A field as text; undefined if its bytes are not UTF-8. */
  text(bytes: Uint8Array, field: number): string | undefined {
    const begin = this.begins[field]!;
    const end = this.ends[field]!;
    let text = '';
    for (let at = begin; at < end; at++) {
      if (bytes[at]! >= 0x80) {
        const decoded = decodedText(bytes, begin, end);
        if (decoded === undefined) return undefined;
        text = decoded;
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

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodedText(bytes: Uint8Array, begin: number, end: number): string | undefined {
  try {
    // A copy: the decoder refuses views of shared memory.
    return decoder.decode(bytes.slice(begin, end));
  } catch {
    return undefined;
  }
}

/**
 * Formats of Fortran for fixed columns: `(16I5)`, `(1P,4D20.13)`, `(3(1X,E24.16))`.
 *
 * Source: ISO/IEC 1539-1, Format specifications. Only what files of numbers use: I, F, E, D, G, X, P and groups.
 */
import { scanNumber } from '../matrix-market/number.js';

/** One number of a line. */
export interface FortranField {
  /** Its first column, from 0. */
  readonly begin: number;
  readonly width: number;
  /** Digits behind the decimal point of a number that is written without one. */
  readonly decimals: number;
  /** k of `kP`: a number without an exponent is 10ᵏ times its value. */
  readonly scale: number;
}

/** More than any line has; a repeat count is a claim. */
export const MAX_FIELDS = 4096;
const MAX_COLUMNS = 1 << 16;

const TOKEN =
  /\s*(?:(-?\d+)\s*P\s*,?|(\d*)\s*\(|(\))|(\d*)\s*X|(\d*)\s*(I|F|E[NS]?|D|G)\s*(\d+)(?:\.(\d+))?(?:E\d+)?|(,))/iy;

/** The fields of a line; undefined for another format than that of numbers. */
export function parseFormat(text: string): readonly FortranField[] | undefined {
  const fields: FortranField[] = [];
  const pattern = new RegExp(TOKEN);
  let column = 0;
  let scale = 0;

  /** Reads a group behind its `(`, and writes it `repeat` times. False if it is no format. */
  const group = (repeat: number, depth: number): boolean => {
    const begin = pattern.lastIndex;
    for (let round = 0; round < repeat; round++) {
      pattern.lastIndex = begin;
      if (!groupOnce(depth)) return false;
    }
    return true;
  };
  const groupOnce = (depth: number): boolean => {
    for (;;) {
      const token = pattern.exec(text);
      if (token === null || fields.length > MAX_FIELDS || column > MAX_COLUMNS || depth > 3) return false;
      const [, scaled, opening, closing, skipped, repeat, letter, width, decimals] = token;
      if (closing !== undefined) return true;
      if (scaled !== undefined) scale = Number(scaled);
      else if (skipped !== undefined) column += Number(skipped || 1);
      else if (opening !== undefined) {
        if (!group(countOf(opening), depth + 1)) return false;
      } else if (letter !== undefined) {
        const count = countOf(repeat!);
        if (count > MAX_FIELDS || Number(width) === 0) return false;
        for (let k = 0; k < count; k++, column += Number(width))
          fields.push({ begin: column, width: Number(width), decimals: Number(decimals ?? 0), scale });
      }
    }
  };

  const start = /^\s*\(/.exec(text);
  if (start === null) return undefined;
  pattern.lastIndex = start[0].length;
  const complete = group(1, 0) && text.slice(pattern.lastIndex).trim() === '' && fields.length > 0;
  return complete && fields.length <= MAX_FIELDS ? fields : undefined;
}

function countOf(repeat: string): number {
  return repeat === '' ? 1 : Math.min(Number(repeat), MAX_FIELDS + 1);
}

const NUMBER = /^([+-]?)(\d*)(\.?)(\d*)(?:[ED]([+-]?\d+)|([+-]\d+))?$/i;
const WORD = /^([+-]?)(?:(inf|infinity)|nan)$/i;

const POINT = 0x2e;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const RETURN = 0x0d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const LOWER_CASE = 0x20;
const D = 0x64;
const E = 0x65;
const scratch = new Uint8Array(64);
const cursor = { at: 0 };

/** Parses what stands in `bytes[begin]` to `bytes[end - 1]`, a field with the decimals and the scale of `field`; undefined if it is no number. */
export type ParseField = (bytes: Uint8Array, begin: number, end: number, field: FortranField) => number | undefined;

/** A real number. Blanks around its exponent letter or behind a sign are ignored, as in Fortran: `1.5E 05`. Others separate numbers. */
export const fieldValue: ParseField = (bytes, begin, end, field) => {
  let length = 0;
  let hasPoint = false;
  for (let at = begin; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === SPACE || byte === RETURN) continue;
    if (length === scratch.length - 1) return undefined;
    if (length > 0 && bytes[at - 1] === SPACE && isDigit(scratch[length - 1]!) && !isExponentLetter(byte))
      return undefined;
    if (byte === POINT) hasPoint = true;
    scratch[length++] = byte;
  }
  scratch[length] = NEWLINE;
  if (hasPoint && field.scale === 0) {
    cursor.at = 0;
    const value = scanNumber(scratch, cursor);
    if (cursor.at === length) return value;
  }
  return rareValue(String.fromCharCode(...scratch.subarray(0, length)), field);
};

/** A digit or the decimal point. */
function isDigit(byte: number): boolean {
  return (byte ^ 0x30) < 10 || byte === POINT;
}

function isExponentLetter(byte: number): boolean {
  return (byte | LOWER_CASE) === E || (byte | LOWER_CASE) === D;
}

/** A number without a point, without the letter of its exponent (`1.5-105`), or with a scale. */
function rareValue(text: string, { decimals, scale }: FortranField): number | undefined {
  const word = WORD.exec(text);
  if (word !== null) return word[2] === undefined ? Number.NaN : Number(`${word[1]}Infinity`);
  const [matched, sign, whole, point, fraction, exponent, bare] = NUMBER.exec(text) ?? [];
  if (matched === undefined || `${whole}${fraction}` === '') return undefined;
  const written = exponent ?? bare;
  const power = written === undefined ? -scale : Number(written);
  return Number(`${sign}${whole}.${fraction}e${point === '' ? power - decimals : power}`);
}

/** An integer that is not negative. */
export const fieldInteger: ParseField = (bytes, begin, end) => {
  let at = begin;
  while (at < end && bytes[at] === SPACE) at++;
  let value = 0;
  const first = at;
  for (let digit = bytes[at]! ^ 0x30; at < end && digit < 10; digit = bytes[++at]! ^ 0x30) value = value * 10 + digit;
  if (at === first) return undefined;
  while (at < end && (bytes[at] === SPACE || bytes[at] === RETURN)) at++;
  return at === end ? value : undefined;
};

/**
 * Where the fields of a line begin and end.
 *
 * Fields are found between blanks, if they are as many as the format says, and else in its columns. Where a file is as its format says,
 * these are the same, unless numbers touch each other. SciPy's `hb_write` writes columns that are one narrower than it declares, and
 * lines that are longer.
 */
export class LineFields {
  readonly begins: Uint32Array = new Uint32Array(MAX_FIELDS);
  readonly ends: Uint32Array = new Uint32Array(MAX_FIELDS);

  /** Finds the numbers of a line between blanks. False if they are not `count`. */
  betweenBlanks(bytes: Uint8Array, begin: number, end: number, count: number): boolean {
    let found = 0;
    for (let at = skipBlanks(bytes, begin, end); at < end; at = skipBlanks(bytes, at, end)) {
      if (found === count) return false;
      this.begins[found] = at;
      at = numberEnd(bytes, at, end);
      this.ends[found++] = at;
    }
    return found === count;
  }

  /** Finds the first `count` fields of a line in the columns of the format. False if something stands behind them. */
  inColumns(bytes: Uint8Array, begin: number, end: number, format: readonly FortranField[], count: number): boolean {
    for (let k = 0; k < count; k++) {
      const at = begin + format[k]!.begin;
      this.begins[k] = Math.min(at, end);
      this.ends[k] = Math.min(at + format[k]!.width, end);
    }
    return skipBlanks(bytes, this.ends[count - 1]!, end) === end;
  }

  /** Whether each of the first `count` fields begins with a blank and ends with none, so that it is what stands between blanks. */
  areSeparate(bytes: Uint8Array, count: number): boolean {
    for (let k = 0; k < count; k++) {
      const last = bytes[this.ends[k]! - 1];
      if (bytes[this.begins[k]!] !== SPACE || last === SPACE || last === RETURN) return false;
    }
    return true;
  }
}

function skipBlanks(bytes: Uint8Array, begin: number, end: number): number {
  let at = begin;
  while (at < end && (bytes[at] === SPACE || bytes[at] === RETURN)) at++;
  return at;
}

/** A number ends at a blank, or before the sign of the next one behind an exponent that has its letter: `1.5E+00-2.5E+00`. */
function numberEnd(bytes: Uint8Array, begin: number, end: number): number {
  let exponent = end;
  let at = begin;
  for (; at < end && bytes[at] !== SPACE && bytes[at] !== RETURN; at++) {
    const byte = bytes[at]!;
    if (isExponentLetter(byte)) exponent = at;
    else if ((byte === PLUS || byte === MINUS) && at > exponent + 1) break;
  }
  return at;
}

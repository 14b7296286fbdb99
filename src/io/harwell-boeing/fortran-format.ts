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
const MAX_FIELDS = 4096;
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
const scratch = new Uint8Array(64);
const cursor = { at: 0 };

/** The number in a field of a line; undefined if there is none. */
export function fieldValue(bytes: Uint8Array, line: number, end: number, field: FortranField): number | undefined {
  const begin = line + field.begin;
  const stop = Math.min(begin + field.width, end);
  let length = 0;
  let hasPoint = false;
  for (let at = begin; at < stop; at++) {
    const byte = bytes[at]!;
    if (byte === SPACE || byte === RETURN) continue;
    if (length === scratch.length - 1) return undefined;
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

/** The integer in a field of a line; undefined if there is none, or a negative one. */
export function fieldInteger(bytes: Uint8Array, line: number, end: number, field: FortranField): number | undefined {
  let at = line + field.begin;
  const stop = Math.min(at + field.width, end);
  while (at < stop && bytes[at] === SPACE) at++;
  let value = 0;
  const first = at;
  for (let digit = bytes[at]! ^ 0x30; at < stop && digit < 10; digit = bytes[++at]! ^ 0x30) value = value * 10 + digit;
  if (at === first) return undefined;
  while (at < stop && (bytes[at] === SPACE || bytes[at] === RETURN)) at++;
  return at === stop ? value : undefined;
}

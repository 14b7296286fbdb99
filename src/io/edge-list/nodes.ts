/** The nodes of a list of edges → rows and columns. */
import { mismatch } from '../../core/errors.js';

/** More than a `Map` of the platform has room for. */
const MAX_NAMES = 2 ** 24;
/** One more than an index may be. */
const MAX_INDEX = 0xffff_ffff;

const ZERO = 0x30;
/** Digits of an index, at most. */
const MAX_DIGITS = 10;

/** The index that a field says: decimal digits, without zeros in front; −1 if it is none. */
export function indexIn(bytes: Uint8Array, begin: number, end: number): number {
  if (end === begin || end - begin > MAX_DIGITS || (bytes[begin] === ZERO && end - begin > 1)) return -1;
  let index = 0;
  for (let at = begin; at < end; at++) {
    const digit = bytes[at]! ^ ZERO;
    if (digit >= 10) return -1;
    index = index * 10 + digit;
  }
  return index < MAX_INDEX ? index : -1;
}

const DIGITS = /^(0|[1-9]\d*)$/;
/** Integers as tables of floating-point numbers write them: `7.0` by pandas, `1e+05` by R. */
const FLOAT_INTEGER = /^(\d+)(?:\.0*|(?:\.\d+)?e\+\d+)$/i;
/** Other numbers. */
const NUMBER = /^[+-]?(?:(\d+\.\d*|\.\d+)(e[+-]?\d+)?|\d+e\+\d+|nan|inf(inity)?)$/i;
/** Numbers between separators of another kind, or a number before a comment. */
const SEVERAL = /^[+-]?[\d.]+(?:(?:[\s,;]+[+-]?[\d.]+)+|\s+[#%].*)$/;
/** Words of numbers. */
const WORD = /^(nan|inf(inity)?)$/i;
const NINE = 0x39;

/** Whether text begins with a digit, a sign or a point. So do few names, which saves the time of the tests above. */
function mayBeNumber(text: string): boolean {
  return text.charCodeAt(0) <= NINE;
}

/** A node as it is named, an integer in plain digits; undefined for a number that is no integer. */
export function nodeName(text: string): string | undefined {
  if (!mayBeNumber(text)) return WORD.test(text) ? undefined : text;
  const [, digits] = FLOAT_INTEGER.exec(text) ?? [];
  if (digits === undefined) return NUMBER.test(text) ? undefined : text;
  if (!/e/i.test(text)) return digits;
  const value = Number(text);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Whether text is a number and more, where a line with one kind of separators has one node. */
export function isSeveral(text: string): boolean {
  return mayBeNumber(text) && SEVERAL.test(text);
}

/** Whether text says an integer that is not negative. */
export function isIndex(text: string): boolean {
  return DIGITS.test(nodeName(text) ?? '');
}

/** The index that the name of a node says; −1 if it is none. */
export function indexOfName(name: string): number {
  const index = DIGITS.test(name) ? Number(name) : MAX_INDEX;
  return index < MAX_INDEX ? index : -1;
}

/** Names, numbered from 0 in order of appearance. */
export class NameTable {
  readonly #file: string;
  readonly #numbers = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** @throws SparlaneError `heap` beyond 2²⁴ − 1 names */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number === MAX_NAMES - 1) throw mismatch('heap', this.#file, `fewer than ${MAX_NAMES} names`, `${number + 1}`);
    this.#numbers.set(name, number);
    return number;
  }

  get names(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}

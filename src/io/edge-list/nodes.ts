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

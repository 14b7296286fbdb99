/** The numbers of a text with fields: weights, and tables. */
import { type Cursor, parseNumber, scanNumber } from '../matrix-market/number.js';
import { FieldSplitter, type Separator, separatorOf } from './fields.js';

/** With a decimal comma, and without a point, which separates thousands. */
const DECIMAL_COMMA = /^[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?$/i;

/** Also with a decimal comma, where semicolons separate fields. */
export function numberIn(text: string, separator: Separator): number | undefined {
  return parseNumber(separator === ';' && DECIMAL_COMMA.test(text) ? text.replace(',', '.') : text);
}

/** The fields of a file, whose first line tells the separator, and the numbers in them, with decimal points or decimal commas, not both. */
export class NumberFields extends FieldSplitter {
  readonly separator: Separator;
  readonly #cursor: Cursor = { at: 0 };
  /** The first one that was read. */
  #decimal: ',' | '.' | undefined;

  constructor(firstLine: string) {
    const separator = separatorOf(firstLine);
    super(separator);
    this.separator = separator;
  }

  /** What an error says that a field should be. */
  expected(what: string): string {
    if (this.#decimal === undefined) return what;
    return `${what} with a decimal ${this.#decimal === ',' ? 'comma' : 'point'}, as in lines before`;
  }

  /** The number in a field; undefined if there is none. */
  number(bytes: Uint8Array, field: number): number | undefined {
    if (this.separator !== ';') {
      this.#cursor.at = this.begins[field]!;
      const value = scanNumber(bytes, this.#cursor);
      if (this.#cursor.at === this.ends[field]) return value;
    }
    const text = this.text(bytes, field);
    const value = text === undefined ? undefined : numberIn(text, this.separator);
    if (value === undefined || this.separator !== ';') return value;
    const decimal = ([',', '.'] as const).find((mark) => text!.includes(mark));
    this.#decimal ??= decimal;
    return decimal === undefined || decimal === this.#decimal ? value : undefined;
  }
}

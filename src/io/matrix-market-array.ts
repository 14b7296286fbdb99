/**
 * Array format: a dense matrix, a line for each value, column by column.
 *
 * Zeros do not become entries of a matrix: the format has no other way to say that there is none. `symmetric` files hold
 * the lower triangle, `skew-symmetric` ones the lower triangle without its diagonal.
 */
import { NEWLINE, RETURN, SPACE, TAB } from './lines.js';
import { Body } from './matrix-market-body.js';
import type { Header } from './matrix-market-header.js';
import { type Cursor, scanNumber } from './number.js';
import { quote } from './parse-error.js';

export class ArrayBody extends Body {
  readonly #cursor: Cursor = { at: 0 };
  readonly #keepZeros: boolean;
  #read = 0;
  #row: number;
  #col = 0;

  /** `keepZeros`: for vectors, where −0 is a value. */
  constructor(header: Header, line: number, keepZeros: boolean) {
    super(header, line);
    this.#keepZeros = keepZeros;
    this.#row = this.#firstRow(0);
  }

  protected override readUsualLines(bytes: Uint8Array, begin: number): number {
    const { rows, field, entries } = this.header;
    const integral = field === 'integer';
    const keepZeros = this.#keepZeros;
    const remaining = entries - this.#read;
    const chunk = this.entries.room(remaining);
    const { rowIdx, colIdx, values } = chunk;
    const capacity = rowIdx.length;
    const cursor = this.#cursor;
    const end = bytes.length;
    let { used } = chunk;
    let row = this.#row;
    let col = this.#col;
    let lines = 0;
    let start = begin;
    for (let at = begin; at < end && used < capacity && lines < remaining; start = ++at) {
      let byte = bytes[at]!;
      while (byte === SPACE || byte === TAB) byte = bytes[++at]!;
      cursor.at = at;
      const value = scanNumber(bytes, cursor);
      at = cursor.at;
      if (at < 0 || (integral && !Number.isInteger(value))) break;
      byte = bytes[at]!;
      while (byte === SPACE || byte === TAB || byte === RETURN) byte = bytes[++at]!;
      if (byte !== NEWLINE) break;
      if (value !== 0 || keepZeros) {
        rowIdx[used] = row;
        colIdx[used] = col;
        values![used++] = value;
      }
      lines++;
      if (++row === rows) row = this.#firstRow(++col);
    }
    chunk.used = used;
    this.#row = row;
    this.#col = col;
    this.#read += lines;
    this.line += lines;
    return start;
  }

  protected override readEntry(tokens: readonly string[]): void {
    if (tokens.length !== 1) {
      throw this.error('one value on a line (array)', quote(tokens.join(' ')), { found: tokens.length });
    }
    const value = this.value(tokens[0]!);
    const chunk = this.entries.room(this.header.entries - this.#read);
    if (value !== 0 || this.#keepZeros) {
      chunk.rowIdx[chunk.used] = this.#row;
      chunk.colIdx[chunk.used] = this.#col;
      chunk.values![chunk.used++] = value;
    }
    this.#read++;
    if (++this.#row === this.header.rows) this.#row = this.#firstRow(++this.#col);
  }

  protected override countRead(): number {
    return this.#read;
  }

  #firstRow(col: number): number {
    const { symmetry } = this.header;
    if (symmetry === 'general') return 0;
    return symmetry === 'symmetric' ? col : col + 1;
  }
}

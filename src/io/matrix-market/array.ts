/**
 * Array format: a dense matrix, column by column. The standard has one value per line. Some writers put several values
 * on a line; the line ends then have no meaning.
 *
 * Zeros do not become entries of the matrix, because the format has no other notation for a missing entry. `symmetric`
 * files hold the lower triangle, `skew-symmetric` files the lower triangle without its diagonal.
 */
import { NEWLINE, RETURN, SPACE, TAB } from '../bytes/lines.js';
import { Body } from './body.js';
import type { MatrixMarketHeader } from './header.js';
import { type Cursor, scanNumber } from './number.js';

export class ArrayBody extends Body {
  readonly #cursor: Cursor = { at: 0 };
  readonly #keepZeros: boolean;
  #read = 0;
  /** The place of the next value. */
  protected row: number;
  protected col = 0;

  /** `keepZeros`: for vectors, because −0 is a value there. */
  constructor(header: MatrixMarketHeader, line: number, keepZeros: boolean) {
    super(header, line);
    this.#keepZeros = keepZeros;
    this.row = this.#firstRow(0);
  }

  protected override readUsualLines(bytes: Uint8Array, begin: number): number {
    const { rows, field, entries } = this.header;
    const integral = field === 'integer';
    const keepZeros = this.#keepZeros;
    const chunk = this.entries.room(entries - this.#read);
    const { rowIdx, colIdx, values } = chunk;
    const capacity = rowIdx.length;
    const cursor = this.#cursor;
    const end = bytes.length;
    let { used } = chunk;
    let read = this.#read;
    let { row, col } = this;
    let lines = 0;
    let start = begin;
    line: for (let at = begin; at < end; start = ++at) {
      let byte = bytes[at]!;
      while (byte === SPACE || byte === TAB) byte = bytes[++at]!;
      do {
        if (used === capacity || read === entries) break line;
        cursor.at = at;
        const value = scanNumber(bytes, cursor);
        at = cursor.at;
        if (at < 0 || (integral && !Number.isInteger(value))) break line;
        byte = bytes[at]!;
        if (byte !== NEWLINE && byte !== SPACE && byte !== TAB && byte !== RETURN) break line;
        if (value !== 0 || keepZeros) {
          rowIdx[used] = row;
          colIdx[used] = col;
          values![used++] = value;
        }
        read++;
        if (++row === rows) row = this.#firstRow(++col);
        while (byte === SPACE || byte === TAB || byte === RETURN) byte = bytes[++at]!;
      } while (byte !== NEWLINE);
      lines++;
      chunk.used = used;
      this.#read = read;
      this.row = row;
      this.col = col;
    }
    this.line += lines;
    return start;
  }

  protected override readEntry(tokens: readonly string[]): void {
    const { entries } = this.header;
    for (const token of tokens) {
      if (this.#read === entries) throw this.tooMany(tokens.join(' '));
      this.add(this.value(token));
    }
  }

  protected add(value: number): void {
    if (value !== 0 || this.#keepZeros) this.entries.add(this.row, this.col, value, this.header.entries - this.#read);
    this.#read++;
    if (++this.row === this.header.rows) this.row = this.#firstRow(++this.col);
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

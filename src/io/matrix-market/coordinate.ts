/**
 * Coordinate format: one line `row column value` per entry, in any order, with indices from 1.
 *
 * Duplicates are summed; explicit zeros are entries. `symmetric` and `skew-symmetric` files hold one triangle: the
 * lower one by the standard, the upper one in many files, and some files have entries of both. In either triangle, an
 * entry also represents its mirror image. A file that has an entry *and* its mirror image is refused, because it is
 * ambiguous. It may mean the entry once (its writer stored both triangles, or a directed graph has the wrong banner) or
 * the sum of both (the result of readers that mirror every entry). A wrong guess would silently be wrong by a factor of
 * 2.
 */

import { LineGaps, NEWLINE, RETURN, SPACE, TAB } from '../bytes/lines.js';
import { quote } from '../parse-error.js';
import { Body, ZERO } from './body.js';
import { firstMirroredPair, type KeepEntry } from './entries.js';
import type { Header } from './header.js';
import { type Cursor, scanNumber } from './number.js';

/** Triangles in which entries were found. */
const LOWER = 1;
const UPPER = 2;

export class CoordinateBody extends Body {
  readonly #cursor: Cursor = { at: 0 };
  readonly #firstLine: number;
  #triangles = 0;
  readonly #gaps = new LineGaps();

  /** @param keeps which entries are kept; default: all */
  constructor(header: Header, line: number, keeps?: KeepEntry) {
    super(header, line, keeps);
    this.#firstLine = line + 1;
  }

  protected override readUsualLines(bytes: Uint8Array, begin: number): number {
    const { rows, cols, field, symmetry, entries } = this.header;
    const skew = symmetry === 'skew-symmetric';
    const integral = field === 'integer';
    const chunk = this.entries.room(entries - this.entries.count);
    const { rowIdx, colIdx, values } = chunk;
    const capacity = rowIdx.length;
    const cursor = this.#cursor;
    const end = bytes.length;
    let used = chunk.used;
    let triangles = this.#triangles;
    let start = begin;
    for (let at = begin; at < end && used < capacity; start = ++at) {
      let byte = bytes[at]!;
      while (byte === SPACE || byte === TAB) byte = bytes[++at]!;
      let row = 0;
      for (; (byte ^ ZERO) < 10; byte = bytes[++at]!) row = row * 10 + (byte ^ ZERO);
      while (byte === SPACE || byte === TAB) byte = bytes[++at]!;
      let col = 0;
      for (; (byte ^ ZERO) < 10; byte = bytes[++at]!) col = col * 10 + (byte ^ ZERO);
      if (row === 0 || row > rows || col === 0 || col > cols) break;
      if (values !== undefined) {
        if (byte !== SPACE && byte !== TAB) break;
        while (byte === SPACE || byte === TAB) byte = bytes[++at]!;
        cursor.at = at;
        const value = scanNumber(bytes, cursor);
        at = cursor.at;
        if (at < 0 || (integral && !Number.isInteger(value)) || (skew && row === col && value !== 0)) break;
        values[used] = value;
        byte = bytes[at]!;
      }
      while (byte === SPACE || byte === TAB || byte === RETURN) byte = bytes[++at]!;
      if (byte !== NEWLINE) break;
      rowIdx[used] = row - 1;
      colIdx[used++] = col - 1;
      if (row !== col) triangles |= row > col ? LOWER : UPPER;
    }
    this.line += used - chunk.used;
    this.#triangles = triangles;
    chunk.used = used;
    return start;
  }

  protected override readEntry(tokens: readonly string[]): void {
    const { rows, cols, field, symmetry, entries } = this.header;
    const parts = field === 'pattern' ? ['row', 'column'] : ['row', 'column', 'value'];
    if (tokens.length !== parts.length) {
      throw this.error(`${parts.join(', ')} on a line (${field})`, quote(tokens.join(' ')), { found: tokens.length });
    }
    const row = this.#index('row', tokens[0]!, rows);
    const col = this.#index('column', tokens[1]!, cols);
    const value = field === 'pattern' ? 1 : this.value(tokens[2]!);
    if (symmetry === 'skew-symmetric' && row === col && value !== 0) {
      throw this.error('no entry on the diagonal but 0 (skew-symmetric)', quote(tokens.join(' ')), { row, col, value });
    }
    const chunk = this.entries.room(entries - this.entries.count);
    chunk.rowIdx[chunk.used] = row - 1;
    chunk.colIdx[chunk.used] = col - 1;
    if (chunk.values !== undefined) chunk.values[chunk.used] = value;
    chunk.used++;
    if (row !== col) this.#triangles |= row > col ? LOWER : UPPER;
  }

  #index(name: string, token: string, size: number): number {
    const index = /^\d+$/.test(token) ? Number(token) : Number.NaN;
    if (index >= 1 && index <= size) return index;
    const hint = index === 0 ? ' (Matrix Market counts from 1, this file from 0)' : '';
    throw this.error(`a ${name} from 1 to ${size}${hint}`, quote(token), { index, size });
  }

  protected override countRead(): number {
    return this.entries.count;
  }

  protected override skipped(lines: number): void {
    if (this.header.symmetry !== 'general') this.#gaps.add(this.entries.count, lines);
  }

  override finish(): void {
    super.finish();
    const { symmetry, rows } = this.header;
    if (symmetry === 'general' || this.#triangles !== (LOWER | UPPER)) return;
    const pair = firstMirroredPair(this.entries, rows);
    if (pair === undefined) return;
    const [earlier, later] = pair;
    const row = this.entries.row(later) + 1;
    const col = this.entries.col(later) + 1;
    if (this.entries.length < this.entries.count)
      throw this.error(
        `an entry or its mirror image, not both (${symmetry})`,
        `(${row}, ${col}) and (${col}, ${row})`,
        { row, col },
      );
    const line = this.#lineOf(later);
    const earlierLine = this.#lineOf(earlier);
    this.line = line;
    throw this.error(
      `an entry or its mirror image, not both (${symmetry})`,
      `(${row}, ${col}) after (${col}, ${row}) on line ${earlierLine}`,
      { row, col, earlierLine },
    );
  }

  #lineOf(entry: number): number {
    return this.#firstLine + entry + this.#gaps.before(entry);
  }
}

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

import { LineGaps } from '../bytes/lines.js';
import { quote } from '../parse-error.js';
import type { ReadBlock } from './block-ring.js';
import { Body } from './body.js';
import { firstMirroredPair, type KeepEntry } from './entries.js';
import type { MatrixMarketHeader } from './header.js';
import type { LineScanner } from './scanner.js';

/** Triangles in which entries were found. */
const LOWER = 1;
const UPPER = 2;

export class CoordinateBody extends Body {
  readonly #scanner: LineScanner | undefined;
  readonly #firstLine: number;
  #triangles = 0;
  readonly #gaps = new LineGaps();

  /**
   * @param scanner reads lines of the usual form; without one, all lines are parsed as text, which is slow
   * @param keeps which entries are kept; default: all
   */
  constructor(header: MatrixMarketHeader, line: number, scanner: LineScanner | undefined, keeps?: KeepEntry) {
    super(header, line, keeps);
    this.#scanner = scanner;
    this.#firstLine = line + 1;
  }

  /** Returns which triangles the entries are in that were read: 1 is the lower one, 2 the upper one, 3 both. */
  get triangles(): number {
    return this.#triangles;
  }

  protected override readUsualLines(bytes: Uint8Array, begin: number): number {
    if (this.#scanner === undefined) return begin;
    const { entries } = this.header;
    let at = begin;
    for (;;) {
      const most = entries - this.entries.count;
      const chunk = this.entries.room(most);
      const before = chunk.used;
      const { next, triangles } = this.#scanner.read(this.header, bytes, at, chunk, most);
      this.line += chunk.used - before;
      this.#triangles |= triangles;
      if (next === at || next === bytes.length) return next;
      at = next;
    }
  }

  /**
   * Takes the entries of the next block, read by another thread, and returns where the lines begin, in the text of the block, which are
   * still to be read; −1 if there are none.
   */
  take({ entries: block, triangles, rest }: ReadBlock): number {
    const { rowIdx, colIdx, values, used } = block;
    // One that is too many is an error, which has the text of its line.
    if (used > this.header.entries - this.entries.count) return 0;
    for (let begin = 0; begin < used; ) {
      const chunk = this.entries.room(this.header.entries - this.entries.count);
      const end = Math.min(used, begin + chunk.rowIdx.length - chunk.used);
      chunk.rowIdx.set(rowIdx.subarray(begin, end), chunk.used);
      chunk.colIdx.set(colIdx.subarray(begin, end), chunk.used);
      if (values !== undefined) chunk.values?.set(values.subarray(begin, end), chunk.used);
      chunk.used += end - begin;
      begin = end;
    }
    this.line += used;
    this.#triangles |= triangles;
    return rest;
  }

  protected override readEntry(tokens: readonly string[]): void {
    const { rows, cols, field, symmetry } = this.header;
    const parts = field === 'pattern' ? ['row', 'column'] : ['row', 'column', 'value'];
    if (tokens.length !== parts.length) {
      throw this.error(`${parts.join(', ')} on a line (${field})`, quote(tokens.join(' ')), { found: tokens.length });
    }
    const row = this.index('row', tokens[0]!, rows);
    const col = this.index('column', tokens[1]!, cols);
    const value = field === 'pattern' ? 1 : this.value(tokens[2]!);
    if (symmetry === 'skew-symmetric' && row === col && value !== 0) {
      throw this.error('no entry on the diagonal but 0 (skew-symmetric)', quote(tokens.join(' ')), { row, col, value });
    }
    this.add(row, col, value);
  }

  /** @param row and column, from 1 on */
  protected add(row: number, col: number, value: number): void {
    this.entries.add(row - 1, col - 1, value, this.header.entries - this.entries.count);
    if (row !== col) this.#triangles |= row > col ? LOWER : UPPER;
  }

  protected override countRead(): number {
    return this.entries.count;
  }

  protected override skipped(lines: number): void {
    if (this.header.symmetry !== 'general') this.#gaps.add(this.entries.count, lines);
  }

  override finish(): void {
    super.finish();
    const { rows, symmetry, declared = symmetry } = this.header;
    if (symmetry === 'general' || this.#triangles !== (LOWER | UPPER)) return;
    const pair = firstMirroredPair(this.entries.all, rows);
    if (pair === undefined) return;
    const [earlier, later] = pair;
    const row = this.entries.all.rowIdx[later]! + 1;
    const col = this.entries.all.colIdx[later]! + 1;
    if (this.entries.length < this.entries.count)
      throw this.error(
        `an entry or its mirror image, not both (${declared})`,
        `(${row}, ${col}) and (${col}, ${row})`,
        { row, col },
      );
    const line = this.#lineOf(later);
    const earlierLine = this.#lineOf(earlier);
    this.line = line;
    throw this.error(
      `an entry or its mirror image, not both (${declared})`,
      `(${row}, ${col}) after (${col}, ${row}) on line ${earlierLine}`,
      { row, col, earlierLine },
    );
  }

  #lineOf(entry: number): number {
    return this.#firstLine + entry + this.#gaps.before(entry);
  }
}

/** A table of numbers as text → a dense block: a vector, one number a line, or rows of equally many. */
import type { NamedChunks } from '../bytes/bytes.js';
import { lineText, NEWLINE, wholeLines } from '../bytes/lines.js';
import { checkBlock } from '../claims.js';
import type { DenseBlock } from '../kinds/kind.js';
import { type Cursor, parseNumber, scanNumber } from '../matrix-market/number.js';
import { parseError, quote } from '../parse-error.js';
import { FieldSplitter, markBytes, separatorOf } from './fields.js';

/** The first line may have names. @param columns how many numbers there must be on a line; undefined: as on the first */
export async function readTable({ name, chunks }: NamedChunks, columns: number | undefined): Promise<DenseBlock> {
  const reader = new Reader(name, columns);
  const tooLong = (bytes: number) =>
    parseError(name, reader.line + 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  for await (const lines of wholeLines(chunks, tooLong)) reader.read(lines);
  return reader.finish();
}

class Reader {
  /** Number of the last line that was read. */
  line = 0;
  readonly #file: string;
  readonly #cursor: Cursor = { at: 0 };
  #splitter: FieldSplitter | undefined;
  #columns: number | undefined;
  #rows = 0;
  #values: Float64Array = new Float64Array(1024);

  constructor(file: string, columns: number | undefined) {
    this.#file = file;
    this.#columns = columns;
  }

  /** Reads whole lines. */
  read(bytes: Uint8Array): void {
    for (let begin = this.line === 0 ? markBytes(bytes) : 0; begin < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, begin);
      this.line++;
      if (!FieldSplitter.isIdle(bytes, begin, end)) this.#readRow(bytes, begin, end);
      begin = end + 1;
    }
  }

  finish(): DenseBlock {
    const columns = this.#columns ?? 1;
    return { rows: this.#rows, columns, values: this.#values.slice(0, this.#rows * columns) };
  }

  #readRow(bytes: Uint8Array, begin: number, end: number): void {
    const isFirst = this.#splitter === undefined;
    this.#splitter ??= new FieldSplitter(separatorOf(lineText(bytes, begin, end)));
    const splitter = this.#splitter;
    const isSplit = splitter.split(bytes, begin, end);
    this.#columns ??= splitter.count;
    const columns = this.#columns;
    if (!isSplit || splitter.count !== columns) {
      const expected = columns === 1 ? 'a vector: one number' : `${columns} numbers`;
      throw this.#error(`${expected} on a line`, quote(lineText(bytes, begin, end)));
    }
    if (isFirst && this.#number(bytes, 0) === undefined) return;
    this.#grow(this.#rows + 1, columns);
    for (let field = 0; field < columns; field++) {
      const value = this.#number(bytes, field);
      if (value === undefined) throw this.#error('a number', quote(splitter.text(bytes, field)));
      this.#values[this.#rows * columns + field] = value;
    }
    this.#rows++;
  }

  #grow(rows: number, columns: number): void {
    if (rows * columns <= this.#values.length) return;
    checkBlock(this.#file, rows, columns);
    const grown = new Float64Array(2 * Math.max(this.#values.length, columns));
    grown.set(this.#values);
    this.#values = grown;
  }

  #number(bytes: Uint8Array, field: number): number | undefined {
    const splitter = this.#splitter!;
    this.#cursor.at = splitter.begins[field]!;
    const value = scanNumber(bytes, this.#cursor);
    return this.#cursor.at === splitter.ends[field] ? value : parseNumber(splitter.text(bytes, field));
  }

  #error(expected: string, got: string): Error {
    return parseError(this.#file, this.line, expected, got);
  }
}

/** A table of numbers as text → a dense block: a vector, one number a line, or rows of equally many. */
import type { NamedChunks } from '../bytes/bytes.js';
import { lineText } from '../bytes/lines.js';
import { checkBlock } from '../claims.js';
import type { DenseBlock } from '../kinds/kind.js';
import { quote } from '../parse-error.js';
import { isMissing } from './columns.js';
import { NumberFields } from './numbers.js';
import { LineReader } from './text-lines.js';

/** The first line may have names. @param columns how many numbers there must be on a line; undefined: as on the first */
export async function readTable(file: NamedChunks, columns: number | undefined): Promise<DenseBlock> {
  const lines = new LineReader(file.name);
  const reader = new Reader(lines, columns);
  await lines.forEach(file, (bytes, begin, end) => reader.readRow(bytes, begin, end));
  return reader.finish();
}

class Reader {
  readonly #lines: LineReader;
  #fields: NumberFields | undefined;
  #columns: number | undefined;
  #rows = 0;
  #values: Float64Array = new Float64Array(1024);

  constructor(lines: LineReader, columns: number | undefined) {
    this.#lines = lines;
    this.#columns = columns;
  }

  finish(): DenseBlock {
    const columns = this.#columns ?? 1;
    return { rows: this.#rows, columns, values: this.#values.slice(0, this.#rows * columns) };
  }

  readRow(bytes: Uint8Array, begin: number, end: number): void {
    const isFirst = this.#fields === undefined;
    const fields = this.#fields ?? new NumberFields(lineText(bytes, begin, end));
    this.#fields = fields;
    const isSplit = fields.split(bytes, begin, end);
    const columns = this.#columns ?? fields.count;
    this.#columns = columns;
    if (!isSplit || fields.count !== columns) {
      const expected = columns === 1 ? 'a vector: one number' : `${columns} numbers`;
      throw this.#lines.lineError(`${expected} on a line`, bytes, begin, end);
    }
    if (isFirst && isHeader(fields, bytes)) return;
    this.#grow(this.#rows + 1, columns);
    for (let field = 0; field < columns; field++) {
      const value = fields.number(bytes, field);
      if (value === undefined)
        throw this.#lines.error(fields.expected('a number'), quote(textOf(fields, bytes, field)));
      this.#values[this.#rows * columns + field] = value;
    }
    this.#rows++;
  }

  #grow(rows: number, columns: number): void {
    if (rows * columns <= this.#values.length) return;
    checkBlock(this.#lines.file, rows, columns);
    const grown = new Float64Array(2 * Math.max(this.#values.length, columns));
    grown.set(this.#values);
    this.#values = grown;
  }
}

/** Whether no field is a number, and at least one is a name, rather than a sign of a missing number. */
function isHeader(fields: NumberFields, bytes: Uint8Array): boolean {
  const places = Array.from({ length: fields.count }, (_, field) => field);
  return (
    places.every((field) => fields.number(bytes, field) === undefined) &&
    places.some((field) => !isMissing(textOf(fields, bytes, field)))
  );
}

/** A field as it is shown. Names are not kept, whatever their encoding is. */
function textOf(fields: NumberFields, bytes: Uint8Array, field: number): string {
  return lineText(bytes, fields.begins[field]!, fields.ends[field]!);
}

/**
 * Harwell-Boeing and Rutherford-Boeing files → CSR, as a stream: compressed columns in fixed columns of text.
 *
 * Source: see `header.ts`. Differs: numbers may also stand between blanks, as SciPy writes them (`LineFields`). As in Matrix Market
 * files, a symmetric kind has one triangle, and an entry with its mirror image is refused as ambiguous.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { csrInPlace } from '../../core/csr-in-place.js';
import type { NamedChunks } from '../bytes/bytes.js';
import { lineText, NEWLINE, wholeLines } from '../bytes/lines.js';
import { checkBlock, checkClaim } from '../claims.js';
import { checkColumns, dense, rowMajor } from '../kinds/dense.js';
import type { DenseBlock } from '../kinds/kind.js';
import { EntryList, firstMirroredPair } from '../matrix-market/entries.js';
import { parseError, quote } from '../parse-error.js';
import {
  type FortranField,
  fieldInteger,
  fieldValue,
  LineFields,
  MAX_FIELDS,
  type ParseField,
} from './fortran-format.js';
import { type HarwellBoeingHeader, HEADER_LINES, readHeader } from './header.js';

export async function readHarwellBoeing(file: NamedChunks): Promise<CsrMatrix> {
  return (await readAll(file, false)).matrix();
}

/** The right-hand sides of a file; where it has none, all numbers of its matrix. */
export async function readHarwellBoeingVectors(file: NamedChunks, columns: number | undefined): Promise<DenseBlock> {
  const reader = await readAll(file, true);
  const block = reader.rightHandSides() ?? dense(file.name, reader.matrix());
  checkColumns(file.name, block.rows, block.columns, columns);
  return block;
}

async function readAll({ name, chunks }: NamedChunks, wantsVectors: boolean): Promise<Reader> {
  const reader = new Reader(name, wantsVectors);
  const tooLong = (bytes: number) =>
    parseError(name, reader.line + 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  // To the end: there is the checksum of a compressed file.
  for await (const lines of wholeLines(chunks, tooLong)) reader.read(lines);
  reader.finish();
  return reader;
}

/** Numbers that follow each other: `count` of them, each of which `store` gets with its place, unless it is wrong. */
interface Section {
  readonly what: string;
  /** One of them, in errors. */
  readonly one: string;
  readonly count: number;
  readonly format: readonly FortranField[];
  readonly parse: ParseField;
  readonly store: (value: number, k: number) => boolean;
  read: number;
}

/** Numbers that are allocated before any was read. */
const FREE_NUMBERS = 1 << 20;

class Reader {
  /** Number of the last line that was read. */
  line = 0;
  readonly #file: string;
  readonly #wantsVectors: boolean;
  readonly #head: string[] = [];
  #header: HarwellBoeingHeader | undefined;
  #sections: Section[] = [];
  #entries: EntryList = new EntryList('pattern');
  #colPtr: Uint32Array = new Uint32Array(0);
  readonly #fields: LineFields = new LineFields();
  /** Of one line. */
  readonly #numbers: Float64Array = new Float64Array(MAX_FIELDS);
  /** Of right-hand sides. */
  #columns = 0;
  #vectors: Float64Array = new Float64Array(0);

  constructor(file: string, wantsVectors: boolean) {
    this.#file = file;
    this.#wantsVectors = wantsVectors;
  }

  /** Reads whole lines. */
  read(bytes: Uint8Array): void {
    for (let begin = 0; begin < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, begin);
      this.line++;
      this.#readLine(bytes, begin, end);
      begin = end + 1;
    }
  }

  #readLine(bytes: Uint8Array, begin: number, end: number): void {
    const header = this.#header;
    if (header === undefined) {
      this.#readHead(lineText(bytes, begin, end).replace(/\r$/, ''));
    } else if (this.line <= header.lines) {
      this.#readVectorHead(header, lineText(bytes, begin, end));
    } else {
      const section = this.#section();
      if (section !== undefined) this.#readNumbers(section, bytes, begin, end);
      // Right-hand sides that are not wanted, guesses and solutions are skipped.
      else if (header.rhsFormat === undefined && lineText(bytes, begin, end).trim() !== '')
        throw this.#error('the end of the file', quote(lineText(bytes, begin, end)));
    }
  }

  /** At the end of what is wanted. @throws if something is missing */
  finish(): void {
    const header = this.#header;
    if (header === undefined) throw this.#error('a header of four lines', 'the end of the file');
    const section = this.#section();
    if (section !== undefined)
      throw this.#error(`${section.count} ${section.what}`, `the end of the file after ${section.read}`);
    checkClaim(header);
    this.#checkTriangles(header);
  }

  matrix(): CsrMatrix {
    const { rows, cols, field, symmetry } = this.#header!;
    return csrInPlace({ rows, cols, field, symmetry }, this.#entries.all);
  }

  rightHandSides(): DenseBlock | undefined {
    if (this.#columns === 0) return undefined;
    const { rows } = this.#header!;
    const values = this.#vectors.slice(0, rows * this.#columns);
    return { rows, columns: this.#columns, values: rowMajor(values, rows, this.#columns) };
  }

  /** The numbers that are being read. */
  #section(): Section | undefined {
    return this.#sections.find(({ read, count }) => read < count);
  }

  #readHead(text: string): void {
    this.#head.push(text);
    if (this.#head.length < HEADER_LINES) return;
    const header = readHeader(this.#file, this.#head);
    this.#header = header;
    this.#entries = new EntryList(header.field, undefined, header.symmetry !== 'general');
    const { rows, cols, field, entries, ptrFormat, idxFormat, valueFormat, symmetry } = header;
    const pointer = `a pointer from 1 to ${entries + 1}, in ascending order`;
    const value = field === 'integer' ? 'an integer' : 'a value';
    const integers = { parse: fieldInteger, read: 0 };
    this.#sections = [
      { what: 'pointers', one: pointer, count: cols + 1, format: ptrFormat, store: this.#pointer, ...integers },
      {
        ...{ what: 'row indices', one: `a row index from 1 to ${rows}`, count: entries },
        ...{ format: idxFormat, store: this.#rowIndex, ...integers },
      },
    ];
    if (valueFormat === undefined) return;
    this.#sections.push({
      ...{ what: 'values', one: symmetry === 'skew-symmetric' ? `${value}, 0 on the diagonal` : value, count: entries },
      ...{ format: valueFormat, store: this.#value, parse: fieldValue, read: 0 },
    });
  }

  /** The fifth line: the type of right-hand sides, and how many. */
  #readVectorHead({ rows, rhsFormat }: HarwellBoeingHeader, text: string): void {
    if (!this.#wantsVectors) return;
    const columns = Number(text.slice(3).trim().split(/\s+/)[0]);
    if (!/^f/i.test(text) || !(Number.isInteger(columns) && columns > 0))
      throw this.#error('full right-hand sides (F), and how many', quote(text));
    checkBlock(this.#file, rows, columns);
    this.#columns = columns;
    this.#sections.push({
      ...{ what: 'numbers of right-hand sides', one: 'a value', count: rows * columns, read: 0 },
      ...{ format: rhsFormat!, store: this.#vectorValue, parse: fieldValue },
    });
  }

  /** Column by column. */
  readonly #vectorValue = (value: number, k: number): boolean => {
    if (k === this.#vectors.length) {
      const grown = new Float64Array(Math.max(FREE_NUMBERS, 2 * k));
      grown.set(this.#vectors);
      this.#vectors = grown;
    }
    this.#vectors[k] = value;
    return true;
  };

  #readNumbers(section: Section, bytes: Uint8Array, begin: number, end: number): void {
    const { what, one, format, store } = section;
    const count = Math.min(format.length, section.count - section.read);
    const fields = this.#fields;
    let parsed: number | undefined;
    if (fields.inColumns(bytes, begin, end, format, count) && fields.areSeparate(bytes, count)) {
      parsed = this.#parse(section, bytes, count);
    } else {
      if (fields.betweenBlanks(bytes, begin, end, count)) parsed = this.#parse(section, bytes, count);
      if (parsed !== count && fields.inColumns(bytes, begin, end, format, count))
        parsed = this.#parse(section, bytes, count);
    }
    if (parsed === undefined) throw this.#error(`${count} ${what} on a line`, quote(lineText(bytes, begin, end)));
    let stored = 0;
    while (stored < parsed && store(this.#numbers[stored]!, section.read)) {
      stored++;
      section.read++;
    }
    if (stored < count) throw this.#error(one, quote(lineText(bytes, fields.begins[stored]!, fields.ends[stored]!)));
  }

  /** Parses the first `count` fields. Returns how many numbers there are before the first field that is none. */
  #parse({ format, parse }: Section, bytes: Uint8Array, count: number): number {
    const { begins, ends } = this.#fields;
    for (let k = 0; k < count; k++) {
      const value = parse(bytes, begins[k]!, ends[k]!, format[k]!);
      if (value === undefined) return k;
      this.#numbers[k] = value;
    }
    return count;
  }

  readonly #pointer = (value: number, k: number): boolean => {
    const { cols, entries } = this.#header!;
    if (this.#colPtr.length <= k) {
      const grown = new Uint32Array(Math.min(cols + 1, Math.max(FREE_NUMBERS, 2 * k)));
      grown.set(this.#colPtr);
      this.#colPtr = grown;
    }
    const least = k === 0 ? 1 : this.#colPtr[k - 1]! + 1;
    const most = k === 0 ? 1 : entries + 1;
    this.#colPtr[k] = value - 1;
    return value >= least && value <= most && (k < cols || value === entries + 1);
  };

  /** Column of the next row index, and the position of the next value. */
  #col = 0;
  #at = 0;
  #hasLower = false;
  #hasUpper = false;

  readonly #rowIndex = (value: number, k: number): boolean => {
    const { rows, entries } = this.#header!;
    while (this.#colPtr[this.#col + 1]! <= k) this.#col++;
    const chunk = this.#entries.room(entries - k);
    chunk.rowIdx[chunk.used] = value - 1;
    chunk.colIdx[chunk.used++] = this.#col;
    if (value - 1 > this.#col) this.#hasLower = true;
    if (value - 1 < this.#col) this.#hasUpper = true;
    return value >= 1 && value <= rows;
  };

  readonly #value = (value: number): boolean => {
    const { field, symmetry } = this.#header!;
    const { values, rowIdx, colIdx } = this.#entries.all;
    const onDiagonal = rowIdx[this.#at] === colIdx[this.#at];
    values![this.#at++] = value;
    if (symmetry === 'skew-symmetric' && onDiagonal && value !== 0) return false;
    return field !== 'integer' || Number.isInteger(value);
  };

  #checkTriangles({ symmetry, rows }: HarwellBoeingHeader): void {
    if (symmetry === 'general' || !this.#hasLower || !this.#hasUpper) return;
    const pair = firstMirroredPair(this.#entries.all, rows);
    if (pair === undefined) return;
    const [row, col] = [this.#entries.all.rowIdx[pair[1]]! + 1, this.#entries.all.colIdx[pair[1]]! + 1];
    throw this.#error(`an entry or its mirror image, not both (${symmetry})`, `(${row}, ${col}) and (${col}, ${row})`);
  }

  #error(expected: string, got: string): Error {
    return parseError(this.#file, Math.max(this.line, 1), expected, got);
  }
}

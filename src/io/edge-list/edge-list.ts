/**
 * Lists of edges as text → CSR, as a stream: one edge a line, source and target, perhaps a weight.
 *
 * Source: the files of SNAP, KONECT, networkrepository.com and of graph libraries; RFC 4180. Nodes that are all integers are
 * rows and columns, counted from 0, unless they are far more than the edges; else they are names, which are numbered as
 * they appear. An edge without a weight is an entry 1 of a pattern; weights of an edge that is listed twice are added.
 *
 * Memory: as Matrix Market, and the names.
 */
import { csrInPlace } from '../../core/csr-in-place.js';
import { entryChunk } from '../../core/entries.js';
import type { NamedChunks } from '../bytes/bytes.js';
import { lineText, NEWLINE, wholeLines } from '../bytes/lines.js';
import type { EdgeListOptions, MatrixContent } from '../kinds/kind.js';
import { EntryList } from '../matrix-market/entries.js';
import { type Cursor, parseNumber, scanNumber } from '../matrix-market/number.js';
import { parseError, quote } from '../parse-error.js';
import { isHeader, weightColumn } from './columns.js';
import { FieldSplitter, markBytes, separatorOf } from './fields.js';
import { indexIn, NameTable } from './nodes.js';

export async function readEdgeList({ name, chunks }: NamedChunks, options: EdgeListOptions): Promise<MatrixContent> {
  const reader = new Reader(name, options);
  const tooLong = (bytes: number) =>
    parseError(name, reader.line + 1, 'a line of at most 64 KiB', `one of ${bytes} bytes or more`, { bytes });
  for await (const lines of wholeLines(chunks, tooLong)) reader.read(lines);
  return reader.finish();
}

/** As many rows are indices, whatever the number of edges, and in addition for each edge. Beyond, integers are names. */
const FREE_ROWS = 2 ** 24;
const ROWS_PER_EDGE = 64;

const FRACTION = /^[+-]?(\d+\.\d*|\.\d+)(e[+-]?\d+)?$/i;

class Reader {
  /** Number of the last line that was read. */
  line = 0;
  readonly #file: string;
  readonly #options: EdgeListOptions;
  #splitter: FieldSplitter | undefined;
  /** The first line, until the next one tells whether it is a header. */
  #first: { readonly line: number; readonly bytes: Uint8Array; readonly texts: readonly string[] } | undefined;
  #weight: number | undefined;
  #entries: EntryList | undefined;
  #rowNames: NameTable | undefined;
  #colNames: NameTable | undefined;
  #rows = 0;
  #cols = 0;
  readonly #cursor: Cursor = { at: 0 };

  constructor(file: string, options: EdgeListOptions) {
    this.#file = file;
    this.#options = options;
    if (options.names) this.#nameNodes();
  }

  /** Reads whole lines. */
  read(bytes: Uint8Array): void {
    for (let begin = this.line === 0 ? markBytes(bytes) : 0; begin < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, begin);
      this.line++;
      if (!FieldSplitter.isIdle(bytes, begin, end)) {
        if (this.#entries === undefined) this.#begin(bytes, begin, end);
        else this.#readEdge(this.#entries, bytes, begin, end);
      }
      begin = end + 1;
    }
  }

  finish(): MatrixContent {
    if (this.#first !== undefined) this.#start(undefined);
    const entries = this.#entries;
    if (entries === undefined) throw this.#error('edges: a source and a target a line', 'the end of the file');
    const most = Math.max(FREE_ROWS, ROWS_PER_EDGE * entries.length);
    if (this.#rowNames === undefined && Math.max(this.#rows, this.#cols) > most) this.#nameNodes();
    const [rowNames, colNames] = [this.#rowNames, this.#colNames];
    const size = Math.max(this.#rows, this.#cols);
    const shared = !this.#options.bipartite;
    const rows = rowNames?.size ?? (shared ? size : this.#rows);
    const cols = colNames?.size ?? (shared ? size : this.#cols);
    const field = this.#weight === undefined ? 'pattern' : 'real';
    const matrix = csrInPlace({ rows, cols, field, symmetry: 'general' }, entries.all);
    if (rowNames === undefined || colNames === undefined) return matrix;
    const names = rowNames.names;
    return { ...matrix, rowNames: names, colNames: colNames === rowNames ? names : colNames.names };
  }

  /** The first two lines with content. */
  #begin(bytes: Uint8Array, begin: number, end: number): void {
    this.#splitter ??= new FieldSplitter(separatorOf(lineText(bytes, begin, end)));
    this.#split(this.#splitter, bytes, begin, end);
    const { count } = this.#splitter;
    const texts = Array.from({ length: count }, (_, field) => this.#splitter!.text(bytes, field));
    if (this.#first === undefined) {
      // With the newline: the bytes may be gone when the next line is here.
      this.#first = { line: this.line, bytes: bytes.slice(begin, end + 1), texts };
      return;
    }
    this.#start(texts);
    this.#readEdge(this.#entries!, bytes, begin, end);
  }

  /** Decides what the columns mean, and reads the first line if it is an edge. */
  #start(second: readonly string[] | undefined): void {
    const first = this.#first!;
    this.#first = undefined;
    const { header = isHeader(first.texts, second), weights } = this.#options;
    const column = weightColumn(header ? first.texts : undefined, header ? (second ?? []) : first.texts);
    this.#weight = weights === false ? undefined : weights === true ? (column ?? 2) : column;
    this.#entries = new EntryList(this.#weight === undefined ? 'pattern' : 'real');
    if (header) return;
    const { line } = this;
    this.line = first.line;
    this.#readEdge(this.#entries, first.bytes, 0, first.bytes.length - 1);
    this.line = line;
  }

  #split(splitter: FieldSplitter, bytes: Uint8Array, begin: number, end: number): void {
    if (splitter.split(bytes, begin, end)) return;
    throw this.#error('a field in double quotes that ends on its line', quote(lineText(bytes, begin, end)));
  }

  #readEdge(entries: EntryList, bytes: Uint8Array, begin: number, end: number): void {
    const splitter = this.#splitter!;
    this.#split(splitter, bytes, begin, end);
    const weightColumn = this.#weight;
    const { begins, ends } = splitter;
    if (splitter.count <= (weightColumn ?? 1) || begins[0] === ends[0] || begins[1] === ends[1]) {
      const expected = weightColumn === undefined ? 'source and target' : 'source, target and weight';
      throw this.#error(`${expected} on a line`, quote(lineText(bytes, begin, end)));
    }
    const weight = weightColumn === undefined ? 1 : this.#number(bytes, weightColumn);
    let row = this.#rowNames === undefined ? indexIn(bytes, begins[0]!, ends[0]!) : -1;
    let col = this.#rowNames === undefined ? indexIn(bytes, begins[1]!, ends[1]!) : -1;
    if (row < 0 || col < 0) {
      if (this.#rowNames === undefined) this.#nameNodes();
      row = this.#rowNames!.numberOf(this.#name(bytes, 0));
      col = this.#colNames!.numberOf(this.#name(bytes, 1));
    } else {
      if (row >= this.#rows) this.#rows = row + 1;
      if (col >= this.#cols) this.#cols = col + 1;
    }
    const chunk = entries.room(Number.POSITIVE_INFINITY);
    chunk.rowIdx[chunk.used] = row;
    chunk.colIdx[chunk.used] = col;
    if (chunk.values !== undefined) chunk.values[chunk.used] = weight;
    chunk.used++;
  }

  /** A fraction in place of a node is a table of numbers, rather than edges. */
  #name(bytes: Uint8Array, field: number): string {
    const text = this.#splitter!.text(bytes, field);
    if (!FRACTION.test(text) || this.#options.names) return text;
    throw this.#error('a node, an integer or a name (readBlock reads tables of numbers)', quote(text));
  }

  #number(bytes: Uint8Array, field: number): number {
    const splitter = this.#splitter!;
    this.#cursor.at = splitter.begins[field]!;
    const value = scanNumber(bytes, this.#cursor);
    if (this.#cursor.at === splitter.ends[field]) return value;
    const text = splitter.text(bytes, field);
    const rare = parseNumber(text);
    if (rare === undefined) throw this.#error('a weight', quote(text));
    return rare;
  }

  /** Nodes are names from now on. Integers that were read are names, too, numbered in the order of the file. */
  #nameNodes(): void {
    const rowNames = new NameTable(this.#file);
    const colNames = this.#options.bipartite ? new NameTable(this.#file) : rowNames;
    const { rowIdx, colIdx, used } = this.#entries?.all ?? entryChunk('pattern', 0);
    for (let k = 0; k < used; k++) {
      rowIdx[k] = rowNames.numberOf(String(rowIdx[k]));
      colIdx[k] = colNames.numberOf(String(colIdx[k]));
    }
    this.#rowNames = rowNames;
    this.#colNames = colNames;
  }

  #error(expected: string, got: string): Error {
    return parseError(this.#file, Math.max(this.line, 1), expected, got);
  }
}

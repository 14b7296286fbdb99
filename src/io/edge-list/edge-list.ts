/**
 * Lists of edges as text → CSR, as a stream: one edge a line, source and target, perhaps a weight.
 *
 * Source: the files of SNAP, KONECT, networkrepository.com and of graph libraries; RFC 4180. Nodes that are all integers are
 * rows and columns, counted from 0, unless they are far more than the edges; else they are names, which are numbered as
 * they appear. An edge without a weight is an entry 1 of a pattern; weights of an edge that is listed twice are added.
 *
 * What a line says is read, or the line is refused: all lines have as many fields as the first one, and a column has weights on all of
 * them or on none.
 *
 * Cost: lines of two integers, or of two and a weight, are read by WebAssembly: 6 million edges, 83 MB, in 0.35 s of CPU time, others in
 * 1 s (2-core AMD EPYC, 26 November 2026). Memory: the entries, as much again where they are in disorder, and the names.
 */
import type { PlainFile } from '../bytes/bytes.js';
import { lineText } from '../bytes/lines.js';
import type { EdgeListOptions, MatrixContent } from '../kinds/kind.js';
import { csrOfEntries } from '../matrix-market/csr-of-entries.js';
import { EntryList } from '../matrix-market/entries.js';
import { parseNumber } from '../matrix-market/number.js';
import { quote } from '../parse-error.js';
import { attributesOf } from './attributes.js';
import { columnsOf, type EdgeColumns, isHeader, pairOf } from './columns.js';
import { type EdgeScanner, edgeScanners, type MakeEdgeScanner } from './edge-scanner.js';
import { indexIn, indexOfName, isSeveral, NameTable, nodeName } from './nodes.js';
import { NumberFields, numberIn } from './numbers.js';
import { LineReader, type UsualLines } from './text-lines.js';

export async function readEdgeList(file: PlainFile, options: EdgeListOptions): Promise<MatrixContent> {
  const lines = new LineReader(file.name);
  const scanners = file.head.length < SCANNED_BYTES ? undefined : await edgeScanners();
  const reader = new Reader(lines, options, scanners, file.disk?.size);
  await lines.forEach(
    file,
    (bytes, begin, end) => reader.readLine(bytes, begin, end),
    (bytes, begin) => reader.readUsual(bytes, begin),
  );
  return reader.finish();
}

/** A file that begins with a shorter piece is read before a scanner is made, which takes 5 ms. */
const SCANNED_BYTES = 1 << 14;

/** As many rows are indices, whatever the number of edges, and in addition for each edge. Beyond, integers are names. */
const FREE_ROWS = 2 ** 24;
const ROWS_PER_EDGE = 64;

/** Entries for which there is room, at least. */
const MIN_AHEAD = 1 << 16;
/** `0 1`, and its newline. */
const MIN_LINE_BYTES = 4;

/** One of the first two lines. */
interface FirstLine {
  readonly line: number;
  /** Where it begins in the file. */
  readonly position: number;
  /** With the newline: a copy. */
  readonly bytes: Uint8Array;
  readonly texts: readonly string[];
}

class Reader {
  readonly #lines: LineReader;
  readonly #options: EdgeListOptions;
  readonly #scanners: MakeEdgeScanner | undefined;
  /** Of the file, in bytes, if it is known. */
  readonly #size: number | undefined;
  /** Undefined unless the lines may be usual. */
  #scanner: EdgeScanner | undefined;
  #fields: NumberFields = new NumberFields('');
  /** The first line, until the next one tells whether it is a header. */
  #first: FirstLine | undefined;
  /** Fields of each line. */
  #count = 0;
  #columns: EdgeColumns | undefined;
  /** Number of the first line of edges, which tells what the columns are. */
  #edgeLine = 0;
  #entries: EntryList = new EntryList('pattern');
  #rowNames: NameTable | undefined;
  #colNames: NameTable | undefined;
  #rows = 0;
  #cols = 0;

  constructor(lines: LineReader, options: EdgeListOptions, scanners?: MakeEdgeScanner, size?: number) {
    this.#lines = lines;
    this.#options = options;
    this.#scanners = scanners;
    this.#size = size;
    if (options.names) this.#nameNodes();
  }

  /** Reads lines of integers, as long as they have this form. */
  readUsual(bytes: Uint8Array, begin: number): UsualLines | undefined {
    const scanner = this.#scanner;
    if (scanner === undefined) return undefined;
    let lines = 0;
    for (let at = begin; ; ) {
      const chunk = this.#entries.room(this.#mostAhead());
      const before = chunk.used;
      const { next, rows, cols } = scanner.read(bytes, at, chunk);
      lines += chunk.used - before;
      this.#rows = Math.max(this.#rows, rows);
      this.#cols = Math.max(this.#cols, cols);
      if (next === at || next === bytes.length) return { lines, next };
      at = next;
    }
  }

  /** How many entries may follow, if the other lines are as long as those before. */
  #mostAhead(): number {
    const { position } = this.#lines;
    if (this.#size === undefined || position === 0) return Number.POSITIVE_INFINITY;
    return MIN_AHEAD + Math.ceil((1.05 * this.#entries.length * (this.#size - position)) / position);
  }

  readLine(bytes: Uint8Array, begin: number, end: number): void {
    if (this.#columns !== undefined) {
      this.#readEdge(this.#columns, bytes, begin, end);
    } else if (this.#first !== undefined) {
      this.#readEdge(this.#start(this.#first, this.#firstLine(bytes, begin, end)), bytes, begin, end);
    } else {
      this.#fields = new NumberFields(lineText(bytes, begin, end));
      this.#first = this.#firstLine(bytes, begin, end);
    }
  }

  #firstLine(bytes: Uint8Array, begin: number, end: number): FirstLine {
    this.#split(bytes, begin, end);
    const texts = Array.from({ length: this.#count }, (_, field) => this.#text(bytes, field));
    const { line, position } = this.#lines;
    return { line, position: position + begin, bytes: bytes.slice(begin, end + 1), texts };
  }

  async finish(): Promise<MatrixContent> {
    if (this.#first === undefined)
      throw this.#lines.error('edges: a source and a target a line', 'the end of the file');
    const { weight } = this.#columns ?? this.#start(this.#first, undefined);
    const entries = this.#entries;
    const most = Math.max(FREE_ROWS, ROWS_PER_EDGE * entries.length);
    if (this.#rowNames === undefined && Math.max(this.#rows, this.#cols) > most) this.#nameNodes();
    const [rowNames, colNames] = [this.#rowNames, this.#colNames];
    const size = Math.max(this.#rows, this.#cols);
    const shared = !this.#options.bipartite;
    const rows = rowNames?.size ?? (shared ? size : this.#rows);
    const cols = colNames?.size ?? (shared ? size : this.#cols);
    const field = weight === undefined ? 'pattern' : 'real';
    const matrix = await csrOfEntries({ rows, cols, field }, entries.all);
    if (rowNames === undefined || colNames === undefined) return matrix;
    const names = rowNames.names;
    return { ...matrix, rowNames: names, colNames: colNames === rowNames ? names : colNames.names };
  }

  /** Decides what the columns mean, and reads the first line if it is an edge. */
  #start(first: FirstLine, second: FirstLine | undefined): EdgeColumns {
    const { separator } = this.#fields;
    const { header = isHeader({ first: first.texts, second: second?.texts, separator }) } = this.#options;
    const pair = header ? pairOf(first.texts) : ([0, 1] as const);
    if (pair === undefined) throw this.#errorAt(first, 'names of the columns of source and target on the first line');
    const edge = header ? second : first;
    const names = header ? first.texts : undefined;
    const columns = columnsOf(pair, names, edge?.texts, separator, this.#options);
    if ('expected' in columns) throw this.#errorAt(edge ?? first, columns.expected, columns.got);
    this.#columns = columns;
    this.#edgeLine = edge?.line ?? first.line;
    this.#entries = new EntryList(columns.weight === undefined ? 'pattern' : 'real');
    if (this.#size !== undefined) this.#entries.expect(this.#size / MIN_LINE_BYTES);
    if (this.#isUsual(columns) && separator !== ';' && this.#rowNames === undefined)
      this.#scanner = this.#scanners?.(separator, columns.weight !== undefined);
    if (!header) this.#at(first, () => this.#readEdge(columns, first.bytes, 0, first.bytes.length - 1));
    return columns;
  }

  /** Whether lines have source, target and perhaps a weight, in this order, and nothing else. */
  #isUsual({ source, target, weight, hasAttributes, empty }: EdgeColumns): boolean {
    const count = weight === undefined ? 2 : 3;
    return source === 0 && target === 1 && this.#count === count && !hasAttributes && empty === undefined;
  }

  /** Calls `work` with the number and the place of an earlier line. */
  #at<T>({ line, position }: FirstLine, work: () => T): T {
    const now = { line: this.#lines.line, position: this.#lines.position };
    Object.assign(this.#lines, { line, position });
    const result = work();
    Object.assign(this.#lines, now);
    return result;
  }

  /** The error for a field of an earlier line, or for all of it. */
  #errorAt(line: FirstLine, expected: string, got?: string): Error {
    const { bytes } = line;
    return this.#at(line, () =>
      got === undefined
        ? this.#lines.lineError(expected, bytes, 0, bytes.length - 1)
        : this.#lines.error(expected, quote(got)),
    );
  }

  #split(bytes: Uint8Array, begin: number, end: number): void {
    if (!this.#fields.split(bytes, begin, end))
      throw this.#lines.lineError(
        'a field in double quotes that ends on its line, before a separator',
        bytes,
        begin,
        end,
      );
    if (this.#first === undefined) this.#count = this.#fields.count;
    if (this.#fields.count === this.#count) return;
    throw this.#lines.lineError(`${this.#count} fields, as on line ${this.#first!.line}`, bytes, begin, end);
  }

  #readEdge(columns: EdgeColumns, bytes: Uint8Array, begin: number, end: number): void {
    this.#split(bytes, begin, end);
    const { source, target, empty, weightless } = columns;
    const { begins, ends } = this.#fields;
    if (begins[source] === ends[source] || begins[target] === ends[target])
      throw this.#lines.lineError('source and target on a line', bytes, begin, end);
    if (empty !== undefined && begins[empty] !== ends[empty])
      throw this.#lines.lineError(
        `nothing behind the last separator, as on line ${this.#first!.line}`,
        bytes,
        begin,
        end,
      );
    if (weightless !== undefined) this.#checkWeightless(columns, this.#text(bytes, weightless));
    const weight = columns.weight === undefined ? 1 : this.#weight(columns, bytes, columns.weight);
    let row = this.#rowNames === undefined ? indexIn(bytes, begins[source]!, ends[source]!) : -1;
    let col = row < 0 ? -1 : indexIn(bytes, begins[target]!, ends[target]!);
    if (row < 0 || col < 0) {
      const [rowName, colName] = [this.#name(bytes, source), this.#name(bytes, target)];
      if (this.#rowNames === undefined) {
        [row, col] = [indexOfName(rowName), indexOfName(colName)];
        if (row < 0 || col < 0) this.#nameNodes();
      }
      if (this.#rowNames !== undefined) {
        row = this.#rowNames.numberOf(rowName);
        col = this.#colNames!.numberOf(colName);
      }
    }
    if (row >= this.#rows) this.#rows = row + 1;
    if (col >= this.#cols) this.#cols = col + 1;
    const chunk = this.#entries.room(this.#mostAhead());
    chunk.rowIdx[chunk.used] = row;
    chunk.colIdx[chunk.used] = col;
    if (chunk.values !== undefined) chunk.values[chunk.used] = weight;
    chunk.used++;
  }

  /** Where the first line of edges has no weight, the others have none. */
  #checkWeightless({ hasAttributes }: EdgeColumns, text: string): void {
    const attributes = hasAttributes ? attributesOf(text) : undefined;
    const isRight = hasAttributes
      ? attributes !== undefined && !attributes.has('weight')
      : numberIn(text, this.#fields.separator) === undefined;
    if (isRight) return;
    const what = hasAttributes ? 'attributes without a weight' : 'no number (unless edges.weights says what it is)';
    throw this.#lines.error(`${what}, as on line ${this.#edgeLine}`, quote(text));
  }

  #weight({ hasAttributes }: EdgeColumns, bytes: Uint8Array, field: number): number {
    const value = hasAttributes
      ? parseNumber(attributesOf(this.#text(bytes, field))?.get('weight') ?? '')
      : this.#fields.number(bytes, field);
    if (value !== undefined) return value;
    throw this.#lines.error(this.#fields.expected('a weight'), quote(this.#text(bytes, field)));
  }

  /** @throws SparlaneError `parse` for a number that is no integer: a table, rather than edges; and for several numbers */
  #name(bytes: Uint8Array, field: number): string {
    const text = this.#text(bytes, field);
    if (this.#options.names) return text;
    if (isSeveral(text) && !this.#fields.isQuoted(bytes, field))
      throw this.#lines.error('one node between separators, or in double quotes', quote(text));
    const name = nodeName(text);
    if (name !== undefined) return name;
    throw this.#lines.error('a node, an integer or a name (readBlock reads tables of numbers)', quote(text));
  }

  #text(bytes: Uint8Array, field: number): string {
    const text = this.#fields.text(bytes, field);
    if (text !== undefined) return text;
    throw this.#lines.encodingError(bytes, this.#fields.begins[field]!, this.#fields.ends[field]!);
  }

  /** Nodes are names from now on. Integers that were read are names, too, numbered in the order of the file. */
  #nameNodes(): void {
    const rowNames = new NameTable(this.#lines.file);
    const colNames = this.#options.bipartite ? new NameTable(this.#lines.file) : rowNames;
    const { rowIdx, colIdx, used } = this.#entries.all;
    for (let k = 0; k < used; k++) {
      rowIdx[k] = rowNames.numberOf(String(rowIdx[k]));
      colIdx[k] = colNames.numberOf(String(colIdx[k]));
    }
    this.#rowNames = rowNames;
    this.#colNames = colNames;
    this.#scanner = undefined;
  }
}

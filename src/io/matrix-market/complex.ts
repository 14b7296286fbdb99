/**
 * Complex Matrix Market files ↔ complex matrices: coordinates `row column re im`, from 1 on, or dense columns of `re im`, with the symmetries
 * general, symmetric, skew-symmetric and hermitian. In a file with a symmetry an entry off the diagonal also represents its mirror image.
 *
 * Source: Boisvert, Pozo, Remington 1996, NISTIR 5935. As in real files, an entry and its mirror image are refused.
 * Cost: text is parsed on the caller's thread, some 10 MB per second.
 */
import { type ComplexMatrix, type ComplexSymmetry, complexMatrix } from '../../core/complex.js';
import { type EntryChunk, entryChunk, grownChunk } from '../../core/entries.js';
import { mismatch } from '../../core/errors.js';
import { lowerBound } from '../../core/search.js';
import type { PlainFile } from '../bytes/bytes.js';
import { lineFeeds, lineText, NEWLINE, wholeLines } from '../bytes/lines.js';
import { PIECE_CHARS, textStream } from '../bytes/text-stream.js';
import { checkClaim } from '../claims.js';
import { madeFrom, parseError, quote } from '../parse-error.js';
import { firstMirroredPair } from './entries.js';
import { parseNumber } from './number.js';
import { numberText, sameValue } from './writer.js';

const BANNER =
  /^%%?matrixmarket\s+matrix\s+(coordinate|array)\s+complex\s+(general|symmetric|skew-symmetric|hermitian)$/i;

/** Whether the first bytes are those of a file with complex numbers. */
export function isComplexFile(head: Uint8Array): boolean {
  return /^\s*%%?MatrixMarket\s+matrix\s+\w+\s+complex\b/i.test(new TextDecoder().decode(head));
}

const MAX_SIZE = 0xffff_ffff;
/** So many entries are allocated before the file is known to have them. Chosen. */
const FIRST_ENTRIES = 2 ** 16;

/** @throws SparlaneError `parse` or `heap` */
export async function readComplexMatrixMarket({ name, chunks }: PlainFile): Promise<ComplexMatrix> {
  const reader = new ComplexReader(name);
  const tooLong = (bytes: number) => parseError(name, reader.line + 1, 'a shorter line', `${bytes} bytes`);
  for await (const block of wholeLines(lineFeeds(chunks), tooLong)) {
    for (let begin = 0; begin < block.length; ) {
      const end = block.indexOf(NEWLINE, begin);
      reader.read(lineText(block, begin, end).trim());
      begin = end + 1;
    }
  }
  return reader.finish();
}

interface Header {
  readonly isDense: boolean;
  readonly symmetry: ComplexSymmetry;
}

class ComplexReader {
  line = 0;
  readonly #file: string;
  #header: Header | undefined;
  #sizes: { readonly rows: number; readonly cols: number; readonly entries: number } | undefined;
  /** This chunk has the places of the entries only: each has two values, which `#values` has. */
  #entries: EntryChunk = entryChunk('pattern', 0);
  #values = new Float64Array(0);
  /** The place of the next number of a dense file. */
  #row = 0;
  #col = 0;

  constructor(file: string) {
    this.#file = file;
  }

  read(text: string): void {
    this.line++;
    if (text === '') return;
    if (this.#header === undefined) {
      this.#header = this.#readBanner(text);
      return;
    }
    if (text.startsWith('%')) return;
    const tokens = text.split(/\s+/);
    if (this.#sizes === undefined) this.#readSizes(this.#header, tokens);
    else if (this.#entries.used === this.#sizes.entries)
      throw this.#error(`the end of the file after ${this.#sizes.entries} entries`, quote(text));
    else if (this.#header.isDense) this.#readDense(tokens);
    else this.#readEntry(tokens);
  }

  #readBanner(text: string): Header {
    const [, format, symmetry] = BANNER.exec(text) ?? [];
    if (format === undefined) throw this.#error('a banner of a complex matrix', quote(text));
    return { isDense: format.toLowerCase() === 'array', symmetry: symmetry!.toLowerCase() as ComplexSymmetry };
  }

  #readSizes({ isDense, symmetry }: Header, tokens: readonly string[]): void {
    const names = isDense ? ['rows', 'columns'] : ['rows', 'columns', 'entries'];
    if (tokens.length !== names.length) throw this.#error(`a line with ${names.join(', ')}`, quote(tokens.join(' ')));
    const [rows = 0, cols = 0, entries = 0] = tokens.map((token, k) => {
      const size = /^\d+$/.test(token) ? Number(token) : Number.NaN;
      if (size <= MAX_SIZE) return size;
      throw this.#error(`${names[k]} as an integer from 0 to ${MAX_SIZE}`, quote(token));
    });
    if (symmetry !== 'general' && rows !== cols)
      throw this.#error(`as many columns as rows (${symmetry})`, `${rows} × ${cols}`);
    const triangle = (rows * (symmetry === 'skew-symmetric' ? rows - 1 : rows + 1)) / 2;
    const all = isDense ? (symmetry === 'general' ? rows * cols : triangle) : entries;
    this.#sizes = { rows, cols, entries: all };
    this.#row = symmetry === 'skew-symmetric' ? 1 : 0;
  }

  #readEntry(tokens: readonly string[]): void {
    if (tokens.length !== 4)
      throw this.#error('row, column, real part, imaginary part on a line (complex)', quote(tokens.join(' ')));
    const { rows, cols } = this.#sizes!;
    const row = this.#index('row', tokens[0]!, rows);
    const col = this.#index('column', tokens[1]!, cols);
    this.#add(row - 1, col - 1, this.#number(tokens[2]!), this.#number(tokens[3]!), tokens);
  }

  /** Numbers come by columns; those of a symmetric matrix begin at the diagonal. */
  #readDense(tokens: readonly string[]): void {
    if (tokens.length !== 2) throw this.#error('real part, imaginary part on a line', quote(tokens.join(' ')));
    this.#add(this.#row, this.#col, this.#number(tokens[0]!), this.#number(tokens[1]!), tokens);
    if (++this.#row < this.#sizes!.rows) return;
    this.#col++;
    const { symmetry } = this.#header!;
    this.#row = symmetry === 'general' ? 0 : this.#col + (symmetry === 'skew-symmetric' ? 1 : 0);
  }

  #add(row: number, col: number, re: number, im: number, tokens: readonly string[]): void {
    const { symmetry } = this.#header!;
    if (row === col && symmetry === 'skew-symmetric' && (re !== 0 || im !== 0))
      throw this.#error('no entry on the diagonal but 0 (skew-symmetric)', quote(tokens.join(' ')));
    if (row === col && symmetry === 'hermitian' && im !== 0)
      throw this.#error('a real number on the diagonal (hermitian)', quote(tokens.join(' ')));
    const at = this.#entries.used;
    if (at === this.#entries.rowIdx.length) {
      const room = Math.min(Math.max(2 * at, FIRST_ENTRIES), this.#sizes!.entries);
      this.#entries = grownChunk(this.#entries, 'pattern', room);
      const values = new Float64Array(2 * room);
      values.set(this.#values);
      this.#values = values;
    }
    this.#entries.rowIdx[at] = row;
    this.#entries.colIdx[at] = col;
    this.#values[2 * at] = re;
    this.#values[2 * at + 1] = im;
    this.#entries.used++;
  }

  #index(name: string, token: string, size: number): number {
    const index = /^\d+$/.test(token) ? Number(token) : Number.NaN;
    if (index >= 1 && index <= size) return index;
    const hint = index === 0 ? ' (Matrix Market counts from 1, this file from 0)' : '';
    throw this.#error(`a ${name} from 1 to ${size}${hint}`, quote(token));
  }

  #number(token: string): number {
    const value = parseNumber(token);
    if (value === undefined) throw this.#error('a number', quote(token));
    return value;
  }

  #error(expected: string, got: string): Error {
    return parseError(this.#file, Math.max(this.line, 1), expected, got);
  }

  finish(): ComplexMatrix {
    const sizes = this.#sizes;
    if (sizes === undefined) throw this.#error('a banner and a line with the sizes', 'the end of the file');
    const { rows, cols, entries: claimed } = sizes;
    const { rowIdx, colIdx, used } = this.#entries;
    if (used < claimed) throw this.#error(`${claimed} entries`, `the end of the file after ${used}`);
    checkClaim({ file: this.#file, rows: Math.max(rows, cols), entries: used });
    const { symmetry } = this.#header!;
    if (symmetry !== 'general') this.#refuseMirrored(symmetry, rows);
    const given = { rowIdx: rowIdx.subarray(0, used), colIdx: colIdx.subarray(0, used), values: this.#values };
    const all = { ...given, values: this.#values.subarray(0, 2 * used) };
    const entries = symmetry === 'general' ? all : mirrored(all, symmetry);
    return madeFrom(this.#file, () => complexMatrix({ rows, cols, ...entries, symmetry }));
  }

  #refuseMirrored(symmetry: ComplexSymmetry, rows: number): void {
    const pair = firstMirroredPair(this.#entries, rows);
    if (pair === undefined) return;
    const row = this.#entries.rowIdx[pair[1]]! + 1;
    const col = this.#entries.colIdx[pair[1]]! + 1;
    throw this.#error(`an entry or its mirror image, not both (${symmetry})`, `(${row}, ${col}) and (${col}, ${row})`);
  }
}

interface Entries {
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: Float64Array;
}

/** The mirror image of an entry has each part times one of these. */
const MIRRORS: Readonly<Record<Exclude<ComplexSymmetry, 'general'>, readonly [re: number, im: number]>> = {
  symmetric: [1, 1],
  'skew-symmetric': [-1, -1],
  hermitian: [1, -1],
};

/** Returns the entries and, off the diagonal, their mirror images. */
function mirrored({ rowIdx, colIdx, values }: Entries, symmetry: Exclude<ComplexSymmetry, 'general'>): Entries {
  const [reSign, imSign] = MIRRORS[symmetry];
  const off = rowIdx.reduce((count, row, k) => count + Number(row !== colIdx[k]), 0);
  const count = rowIdx.length + off;
  const all = { rowIdx: new Uint32Array(count), colIdx: new Uint32Array(count), values: new Float64Array(2 * count) };
  all.rowIdx.set(rowIdx);
  all.colIdx.set(colIdx);
  all.values.set(values);
  let at = rowIdx.length;
  rowIdx.forEach((row, k) => {
    if (row === colIdx[k]) return;
    all.rowIdx[at] = colIdx[k]!;
    all.colIdx[at] = row;
    all.values[2 * at] = reSign * values[2 * k]!;
    all.values[2 * at + 1] = imSign * values[2 * k + 1]!;
    at++;
  });
  return all;
}

/**
 * Writes the coordinate format with the symmetry of the matrix; with one, the lower triangle.
 *
 * @param comment lines below the banner, as text of the file
 * @throws SparlaneError `structure` if the matrix does not have its declared symmetry
 */
export function writeComplexMatrixMarket(matrix: ComplexMatrix, comment: string): ReadableStream<Uint8Array> {
  const { rows, cols, nnz, symmetry } = matrix;
  const entries = symmetry === 'general' ? nnz : checkedTriangle(matrix, symmetry);
  const head = `%%MatrixMarket matrix coordinate complex ${symmetry}\n${comment}${rows} ${cols} ${entries}\n`;
  return textStream(textOf(head, matrix));
}

function* textOf(head: string, { rows, rowPtr, colIdx, values, symmetry }: ComplexMatrix): Generator<string> {
  let text = head;
  for (let i = 0; i < rows; i++) {
    const last = symmetry === 'general' ? Number.POSITIVE_INFINITY : symmetry === 'skew-symmetric' ? i - 1 : i;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]! && colIdx[k]! <= last; k++) {
      text += `${i + 1} ${colIdx[k]! + 1} ${numberText(values[2 * k]!)} ${numberText(values[2 * k + 1]!)}\n`;
      if (text.length < PIECE_CHARS) continue;
      yield text;
      text = '';
    }
  }
  yield text;
}

/** Counts the entries of the lower triangle, without the diagonal of a skew-symmetric matrix. Throws if a mirror image is missing. O(nnz log nnz). */
function checkedTriangle(matrix: ComplexMatrix, symmetry: Exclude<ComplexSymmetry, 'general'>): number {
  const { rows, rowPtr, colIdx, values } = matrix;
  const [reSign, imSign] = MIRRORS[symmetry];
  let written = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const j = colIdx[k]!;
      const mirror = placeOf(matrix, j, i);
      const [re, im] = [values[2 * k]!, values[2 * k + 1]!];
      const isMirrored =
        mirror !== undefined &&
        sameValue(re, reSign * values[2 * mirror]!) &&
        sameValue(im, imSign * values[2 * mirror + 1]!);
      if (!isMirrored)
        throw mismatch(
          'structure',
          'matrix',
          `an entry and its mirror image (${symmetry})`,
          `A[${i}, ${j}] without it`,
        );
      if (j < i || (j === i && symmetry !== 'skew-symmetric')) written++;
    }
  }
  return written;
}

/** The place of an entry, by bisection; undefined if there is none. */
function placeOf({ rowPtr, colIdx }: ComplexMatrix, row: number, col: number): number | undefined {
  const end = rowPtr[row + 1]!;
  const place = lowerBound(colIdx, col, rowPtr[row]!, end);
  return place < end && colIdx[place] === col ? place : undefined;
}

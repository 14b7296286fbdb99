/**
 * Complex Matrix Market files ↔ complex matrices: coordinates `row column re im`, from 1 on, or dense columns of `re im`, with the symmetries
 * general, symmetric, skew-symmetric and hermitian. In a file with a symmetry an entry off the diagonal also represents its mirror image.
 *
 * A file is read as two real ones with entries at the same places: real parts, and imaginary parts. Those of a Hermitian matrix are symmetric and
 * skew-symmetric.
 *
 * Source: Boisvert, Pozo, Remington 1996, NISTIR 5935. As in real files, an entry and its mirror image are refused.
 * Cost: text is parsed on the caller's thread, some 10 MB per second.
 */
import { type ComplexMatrix, type ComplexSymmetry, complexOfParts, symmetryOfPart } from '../../core/complex.js';
import { csrInPlace } from '../../core/csr-in-place.js';
import { mismatch } from '../../core/errors.js';
import { lowerBound } from '../../core/search.js';
import type { NamedChunks } from '../bytes/bytes.js';
import { lineFeeds } from '../bytes/lines.js';
import { PIECE_CHARS, textStream } from '../bytes/text-stream.js';
import { quote } from '../parse-error.js';
import { ArrayBody } from './array.js';
import { CoordinateBody } from './coordinate.js';
import { EntryList, type KeepEntry } from './entries.js';
import { HeaderReader, type MatrixMarketHeader } from './header.js';
import { readEntries } from './read-entries.js';
import { numberText, sameValue } from './writer.js';

/** Whether the first bytes are those of a file with complex numbers. */
export function isComplexFile(head: Uint8Array): boolean {
  return /^\s*%%?MatrixMarket\s+matrix\s+\w+\s+complex\b/i.test(new TextDecoder().decode(head));
}

/** @throws SparlaneError `parse` or `heap` */
export async function readComplexMatrixMarket(text: NamedChunks): Promise<ComplexMatrix> {
  const { header, entries, imaginary } = await readParts(text);
  const symmetry = header.declared!;
  const [re, im] = [entries, imaginary].map(({ all }, part) =>
    csrInPlace({ ...header, symmetry: symmetryOfPart(symmetry, part) }, all),
  );
  return complexOfParts(re!, im!, symmetry);
}

/** Reads all lines of a file in coordinates, and keeps no entry. @throws as `readComplexMatrixMarket` */
export async function checkComplexLines(text: NamedChunks): Promise<void> {
  await readParts(text, () => false);
}

function readParts({ name, chunks }: NamedChunks, keeps?: KeepEntry): Promise<ComplexCoordinates | ComplexArray> {
  return readEntries<ComplexCoordinates | ComplexArray>(
    { name, chunks: lineFeeds(chunks) },
    (header, line) =>
      header.format === 'coordinate' ? new ComplexCoordinates(header, line, keeps) : new ComplexArray(header, line),
    new HeaderReader(name, true),
  );
}

/** Coordinates with two values, whose real parts are `entries`. */
export class ComplexCoordinates extends CoordinateBody {
  /** The imaginary parts are at the places of the real ones. */
  readonly imaginary: EntryList;

  /** @param keeps which entries are kept; default: all */
  constructor(header: MatrixMarketHeader, line: number, keeps?: KeepEntry) {
    super(header, line, undefined, keeps);
    this.imaginary = new EntryList(header.field, keeps, header.symmetry !== 'general');
  }

  protected override readEntry(tokens: readonly string[]): void {
    const { rows, cols, declared, entries } = this.header;
    if (tokens.length !== 4)
      throw this.error('row, column, real part, imaginary part on a line (complex)', quote(tokens.join(' ')));
    const row = this.index('row', tokens[0]!, rows);
    const col = this.index('column', tokens[1]!, cols);
    const [re, im] = [this.value(tokens[2]!), this.value(tokens[3]!)];
    const expected = row === col ? missedOnDiagonal(declared!, re, im) : undefined;
    if (expected !== undefined) throw this.error(expected, quote(tokens.join(' ')));
    this.imaginary.add(row - 1, col - 1, im, entries - this.imaginary.count);
    this.add(row, col, re);
  }

  override finish(): void {
    super.finish();
    this.imaginary.sieve();
  }
}

/** Dense columns of pairs, with their zeros. */
class ComplexArray extends ArrayBody {
  readonly imaginary: EntryList;

  constructor(header: MatrixMarketHeader, line: number) {
    super(header, line, true);
    this.imaginary = new EntryList(header.field, undefined, header.symmetry !== 'general');
  }

  /** No line has one value. */
  protected override readUsualLines(_: Uint8Array, begin: number): number {
    return begin;
  }

  protected override readEntry(tokens: readonly string[]): void {
    if (tokens.length !== 2) throw this.error('real part, imaginary part on a line', quote(tokens.join(' ')));
    const { row, col } = this;
    const [re, im] = [this.value(tokens[0]!), this.value(tokens[1]!)];
    const expected = row === col ? missedOnDiagonal(this.header.declared!, re, im) : undefined;
    if (expected !== undefined) throw this.error(expected, quote(tokens.join(' ')));
    this.imaginary.add(row, col, im, this.header.entries - this.imaginary.count);
    this.add(re);
  }
}

/** Returns what a symmetry wants on the diagonal, if this number is something else. */
function missedOnDiagonal(symmetry: ComplexSymmetry, re: number, im: number): string | undefined {
  if (symmetry === 'skew-symmetric' && (re !== 0 || im !== 0)) return 'no entry on the diagonal but 0 (skew-symmetric)';
  return symmetry === 'hermitian' && im !== 0 ? 'a real number on the diagonal (hermitian)' : undefined;
}

/** The mirror image of an entry has each part times one of these. */
const MIRRORS: Readonly<Record<Exclude<ComplexSymmetry, 'general'>, readonly [re: number, im: number]>> = {
  symmetric: [1, 1],
  'skew-symmetric': [-1, -1],
  hermitian: [1, -1],
};

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

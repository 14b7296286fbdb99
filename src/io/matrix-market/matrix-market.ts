/**
 * Matrix Market files → CSR, as a stream.
 *
 * Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
 * Differs: see the headers of `header.ts`, `coordinate.ts` and `array.ts`.
 *
 * Values are the nearest doubles: integers beyond 2⁵³ are rounded, and `1e999` is infinite. `inf`, `infinity` and
 * `nan`, as written by C, are values of a real matrix. Complex matrices are refused.
 *
 * A file on a disk is read by blocks (`read-blocks.ts`): two buffers, no stream, and several threads for a large one. Entries of a
 * matrix on a disk become rows by buckets (`row-buckets.ts`), others, and those of a triangle near its diagonal, as in `core/csr-in-place.ts`.
 *
 * Cost and memory: `bench/read.mjs`. From gzip, limited by decompression.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { csrInPlace } from '../../core/csr-in-place.js';
import { type EntryChunk, entryChunk } from '../../core/entries.js';
import { type FileText, openText, type ReadOptions } from '../bytes/bytes.js';
import type { ByteSource } from '../bytes/source.js';
import { UNPACKING } from '../bytes/unpacking.js';
import { checkBlock } from '../claims.js';
import type { DenseBlock } from '../kinds/kind.js';
import { parseError } from '../parse-error.js';
import { ArrayBody } from './array.js';
import { MIN_LINE_BYTES } from './blocks.js';
import type { Body } from './body.js';
import { staysInCache, wantsBuckets } from './bucket-choice.js';
import { CoordinateBody } from './coordinate.js';
import type { EntryList, KeepEntry } from './entries.js';
import type { MatrixMarketHeader } from './header.js';
import { readEntries } from './read-entries.js';
import { RowBuckets } from './row-buckets.js';
import { RowWork } from './row-work.js';
import type { LineScanner } from './scanner.js';

/**
 * Reads a matrix from a file's bytes: text, gzip, or a tar archive as the SuiteSparse collection ships them.
 *
 * @throws SparlaneError `parse`, with the file, the line, the expected and the actual content; `heap` if the header
 *   claims absurdly many rows for its entries; `argument` for an invalid source; the signal's reason on abort.
 */
export async function readMatrixMarket(source: ByteSource, options: ReadOptions = {}): Promise<CsrMatrix> {
  return parseMatrix(await openText(source, options, UNPACKING));
}

/**
 * Reads a vector: a matrix of one column, in array or coordinate format.
 *
 * @throws as `readMatrixMarket`
 */
export async function readMatrixMarketVector(source: ByteSource, options: ReadOptions = {}): Promise<Float64Array> {
  return parseVector(await openText(source, options, UNPACKING));
}

export async function parseMatrix(text: FileText): Promise<CsrMatrix> {
  let buckets: RowBuckets | undefined;
  const { header, entries } = await readEntries(text, (head, line, scanner, lines, begin) => {
    const body = createBody(head, line, scanner, false);
    // So many entries fit into the file, so that their arrays may be allocated at once.
    if (
      scanner !== undefined &&
      text.disk !== undefined &&
      head.entries <= text.disk.size / MIN_LINE_BYTES &&
      wantsBuckets(head) &&
      !staysInCache(head, firstEntries(head, scanner, lines, begin))
    ) {
      buckets = new RowBuckets(scanner.parts.module, head);
      body.entries.pourInto(buckets);
    }
    return body;
  });
  if (buckets === undefined) return csrInPlace(header, entries.all);
  // A file that has an entry and its mirror image is read again, for the error, or for its order.
  return buckets.matrix() ?? parseMatrix({ name: text.name, chunks: text.disk!.again() });
}

/** So many entries tell in which order those of a file are. Chosen. */
const FIRST_ENTRIES = 1024;

/** Entries of the first lines, from `lines[begin]` on, as far as they are usual. */
function firstEntries(head: MatrixMarketHeader, scanner: LineScanner, lines: Uint8Array, begin: number): EntryChunk {
  const entries = entryChunk(head.field, FIRST_ENTRIES);
  scanner.read(head, lines, begin, entries, FIRST_ENTRIES);
  return entries;
}

/** The first row, and the one after the last, for a number of rows. */
export type RangeOfRows = (rows: number) => readonly [begin: number, end: number];

/**
 * A matrix of which the rows of a range are right. Of a file in coordinates, others have no entries but mirror images of entries in the
 * range.
 */
export async function parseRows(text: FileText, rangeOf: RangeOfRows): Promise<CsrMatrix> {
  const { header, entries } = await readEntries(text, (head, line, scanner) => {
    const [begin, end] = rangeOf(head.rows);
    const isIn = (index: number) => index >= begin && index < end;
    // Entries of a symmetric file are their mirror images, too.
    const keeps: KeepEntry = head.symmetry === 'general' ? isIn : (row, col) => isIn(row) || isIn(col);
    return createBody(head, line, scanner, false, keeps);
  });
  return csrInPlace(header, entries.all);
}

/** What each row of a file has; undefined of an array, whose rows are equally long. */
export async function parseRowWork(text: FileText): Promise<RowWork | undefined> {
  let work: RowWork | undefined;
  await readEntries(text, (head, line, scanner) => {
    if (head.format === 'coordinate') work = new RowWork(head);
    return createBody(head, line, scanner, false, work?.counts);
  });
  return work;
}

export async function parseVector(text: FileText): Promise<Float64Array> {
  return (await parseBlock(text, 1)).values;
}

/** @param columns how many there must be; undefined: any number */
export async function parseBlock(
  text: FileText,
  columns: number | undefined,
): Promise<DenseBlock & { values: Float64Array }> {
  const { header, entries } = await readEntries(text, (head, line, scanner) => {
    const { file, rows, cols } = head;
    if (columns !== undefined && cols !== columns) {
      const expected = columns === 1 ? 'a vector, one column' : `${columns} columns`;
      throw parseError(file, line, expected, `${rows} × ${cols}`, { rows, cols });
    }
    return createBody(head, line, scanner, true);
  });
  return scattered(entries, header);
}

function createBody(
  header: MatrixMarketHeader,
  line: number,
  scanner: LineScanner | undefined,
  keepZeros: boolean,
  keeps?: KeepEntry,
): Body {
  return header.format === 'coordinate'
    ? new CoordinateBody(header, line, scanner, keeps)
    : new ArrayBody(header, line, keepZeros);
}

function scattered({ all }: EntryList, header: MatrixMarketHeader): DenseBlock & { values: Float64Array } {
  const { file, rows, cols: columns, format, symmetry } = header;
  checkBlock(file, rows, columns);
  const values = new Float64Array(rows * columns);
  const put = (at: number, value: number) => {
    // The first value is assigned, not added, because 0 + −0 is 0.
    if (format === 'array') values[at] = value;
    else values[at]! += value;
  };
  const { rowIdx, colIdx, values: given, used } = all;
  for (let k = 0; k < used; k++) {
    const row = rowIdx[k]!;
    const col = colIdx[k]!;
    const value = given === undefined ? 1 : given[k]!;
    put(row * columns + col, value);
    if (symmetry !== 'general' && row !== col) put(col * columns + row, symmetry === 'symmetric' ? value : -value);
  }
  return { rows, columns, values };
}

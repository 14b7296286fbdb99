/**
 * 8-bit codes of the values of a matrix, in order of first appearance. Values are compared by their bits: −0 is not 0.
 *
 * Entries are encoded in blocks, any number of them at the same time. Every block begins with the values at the beginning
 * of the matrix, and adds those that it meets. Codes of added values are renumbered afterwards, block by block: the
 * result is that of one pass from the first entry to the last.
 */
import { evenly } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import { CodeBook, MAX_VALUES } from './code-book.js';
import { CODES_BLOCK, encodeBlocks, findOther, renumberBlocks, TOO_MANY } from './value-loops.js';
import type { ConversionWorkspace } from './workspace.js';

/** Entries whose values every block knows. */
const FIRST = 4096;

/** Cost of an entry that is renumbered, and of one that is compared with 1, in entries. */
const BYTE_WORK = 1 / 4;

/**
 * The codes, in the workspace, and the value of each.
 *
 * @param isRounded whether values are stored as f32, and the codes are those of rounded values
 * @returns undefined if there are more than 256 values
 */
export function codesOf(
  given: FloatArray,
  isRounded: boolean,
  { runLoop, array, near }: ConversionWorkspace,
): { codes: Uint8Array; table: FloatArray } | undefined {
  const book = new CodeBook();
  const codes = array(Uint8Array, given.length);
  if (!book.encode(given, isRounded, 0, Math.min(given.length, FIRST), codes)) return undefined;
  const values = near(given);
  const blocks = Math.ceil(values.length / CODES_BLOCK);
  const known = array(Uint32Array, 2 * book.count);
  known.set(book.bits.subarray(0, known.length));
  const counts = array(Uint32Array, blocks).fill(book.count);
  const bits = array(Uint32Array, 2 * MAX_VALUES * blocks);
  const job = { values, isRounded: Number(isRounded), known, codes, counts, bits };
  runLoop(encodeBlocks, job, evenly(blocks, CODES_BLOCK));
  if (counts.includes(TOO_MANY)) return undefined;
  const maps = array(Uint8Array, MAX_VALUES * blocks);
  if (!mergeBlocks(book, known.length / 2, counts, bits, maps)) return undefined;
  if (counts.some((count) => count > 0))
    runLoop(renumberBlocks, { codes, counts, maps }, evenly(blocks, CODES_BLOCK * BYTE_WORK));
  return { codes, table: book.values(isRounded) };
}

/**
 * Adds the values of the blocks to the book, and maps the codes of each block to those of the book. The count of a block
 * whose codes stay becomes 0. Returns false if there are too many values.
 */
function mergeBlocks(book: CodeBook, known: number, counts: Uint32Array, bits: Uint32Array, maps: Uint8Array): boolean {
  for (let block = 0; block < counts.length; block++) {
    let same = true;
    for (let code = 0; code < counts[block]!; code++) {
      const word = 2 * (MAX_VALUES * block + code);
      const merged = code < known ? code : book.codeOf(bits[word]!, bits[word + 1]!);
      if (merged < 0) return false;
      if (merged !== code) same = false;
      maps[MAX_VALUES * block + code] = merged;
    }
    if (same) counts[block] = 0;
  }
  return true;
}

/** The index of the first value that is not 1; the number of values if all are. */
export function firstOther(values: FloatArray, { runLoop, array }: ConversionWorkspace): number {
  const least = array(Uint32Array, 1).fill(values.length);
  runLoop(findOther, { values, least }, evenly(values.length, BYTE_WORK));
  return least[0]!;
}

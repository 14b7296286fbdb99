/**
 * A file on a disk in blocks of equal length, so that several threads find their lines without each other: a line is part of the block
 * in which it begins.
 */
import type { ReadAt } from '../bytes/disk.js';
import { MAX_LINE_BYTES, NEWLINE } from '../bytes/lines.js';

/**
 * The text and its entries fit into a cache of 1 MiB or 2, and a block takes a thousand times as long as a message between threads.
 */
export const BLOCK_BYTES: number = 1 << 19;
/** The share of a file that a block has if several threads read it, so that each has several blocks, and the shortest block. Chosen. */
const SHARE = 1 / 16;
const LEAST_BYTES = 1 << 18;
/** The shortest line is `1 1`, and a newline. */
export const MIN_LINE_BYTES = 4;
/** So many bytes are read at once to find the end of a line: with a block for its last line, and again if that is longer. */
export const PIECE_BYTES: number = 1 << 12;
/** The byte before a block, the block, the longest line that begins in it, and a piece that may follow. */
export const BUFFER_BYTES: number = 1 + BLOCK_BYTES + MAX_LINE_BYTES + PIECE_BYTES;

/** A part of a file, from the begin of a line to the end of the file, and the length of its blocks: at most `BLOCK_BYTES`. */
export interface TextBlocks {
  readonly begin: number;
  readonly end: number;
  readonly bytes: number;
}

export interface WholeLines {
  /** Whole lines, each with a newline at its end. */
  readonly text: Uint8Array;
  /** How many bytes of a line that is too long were read; 0 without one. It follows the lines of the text. */
  readonly tooLong: number;
}

export function blockCount({ begin, end, bytes }: TextBlocks): number {
  return Math.ceil((end - begin) / bytes);
}

/** Returns how many bytes a block of a file has. @param bytes of all its text @param threads that read it */
export function blockBytes(bytes: number, threads: number): number {
  return threads === 1 ? BLOCK_BYTES : Math.min(Math.max(Math.ceil(SHARE * bytes), LEAST_BYTES), BLOCK_BYTES);
}

/** Of a block, or of the file. */
export function endOf(block: number, { begin, end, bytes }: TextBlocks): number {
  return Math.min(begin + (block + 1) * bytes, end);
}

/** Reads the lines of a block into the buffer. */
export async function linesOf(
  block: number,
  blocks: TextBlocks,
  readAt: ReadAt,
  buffer: Uint8Array,
): Promise<WholeLines> {
  // A line begins after a newline, which may be the byte before the block.
  const from = block === 0 ? blocks.begin : endOf(block - 1, blocks) - 1;
  const length = endOf(block, blocks) - from;
  let read = await readAt(buffer.subarray(0, length + PIECE_BYTES), from);
  const own = buffer.subarray(0, Math.min(length, read));
  const start = block === 0 ? 0 : own.indexOf(NEWLINE) + 1;
  if (start === own.length || (start === 0 && block > 0)) return { text: buffer.subarray(0, 0), tooLong: 0 };
  const last = own.lastIndexOf(NEWLINE) + 1;
  let end = own.length;
  for (let isOpen = last < end; isOpen; ) {
    const newline = buffer.subarray(end, read).indexOf(NEWLINE);
    isOpen = newline < 0;
    end = isOpen ? read : end + newline + 1;
    if (end - last > MAX_LINE_BYTES) return { text: buffer.subarray(start, last), tooLong: end - last };
    if (!isOpen) break;
    const more = await readAt(buffer.subarray(read, read + PIECE_BYTES), from + read);
    read += more;
    isOpen = more > 0;
    // The last line of a file may have none.
    if (!isOpen) buffer[end++] = NEWLINE;
  }
  return { text: buffer.subarray(start, end), tooLong: 0 };
}

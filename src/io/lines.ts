/** Whole lines from pieces of any size, without a copy of more than the line that two pieces share. */
import { type Chunks, joined } from './chunks.js';

export const NEWLINE = 0x0a;

/** The format allows 1024; a file that is one endless line must not be gathered in memory. */
const MAX_LINE_BYTES = 1 << 16;

/** Blocks of whole lines. Each ends with a newline, also the last one of a file that does not. */
export async function* wholeLines(chunks: Chunks, tooLong: (bytes: number) => Error): Chunks {
  let partial: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    let begin = 0;
    if (partial.length > 0) {
      begin = chunk.indexOf(NEWLINE) + 1;
      partial = joined(partial, begin === 0 ? chunk : chunk.subarray(0, begin));
      if (partial.length > MAX_LINE_BYTES) throw tooLong(partial.length);
      if (begin === 0) continue;
      yield partial;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > begin) yield chunk.subarray(begin, end);
    partial = chunk.slice(end);
  }
  if (partial.length > 0) yield joined(partial, Uint8Array.of(NEWLINE));
}

/** A line as text, without the newline at `end`. Only for lines that are few: headers, comments, errors. */
export function lineText(bytes: Uint8Array, begin: number, end: number): string {
  return new TextDecoder().decode(bytes.slice(begin, Math.min(end, begin + MAX_LINE_BYTES)));
}

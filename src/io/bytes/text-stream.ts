/** Text that is made on demand → a stream of bytes. */
import { byteStream } from './byte-stream.js';

/** Approximate size of one piece of text. */
export const PIECE_CHARS: number = 1 << 16;

/** The text in UTF-8. A piece is made when the reader asks for it; some `PIECE_CHARS` are a good size. */
export function textStream(pieces: Generator<string>): ReadableStream<Uint8Array> {
  return byteStream(encoded(pieces));
}

function* encoded(pieces: Generator<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of pieces) yield encoder.encode(piece);
}

/** The text of a value that is 0 or not finite: zero with its sign, which `String` drops, and the others with their names in C. */
export function rareText(value: number): string {
  if (value === 0) return 1 / value < 0 ? '-0' : '0';
  if (Number.isNaN(value)) return 'nan';
  return value < 0 ? '-inf' : 'inf';
}

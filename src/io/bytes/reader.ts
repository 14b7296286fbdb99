/** A binary file from its begin to its end, as counts of bytes instead of pieces of any size. */
import { byteError } from '../parse-error.js';
import { type ByteChunks, joined, letGo } from './chunks.js';

export class ByteReader {
  /** Name of the file in errors. */
  readonly file: string;
  /** The next byte to read is at this place in the file. */
  position: number;
  readonly #chunks: ByteChunks;
  #chunk: Uint8Array = new Uint8Array(0);
  /** Bytes of the chunk that were read. */
  #at = 0;

  /** @param position where the chunks begin in the file, for errors */
  constructor(file: string, chunks: ByteChunks, position = 0) {
    this.file = file;
    this.#chunks = chunks;
    this.position = position;
  }

  /** Whether no bytes follow. */
  async atEnd(): Promise<boolean> {
    while (this.#at === this.#chunk.length) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#chunk = value;
      this.#at = 0;
    }
    return false;
  }

  /** Fills the target. @param what names the bytes in the error for a file that ends before. */
  async fill(target: Uint8Array, what: string): Promise<void> {
    for (let filled = 0; filled < target.length; ) {
      const piece = await this.piece(target.length - filled, what);
      target.set(piece, filled);
      filled += piece.length;
    }
  }

  /** The next `count` bytes, few enough to be kept whatever the file is. */
  async take(count: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    await this.fill(bytes, what);
    return bytes;
  }

  /** The next bytes as they are there: one at least, and at most `most`. @param what names them in the error for a file that ends before. */
  async piece(most: number, what: string): Promise<Uint8Array> {
    if (await this.atEnd()) throw this.error(what, 'the end of the file');
    const piece = this.#chunk.subarray(this.#at, this.#at + most);
    this.#at += piece.length;
    this.position += piece.length;
    return piece;
  }

  /** Puts the last bytes that were read back in front. */
  unread(bytes: Uint8Array): void {
    this.position -= bytes.length;
    this.#at -= bytes.length;
    if (this.#at >= 0) return;
    // Some of them are of an earlier chunk.
    this.#chunk = joined(bytes, this.#chunk.subarray(this.#at + bytes.length));
    this.#at = 0;
  }

  /** @throws SparlaneError `parse` if bytes follow */
  async finish(): Promise<void> {
    if (!(await this.atEnd())) throw this.error('the end of the file', 'more bytes');
  }

  /** Reads no further: the source is left alone. */
  letGo(): void {
    letGo(this.#chunks);
  }

  /** The error for what is at a byte; default: for what is next. */
  error(expected: string, got: string, at: number = this.position): Error {
    return byteError(this.file, at, expected, got);
  }
}

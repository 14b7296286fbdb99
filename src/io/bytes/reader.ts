/** A binary file from its begin to its end, as counts of bytes instead of pieces of any size. */
import { byteError } from '../parse-error.js';
import { type Chunks, letGo } from './chunks.js';

export class ByteReader {
  /** Name of the file in errors. */
  readonly file: string;
  /** Bytes that were read. */
  position = 0;
  readonly #chunks: Chunks;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(file: string, chunks: Chunks) {
    this.file = file;
    this.#chunks = chunks;
  }

  /** Whether no bytes follow. */
  async atEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#rest = value;
    }
    return false;
  }

  /** Fills the target. @param what names the bytes in the error for a file that ends before. */
  async fill(target: Uint8Array, what: string): Promise<void> {
    for (let filled = 0; filled < target.length; ) {
      if (await this.atEnd()) throw this.error(what, 'the end of the file');
      const piece = this.#rest.subarray(0, target.length - filled);
      target.set(piece, filled);
      filled += piece.length;
      this.position += piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
  }

  /** The next `count` bytes, few enough to be kept whatever the file is. */
  async take(count: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    await this.fill(bytes, what);
    return bytes;
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

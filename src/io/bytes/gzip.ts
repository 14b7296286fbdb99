/**
 * gzip → text, with the platform's `DecompressionStream`, one for each member.
 *
 * Concatenated members (bgzip, `cat a.gz b.gz`) are one text (RFC 1952, §2.2). But the stream refuses bytes after the
 * first member, as its standard defines, and does not report the length of that member. So the input is cut wherever a
 * header may begin: four bytes, which occur by chance once in half a gigabyte. A member ends there if the four bytes
 * before the header, the length of its text modulo 2³², equal the length of the output so far. The stream checks the
 * end of a member itself, so a false end is an error, never half a matrix. The length of the output is certain only if
 * the stream reports bytes as used up when they are, as its standard defines. Node's stream reports too early, so Node
 * has another reader: `unpacking.node.ts`.
 *
 * A piece is written to the stream after the previous one is used up. `pipeThrough` would also work, but in Node 20
 * both ends of the stream have queues of 16 Ki *pieces*: the whole file is read before the first line is parsed, and
 * `onProgress` reports 100 % after 6 % of the time.
 */

import { damagedGzip } from '../parse-error.js';
import { type ByteChunks, joined } from './chunks.js';

export async function* gunzip(chunks: ByteChunks, name: string): ByteChunks {
  let member = new Member(name);
  try {
    for await (const { bytes, claim } of parts(chunks)) {
      yield* member.inflate(bytes);
      if (claim !== member.length) continue;
      yield* member.finish();
      member = new Member(name);
    }
    yield* member.finish();
  } finally {
    member.letGo();
  }
}

interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Defined if a header may follow: the text length, modulo 2³², of a member that would end here. */
  readonly claim?: number;
}

const HEADER = [0x1f, 0x8b, 0x08] as const;
/** Three fixed bytes, then the flags, whose three upper bits are 0. */
const HEADER_BYTES = 4;
const FLAGS_END = 0x20;
const LENGTH_BYTES = 4;

/** Cuts where a header may begin, also if the header and the length before it are split over two chunks. */
async function* parts(chunks: ByteChunks): AsyncGenerator<Part, void, undefined> {
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  for await (const chunk of chunks) {
    // The copy is also needed for the stream, which does not accept views of shared memory.
    const bytes = joined(rest, chunk);
    const view = new DataView(bytes.buffer);
    let begin = 0;
    for (let at = LENGTH_BYTES; ; at++) {
      at = possibleHeader(bytes, at);
      if (at < 0) break;
      yield { bytes: bytes.subarray(begin, at), claim: view.getUint32(at - LENGTH_BYTES, true) };
      begin = at;
    }
    const end = Math.max(begin, bytes.length - LENGTH_BYTES - HEADER_BYTES);
    yield { bytes: bytes.subarray(begin, end) };
    rest = bytes.slice(end);
  }
  yield { bytes: rest };
}

/** Position of the first possible header from `at` on, or −1. */
function possibleHeader(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(HEADER[0], from); at >= 0; at = bytes.indexOf(HEADER[0], at + 1)) {
    // Beyond the end the byte is undefined, which matches no header.
    if (bytes[at + 1] === HEADER[1] && bytes[at + 2] === HEADER[2] && bytes[at + 3]! < FLAGS_END) return at;
  }
  return -1;
}

class Member {
  readonly #name: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #next: Promise<ReadableStreamReadResult<Uint8Array>>;
  #made = 0;

  constructor(name: string) {
    const { readable, writable } = new DecompressionStream('gzip');
    this.#name = name;
    this.#reader = readable.getReader();
    this.#writer = (writable as WritableStream<Uint8Array<ArrayBuffer>>).getWriter();
    this.#next = this.#read();
  }

  /** Length of the text so far, in bytes, modulo 2³². */
  get length(): number {
    return this.#made % 2 ** 32;
  }

  /** The text that arrives until the bytes are used up. */
  async *inflate(bytes: Uint8Array<ArrayBuffer>): ByteChunks {
    const written = handled(this.#writer.write(bytes));
    for (;;) {
      // The first of the two to settle: text is passed on before the next piece is written.
      const text = await Promise.race([this.#next, written]).catch(this.#damaged);
      if (!text) return;
      if (text.done) return this.#damaged(new Error('bytes behind its end'));
      this.#made += text.value.length;
      this.#next = this.#read();
      yield text.value;
    }
  }

  /** The rest of the text. @throws if the member is incomplete */
  async *finish(): ByteChunks {
    const closed = handled(this.#writer.close());
    for (;;) {
      const { done, value } = await this.#next.catch(this.#damaged);
      if (done) break;
      this.#next = this.#read();
      yield value;
    }
    await closed.catch(this.#damaged);
  }

  letGo(): void {
    handled(this.#writer.abort());
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return handled(this.#reader.read());
  }

  readonly #damaged = (error: unknown): never => {
    throw damagedGzip(this.#name, error);
  };
}

/** The same promise; its rejection need not be handled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

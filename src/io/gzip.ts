/**
 * gzip → text, by the platform's `DecompressionStream`, one for each member.
 *
 * Concatenated members (bgzip, `cat a.gz b.gz`) are one text (RFC 1952, §2.2), but the stream refuses bytes behind the
 * first member, as the standard has it, and does not say how many bytes that has. So the input is cut wherever a header
 * may begin, four bytes that come by chance once in half a gigabyte. There a member ends if the four bytes in front of the
 * header, the length of its text modulo 2³², say what has come out. What is taken for an end by mistake is no end to the
 * stream, which checks it: an error, never half a matrix. What has come out is known where the stream says of bytes that
 * they are used up, as the standard has it. Node's says so before: it has a reader of its own, `gzip.node.ts`.
 *
 * The stream is fed by hand, a piece when the one before is used up. `pipeThrough` would do, but Node 20 gives both ends
 * of the stream queues of 16 Ki *pieces*: the whole file is read before the first line is, and `onProgress` says 100 %
 * after 6 % of the time.
 */
import { type Chunks, joined } from './chunks.js';
import { damagedGzip } from './parse-error.js';

export async function* gunzip(chunks: Chunks, name: string): Chunks {
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
  /** Where a header may follow: the length of the text of a member that ends here, modulo 2³². */
  readonly claim?: number;
}

const HEADER = [0x1f, 0x8b, 0x08] as const;
/** The three bytes, and flags, of which the three upper bits are 0. */
const HEADER_BYTES = 4;
const FLAGS_END = 0x20;
const LENGTH_BYTES = 4;

/** Cut where a header may begin; also where one and the length in front of it lie in two chunks. */
async function* parts(chunks: Chunks): AsyncGenerator<Part, void, undefined> {
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  for await (const chunk of chunks) {
    // A copy: also for the stream, which takes no view of shared memory.
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

/** The place of the first from `at`, −1 where there is none. */
function possibleHeader(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(HEADER[0], from); at >= 0; at = bytes.indexOf(HEADER[0], at + 1)) {
    // Beyond the end: undefined, which is no byte of a header.
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

  /** Of the text so far, in bytes, modulo 2³². */
  get length(): number {
    return this.#made % 2 ** 32;
  }

  /** What text there is until the bytes are used up. */
  async *inflate(bytes: Uint8Array<ArrayBuffer>): Chunks {
    const written = handled(this.#writer.write(bytes));
    for (;;) {
      // The first of the two that is settled: text goes before the next piece.
      const text = await Promise.race([this.#next, written]).catch(this.#damaged);
      if (!text) return;
      if (text.done) return this.#damaged(new Error('bytes behind its end'));
      this.#made += text.value.length;
      this.#next = this.#read();
      yield text.value;
    }
  }

  /** The rest of the text. @throws where the member is not complete */
  async *finish(): Chunks {
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

/** The same promise; nobody has to be there when it is rejected. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

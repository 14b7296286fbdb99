/** The sources of bytes, in a page or in Node, and one function that reads all of them. */
import { mismatch, SparlaneError, show } from '../../core/errors.js';
import { quote } from '../parse-error.js';
import { type ByteChunks, letGo, streamChunks } from './chunks.js';

/** A `Blob` or `File`, the body of a `Response`, a Node stream, or bytes in memory. */
export type ByteSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array;

const ACCEPTED = 'a Blob or File, a ReadableStream (response.body), an async iterable of Uint8Array, or a Uint8Array';

type Pieces = AsyncIterableIterator<Uint8Array, undefined>;

/** Size of the pieces of bytes in memory: small enough for progress reports, large enough for a negligible overhead. */
const SLICE_BYTES = 1 << 20;

/**
 * The bytes of a source, in pieces. The source is checked at once, and read when the first piece is requested. `hint`
 * is appended to the expectation in an error.
 *
 * @throws SparlaneError `argument`, naming `what`, for any other value; while reading, for a piece that is not a
 *   Uint8Array
 */
export function byteChunks(what: string, source: ByteSource, hint = ''): Pieces {
  return checked(what, iterate(what, source, hint));
}

function iterate(what: string, source: ByteSource, hint: string): AsyncIterator<Uint8Array> {
  if (isBytes(source)) return slices(source);
  if (source instanceof Blob) return streamChunks(source.stream());
  if (typeof source === 'object' && source !== null) {
    if ('getReader' in source) {
      if (source.locked) throw mismatch('argument', what, 'a stream that has no reader yet', source);
      return streamChunks(source);
    }
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
  }
  throw mismatch('argument', what, `${ACCEPTED}${hint}`, source);
}

function checked(what: string, iterator: AsyncIterator<Uint8Array>): Pieces {
  return {
    async next() {
      const { done, value } = await iterator.next();
      if (done) return { done, value: undefined };
      if (isBytes(value)) return { done: false, value };
      letGo(iterator);
      const got = typeof value === 'string' ? quote(value) : show(value);
      throw new SparlaneError('argument', `${what}: expected pieces that are Uint8Array, got ${got}`);
    },
    async return() {
      letGo(iterator);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* slices(bytes: Uint8Array): ByteChunks {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/** Also true for an array of another realm: a frame, or a `vm` context, as in test runners. */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

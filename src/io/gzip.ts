/**
 * gzip → text, by the platform's `DecompressionStream`.
 *
 * Concatenated members (bgzip, `cat a.gz b.gz`) are one text in Node 20, whose stream goes on at the next member. Newer
 * ones and browsers refuse bytes behind the first member, as the standard has it; then such a file is an error, never half
 * a matrix.
 *
 * The stream is fed by hand, a piece when the one before is used up. `pipeThrough` would do, but Node 20 gives both ends
 * of the stream queues of 16 Ki *pieces*: the whole file is read before the first line is, and `onProgress` says 100 %
 * after 6 % of the time.
 */
import type { Chunks } from './chunks.js';
import { fileError, reasonOf } from './parse-error.js';

export async function* gunzip(chunks: Chunks, name: string): Chunks {
  const damaged = (error: unknown): never => {
    throw fileError(name, 'a complete gzip file', `one that is cut short or damaged (${reasonOf(error)})`, error);
  };
  const { readable, writable } = new DecompressionStream('gzip');
  const reader: ReadableStreamDefaultReader<Uint8Array> = readable.getReader();
  const writer: WritableStreamDefaultWriter<Uint8Array> = (writable as WritableStream<Uint8Array>).getWriter();
  const read = () => handled(reader.read());
  let next = read();
  try {
    for await (const chunk of chunks) {
      // A view of shared memory is not taken.
      const written = handled(writer.write(chunk.buffer instanceof ArrayBuffer ? chunk : chunk.slice()));
      for (;;) {
        // The first of the two that is settled: text goes before the next piece.
        const text = await Promise.race([next, written]).catch(damaged);
        if (!text) break;
        if (text.done) return;
        yield text.value;
        next = read();
      }
    }
    handled(writer.close());
    for (let text = await next.catch(damaged); !text.done; text = await read().catch(damaged)) yield text.value;
  } finally {
    handled(writer.abort());
  }
}

/** The same promise; nobody has to be there when it is rejected. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

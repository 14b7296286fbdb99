/** Bytes in pieces of any size, and the operations on them before parsing. */

export type ByteChunks = AsyncGenerator<Uint8Array, void, undefined>;

/** Does not use `for await`: some browsers cannot iterate streams, and here `cancel` ends a read that is waiting. */
export function streamChunks<T>(stream: ReadableStream<T>): AsyncIterableIterator<T, undefined> {
  const reader = stream.getReader();
  const end = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? end : { done, value };
    },
    async return() {
      await reader.cancel();
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Ends a source early. Not awaited, because a source that delivers nothing may not answer this either. */
export function letGo(source: AsyncIterator<unknown>): void {
  source.return?.().catch(() => {});
}

/** The first bytes: at least `length` of them, or all if the source has fewer. */
export async function peek(chunks: ByteChunks, length: number): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = head.length === 0 ? value : joined(head, value);
  }
  return head;
}

/** Puts peeked bytes back at the front. */
export async function* prepend(head: Uint8Array, rest: ByteChunks): ByteChunks {
  try {
    if (head.length > 0) yield head;
    yield* rest;
  } finally {
    letGo(rest);
  }
}

export function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

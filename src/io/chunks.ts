/** Bytes in pieces of any size, and the few things that are done with them on their way to a parser. */

export type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/** By hand, because not every browser iterates streams, and because `cancel` reaches a read that is waiting. */
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

/** Tells a source that no more is wanted. Not awaited: one that keeps silent would not answer this either. */
export function letGo(source: AsyncIterator<unknown>): void {
  source.return?.().catch(() => {});
}

/** The first bytes: `length` of them or more, fewer only where there are no more. */
export async function peek(chunks: Chunks, length: number): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = head.length === 0 ? value : joined(head, value);
  }
  return head;
}

/** Puts bytes that were peeked at back in front. */
export async function* prepend(head: Uint8Array, rest: Chunks): Chunks {
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

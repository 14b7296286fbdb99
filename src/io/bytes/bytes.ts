/**
 * The source of text: anything that yields bytes, in a page or in Node, possibly compressed or archived.
 *
 * The content determines the type, never the file name: gzip has two magic bytes, tar its first header.
 */
import { knownKeys } from '../../core/checks.js';
import { fileError } from '../parse-error.js';
import { isTar, TAR_HEADER_BYTES, unpackMatrix } from './archive.js';
import { type Chunks, letGo, peek, prepend } from './chunks.js';
import { foreignKind } from './file-kind.js';
import { type ByteSource, byteChunks } from './source.js';

export interface ReadOptions {
  /** Name of the source in errors. Default: the name of a `File`, else `input`. */
  name?: string | undefined;
  /** Called after each piece with the number of bytes read from the source, before decompression. */
  onProgress?: ((bytesRead: number) => void) | undefined;
  /** Aborts with the signal's reason, also while the source delivers nothing. */
  signal?: AbortSignal | undefined;
}

/** @throws SparlaneError `argument` if the options are not an object or have unknown keys */
export function checkOptions(options: ReadOptions): void {
  knownKeys('options', options, { name: true, onProgress: true, signal: true });
}

/** Text as bytes, and its name in errors. */
export interface PlainText {
  readonly name: string;
  readonly chunks: Chunks;
}

const GZIP_MAGIC_END = 2;
/** Added to the error if a page gives a path. */
const FILES_HINT = ' (in Node also the path or file: URL of a file, and the source that openFile gives)';

/** Decompresses gzip; `name` is for errors. */
export type Gunzip = (chunks: Chunks, name: string) => Chunks;

/** Starts to read a source, and unpacks it. */
export async function openText(source: ByteSource, options: ReadOptions, gunzip: Gunzip): Promise<PlainText> {
  checkOptions(options);
  const raw = rawChunks(byteChunks('source', source, FILES_HINT), options);
  const name = options.name ?? (source as { name?: string }).name ?? 'input';
  const start = await peek(raw, GZIP_MAGIC_END);
  const whole = prepend(start, raw);
  const plain = start[0] === 0x1f && start[1] === 0x8b ? gunzip(whole, name) : whole;
  const head = await peek(plain, TAR_HEADER_BYTES);
  const text = prepend(head, plain);
  if (isTar(head)) return unpackMatrix(text, name);
  const kind = foreignKind(head);
  if (kind === undefined) return { name, chunks: text };
  letGo(plain);
  throw fileError(name, 'a Matrix Market file', kind);
}

async function* rawChunks(pieces: AsyncIterator<Uint8Array>, { onProgress, signal }: ReadOptions): Chunks {
  let bytesRead = 0;
  try {
    for (;;) {
      const { done, value } = await abortable(pieces.next(), signal);
      if (done) return;
      bytesRead += value.length;
      onProgress?.(bytesRead);
      yield value;
    }
  } finally {
    letGo(pieces);
  }
}

/** The result of the promise, or the signal's reason, whichever is first. Removes its listener. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

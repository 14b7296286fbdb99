/**
 * A file: anything that yields bytes, in a page or in Node, possibly compressed or archived.
 *
 * The content determines the type, never the file name: gzip has two magic bytes, zip four, tar its first header.
 */
import { integer, knownKeys } from '../../core/checks.js';
import { mismatch } from '../../core/errors.js';
import { fileError } from '../parse-error.js';
import { type MatrixExtensions, unpackMatrix } from './archive.js';
import { type ByteChunks, letGo, peek, prepend } from './chunks.js';
import { chunksFrom, type Disk, diskOf, type OpenDisk } from './disk.js';
import { foreignKind, isNpz, isZip } from './file-kind.js';
import { type ByteSource, byteChunks } from './source.js';
import { isTar, tarEntries } from './tar.js';
import type { Unpacking, Unzip } from './unpacking.js';

/** Functions that read from a source take these options. */
export interface ReadOptions {
  /** Name of the source in errors. Default: the name of a `File`, else `input`. */
  name?: string | undefined;
  /** Called after each piece with the number of bytes read from the source, before decompression. */
  onProgress?: ((bytesRead: number) => void) | undefined;
  /** Aborts with the signal's reason, also while the source delivers nothing. */
  signal?: AbortSignal | undefined;
  /** In Node, how many threads may read a large Matrix Market file that is not compressed. Default: the cores, at most 4. */
  threads?: number | undefined;
}

/** @throws SparlaneError `argument` if the options are not an object, or have unknown keys, or `threads` is no number of threads */
export function checkOptions(options: ReadOptions): void {
  knownKeys('options', options, { name: true, onProgress: true, signal: true, threads: true });
  if (options.threads !== undefined && integer('threads', options.threads) === 0)
    throw mismatch('argument', 'threads', 'at least 1', 0);
}

/** Bytes, and their name in errors. */
export interface NamedChunks {
  readonly name: string;
  readonly chunks: ByteChunks;
}

export interface FileText extends NamedChunks {
  /** Where the same bytes are; undefined if they are nowhere, as those of a compressed file. Until `chunks` ends, or is let go. */
  readonly disk?: OpenDisk | undefined;
}

/** An unpacked file. */
export interface PlainFile extends FileText {
  /** The first bytes of `chunks`: as many as decide of what kind the file is, or the whole file. */
  readonly head: Uint8Array;
  /** Reads `chunks` of an archive. */
  readonly unzip: Unzip;
  /** Reads no further, also if `chunks` was not begun. */
  readonly abandon: () => void;
}

const GZIP_MAGIC_END = 2;
/** The header of tar has 512 bytes; three lines of Harwell-Boeing, 243; comments before edges, some more. */
const HEAD_BYTES = 4096;
/** Added to the error if a page gives a path. */
const FILES_HINT = ' (in Node also the path or file: URL of a file, and the source that openFile gives)';

/** Starts to read a source, and unpacks it. @param extensions of the file that is taken from an archive */
export async function openPlain(
  source: ByteSource,
  options: ReadOptions,
  { gunzip, unzip }: Unpacking,
  extensions: MatrixExtensions = ['mtx', 'rb'],
): Promise<PlainFile> {
  checkOptions(options);
  const raw = rawChunks(byteChunks('source', source, FILES_HINT), options);
  const name = options.name ?? (source as { name?: string }).name ?? 'input';
  const start = await peek(raw, GZIP_MAGIC_END);
  const whole = prepend(start, raw);
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  const withHead = async ({ name, chunks }: NamedChunks): Promise<PlainFile> => {
    const head = await peek(chunks, HEAD_BYTES);
    return { name, head, chunks: prepend(head, chunks), unzip, abandon: () => letGo(chunks) };
  };
  const file = await withHead({ name, chunks: isGzip ? gunzip(whole, name) : whole });
  if (isTar(file.head)) return withHead(await unpackMatrix(tarEntries(file.chunks, name), name, extensions, false));
  if (!isZip(file.head) || isNpz(file.head)) {
    const disk = isGzip ? undefined : diskOf(source);
    if (disk === undefined) return file;
    const openDisk = watched(disk, options);
    // One that was read to its end is closed.
    const isOpen = file.head.length < disk.size;
    return { ...file, disk: openDisk, chunks: isOpen ? diskChunks(openDisk, file.abandon) : file.chunks };
  }
  return withHead(await unpackMatrix(unzip(file.chunks, name), name, extensions, true));
}

/** As `openPlain`, for a file that must be text. @throws SparlaneError `parse` for one that is known not to be */
export async function openText(source: ByteSource, options: ReadOptions, unpacking: Unpacking): Promise<FileText> {
  const { name, head, chunks, disk, abandon } = await openPlain(source, options, unpacking, ['mtx']);
  const kind = foreignKind(head);
  if (kind === undefined) return { name, chunks, disk };
  abandon();
  throw fileError(name, 'a Matrix Market file', kind);
}

async function* rawChunks(pieces: AsyncIterator<Uint8Array>, { onProgress, signal }: ReadOptions): ByteChunks {
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

/** The file, with the options of its reader. */
function watched(disk: Disk, { onProgress, signal, threads = disk.threads }: ReadOptions): OpenDisk {
  let bytesRead = 0;
  const onRead =
    onProgress &&
    ((bytes: number): void => {
      bytesRead += bytes;
      onProgress(bytesRead);
    });
  return { ...disk, threads, onRead, signal, readAt: (...place) => abortable(disk.readAt(...place), signal) };
}

/** Reads a file on a disk from its begin on. @param close lets go of the source, which keeps the file open */
async function* diskChunks(disk: OpenDisk, close: () => void): ByteChunks {
  try {
    yield* chunksFrom(disk, 0);
  } finally {
    close();
  }
}

/** The result of the promise, or the signal's reason, whichever is first. Removes its listener. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Reads the matrix from a tar archive as a stream.
 *
 * The SuiteSparse collection ships `name.tar.gz` with `name/name.mtx` and often more: right-hand sides `name/name_b.mtx`,
 * coordinates, texts. The matrix is the `.mtx` file with the name of its folder or of the archive. If no file has such
 * a name, the matrix is the first `.mtx` file. This is certain only at the end of the archive, so a first file of
 * another name is kept in memory, unparsed, up to 64 MiB. A larger file must have one of the two names, as in the
 * collection: read earlier, a right-hand side could be mistaken for the matrix.
 */
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { fileError, reasonOf } from '../parse-error.js';
import type { PlainText } from './bytes.js';
import { type Chunks, letGo, streamChunks } from './chunks.js';
import { SPACE } from './lines.js';

/** A header is one block. */
export const TAR_HEADER_BYTES = 512;
const CHECKSUM_BEGIN = 148;
const CHECKSUM_END = 156;
const MAGIC = 'ustar';
const MAGIC_OFFSET = 257;

/** The largest file that is kept in memory until the end of the archive. */
const MAX_KEPT_BYTES = 1 << 26;
/** How many files an error lists. */
const LISTED = 5;

type TarEntries = AsyncGenerator<ParsedTarEntry, void, undefined>;

/**
 * Recognized by the magic of the first header. A header without magic (Unix V7) is recognized by its checksum: the sum
 * of its bytes, with spaces in place of the checksum.
 */
export function isTar(head: Uint8Array): boolean {
  if (ascii(head, MAGIC_OFFSET, MAGIC_OFFSET + MAGIC.length) === MAGIC) return true;
  const stored = /^ *([0-7]+)/.exec(ascii(head, CHECKSUM_BEGIN, CHECKSUM_END));
  if (stored === null || head.length < TAR_HEADER_BYTES) return false;
  const sum = head.subarray(0, TAR_HEADER_BYTES).reduce((total, byte) => total + byte, 0);
  const own = head.subarray(CHECKSUM_BEGIN, CHECKSUM_END).reduce((total, byte) => total + byte - SPACE, 0);
  return sum - own === Number.parseInt(stored[1]!, 8);
}

function ascii(bytes: Uint8Array, begin: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(begin, end));
}

export async function unpackMatrix(archive: Chunks, name: string): Promise<PlainText> {
  const entries = tarEntries(archive, name);
  const others: string[] = [];
  let count = 0;
  let first: { path: string; size: number; pieces: Uint8Array[] } | undefined;
  for (;;) {
    const { done, value: entry } = await entries.next();
    if (done) break;
    const { name: path, size } = entry.header;
    if (isMatrix(entry) && isNamesake(path, name)) return { name: `${name}/${path}`, chunks: content(entry, entries) };
    if (count++ < LISTED) others.push(path);
    const isFirst = isMatrix(entry) && first === undefined;
    if (isFirst) first = { path, size, pieces: [] };
    if (isFirst && size <= MAX_KEPT_BYTES) await collect(entry, entries, first!.pieces);
    else await entry.body.cancel();
  }
  if (first === undefined) {
    throw fileError(name, 'an archive with an .mtx file in it', `one with ${listed(others, count)}`);
  }
  if (first.size <= MAX_KEPT_BYTES) return { name: `${name}/${first.path}`, chunks: replay(first.pieces) };
  const expected = `an .mtx file with the name of its folder or of the archive, or one of at most ${MAX_KEPT_BYTES} bytes`;
  throw fileError(name, expected, `${first.path} of ${first.size} bytes`);
}

/** Errors of the source are passed on unchanged. */
async function* tarEntries(archive: Chunks, name: string): TarEntries {
  let sourceFailed = false;
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await archive.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        sourceFailed = true;
        throw error;
      }
    },
  });
  try {
    yield* streamChunks(source.pipeThrough(createTarDecoder({ strict: true })));
  } catch (error) {
    if (sourceFailed) throw error;
    throw fileError(name, 'a complete tar archive', `one that is cut short or damaged (${reasonOf(error)})`, error);
  } finally {
    letGo(archive);
  }
}

/** Files only, without the `._name.mtx` that macOS adds next to `name.mtx`. */
function isMatrix({ header }: ParsedTarEntry): boolean {
  return header.type === 'file' && /(^|\/)(?!\._)[^/]+\.mtx$/i.test(header.name);
}

/** `west0067/west0067.mtx`, or `west0067.mtx` in `west0067.tar.gz`. */
function isNamesake(path: string, archiveName: string): boolean {
  const [folder, ...below] = path.split('/').filter((part) => part !== '.' && part !== '');
  const stem = (below.at(-1) ?? folder)?.replace(/\.mtx$/i, '');
  const archiveStem = archiveName.replace(/^.*[/\\]/, '').replace(/\.(tar(\.gz)?|tgz)$/i, '');
  return stem === archiveStem || stem === folder;
}

/** Lists the first of `count` paths. */
function listed(paths: readonly string[], count: number): string {
  if (count === 0) return 'nothing';
  return paths.join(', ') + (count > paths.length ? ` and ${count - paths.length} more` : '');
}

async function* content({ body }: ParsedTarEntry, entries: TarEntries): Chunks {
  try {
    yield* streamChunks(body);
  } catch (error) {
    // Both streams fail for the same reason; the error of the archive already describes it.
    await entries.next();
    throw error;
  } finally {
    letGo(entries);
  }
}

async function collect(entry: ParsedTarEntry, entries: TarEntries, pieces: Uint8Array[]): Promise<void> {
  try {
    for await (const piece of streamChunks(entry.body)) pieces.push(piece);
  } catch (error) {
    await entries.next();
    throw error;
  }
}

async function* replay(pieces: readonly Uint8Array[]): Chunks {
  yield* pieces;
}

/**
 * The matrix in a tar archive, read as it streams by.
 *
 * The SuiteSparse collection ships `name.tar.gz` with `name/name.mtx` and often more: right-hand sides `name/name_b.mtx`,
 * coordinates, texts. The matrix is the `.mtx` file that is called as its folder or as the archive; where none is, the
 * first one. Which that is shows only at the end of the archive, so a first file of another name is kept in memory,
 * unparsed, until then.
 */
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import type { PlainText } from './bytes.js';
import { type Chunks, letGo, streamChunks } from './chunks.js';
import { fileError, reasonOf } from './parse-error.js';

const MAGIC = 'ustar';
const MAGIC_OFFSET = 257;
export const TAR_MAGIC_END: number = MAGIC_OFFSET + MAGIC.length;

type TarEntries = AsyncGenerator<ParsedTarEntry, void, undefined>;

export function isTar(head: Uint8Array): boolean {
  return String.fromCharCode(...head.subarray(MAGIC_OFFSET, TAR_MAGIC_END)) === MAGIC;
}

export async function unpackMatrix(archive: Chunks, name: string): Promise<PlainText> {
  const entries = tarEntries(archive, name);
  const others: string[] = [];
  let fallback: { path: string; pieces: Uint8Array[] } | undefined;
  for (;;) {
    const { done, value: entry } = await entries.next();
    if (done) break;
    const path = entry.header.name;
    if (isMatrix(entry) && isNamesake(path, name)) return { name: `${name}/${path}`, chunks: content(entry, entries) };
    others.push(path);
    if (isMatrix(entry) && fallback === undefined) fallback = { path, pieces: await collect(entry, entries) };
    else await entry.body.cancel();
  }
  if (fallback !== undefined) return { name: `${name}/${fallback.path}`, chunks: replay(fallback.pieces) };
  throw fileError(name, 'an archive with an .mtx file in it', `one with ${listed(others)}`);
}

/** Errors of the source pass as they are. */
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

/** Files only; not the `._name.mtx` that a Mac puts beside `name.mtx`. */
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

function listed(paths: readonly string[]): string {
  if (paths.length === 0) return 'nothing';
  return paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ');
}

async function* content({ body }: ParsedTarEntry, entries: TarEntries): Chunks {
  try {
    yield* streamChunks(body);
  } catch (error) {
    // Both streams fail for one reason; that of the archive has been put into words.
    await entries.next();
    throw error;
  } finally {
    letGo(entries);
  }
}

async function collect(entry: ParsedTarEntry, entries: TarEntries): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of streamChunks(entry.body)) pieces.push(piece);
  } catch (error) {
    await entries.next();
    throw error;
  }
  return pieces;
}

async function* replay(pieces: readonly Uint8Array[]): Chunks {
  yield* pieces;
}

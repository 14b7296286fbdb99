/**
 * Reads the matrix from an archive, tar or zip, as a stream.
 *
 * The SuiteSparse collection ships `name.tar.gz` with `name/name.mtx`, or `.rb`, and often more: right-hand sides
 * `name/name_b.mtx`, coordinates, texts. The matrix is the `.mtx` file with the name of its folder or of the archive. If
 * no file has such a name, the matrix is the first `.mtx` file. This is certain only at the end of the archive, so a first file of
 * another name is kept in memory, unparsed, up to 64 MiB. A larger file must have one of the two names, as in the
 * collection: read earlier, a right-hand side could be mistaken for the matrix.
 */
import { fileError } from '../parse-error.js';
import type { NamedChunks } from './bytes.js';
import { type ByteChunks, letGo } from './chunks.js';

/** A file in an archive. It is read before the next one is requested, as far as it is wanted. */
export interface ArchiveEntry {
  readonly path: string;
  /** In bytes; undefined where the archive says it only behind the file. */
  readonly size: number | undefined;
  readonly chunks: ByteChunks;
}

/** The largest file that is kept in memory until the end of the archive. */
const MAX_KEPT_BYTES = 1 << 26;
/** How many files an error lists. */
const LISTED = 5;

/** The files of an archive. */
export type ArchiveEntries = AsyncGenerator<ArchiveEntry, void, undefined>;

/** Extensions of the files that may be the matrix, in the order in which an error names them. */
export type MatrixExtensions = readonly ('mtx' | 'rb')[];

/**
 * @param name that of the archive
 * @param toTheEnd whether the archive is read on behind the matrix, where its checksums are
 */
export async function unpackMatrix(
  entries: ArchiveEntries,
  name: string,
  extensions: MatrixExtensions,
  toTheEnd: boolean,
): Promise<NamedChunks> {
  const expected = `an ${extensions.map((extension) => `.${extension}`).join(' or ')} file`;
  const isMatrix = (path: string) => extensions.some((extension) => hasExtension(path, extension));
  const others: string[] = [];
  let count = 0;
  let first: Kept | undefined;
  for (;;) {
    const { done, value: entry } = await entries.next();
    if (done) break;
    const { path, chunks } = entry;
    if (isMatrix(path) && isNamesake(path, name))
      return { name: `${name}/${path}`, chunks: content(chunks, entries, toTheEnd) };
    if (count++ < LISTED) others.push(path);
    if (isMatrix(path) && first === undefined) first = await keep(entry);
  }
  if (first === undefined) {
    throw fileError(name, `an archive with ${expected} in it`, `one with ${listed(others, count)}`);
  }
  const { path, pieces, size } = first;
  if (size <= MAX_KEPT_BYTES) return { name: `${name}/${path}`, chunks: replay(pieces) };
  const namesake = `${expected} with the name of its folder or of the archive, or one of at most ${MAX_KEPT_BYTES} bytes`;
  throw fileError(name, namesake, `${path} of ${size} bytes`);
}

interface Kept {
  readonly path: string;
  readonly pieces: Uint8Array[];
  /** In bytes, at least; a file that is too large is not kept. */
  readonly size: number;
}

async function keep({ path, chunks, size: claimed = 0 }: ArchiveEntry): Promise<Kept> {
  const pieces: Uint8Array[] = [];
  if (claimed > MAX_KEPT_BYTES) return { path, pieces, size: claimed };
  let size = 0;
  for await (const piece of chunks) {
    size += piece.length;
    if (size > MAX_KEPT_BYTES) return { path, pieces: [], size };
    pieces.push(piece);
  }
  return { path, pieces, size };
}

/** Without the `._name.mtx` that macOS adds next to `name.mtx`. */
function hasExtension(path: string, extension: string): boolean {
  return /(^|\/)(?!\._)[^/]+$/.test(path) && path.toLowerCase().endsWith(`.${extension}`);
}

/** `west0067/west0067.mtx`, or `west0067.mtx` in `west0067.tar.gz`. */
function isNamesake(path: string, archiveName: string): boolean {
  const [folder, ...below] = path.split('/').filter((part) => part !== '.' && part !== '');
  const stem = (below.at(-1) ?? folder)?.replace(/\.(mtx|rb)$/i, '');
  const archiveStem = archiveName.replace(/^.*[/\\]/, '').replace(/\.(tar(\.gz)?|tgz|zip)$/i, '');
  return stem === archiveStem || stem === folder;
}

/** Lists the first of `count` paths. */
function listed(paths: readonly string[], count: number): string {
  if (count === 0) return 'nothing';
  return paths.join(', ') + (count > paths.length ? ` and ${count - paths.length} more` : '');
}

async function* content(chunks: ByteChunks, entries: ArchiveEntries, toTheEnd: boolean): ByteChunks {
  try {
    yield* chunks;
    if (toTheEnd) for await (const _ of entries);
  } finally {
    letGo(entries);
  }
}

async function* replay(pieces: readonly Uint8Array[]): ByteChunks {
  yield* pieces;
}

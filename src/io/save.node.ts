/**
 * Bytes → file, all or none: they are written to a file next to the target, which then replaces the target. Until then,
 * readers of the target get the old file. If the disk is full or the source fails, the old file remains.
 *
 * A link stays, and the file it points to is replaced. A target that is not a regular file (a pipe, a terminal,
 * /dev/null) cannot be replaced and is written directly. So is /dev/stdout and similar; if the shell redirects it to a
 * file, the bytes are appended.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { mismatch, SparlaneError } from '../core/errors.js';
import { letGo } from './bytes/chunks.js';
import { type ByteSource, byteChunks } from './bytes/source.js';
import { reasonOf } from './parse-error.js';
import { type FileContent, type SaveOptions, write } from './write.js';

const STANDARD_STREAM = /^\/dev\/(stdout|stderr|fd\/\d+)$|^\/proc\/\w+\/fd\/\d+$/;

/**
 * Saves a stream, or bytes, as a file. An existing file is replaced after all bytes are written, and keeps its
 * permissions. Its folder must be writable.
 *
 * @throws SparlaneError `argument`, naming the path and the reason of the system, or for an invalid `stream`; errors of
 *   the stream are passed on unchanged
 */
export async function saveStream(path: string, stream: ByteSource): Promise<void> {
  if (typeof path !== 'string') throw mismatch('argument', 'path', 'a string', path);
  const chunks = byteChunks('stream', stream);
  const system: Attempt = (action) => action.catch((error: unknown) => Promise.reject(cannotWrite(path, error)));
  try {
    const target = await system(replaceable(path));
    if (target === undefined) await append(await system(open(path, 'a')), chunks, system);
    else await replace(target, chunks, system);
  } finally {
    letGo(chunks);
  }
}

/**
 * Saves a matrix, a vector or a block as a file of the kind that its extension says: `.mtx`, `.npz` or `.npy`.
 *
 * @throws SparlaneError as `write` and `saveStream`
 *
 * @example
 * await save('A.npz', matrix);
 * await save('x.npy', x.toArray());
 */
export async function save(path: string, content: FileContent, options: SaveOptions = {}): Promise<void> {
  await saveStream(path, await write(path, content, options));
}

/** The error for a path that cannot be written. */
export function cannotWrite(path: string, error: unknown): SparlaneError {
  const message = `${path}: expected a file that can be written, got ${reasonOf(error)}`;
  return new SparlaneError('argument', message, { file: path }, { cause: error });
}

/** Describes an error of the system. */
type Attempt = <T>(action: Promise<T>) => Promise<T>;

export interface SaveTarget {
  readonly path: string;
  /** Permissions; undefined if the file does not exist yet. */
  readonly mode: number | undefined;
}

/** The file to replace; undefined for a target that can only be written to. */
export async function replaceable(path: string): Promise<SaveTarget | undefined> {
  if (STANDARD_STREAM.test(path)) return undefined;
  const stats = await stat(path).catch(ignoreMissing);
  if (stats === undefined) return { path: await linkedPath(path), mode: undefined };
  if (stats.isDirectory()) throw new Error('a directory');
  if (!stats.isFile()) return undefined;
  await access(path, constants.W_OK);
  return { path: await realpath(path), mode: stats.mode & 0o777 };
}

/** The path of a new file: a link may point to a file that does not exist yet. */
async function linkedPath(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : linkedPath(resolve(await realpath(dirname(path)), link));
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/** Returns the name of a file that will replace another one. @param id eight characters of it tell drafts apart */
export function draftBeside(path: string, id: string): string {
  return join(dirname(path), `${basename(path).slice(0, 50)}.${id.slice(0, 8)}.part`);
}

async function replace({ path, mode }: SaveTarget, chunks: AsyncIterable<Uint8Array>, system: Attempt): Promise<void> {
  const draft = draftBeside(path, randomUUID());
  const handle = await system(open(draft, 'wx', mode));
  try {
    // The old permissions, independent of the umask. Some file systems have no permissions.
    if (mode !== undefined) await handle.chmod(mode).catch(() => {});
    await append(handle, chunks, system, () => handle.sync());
    await system(rename(draft, path));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Writes all chunks, and closes the file, also after an error. */
async function append(
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  system: Attempt,
  last: () => Promise<void> = async () => {},
): Promise<void> {
  try {
    for await (const chunk of chunks) await system(handle.appendFile(chunk));
    await system(last());
  } finally {
    await handle.close();
  }
}

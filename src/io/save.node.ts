/**
 * Bytes → file, all of them or none: they are written to a file beside the target, which then takes its place. Whoever
 * reads the target meanwhile reads the old one, and when the disk is full or the source fails the old one is still there.
 *
 * A link stays, and the file it points to is replaced. What is no regular file (a pipe, a terminal, /dev/null) cannot be
 * replaced and is written to as it is; so are /dev/stdout and its kin, to which a shell may have given a file: appended.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { mismatch, SparlaneError } from '../core/errors.js';
import { letGo } from './chunks.js';
import { reasonOf } from './parse-error.js';
import { type ByteSource, byteChunks } from './source.js';

const STANDARD_STREAM = /^\/dev\/(stdout|stderr|fd\/\d+)$|^\/proc\/\w+\/fd\/\d+$/;

/**
 * Saves a stream, or bytes, as a file. A file that is there is replaced when all has been written, and keeps its
 * permissions; its folder must be writable.
 *
 * @throws SparlaneError `argument`, naming the path and the reason of the system, or for a `stream` that is none; what
 *   the stream throws, as it is
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

/** The error for a path that cannot be written. */
export function cannotWrite(path: string, error: unknown): SparlaneError {
  const message = `${path}: expected a file that can be written, got ${reasonOf(error)}`;
  return new SparlaneError('argument', message, { file: path }, { cause: error });
}

/** Puts an error of the system into words. */
type Attempt = <T>(action: Promise<T>) => Promise<T>;

interface Target {
  readonly path: string;
  /** Permissions; undefined where there is no file yet. */
  readonly mode: number | undefined;
}

/** The file to replace; undefined for what can only be written to. */
async function replaceable(path: string): Promise<Target | undefined> {
  if (STANDARD_STREAM.test(path)) return undefined;
  const stats = await stat(path).catch(ignoreMissing);
  if (stats === undefined) return { path: await linkedPath(path), mode: undefined };
  if (stats.isDirectory()) throw new Error('a directory');
  if (!stats.isFile()) return undefined;
  await access(path, constants.W_OK);
  return { path: await realpath(path), mode: stats.mode & 0o777 };
}

/** Where a new file comes to lie: a link may point to where nothing is yet. */
async function linkedPath(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : linkedPath(resolve(await realpath(dirname(path)), link));
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

async function replace({ path, mode }: Target, chunks: AsyncIterable<Uint8Array>, system: Attempt): Promise<void> {
  const draft = join(dirname(path), `${basename(path).slice(0, 50)}.${randomUUID().slice(0, 8)}.part`);
  const handle = await system(open(draft, 'wx', mode));
  try {
    // As it was, whatever the umask; some file systems have no permissions.
    if (mode !== undefined) await handle.chmod(mode).catch(() => {});
    await append(handle, chunks, system, () => handle.sync());
    await system(rename(draft, path));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Writes all chunks, and closes the file, also where that fails. */
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

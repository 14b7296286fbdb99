/** Files in Node, as sources for the readers. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mismatch } from '../core/errors.js';
import type { ByteChunks } from './bytes/chunks.js';
import { type Disk, setDisk } from './bytes/disk.js';
import type { ByteSource } from './bytes/source.js';
import { startBlockThread, threadsFor } from './matrix-market/block-threads.node.js';
import type { BlockJob } from './matrix-market/read-blocks.js';
import { fileError, reasonOf } from './parse-error.js';
import { readNow } from './read-now.node.js';

/** `openFile` returns this. */
export interface OpenFile {
  /** Closes the file after it was read to its end, or abandoned. */
  readonly source: ByteSource;
  /** Name in errors: the file name without its folders. */
  readonly name: string;
  /** Size in bytes, before decompression: the last number that `onProgress` gets. 0 for a pipe. */
  readonly size: number;
}

/** Larger than the default of 64 KiB, for fewer turns of the event loop: a band of 65 MB is read in 0.8 of the time of 256 KiB. */
const READ_BYTES = 1 << 20;
/** Of a file on a disk, the first chunk: who reads on by blocks needs the header, and no stream that reads ahead. */
const HEAD_BYTES = 1 << 16;

/**
 * Opens the file at a path or a `file:` URL.
 *
 * @throws SparlaneError `parse`, naming the path and the reason of the system; `argument` for an invalid path
 */
export async function openFile(path: string | URL): Promise<OpenFile> {
  const local = localPath(path);
  const handle = await open(local).catch((error: unknown) => {
    throw fileError(local, 'a file that can be read', reasonOf(error), error);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw fileError(local, 'a file that can be read', 'a directory');
  }
  const source = chunksOf(handle, stats.isFile());
  if (stats.isFile()) setDisk(source, diskFile(handle, stats.size, resolve(local)));
  return { source, name: basename(local), size: stats.size };
}

/** The file stays open until somebody knows its end, or has let go: a stream would close it when it has read ahead to the end. */
async function* chunksOf(handle: FileHandle, isFile: boolean): ByteChunks {
  try {
    if (isFile) {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(HEAD_BYTES));
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    }
    yield* handle.createReadStream({ highWaterMark: READ_BYTES, autoClose: false });
  } finally {
    await handle.close();
  }
}

/** More threads than this have not been measured. */
const MAX_THREADS = 4;

/**
 * A read of at most so many milliseconds is from the system's memory, or from a fast disk. Such ones are done on this thread: another one
 * must be woken, and wake this one, which takes 0.1 ms, a block of 512 KiB 0.13 (2-core AMD EPYC, 23 November 2026, the files of
 * `bench/read.mjs`: `real` and `symmetric` on two threads in 0.9 of the time, on one the same within the noise).
 */
const FAST_MS = 2;
/** A slow read may be a delay of this thread; so many are a slow disk. */
const SLOW_READS = 3;

function diskFile(handle: FileHandle, size: number, path: string): Disk {
  let slow = 0;
  return {
    size,
    again: async function* () {
      yield* chunksOf(await open(path), true);
    },
    threads: Math.min(availableParallelism(), MAX_THREADS),
    readAt: async (target, position) => {
      if (slow < SLOW_READS) {
        // Events are heard between two blocks. The text is in a cache when the caller goes on.
        await setImmediate();
        const begin = performance.now();
        const used = readNow(handle.fd, target, position);
        if (performance.now() - begin > FAST_MS) slow++;
        return used;
      }
      let used = 0;
      while (used < target.length) {
        const { bytesRead } = await handle.read(target, used, target.length - used, position + used);
        if (bytesRead === 0) break;
        used += bytesRead;
      }
      return used;
    },
    threadsFor,
    startThread: (job, changed) => startBlockThread({ descriptor: handle.fd, job: job as BlockJob }, changed),
  };
}

/** Text that begins like a URL is treated as a URL, because no path begins so. */
function localPath(path: string | URL): string {
  if (typeof path === 'string' && !/^(file|https?):\/\//.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    const expected = 'a path or a file: URL (of another URL, read the body: (await fetch(url)).body)';
    throw mismatch('argument', 'path', expected, path instanceof URL ? path.href : path);
  }
}

/** Whether two paths lead to the same file, also through links. False if one of them does not exist. */
export async function isSameFile(first: string, second: string): Promise<boolean> {
  const [a, b] = await Promise.all([first, second].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}

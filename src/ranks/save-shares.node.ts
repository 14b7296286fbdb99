/**
 * Files that all ranks write at the same time, each the bytes of its own rows or elements, and vectors of which each rank reads its own elements. The ranks need one file
 * system. As with `save`, a file is replaced when all of it is there.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { checkFloats } from '../core/arrays.js';
import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { bytesOf, readFloats } from '../io/bytes/numbers.js';
import { extensionOf } from '../io/kinds/kind.js';
import { npy } from '../io/kinds/npy.js';
import { petsc } from '../io/kinds/petsc.js';
import { matrixText } from '../io/matrix-market/writer.js';
import { readNpyHeader } from '../io/npy/header.js';
import { blockArray, npyBytes } from '../io/npy/npy.js';
import { type PlacedBytes, petscBytes } from '../io/petsc/write.js';
import { openKind, readVector } from '../io/read.node.js';
import { readerAt, readerOf } from '../io/rows-in-file.js';
import { cannotWrite, draftBeside, replaceable } from '../io/save.node.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { loadTogether } from './load-together.js';
import { checkedRows, type PlacedRows } from './redistribute.js';
import { pointersOf } from './row-range.js';

/**
 * Saves a matrix of which each rank has some rows: `.petsc`, `.bin` or `.dat` as PETSc does, or `.mtx`, of whose text each rank makes its own twice, first to know
 * how long it is. A declared symmetry is not verified. Together.
 *
 * @throws SparlaneError `argument` for another extension, or a file that cannot be written; `heap` beyond 2³¹ − 1 entries in a file of PETSc; on all ranks
 */
export async function saveRows(comm: Communicator, path: string, given: RankRows): Promise<void> {
  const { isText, placed } = comm.together(() => ({ isText: isTextName(path), placed: checkedRows(given) }));
  const pieces = isText ? textPieces(comm, placed) : binaryPieces(comm, placed);
  await writePieces(comm, path, pieces);
}

function isTextName(path: string): boolean {
  if (typeof path !== 'string') throw mismatch('argument', 'path', 'a string', path);
  const extension = extensionOf(path);
  if (!/\.gz$/i.test(path) && [...petsc.extensions, 'mtx'].includes(extension)) return extension === 'mtx';
  throw mismatch('argument', 'path', 'a name with .mtx or .petsc', path);
}

/** Returns the sum over the ranks before this one, and over all. */
function sumsOf(comm: Communicator, own: number): { readonly before: number; readonly all: number } {
  const sums = pointersOf(comm.allgather(Float64Array.of(own)));
  return { before: sums[comm.rank]!, all: sums[comm.size]! };
}

function binaryPieces(comm: Communicator, { matrix, firstRow }: PlacedRows): Iterable<PlacedBytes> {
  const rows = sumsOf(comm, matrix.rows);
  const entries = sumsOf(comm, matrix.nnz);
  const shape = { rows: rows.all, cols: matrix.cols, nnz: entries.all };
  return petscBytes({ shape, firstRow, firstEntry: entries.before, matrix });
}

function textPieces(comm: Communicator, { matrix, firstRow, symmetry }: PlacedRows): Iterable<PlacedBytes> {
  const declared = { ...matrix, symmetry };
  const { length, lines } = comm.together(() => measure(matrixText('', declared, firstRow)));
  const rows = sumsOf(comm, matrix.rows).all;
  const sizes = `${rows} ${matrix.cols} ${sumsOf(comm, lines).all}`;
  const head = `%%MatrixMarket matrix coordinate ${matrix.field} ${symmetry}\n${sizes}\n`;
  const { before } = sumsOf(comm, length);
  return placed(
    comm.rank === 0 ? 0 : head.length + before,
    matrixText(comm.rank === 0 ? head : '', declared, firstRow),
  );
}

function measure(texts: Iterable<string>): { readonly length: number; readonly lines: number } {
  let [length, lines] = [0, 0];
  for (const text of texts) {
    length += text.length;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  }
  return { length, lines };
}

function* placed(begin: number, texts: Iterable<string>): Generator<PlacedBytes> {
  let at = begin;
  for (const text of texts) {
    yield { at, bytes: new TextEncoder().encode(text) };
    at += text.length;
  }
}

/**
 * Saves a vector of which each rank has a part, as a file of NumPy. Together.
 *
 * @param path ends in `.npy`
 * @param part the numbers of this rank: `x.data`, or `x.toArray()`
 * @throws SparlaneError `argument` for another extension, or a file that cannot be written; on all ranks
 *
 * @example
 * await savePart(comm, 'x.npy', x.toArray()); // a checkpoint
 * const x = comm.vector(await readPart(comm, 'x.npy', A.rows)); // also on another number of ranks
 */
export async function savePart(comm: Communicator, path: string, part: FloatArray): Promise<void> {
  comm.together(() => {
    if (typeof path !== 'string' || !/\.npy$/i.test(path))
      throw mismatch('argument', 'path', 'a name that ends in .npy', path);
    checkFloats('part', part);
  });
  const { before, all } = sumsOf(comm, part.length);
  const values = Float64Array.from(part);
  const [head, bytes] = npyBytes({ ...blockArray({ rows: all, columns: 1, values }), shape: [all] });
  const own = { at: head.length + bytesOf(NUMBERS) * before, bytes };
  await writePieces(comm, path, comm.rank === 0 ? [{ at: 0, bytes: head }, own] : [own]);
}

const NUMBERS = { code: 'f8', bigEndian: false } as const;

/**
 * Reads this rank's elements of a vector. Of an `.npy` that is not compressed each rank reads its own; of another file every rank reads all. Together.
 *
 * @param count how many elements this rank gets, behind those of the ranks before it; those of all ranks are the whole vector
 * @throws SparlaneError `shape` if the file has another number of elements; as `readVector`; on all ranks
 */
export async function readPart(comm: Communicator, path: string | URL, count: number): Promise<Float64Array> {
  comm.together(() => integer('count', count));
  const { before, all } = sumsOf(comm, count);
  return loadTogether(comm, async () => {
    const { kind, file } = await openKind(path, {});
    try {
      // A shorter file has been read, and is closed.
      const isSought = kind === npy && file.disk !== undefined && file.head.length < file.disk.size;
      const reader = isSought ? readerAt(file.disk!, file.name, 0) : undefined;
      const header = reader && (await readNpyHeader(reader).catch(() => undefined));
      const isVector = header?.type !== undefined && (header.shape[1] ?? 1) === 1 && header.shape.length < 3;
      const values = isVector ? undefined : await readVector(path);
      const length = values?.length ?? header!.count;
      if (length !== all) throw mismatch('shape', file.name, `${all} elements`, length);
      if (values !== undefined) return Float64Array.from(values.subarray(before, before + count));
      const type = header!.type!;
      const own = readerOf(file.disk!, file.name, { begin: reader!.position, type }, before, count);
      return Float64Array.from(await readFloats(own, type, count, 'numbers'));
    } finally {
      file.abandon();
    }
  });
}

const ID_BYTES = 4;

/** Each rank writes its pieces into one new file, which then replaces the target. */
async function writePieces(comm: Communicator, path: string, pieces: Iterable<PlacedBytes>): Promise<void> {
  const attempt = <T>(action: () => Promise<T>) =>
    loadTogether(comm, () => action().catch((error: unknown) => Promise.reject(cannotWrite(path, error))));
  const id = comm.broadcast(Uint8Array.from(Buffer.from(randomUUID().slice(0, 2 * ID_BYTES), 'hex')));
  const target = await attempt(async () => {
    const found = await replaceable(path);
    if (found === undefined) throw new Error('no file, but a pipe or a device');
    return found;
  });
  const draft = draftBeside(target.path, Buffer.from(id).toString('hex'));
  try {
    await attempt(async () => {
      if (comm.rank !== 0) return;
      const handle = await open(draft, 'wx', target.mode);
      // The new file gets the old permissions, whatever the umask is.
      if (target.mode !== undefined) await handle.chmod(target.mode).catch(() => {});
      await handle.close();
    });
    await attempt(async () => {
      const handle = await open(draft, 'r+');
      try {
        for (const { at, bytes } of pieces)
          for (let done = 0; done < bytes.length; )
            done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    await attempt(async () => {
      if (comm.rank === 0) await rename(draft, target.path);
    });
  } catch (error) {
    if (comm.rank === 0) await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

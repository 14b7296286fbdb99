/** Each rank reads a share of a file: lines of Matrix Market, or rows of a binary file. */
import { entryChunk } from '../core/entries.js';
import type { OpenDisk, PlainFile, ReadOptions } from '../io/bytes/bytes.js';
import { readFloats } from '../io/bytes/numbers.js';
import { checkBlock, checkClaim } from '../io/claims.js';
import { sparse } from '../io/kinds/dense.js';
import { matrixMarket } from '../io/kinds/matrix-market.js';
import { npy } from '../io/kinds/npy.js';
import { npz } from '../io/kinds/npz.js';
import { petsc } from '../io/kinds/petsc.js';
import { readRowWork } from '../io/matrix-market/matrix-market.node.js';
import { RowWork } from '../io/matrix-market/row-work.js';
import { type EntryShare, parseShare } from '../io/matrix-market/share.js';
import { readNpyHeader } from '../io/npy/header.js';
import { findNpzRows } from '../io/npy/npz-rows.js';
import { fileError } from '../io/parse-error.js';
import { findPetscRows } from '../io/petsc/petsc.js';
import { openKind } from '../io/read.node.js';
import { type RowsInFile, readerAt, readLengths, readRowRange } from '../io/rows-in-file.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { loadTogether } from './load-together.js';
import { boundsOfWork, evenRange, pointersOf, rankRows } from './row-range.js';
import { entriesOf, rowsOfEntries } from './send-entries.js';

/** Every rank reads all of a smaller file: it has done so when it knows the kind of the file. */
const LEAST_BYTES: number = 2 ** 16;
const BOTH_TRIANGLES = 3;

/**
 * Returns this rank's rows, of equal work; undefined, on all ranks, for a file that cannot be sought. Together.
 *
 * @throws as `readRows`
 */
export async function readShares(
  comm: Communicator,
  source: string | URL,
  options: ReadOptions,
): Promise<RankRows | undefined> {
  if (comm.size === 1) return undefined;
  const { kind, file } = await loadTogether(comm, () => openKind(source, { threads: comm.engine.threads, ...options }));
  try {
    const { disk } = file;
    comm.engine.space.ranks?.compare('readRows', { file: kind.name, bytes: disk?.size ?? 0 });
    if (disk === undefined || disk.size < LEAST_BYTES) return undefined;
    if (kind === matrixMarket) return await rowsOfLines(comm, file, source);
    if (kind === npy) return await rowsOfNumbers(comm, disk, file.name);
    const find = kind === petsc ? findPetscRows : kind === npz ? findNpzRows : undefined;
    const where = find && (await loadTogether(comm, () => find(file.name, disk)));
    return where && (await rowsOfRange(comm, disk, where));
  } finally {
    file.abandon();
  }
}

async function rowsOfLines(comm: Communicator, file: PlainFile, source: string | URL): Promise<RankRows | undefined> {
  const { rank, size } = comm;
  let problem: unknown;
  const share = await parseShare(file, { number: rank, count: size }).catch((error: unknown) => {
    problem = error;
    return undefined;
  });
  const [hasFailed, isMissing] = comm.allreduce(
    Float64Array.of(problem === undefined ? 0 : 1, share === undefined ? 1 : 0),
    'max',
  ) as Float64Array;
  if (hasFailed === 1) return failed(comm, file.name, source, problem);
  if (isMissing === 1) return undefined;
  const { header, entries, triangles } = share as EntryShare;
  const { cols, field, symmetry } = header;
  if (comm.allreduce(entries.used) !== header.entries) return failed(comm, file.name, source, undefined);
  comm.together(() => checkClaim(header));
  const work = new RowWork(header);
  for (let k = 0; k < entries.used; k++) work.counts(entries.rowIdx[k]!, entries.colIdx[k]!);
  comm.allreduce(work.entries);
  const bounds = boundsOfWork(work, size);
  if (symmetry !== 'general') checkMirrors(comm, { header, entries, triangles }, bounds);
  const matrix = rowsOfEntries(comm, { cols, field, symmetry }, bounds, entries);
  return rankRows(matrix, bounds[rank]!, symmetry);
}

/** Throws the error of a file on all ranks. One that reads all lines finds it, so that it has the number of its line. @param problem of this rank */
async function failed(comm: Communicator, name: string, source: string | URL, problem: unknown): Promise<never> {
  await loadTogether(comm, async () => {
    if (comm.rank === 0) await readRowWork(source, { name });
  });
  return comm.together(() => {
    throw problem ?? fileError(name, 'the same file on all ranks', 'another one on some');
  });
}

/** An entry of the upper triangle weighs so much, more than the entries of the lower one at a place together. */
const UPPER = 2 ** 26;

/**
 * A file that has an entry and its mirror image is refused (`coordinate.ts`). If it has entries of both triangles, those of the upper one are counted together with those of the lower
 * one, at the same place.
 *
 * @throws SparlaneError `parse`, on all ranks
 */
function checkMirrors(
  comm: Communicator,
  { header, entries: { rowIdx, colIdx, used }, triangles }: EntryShare,
  bounds: Uint32Array,
): void {
  const { file, cols, symmetry } = header;
  const found = comm.allreduce(Float64Array.of(triangles & 1, triangles & 2), 'max') as Float64Array;
  if (found[0]! + found[1]! < BOTH_TRIANGLES) return;
  const marks = entryChunk('real', used);
  for (let k = 0; k < used; k++) {
    const [row, col] = [rowIdx[k]!, colIdx[k]!];
    marks.rowIdx[k] = Math.max(row, col);
    marks.colIdx[k] = Math.min(row, col);
    marks.values![k] = row >= col ? 1 : UPPER;
  }
  marks.used = used;
  const counted = rowsOfEntries(comm, { cols, field: 'real', symmetry: 'general' }, bounds, marks);
  comm.together(() => {
    const wrong = counted.values.findIndex((count) => count > UPPER && count % UPPER !== 0);
    if (wrong < 0) return;
    const row = bounds[comm.rank]! + counted.rowPtr.findIndex((_, i) => counted.rowPtr[i + 1]! > wrong) + 1;
    const col = counted.colIdx[wrong]! + 1;
    const got = `(${row}, ${col}) and (${col}, ${row})`;
    throw fileError(file, `an entry or its mirror image, not both (${symmetry})`, got);
  });
}

/** Each rank reads as many rows of a dense matrix; zeros are no entries. Undefined for columns that lie one after the other, and complex numbers. */
async function rowsOfNumbers(comm: Communicator, disk: OpenDisk, file: string): Promise<RankRows | undefined> {
  const reader = readerAt(disk, file, 0);
  const { type, shape, size, numbers, fortranOrder } = await loadTogether(comm, () => readNpyHeader(reader, true));
  const [rows = 1, cols = 1] = shape;
  const isByRows = !fortranOrder || cols <= 1;
  const isWhole = reader.position + rows * cols * size === disk.size;
  if (type === undefined || numbers !== 1 || shape.length > 2 || !isByRows || !isWhole) return undefined;
  const [begin, end] = evenRange(comm, rows);
  const share = await loadTogether(comm, async () => {
    checkBlock(file, end - begin, cols);
    const from = readerAt(disk, file, reader.position + begin * cols * size);
    const values = await readFloats(from, type, (end - begin) * cols, 'numbers');
    return sparse(file, { rows: end - begin, columns: cols, values });
  });
  const work = new RowWork({ rows, symmetry: 'general' });
  for (let row = 0; row < share.rows; row++) work.add(begin + row, share.rowPtr[row + 1]! - share.rowPtr[row]!);
  comm.allreduce(work.entries);
  const bounds = boundsOfWork(work, comm.size);
  const entries = entriesOf(share, (row) => begin + row);
  const general = { cols, field: share.field, symmetry: 'general' } as const;
  return rankRows(rowsOfEntries(comm, general, bounds, entries), bounds[comm.rank]!, 'general');
}

async function rowsOfRange(comm: Communicator, disk: OpenDisk, where: RowsInFile): Promise<RankRows> {
  const { file, rows, nnz } = where;
  const { rank, size } = comm;
  const work = new RowWork({ rows, symmetry: 'general' });
  await loadTogether(comm, async () => {
    const [begin, end] = evenRange(comm, rows);
    const lengths = await readLengths(disk, where, begin, end);
    for (let i = begin; i < end; i++) work.add(i, lengths[i - begin]!);
  });
  comm.allreduce(work.entries);
  const before = pointersOf(work.entries);
  const bounds = boundsOfWork(work, size);
  const [begin, end] = [bounds[rank]!, bounds[rank + 1]!];
  const matrix = await loadTogether(comm, async () => {
    if (before.at(-1) !== nnz) throw fileError(file, `rows with ${nnz} entries together`, `${before.at(-1)}`);
    const lengths = await readLengths(disk, where, begin, end);
    return readRowRange(disk, where, lengths, before[Math.ceil(begin / work.length)]!);
  });
  return rankRows(matrix, begin, 'general');
}

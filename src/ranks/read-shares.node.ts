/** Each rank reads a share of a file: lines of Matrix Market, or rows of a binary file. */
import { complexOfParts, partsOfComplex, symmetryOfPart } from '../core/complex.js';
import { type EntryChunk, entryChunk } from '../core/entries.js';
import { SparlaneError } from '../core/errors.js';
import type { PlainFile, ReadOptions } from '../io/bytes/bytes.js';
import type { OpenDisk } from '../io/bytes/disk.js';
import { readFloats } from '../io/bytes/numbers.js';
import { checkBlock, checkClaim } from '../io/claims.js';
import { sparseOfAny } from '../io/kinds/dense.js';
import { matrixMarket } from '../io/kinds/matrix-market.js';
import { npy } from '../io/kinds/npy.js';
import { npz } from '../io/kinds/npz.js';
import { petsc } from '../io/kinds/petsc.js';
import type { MatrixMarketHeader } from '../io/matrix-market/header.js';
import { RowWork } from '../io/matrix-market/row-work.js';
import { checkLines, type EntryShare, parseShare } from '../io/matrix-market/share.js';
import { readNpyHeader } from '../io/npy/header.js';
import { findNpzRows } from '../io/npy/npz-rows.js';
import { fileError } from '../io/parse-error.js';
import { findPetscRows } from '../io/petsc/petsc.js';
import { openKind } from '../io/read.node.js';
import { type RowsInFile, readerAt, readerOf, readLengths, readRowRange } from '../io/rows-in-file.js';
import type { Communicator } from './communicator.js';
import type { ComplexRankRows } from './complex-rows.js';
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
  return (await sharesOf(comm, source, options, false)) as RankRows | undefined;
}

/** The same for numbers that may be complex. @throws as `readAnyRows` */
export function readAnyShares(
  comm: Communicator,
  source: string | URL,
  options: ReadOptions,
): Promise<RankRows | ComplexRankRows | undefined> {
  return sharesOf(comm, source, options, true);
}

/** A file that ranks have opened. */
interface SharedFile {
  readonly comm: Communicator;
  readonly file: PlainFile;
  readonly disk: OpenDisk;
  readonly takesComplex: boolean;
  /** Opens the file once more. */
  readonly again: () => Promise<PlainFile>;
}

async function sharesOf(
  comm: Communicator,
  source: string | URL,
  options: ReadOptions,
  takesComplex: boolean,
): Promise<RankRows | ComplexRankRows | undefined> {
  if (comm.size === 1) return undefined;
  const { kind, file } = await loadTogether(comm, () => openKind(source, { threads: comm.engine.threads, ...options }));
  try {
    const { name, disk } = file;
    const call = takesComplex ? 'readComplexRows' : 'readRows';
    comm.engine.space.ranks?.compare(call, { file: kind.name, bytes: disk?.size ?? 0 });
    if (disk === undefined || disk.size < LEAST_BYTES) return undefined;
    const again = async () => (await openKind(source, { ...options, name, onProgress: undefined })).file;
    const shared = { comm, file, disk, takesComplex, again };
    if (kind === matrixMarket) return await rowsOfLines(shared);
    if (kind === npy) return await rowsOfNumbers(shared);
    const find = kind === petsc ? findPetscRows : kind === npz ? findNpzRows : undefined;
    const where = find && (await loadTogether(comm, () => find(name, disk, takesComplex)));
    return where && (await rowsOfRange(shared, where));
  } finally {
    file.abandon();
  }
}

async function rowsOfLines(shared: SharedFile): Promise<RankRows | ComplexRankRows | undefined> {
  const { comm, file, takesComplex } = shared;
  let problem: unknown;
  const share = await loadTogether(comm, () =>
    parseShare(file, { number: comm.rank, count: comm.size }, takesComplex).catch((error: unknown) => {
      if (!(error instanceof SparlaneError && error.code === 'parse')) throw error;
      problem = error;
      return undefined;
    }),
  );
  const [hasFailed, isMissing] = comm.allreduce(
    Float64Array.of(problem === undefined ? 0 : 1, share === undefined ? 1 : 0),
    'max',
  ) as Float64Array;
  if (hasFailed === 1) return failed(shared, problem);
  if (isMissing === 1) return undefined;
  const { header, parts, triangles } = share as EntryShare;
  const [entries] = parts as [EntryChunk];
  if (comm.allreduce(entries.used) !== header.entries) return failed(shared, undefined);
  comm.together(() => checkClaim(header));
  const work = new RowWork(header);
  for (let k = 0; k < entries.used; k++) work.counts(entries.rowIdx[k]!, entries.colIdx[k]!);
  comm.allreduce(work.entries);
  const bounds = boundsOfWork(work, comm.size);
  if (header.symmetry !== 'general') checkMirrors(comm, header, entries, triangles, bounds);
  return rowsOfParts(comm, header, bounds, parts);
}

/** Returns the rows of entries of any rank. @param parts one list of real ones; of complex ones their real parts and their imaginary parts */
function rowsOfParts(
  comm: Communicator,
  { cols, field, symmetry, declared }: Pick<MatrixMarketHeader, 'cols' | 'field' | 'symmetry' | 'declared'>,
  bounds: Uint32Array,
  parts: readonly EntryChunk[],
): RankRows | ComplexRankRows {
  const firstRow = bounds[comm.rank]!;
  const [matrix, imaginary] = parts.map((entries, part) =>
    rowsOfEntries(comm, { cols, field, symmetry: symmetryOfPart(declared ?? symmetry, part) }, bounds, entries),
  );
  if (imaginary === undefined) return rankRows(matrix!, firstRow, symmetry);
  return rankRows(complexOfParts(matrix!, imaginary, 'general'), firstRow, declared!);
}

/** Throws the error of a file on all ranks. One that reads all lines finds it, so that it has the number of its line. @param problem of this rank */
async function failed({ comm, file, takesComplex, again }: SharedFile, problem: unknown): Promise<never> {
  await loadTogether(comm, async () => {
    if (comm.rank === 0) await checkLines(await again(), takesComplex);
  });
  return comm.together(() => {
    throw problem ?? fileError(file.name, 'the same file on all ranks', 'another one on some');
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
  { file, cols, symmetry, declared = symmetry }: MatrixMarketHeader,
  { rowIdx, colIdx, used }: EntryChunk,
  triangles: number,
  bounds: Uint32Array,
): void {
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
    throw fileError(file, `an entry or its mirror image, not both (${declared})`, got);
  });
}

/** Each rank reads as many rows of a dense matrix; zeros are no entries. Undefined for columns that lie one after the other. */
async function rowsOfNumbers({
  comm,
  file: { name },
  disk,
  takesComplex,
}: SharedFile): Promise<RankRows | ComplexRankRows | undefined> {
  const reader = readerAt(disk, name, 0);
  const { type, shape, size, numbers, fortranOrder } = await loadTogether(comm, () => readNpyHeader(reader, true));
  const [rows = 1, cols = 1] = shape;
  const isByRows = !fortranOrder || cols <= 1;
  const isWhole = reader.position + rows * cols * size === disk.size;
  const isTaken = type !== undefined && (numbers === 1 || takesComplex);
  if (!isTaken || shape.length > 2 || !isByRows || !isWhole) return undefined;
  const [begin, end] = evenRange(comm, rows);
  const share = await loadTogether(comm, async () => {
    checkBlock(name, end - begin, numbers * cols);
    const [first, count] = [numbers * cols * begin, numbers * cols * (end - begin)];
    const from = readerOf(disk, name, { begin: reader.position, type }, first, count);
    const values = await readFloats(from, type, count, 'numbers');
    return sparseOfAny(name, { rows: end - begin, columns: cols, values, ...(numbers === 2 && { field: 'complex' }) });
  });
  const work = new RowWork({ rows, symmetry: 'general' });
  for (let row = 0; row < share.rows; row++) work.add(begin + row, share.rowPtr[row + 1]! - share.rowPtr[row]!);
  comm.allreduce(work.entries);
  const bounds = boundsOfWork(work, comm.size);
  const matrices = share.field === 'complex' ? partsOfComplex(share) : [share];
  const parts = matrices.map((part) => entriesOf(part, (row) => begin + row));
  const given = rowsOfParts(comm, { cols, field: 'real', symmetry: 'general', declared: 'general' }, bounds, parts);
  return share.values instanceof Float32Array ? { ...given, values: Float32Array.from(given.values!) } : given;
}

async function rowsOfRange({ comm, disk }: SharedFile, where: RowsInFile): Promise<RankRows | ComplexRankRows> {
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

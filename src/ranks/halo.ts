/**
 * The rows of one rank, divided by columns: those of the rank's own elements of x, and ghosts, which other ranks own. Columns of both are
 * numbered from 0: own ones in their order, ghosts in the order of their global numbers, so that the ghosts of one owner are neighbours.
 *
 * Source: PETSc's MATMPIAIJ (Balay et al.): diagonal and off-diagonal part.
 * Differs: the ghost part has only the rows with ghosts, so that it costs nothing where there are none; all rows if most have ghosts, so that its
 * product is added to y at once. Most of a range of many columns is sent as the whole range: copied at once instead of one by one.
 */
import { concatenated } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { lowerBound } from '../core/search.js';
import { evenly } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { renumberColumns } from '../formats/layout/entry-loops.js';
import { type RunLoop, serially } from '../formats/layout/loop.js';

/** A range of rows or columns for each rank: rank r has bounds[r] … bounds[r + 1] − 1. */
export type Bounds = Float64Array;

export interface DividedRows {
  /** Rows × own columns. */
  readonly own: CsrMatrix;
  /** Rows with ghosts, or all × ghosts. */
  readonly ghost: CsrMatrix;
  /** The rows of `ghost`, as own rows, ascending. */
  readonly boundaryRows: Uint32Array;
  /** The global columns of the ghosts, ascending. */
  readonly ghosts: Uint32Array;
}

/** What is known of divided rows without their numbers. */
export interface DividedSizes extends Pick<DividedRows, 'boundaryRows' | 'ghosts'> {
  readonly own: Pick<CsrMatrix, 'rows' | 'nnz'>;
  readonly ghost: Pick<CsrMatrix, 'nnz'>;
}

/** @param columns the columns of each rank */
export function divideRows(matrix: CsrMatrix, rank: number, columns: Bounds): DividedRows {
  return divideInPlace(copyOf(matrix), rank, columns, serially);
}

/**
 * Divides rows in the arrays of their matrix: the own part is the beginning of each, so no second copy of the entries is made.
 *
 * @param matrix its arrays are overwritten
 * @param runLoop renumbers the own columns
 */
export function divideInPlace(matrix: CsrMatrix, rank: number, columns: Bounds, runLoop: RunLoop): DividedRows {
  const [first, end] = [columns[rank]!, columns[rank + 1]!];
  const cuts = cutRows(matrix, first, end);
  const ghosts = withRanges(distinct(cuts.strangers), columns);
  return partsOf(matrix, cuts, { first, count: end - first, places: ghosts, ghosts, runLoop });
}

/** The same, of rows whose columns are numbered already: own ones from 0, then ghosts. @param ghosts their global numbers */
export function divideNumbered(matrix: CsrMatrix, ghosts: Uint32Array): DividedRows {
  const count = matrix.cols - ghosts.length;
  const places = Uint32Array.from({ length: ghosts.length }, (_, ghost) => count + ghost);
  const cuts = cutRows(matrix, 0, count);
  return partsOf(copyOf(matrix), cuts, { first: 0, count, places, ghosts, runLoop: serially });
}

function copyOf(matrix: CsrMatrix): CsrMatrix {
  const { rowPtr, colIdx, values } = matrix;
  return { ...matrix, rowPtr: rowPtr.slice(), colIdx: colIdx.slice(), values: values.slice() };
}

interface RankColumns {
  /** The rank has `count` columns of its own, from `first` on. */
  readonly first: number;
  readonly count: number;
  /** The ghosts have these columns in the matrix. */
  readonly places: Uint32Array;
  readonly ghosts: Uint32Array;
  readonly runLoop: RunLoop;
}

function partsOf(matrix: CsrMatrix, cuts: Cuts, { first, count, places, ghosts, runLoop }: RankColumns): DividedRows {
  const { rows, field, symmetry } = matrix;
  const { boundaryRows, ...ghost } = ghostPart(matrix, cuts, places);
  const own = ownPart(matrix, cuts);
  if (first > 0) runLoop(renumberColumns, { first, colIdx: own.colIdx }, evenly(own.nnz));
  return {
    own: { ...own, rows, cols: count, field, symmetry: rows === count ? symmetry : 'general' },
    ...ghostRows({ ...ghost, cols: ghosts.length, field, symmetry: 'general' }, boundaryRows, rows),
    ghosts,
  };
}

/** The own entries of row i are those from `begin[i]` to `end[i]` − 1: columns ascend. */
interface Cuts {
  readonly begin: Uint32Array;
  readonly end: Uint32Array;
  /** The columns of all other entries. */
  readonly strangers: Uint32Array;
}

function cutRows({ rows, rowPtr, colIdx }: CsrMatrix, firstCol: number, endCol: number): Cuts {
  const [begin, end] = [new Uint32Array(rows), new Uint32Array(rows)];
  let count = 0;
  for (let i = 0; i < rows; i++) {
    const [first, last] = [rowPtr[i]!, rowPtr[i + 1]!];
    let from = first;
    let to = last;
    while (from < to && colIdx[from]! < firstCol) from++;
    while (from < to && colIdx[to - 1]! >= endCol) to--;
    begin[i] = from;
    end[i] = to;
    count += last - first - (to - from);
  }
  const strangers = new Uint32Array(count);
  if (count === 0) return { begin, end, strangers };
  let at = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < begin[i]!; k++) strangers[at++] = colIdx[k]!;
    for (let k = end[i]!; k < rowPtr[i + 1]!; k++) strangers[at++] = colIdx[k]!;
  }
  return { begin, end, strangers };
}

type Part = Pick<CsrMatrix, 'nnz' | 'rowPtr' | 'colIdx' | 'values'>;

/** So many entries are moved at once; fewer are moved one by one. Chosen. */
const MANY_ENTRIES = 32;

/** Moves the entries in own columns to the beginning of the arrays. */
function ownPart({ rows, rowPtr, colIdx, values }: CsrMatrix, { begin, end }: Cuts): Part {
  let [from, to, at] = [0, 0, 0];
  const move = () => {
    if (at !== from && to - from >= MANY_ENTRIES) {
      colIdx.copyWithin(at, from, to);
      values.copyWithin(at, from, to);
    } else if (at !== from) {
      for (let k = from; k < to; k++) {
        colIdx[at + k - from] = colIdx[k]!;
        values[at + k - from] = values[k]!;
      }
    }
    at += to - from;
  };
  for (let i = 0; i < rows; i++) {
    if (begin[i] !== to) {
      move();
      from = begin[i]!;
    }
    to = end[i]!;
    rowPtr[i + 1] = at + to - from;
  }
  move();
  return { nnz: at, rowPtr, colIdx: colIdx.subarray(0, at), values: values.subarray(0, at) };
}

/** The entries of ghosts: the rows that have some. */
function ghostPart(
  { rows, rowPtr, colIdx, values }: CsrMatrix,
  { begin, end, strangers }: Cuts,
  ghosts: Uint32Array,
): Part & { readonly rows: number; readonly boundaryRows: Uint32Array } {
  const part = emptyPart(rows, strangers.length, values);
  const boundaryRows: number[] = [];
  let at = 0;
  let place = 0;
  const take = (k: number) => {
    place = lowerBound(ghosts, colIdx[k]!, place);
    part.colIdx[at] = place;
    part.values[at++] = values[k]!;
  };
  for (let i = 0; i < rows && at < strangers.length; i++) {
    const before = at;
    place = 0;
    for (let k = rowPtr[i]!; k < begin[i]!; k++) take(k);
    for (let k = end[i]!; k < rowPtr[i + 1]!; k++) take(k);
    if (at === before) continue;
    boundaryRows.push(i);
    part.rowPtr[boundaryRows.length] = at;
  }
  const { length } = boundaryRows;
  return {
    ...part,
    rowPtr: part.rowPtr.slice(0, length + 1),
    rows: length,
    boundaryRows: Uint32Array.from(boundaryRows),
  };
}

function emptyPart(rows: number, nnz: number, like: FloatArray): Part {
  const values = like instanceof Float32Array ? new Float32Array(nnz) : new Float64Array(nnz);
  return { nnz, rowPtr: new Uint32Array(rows + 1), colIdx: new Uint32Array(nnz), values };
}

/** The ghost part, with all rows if at least half of them have ghosts. */
function ghostRows(ghost: CsrMatrix, boundaryRows: Uint32Array, rows: number) {
  if (2 * boundaryRows.length < rows) return { ghost, boundaryRows };
  const rowPtr = new Uint32Array(rows + 1);
  boundaryRows.forEach((row, i) => {
    rowPtr[row + 1] = ghost.rowPtr[i + 1]! - ghost.rowPtr[i]!;
  });
  for (let i = 0; i < rows; i++) rowPtr[i + 1]! += rowPtr[i]!;
  return { ghost: { ...ghost, rows, rowPtr }, boundaryRows: Uint32Array.from({ length: rows }, (_, i) => i) };
}

/** The different numbers of an array, ascending; the array is sorted. */
export function distinct(numbers: Uint32Array): Uint32Array {
  numbers.sort();
  return numbers.filter((value, i) => i === 0 || value !== numbers[i - 1]);
}

/** Ghosts of one owner from which on gaps between them may be filled, and the share of a range that they must have. */
const MANY_GHOSTS = 1024;
const MOST_OF_A_RANGE = 0.75;

/** Ascending ghosts; of an owner of which most of a range is needed, all of that range. */
function withRanges(ghosts: Uint32Array, columns: Bounds): Uint32Array {
  let [begin, isChanged] = [0, false];
  const parts = Array.from({ length: columns.length - 1 }, (_, owner) => {
    const end = lowerBound(ghosts, columns[owner + 1]!, begin);
    const part = ghosts.subarray(begin, end);
    begin = end;
    const length = part.length === 0 ? 0 : part.at(-1)! - part[0]! + 1;
    if (part.length < MANY_GHOSTS || part.length < MOST_OF_A_RANGE * length || part.length === length) return part;
    isChanged = true;
    return Uint32Array.from({ length }, (_, i) => part[0]! + i);
  });
  if (!isChanged) return ghosts;
  return concatenated(Uint32Array, parts);
}

/** Elements that go to one rank, or come from it. */
export interface Neighbour {
  readonly rank: number;
  /** Own elements to send, ascending; or places of ghosts. */
  readonly places: Uint32Array;
}

export interface HaloPlan {
  readonly sends: readonly Neighbour[];
  /** The ghosts of an owner are a range. */
  readonly receives: readonly { readonly rank: number; readonly begin: number; readonly end: number }[];
}

/** The ghosts of each owner, which are a range. @param columns the columns of each rank */
export function rangesOfOwners(ghosts: Uint32Array, columns: Bounds): HaloPlan['receives'] {
  return Array.from({ length: columns.length - 1 }, (_, rank) => {
    const begin = lowerBound(ghosts, columns[rank]!);
    return { rank, begin, end: lowerBound(ghosts, columns[rank + 1]!, begin) };
  }).filter(({ begin, end }) => begin < end);
}

/** Returns, for each rank, the ghosts that it owns, by their global numbers. */
export function ghostsByOwner(ghosts: Uint32Array, columns: Bounds): readonly Float64Array[] {
  const lists = Array.from({ length: columns.length - 1 }, () => new Float64Array());
  for (const { rank, begin, end } of rangesOfOwners(ghosts, columns))
    lists[rank] = Float64Array.from(ghosts.subarray(begin, end));
  return lists;
}

/** Returns the columns of each rank: those with the numbers of its rows if the matrix is square, otherwise as many as other ranks have, give or take one. */
export function columnBounds(rowBounds: ArrayLike<number>, cols: number): Bounds {
  const size = rowBounds.length - 1;
  const isSquare = rowBounds[size] === cols;
  return Float64Array.from(rowBounds, (bound, rank) => (isSquare ? bound : Math.floor((cols * rank) / size)));
}

/** All places of some sends, one after the other. */
export function placesOf(sends: HaloPlan['sends']): Uint32Array {
  const all = new Uint32Array(sends.reduce((sum, { places }) => sum + places.length, 0));
  let at = 0;
  for (const { places } of sends) {
    all.set(places, at);
    at += places.length;
  }
  return all;
}

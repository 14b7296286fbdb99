/**
 * The rows of one rank, divided by columns: those of the rank's own elements of x, and ghosts, which other ranks own. Columns of both are
 * numbered from 0: own ones in their order, ghosts in the order of their global numbers, so that the ghosts of one owner are neighbours.
 *
 * Source: PETSc's MATMPIAIJ (Balay et al.): diagonal and off-diagonal part.
 * Differs: the ghost part has only the rows with ghosts, so that it costs nothing where there are none; all rows if most have ghosts, so that its
 * product is added to y at once. Most of a range of many columns is sent as the whole range: copied at once instead of one by one.
 * Cost: one pass counts the own columns and the ghosts of each row, one moves columns and values, and one finds the place of each ghost.
 */
import { concatenated } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { distinct } from '../core/distinct.js';
import { lowerBound } from '../core/search.js';
import { evenly, rowSpan } from '../core/span.js';
import { type ArrayConstructor, type LoopArray, typeOf } from '../formats/layout/loop.js';
import { placePointers, summed } from '../formats/layout/pointers.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import { ALONE, type ConversionWorkspace } from '../formats/layout/workspace.js';
import { countOwn, divideEntries, findPlaces } from './division-loops.js';
import type { Bounds } from './halo.js';

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

/** Divides the rows of a rank into its own columns and the ghosts. @param columns the columns of each rank @param workspace has the arrays of both parts */
export function divideRows(
  matrix: CsrMatrix,
  rank: number,
  columns: Bounds,
  workspace: ConversionWorkspace = ALONE,
): DividedRows {
  const first = columns[rank]!;
  const parts = separated(matrix, first, columns[rank + 1]! - first, workspace);
  const ghosts = withRanges(distinct(parts.ghost.colIdx), columns);
  return numbered(parts, ghosts, ghosts, workspace);
}

/** The same, of rows whose columns are numbered already: own ones from 0, then ghosts. @param ghosts their global numbers */
export function divideNumbered(matrix: CsrMatrix, ghosts: Uint32Array): DividedRows {
  const count = matrix.cols - ghosts.length;
  const places = Uint32Array.from({ length: ghosts.length }, (_, ghost) => count + ghost);
  return numbered(separated(matrix, 0, count, ALONE), places, ghosts, ALONE);
}

/** The ghosts of all rows, with their columns in the matrix, beside the own part. */
type Parts = Pick<DividedRows, 'own' | 'ghost'>;

/** Moves the entries in own columns and those of ghosts into separate arrays. @param first the first own column @param count the number of own columns */
function separated(matrix: CsrMatrix, first: number, count: number, workspace: ConversionWorkspace): Parts {
  const { rows, cols, field, symmetry, rowPtr, colIdx, values } = matrix;
  const { runLoop, array } = workspace;
  const span = rowSpan(matrix);
  const [before, own, ghosts] = [array(Uint32Array, rows), array(Uint32Array, rows), array(Uint32Array, rows)];
  runLoop(countOwn, { first, count, rowPtr, colIdx, before, own, ghosts }, span);
  const [ownPtr, ghostPtr] = [pointersFrom(own, workspace), pointersFrom(ghosts, workspace)];
  const divided = <T extends LoopArray>(source: T, less: number): [own: T, ghost: T] => {
    const type = typeOf(source);
    const [mine, theirs] = [elements(workspace, type, ownPtr[rows]!), elements(workspace, type, ghostPtr[rows]!)];
    const job = { first: less, rowPtr, before, ownPtr, ghostPtr, source, own: mine, ghost: theirs };
    runLoop(divideEntries, job, span);
    return [mine, theirs];
  };
  const columns = divided(colIdx, first);
  const numbers = divided(values, 0);
  const part = (k: 0 | 1, ptr: Uint32Array) => {
    return { rows, nnz: ptr[rows]!, rowPtr: ptr, colIdx: columns[k], values: numbers[k], field };
  };
  return {
    own: { ...part(0, ownPtr), cols: count, symmetry: rows === count ? symmetry : 'general' },
    ghost: { ...part(1, ghostPtr), cols, symmetry: 'general' },
  };
}

function pointersFrom(lengths: Uint32Array, workspace: ConversionWorkspace): Uint32Array {
  const ptr = elements(workspace, Uint32Array, lengths.length + 1);
  return placePointers(ptr, summed(lengths, workspace), workspace.runLoop);
}

/** An array that a layout can keep. */
function elements<T extends LoopArray>({ array }: ConversionWorkspace, type: ArrayConstructor<T>, length: number): T {
  return array(type, length + READ_PAST).subarray(0, length) as T;
}

/** Numbers the ghosts, and leaves out rows without any. @param places the columns of the ghosts in the matrix */
function numbered(
  { own, ghost }: Parts,
  places: Uint32Array,
  ghosts: Uint32Array,
  { runLoop, near }: ConversionWorkspace,
): DividedRows {
  const { colIdx, nnz } = ghost;
  runLoop(findPlaces, { count: places.length, numbers: near(places), colIdx }, evenly(nnz));
  return { own, ...boundaryOf({ ...ghost, cols: ghosts.length }), ghosts };
}

/** The ghost part, with all rows if at least half of them have ghosts. */
function boundaryOf(ghost: CsrMatrix): Pick<DividedRows, 'ghost' | 'boundaryRows'> {
  const { rows, rowPtr } = ghost;
  const boundaryRows = new Uint32Array(rows);
  let count = 0;
  for (let i = 0; i < rows; i++) if (rowPtr[i] !== rowPtr[i + 1]) boundaryRows[count++] = i;
  if (2 * count >= rows) return { ghost, boundaryRows: boundaryRows.map((_, i) => i) };
  const ptr = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) ptr[i + 1] = rowPtr[boundaryRows[i]! + 1]!;
  return { ghost: { ...ghost, rows: count, rowPtr: ptr }, boundaryRows: boundaryRows.slice(0, count) };
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

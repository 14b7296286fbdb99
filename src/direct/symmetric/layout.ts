/**
 * Supernodal factors in the heap, as kernels read them (`assembly/direct/supernodes.ts`), and how much memory they take.
 *
 * Layout of a supernode of columns 1, 2 with rows 1 2 4 7: two columns of `stride` 4, of which the place above the diagonal is not used.
 *
 *     1 2 4 7   · 2 4 7
 */
import type { CsrMatrix } from '../../core/csr.js';
import { SparlaneError } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import type { FactorDtype } from '../../kernels/abi.js';
import { placeHeader, placeOf } from '../../memory/header.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import { SOLVED_TOGETHER } from '../method.js';
import type { Scale } from './scale.js';
import { MOST_COLUMNS, type Supernodes } from './supernodes.js';
import type { Tasks } from './tasks.js';
import type { DenseColumns, PlacedEntries, Updates } from './updates.js';

export const SUPERNODES_HEADER = {
  supernodes: 'u32',
  /** u32, supernodes + 1: the first column of each. */
  columnPtr: 'usize',
  /** u32, supernodes: where the rows of each begin in `rows`, its columns first. */
  rowBegin: 'usize',
  /** u32, supernodes: their number. */
  rowCount: 'usize',
  /** u32: rows, ascending. */
  rows: 'usize',
  /** u32, supernodes: where the values of each begin in `values`, in elements. */
  valueBegin: 'usize',
  /** u32, supernodes: elements between two columns of a supernode. */
  stride: 'usize',
  /** f64 or f32: the dense columns of all supernodes. */
  values: 'usize',
  /** u32, columns: the place of each pivot's row in its supernode; 0 in LLᵀ. */
  pivots: 'usize',
  /** f64, 2 × columns: the diagonal of D, and what is below it; 0 in LLᵀ. */
  diagonal: 'usize',
  /** u32, supernodes + 1, and by entry of A: its place in `values`, and its number in A. */
  entryPtr: 'usize',
  entryAt: 'usize',
  entryFrom: 'usize',
  /** u32, supernodes + 1; three words for each update: the supernode, the first of its rows in this one, their number. */
  updatePtr: 'usize',
  updates: 'usize',
} as const;

export const FACTORIZING_HEADER = {
  supernodes: 'usize',
  /** f64: the values of A. */
  entries: 'usize',
  /** u32, four words for each task: supernodes [first, last), updates [begin, end) of theirs. */
  tasks: 'usize',
  /** The task after the last one of this run. */
  end: 'u32',
  /** u32, columns: the place of each row in the supernode. */
  places: 'usize',
  /** u32, as many as a supernode has rows. */
  relative: 'usize',
  /** f64: rows of a supernode times D; 0 in LLᵀ. */
  scaled: 'usize',
  /** u32: the least column whose pivot is not usable; columns that are perturbed; of 2 × 2. */
  status: 'usize',
  /** f64: the least modulus of a pivot of LDLᵀ. */
  least: 'usize',
  /** f64: the dense columns of a supernode while they are computed, if they are stored as f32; else 0. */
  panel: 'usize',
} as const;

export const SOLVING_HEADER = {
  supernodes: 'usize',
  /** u32, columns: the row of A of each. */
  order: 'usize',
  /** f64, for each column one element, or four. */
  work: 'usize',
  /** f64: as many for each row of a supernode. */
  sums: 'usize',
} as const;

/** All that the analysis of a symmetric pattern finds. */
export interface SymmetricAnalysis {
  readonly nodes: Supernodes;
  readonly dense: DenseColumns;
  readonly updates: Updates;
  readonly entries: PlacedEntries;
  readonly tasks: Tasks;
  /** A, or one of its pattern. */
  readonly matrix: CsrMatrix;
  /** Whether D has pairs of rows, and pivots are chosen. */
  readonly isIndefinite: boolean;
  /** S for the values of `matrix`: that of other values begins from it. It is undefined, too, where it was not computed. */
  readonly scale: Scale;
  /** How the numbers of the factors are stored. */
  readonly stored: FactorDtype;
}

/** The bytes of one number of the factors. */
const BYTES = { f64: 8, f32: 4 } as const;

/** Elements after the last column, which tiles of four rows read. */
const READ_PAST = 4;

/** Rows of the largest supernode. */
function mostRows({ rowCount }: Supernodes): number {
  return rowCount.reduce((most, count) => Math.max(most, count), 0);
}

/** Elements of the largest supernode. */
function mostElements({ nodes: { count, columnPtr }, dense: { stride } }: SymmetricAnalysis): number {
  let most = 0;
  for (let s = 0; s < count; s++) most = Math.max(most, stride[s]! * (columnPtr[s + 1]! - columnPtr[s]!));
  return most;
}

/** Bytes of the factors and of what stays with them, and of a factorization beside. */
export function bytesOf(
  analysis: SymmetricAnalysis,
  threads: number,
): { readonly kept: number; readonly work: number } {
  const { nodes, dense, updates, entries, tasks, matrix, isIndefinite, stored } = analysis;
  const n = nodes.order.length;
  const rows = mostRows(nodes);
  const perNode = 4 * (7 * nodes.count + 3);
  const lists = 4 * (nodes.rows.length + n + 2 * entries.at.length + updates.words.length + tasks.words.length);
  const order = 4 * (2 * tasks.count + 2 * tasks.before.idx.length + 3);
  const solve = 8 * SOLVED_TOGETHER * (n + rows);
  const pivots = isIndefinite ? 20 * n : 0;
  const kept = BYTES[stored] * (dense.length + READ_PAST) + perNode + lists + order + solve + pivots;
  const scaled = isIndefinite ? 8 * MOST_COLUMNS * MOST_COLUMNS : 0;
  const panel = stored === 'f32' ? 8 * mostElements(analysis) : 0;
  return { kept, work: 8 * matrix.nnz + threads * (4 * (n + rows) + scaled + panel) };
}

/** @throws SparlaneError `heap` if the heap has not so many bytes */
export function checkRoom(heap: Heap, bytes: number): void {
  if (bytes <= heap.bytesFree) return;
  const detail = { bytesAsked: bytes, bytesFree: heap.bytesFree };
  const text = `factors: expected room for ${bytes} bytes, got ${heap.bytesFree} bytes free`;
  throw new SparlaneError('heap', `${text}${heap.wayOut}`, detail);
}

/** What a factorization keeps in the heap. */
export interface PlacedFactors {
  /** Of a SupernodesHeader. */
  readonly header: number;
  readonly values: FloatArray;
  /** Two elements for each column; without any in LLᵀ. */
  readonly diagonal: Float64Array;
  readonly tasks: Uint32Array;
  /** Of a SolvingHeader. */
  readonly solving: number;
}

/** @throws SparlaneError `heap` if it does not fit */
export function placeFactors(scope: HeapScope, analysis: SymmetricAnalysis): PlacedFactors {
  const { nodes, dense, updates, entries, tasks, isIndefinite, stored } = analysis;
  const n = nodes.order.length;
  const words = (array: Uint32Array) => scope.copy(Uint32Array, array);
  const elements = dense.length + READ_PAST;
  const all = stored === 'f64' ? scope.array(Float64Array, elements) : scope.array(Float32Array, elements);
  const values = all.subarray(0, dense.length);
  const diagonal = scope.array(Float64Array, isIndefinite ? 2 * n : 0);
  const header = placeHeader(scope, SUPERNODES_HEADER, {
    ...{ supernodes: nodes.count, columnPtr: words(nodes.columnPtr) },
    ...{ rowBegin: words(nodes.rowBegin), rowCount: words(nodes.rowCount), rows: words(nodes.rows) },
    ...{ valueBegin: words(dense.begin), stride: words(dense.stride), values },
    pivots: isIndefinite ? scope.array(Uint32Array, n) : undefined,
    diagonal: isIndefinite ? diagonal : undefined,
    ...{ entryPtr: words(entries.ptr), entryAt: words(entries.at), entryFrom: words(entries.from) },
    ...{ updatePtr: words(updates.ptr), updates: words(updates.words) },
  });
  const solving = placeHeader(scope, SOLVING_HEADER, {
    ...{ supernodes: header, order: words(nodes.order) },
    work: scope.array(Float64Array, SOLVED_TOGETHER * n),
    sums: scope.array(Float64Array, SOLVED_TOGETHER * mostRows(nodes)),
  });
  return { header, values, diagonal, tasks: words(tasks.words), solving };
}

/** What each thread of a factorization has for itself. */
export interface ThreadWork {
  /** The address of its FactorizingHeader. */
  readonly header: number;
  /** Of the header: the word `end`. */
  readonly end: Uint32Array;
}

/** @throws SparlaneError `heap` if it does not fit */
export function placeThreadWork(
  scope: HeapScope,
  analysis: SymmetricAnalysis,
  { header: supernodes, tasks }: PlacedFactors,
  shared: { readonly entries: Float64Array; readonly status: Uint32Array; readonly least: Float64Array },
): ThreadWork {
  const { nodes, isIndefinite, stored } = analysis;
  const header = placeHeader(scope, FACTORIZING_HEADER, {
    ...{ supernodes, tasks, end: 0, ...shared },
    places: scope.array(Uint32Array, nodes.order.length),
    relative: scope.array(Uint32Array, mostRows(nodes)),
    scaled: isIndefinite ? scope.array(Float64Array, MOST_COLUMNS * MOST_COLUMNS + READ_PAST) : undefined,
    panel: stored === 'f32' ? scope.array(Float64Array, mostElements(analysis) + READ_PAST) : undefined,
  });
  const place = header + 4 * placeOf(FACTORIZING_HEADER, 'end');
  return { header, end: scope.heap.view(Uint32Array, place, 1) };
}

/** The triangles of P A Pᵀ in the heap, each entry with its place in A. Kernels: `assembly/triangular/split.ts`. */

import { NO_ENTRY } from '../../algebra/diagonal.js';
import type { TeamContext } from '../../backends/team/backend.js';
import type { CsrMatrix } from '../../core/csr.js';
import { evenly } from '../../core/span.js';
import { transposeOnTeam } from '../../matrices/transposition.js';
import { type HeaderWords, wordsOf } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { inverted } from '../../reorder/permutation.js';
import { addUp, pieceSpan, runOver } from '../over-pieces.js';
import type { RowPieces, Triangle, TrianglesPattern } from './triangles.js';

export const SPLIT_HEADER = {
  /** A: u32, rows + 1; u32, nnz. */
  rowPtr: 'usize',
  colIdx: 'usize',
  /** u32, rows: the row of A of each row, and the row of each row of A; 0: its number. */
  order: 'usize',
  place: 'usize',
  /** u32, pieces + 1. */
  piecePtr: 'usize',
  /** u32, pieces: the first row of the stage, and the one after its last. */
  stageBegin: 'usize',
  stageEnd: 'usize',
  /** L: u32, rows + 1; u32, entries. 0 without. */
  lowerPtr: 'usize',
  lowerIdx: 'usize',
  lowerFrom: 'usize',
  /** U. */
  upperPtr: 'usize',
  upperIdx: 'usize',
  upperFrom: 'usize',
  /** u32, entries of U = Lᵀ: their own numbers, then those of entries of L; 0 without. */
  turned: 'usize',
  /** u32, rows: the entry of A on the diagonal, which the caller fills with NONE. */
  diagonal: 'usize',
  /** u32: the number of entries that are left out. */
  dropped: 'usize',
} as const;

export interface PlacedTriangle extends Triangle {
  /** The entry of A of each entry. */
  readonly from: Uint32Array;
}

export interface Split extends TrianglesPattern {
  readonly lower: PlacedTriangle;
  readonly upper: PlacedTriangle | undefined;
  /** That of A. */
  readonly rowPtr: Uint32Array;
  /** For each row the entry on the diagonal, or `NO_ENTRY`. */
  readonly diagonal: Uint32Array;
  /** Entries of A between two pieces of one stage. */
  readonly dropped: number;
}

/** What is split. */
export interface Splitting {
  readonly matrix: CsrMatrix;
  /** `order[i]`: the row of the matrix that comes i-th; undefined for its own order. */
  readonly order: Uint32Array | undefined;
  /** Of the rows in this order; undefined: a single one. */
  readonly pieces?: RowPieces;
}

/** Both triangles. Their arrays are in `scope`. @throws SparlaneError `heap` if they do not fit */
export function splitTriangles(context: TeamContext, scope: HeapScope, splitting: Splitting): Split {
  using work = context.heap.scope();
  const { known, dropped, run, entriesBy } = prepare(context, scope, work, splitting);
  const pointers = () => scope.array(Uint32Array, known.rows + 1);
  const [lowerPtr, upperPtr] = [pointers(), pointers()];
  run('split_count', { lowerPtr, upperPtr });
  const triangle = (ptr: Uint32Array): PlacedTriangle => {
    const entries = entriesBy(ptr);
    return { ptr, idx: scope.array(Uint32Array, entries), from: scope.array(Uint32Array, entries) };
  };
  const [lower, upper] = [triangle(lowerPtr), triangle(upperPtr)];
  run('split_fill', {
    ...{ lowerPtr, lowerIdx: lower.idx, lowerFrom: lower.from },
    ...{ upperPtr, upperIdx: upper.idx, upperFrom: upper.from },
  });
  return { ...known, lower, upper, dropped: dropped[0]! };
}

/** The triangles of a symmetric matrix, from the entries after the diagonal of each row. */
export interface SymmetricSplit extends Split {
  /** Lᵀ; `from` counts entries of L. */
  readonly turned: PlacedTriangle;
}

/** As `splitTriangles`, without sorting: the rows of L are found column by column. */
export function splitSymmetric(context: TeamContext, scope: HeapScope, splitting: Splitting): SymmetricSplit {
  using work = context.heap.scope();
  const { known, dropped, run, entriesBy } = prepare(context, scope, work, splitting);
  const { rows } = known;
  const upperPtr = scope.array(Uint32Array, rows + 1);
  run('split_count', { upperPtr });
  const nnz = entriesBy(upperPtr);
  const words = () => scope.array(Uint32Array, nnz);
  const [upperIdx, turned, upperFrom] = [words(), words(), work.array(Uint32Array, nnz)];
  run('split_fill', { upperPtr, upperIdx, upperFrom, turned });
  // The numbers of entries move as values of as many bytes, whose bits nobody looks at.
  const values = new Float32Array(turned.buffer, turned.byteOffset, nnz);
  const lower = transposeOnTeam(context, scope, { rows, cols: rows, nnz, rowPtr: upperPtr, colIdx: upperIdx, values });
  const lowerFrom = new Uint32Array(lower.values.buffer, lower.values.byteOffset, nnz);
  run('split_turn', { lowerFrom, upperFrom, turned }, evenly(nnz));
  return {
    ...known,
    lower: { ptr: lower.rowPtr, idx: lower.colIdx, from: lowerFrom },
    upper: undefined,
    turned: { ptr: upperPtr, idx: upperIdx, from: turned },
    dropped: 2 * dropped[0]!,
  };
}

type Words = HeaderWords<keyof typeof SPLIT_HEADER>;

const NOTHING = Object.fromEntries(wordsOf(SPLIT_HEADER).map((name) => [name, 0])) as Words;

/** What both kinds begin with. @param scope of what is kept @param work of what the steps need */
function prepare(context: TeamContext, scope: HeapScope, work: HeapScope, splitting: Splitting) {
  const { matrix, order: given, pieces = { ptr: Uint32Array.of(0, matrix.rows), stages: [1] } } = splitting;
  const { rows, nnz } = matrix;
  const known = {
    ...{ rows, pieces },
    rowPtr: scope.copy(Uint32Array, matrix.rowPtr),
    order: given && scope.copy(Uint32Array, given),
    diagonal: scope.array(Uint32Array, rows).fill(NO_ENTRY),
  };
  const dropped = work.array(Uint32Array, 1).fill(0);
  const piecePtr = work.copy(Uint32Array, pieces.ptr);
  const always = {
    ...{ rowPtr: known.rowPtr, order: known.order, diagonal: known.diagonal, dropped },
    colIdx: context.heap.owns(matrix.colIdx) ? matrix.colIdx : work.copy(Uint32Array, matrix.colIdx),
    place: given && work.copy(Uint32Array, inverted(given)),
    ...{ piecePtr, ...placeStages(work, pieces) },
  };
  const byPiece = pieceSpan(piecePtr, nnz);
  const units = { first: piecePtr.subarray(0, -1), last: piecePtr.subarray(1), placed: numbered(byPiece.units) };
  const run = (kernel: string, words: Partial<Words>, span = byPiece) =>
    runOver(context, { kernel, layout: SPLIT_HEADER, words: { ...NOTHING, ...always, ...words } }, span);
  return { known, dropped, run, entriesBy: (ptr: Uint32Array) => addUp(context, ptr, units) };
}

/** By piece: the rows of its stage. */
function placeStages(work: HeapScope, { ptr, stages }: RowPieces) {
  const pieces = ptr.length - 1;
  const [stageBegin, stageEnd] = [work.array(Uint32Array, pieces), work.array(Uint32Array, pieces)];
  let first = 0;
  for (const count of stages) {
    const end = first + count;
    stageBegin.fill(ptr[first]!, first, end);
    stageEnd.fill(ptr[end]!, first, end);
    first = end;
  }
  return { stageBegin, stageEnd };
}

function numbered(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, k) => k);
}

/** The triangles of P A Pᵀ, each entry with its place in A. */
import type { Triangle, TrianglesPattern } from '../../backends/team/triangles.js';
import { sortRow } from '../../core/canonical.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import { inverted } from '../../reorder/permutation.js';
import type { Pieces } from './pieces.js';

export interface PlacedTriangle extends Triangle {
  /** The entry of A of each entry. */
  readonly from: Uint32Array;
}

export interface Split extends TrianglesPattern {
  readonly lower: PlacedTriangle;
  readonly upper: PlacedTriangle | undefined;
  /** For each row the entry on the diagonal, or NONE. */
  readonly diagonal: Uint32Array;
  /** Entries of A between two pieces of one stage. */
  readonly dropped: number;
}

/** No such entry. */
export const NONE = 0xffff_ffff;

/** @param withUpper whether both triangles are needed @param pieces of the rows in this order; undefined: a single one */
export function splitTriangles(
  matrix: CsrMatrix,
  order: Uint32Array | undefined,
  withUpper: boolean,
  pieces?: Pick<Pieces, 'ptr' | 'stages'>,
): Split {
  const { rows, nnz, rowPtr, colIdx } = matrix;
  const place = order && inverted(order);
  const lower = new TriangleBuilder(rows, nnz);
  const upper = withUpper ? new TriangleBuilder(rows, nnz) : undefined;
  const diagonal = new Uint32Array(rows).fill(NONE);
  let dropped = 0;
  for (const { begin, first, last, end } of neighbourhoods(rows, pieces))
    for (let i = first; i < last; i++) {
      const row = order === undefined ? i : order[i]!;
      for (let k = rowPtr[row]!, after = rowPtr[row + 1]!; k < after; k++) {
        const j = place === undefined ? colIdx[k]! : place[colIdx[k]!]!;
        if ((j >= begin && j < first) || (j >= last && j < end)) dropped++;
        else if (j < i) lower.add(j, k);
        else if (j > i) upper?.add(j, k);
        else diagonal[i] = k;
      }
      lower.endRow(i);
      upper?.endRow(i);
    }
  return { rows, order, lower: lower.build(), upper: upper?.build(), diagonal, dropped };
}

/** The triangles of a symmetric matrix, from the entries after the diagonal of each row. */
export interface SymmetricSplit extends Split {
  /** Lᵀ; `from` counts entries of L. */
  readonly turned: PlacedTriangle;
}

/** One pass over A and one over Lᵀ, without sorting: the rows of L are found column by column. */
export function splitSymmetric(
  matrix: CsrMatrix,
  order: Uint32Array | undefined,
  pieces: Pick<Pieces, 'ptr' | 'stages'>,
): SymmetricSplit {
  const { rows, nnz, rowPtr, colIdx } = matrix;
  const place = order && inverted(order);
  const diagonal = new Uint32Array(rows).fill(NONE);
  const [counts, turnedPtr] = [new Uint32Array(rows + 1), new Uint32Array(rows + 1)];
  // Of Lᵀ: columns, and first entries of A, then of L.
  const [columns, entries] = [new Uint32Array(nnz), new Uint32Array(nnz)];
  let at = 0;
  let dropped = 0;
  for (const { first, last, end } of neighbourhoods(rows, pieces))
    for (let i = first; i < last; i++) {
      const row = order === undefined ? i : order[i]!;
      for (let k = rowPtr[row]!, after = rowPtr[row + 1]!; k < after; k++) {
        const j = place === undefined ? colIdx[k]! : place[colIdx[k]!]!;
        if (j < i) continue;
        if (j === i) diagonal[i] = k;
        else if (j >= last && j < end) dropped += 2;
        else {
          counts[j + 1]!++;
          columns[at] = j;
          entries[at++] = k;
        }
      }
      turnedPtr[i + 1] = at;
    }
  // Pages after `at` were never touched, so they take no memory.
  const turned = { ptr: turnedPtr, idx: columns.subarray(0, at), from: entries.subarray(0, at) };
  const lower = turnedRows(counts, turned);
  return { rows, order, lower, upper: undefined, turned, diagonal, dropped };
}

/** L from Lᵀ, whose `from` becomes entries of L. @param ptr rows + 1: the entries of the row before; becomes that of L */
function turnedRows(ptr: Uint32Array, { ptr: turnedPtr, idx: columns, from: entries }: PlacedTriangle): PlacedTriangle {
  const rows = ptr.length - 1;
  for (let i = 0; i < rows; i++) ptr[i + 1]! += ptr[i]!;
  const next = ptr.slice();
  const [idx, from] = [new Uint32Array(entries.length), new Uint32Array(entries.length)];
  for (let i = 0; i < rows; i++)
    for (let k = turnedPtr[i]!, end = turnedPtr[i + 1]!; k < end; k++) {
      const entry = next[columns[k]!]!++;
      idx[entry] = i;
      from[entry] = entries[k]!;
      entries[k] = entry;
    }
  return { ptr, idx, from };
}

/** The rows [first, last) of a piece, and those of its stage, [begin, end). */
interface Neighbourhood {
  readonly begin: number;
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/** By piece. */
function neighbourhoods(rows: number, pieces: Pick<Pieces, 'ptr' | 'stages'> | undefined): Neighbourhood[] {
  const { ptr, stages } = pieces ?? { ptr: Uint32Array.of(0, rows), stages: [1] };
  const all: Neighbourhood[] = [];
  for (const count of stages) {
    const [begin, end] = [all.length, all.length + count];
    for (let piece = begin; piece < end; piece++)
      all.push({ begin: ptr[begin]!, first: ptr[piece]!, last: ptr[piece + 1]!, end: ptr[end]! });
  }
  return all;
}

class TriangleBuilder {
  readonly #ptr: Uint32Array;
  readonly #idx: Uint32Array;
  /** Places of entries: `sortRow` moves numbers along with columns, and f64 is exact for them. */
  readonly #from: Float64Array;
  #end = 0;

  constructor(rows: number, nnz: number) {
    this.#ptr = new Uint32Array(rows + 1);
    this.#idx = new Uint32Array(nnz);
    this.#from = new Float64Array(nnz);
  }

  add(column: number, from: number): void {
    this.#idx[this.#end] = column;
    this.#from[this.#end++] = from;
  }

  endRow(row: number): void {
    this.#ptr[row + 1] = this.#end;
    sortRow(this.#idx, this.#from, this.#ptr[row]!, this.#end);
  }

  build(): PlacedTriangle {
    return {
      ptr: this.#ptr,
      idx: this.#idx.slice(0, this.#end),
      from: new Uint32Array(this.#from.subarray(0, this.#end)),
    };
  }
}

/** target ← the values of a triangle. */
export function fillTriangle({ from }: PlacedTriangle, values: FloatArray, target: FloatArray): void {
  for (let k = 0; k < from.length; k++) target[k] = values[from[k]!]!;
}

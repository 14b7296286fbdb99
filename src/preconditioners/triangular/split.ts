/** The triangles of P A Pᵀ within blocks of rows, each entry with its place in A. */
import type { Triangle, TrianglesPattern } from '../../backends/team/triangles.js';
import { sortRow } from '../../core/canonical.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import { inversePermutation } from '../../reorder/permutation.js';

export interface PlacedTriangle extends Triangle {
  /** The entry of A of each entry. */
  readonly from: Uint32Array;
}

export interface Split extends TrianglesPattern {
  readonly lower: PlacedTriangle;
  readonly upper: PlacedTriangle | undefined;
  /** For each row the entry on the diagonal, or NONE. */
  readonly diagonal: Uint32Array;
  /** Entries of A between blocks. */
  readonly dropped: number;
}

/** No such entry. */
export const NONE = 0xffff_ffff;

/** @param withUpper whether both triangles are needed */
export function splitTriangles(
  matrix: CsrMatrix,
  order: Uint32Array | undefined,
  blockRows: number,
  withUpper: boolean,
): Split {
  const { rows, nnz, rowPtr, colIdx } = matrix;
  const place = order && inversePermutation(order);
  const lower = new TriangleBuilder(rows, nnz);
  const upper = withUpper ? new TriangleBuilder(rows, nnz) : undefined;
  const diagonal = new Uint32Array(rows).fill(NONE);
  let dropped = 0;
  for (let i = 0; i < rows; i++) {
    const row = order === undefined ? i : order[i]!;
    const first = i - (i % blockRows);
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const j = place === undefined ? colIdx[k]! : place[colIdx[k]!]!;
      if (j < first || j >= first + blockRows) dropped++;
      else if (j < i) lower.add(j, k);
      else if (j > i) upper?.add(j, k);
      else diagonal[i] = k;
    }
    lower.endRow(i);
    upper?.endRow(i);
  }
  return { rows, blockRows, order, lower: lower.build(), upper: upper?.build(), diagonal, dropped };
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

/** target ← the values of a triangle's rows [begin, end). */
export function fillTriangle(
  { ptr, from }: PlacedTriangle,
  values: FloatArray,
  target: FloatArray,
  begin: number,
  end: number,
): void {
  for (let k = ptr[begin]!, last = ptr[end]!; k < last; k++) target[k] = values[from[k]!]!;
}

/**
 * Rows of incomplete factors without fill-in. In place: the triangles hold those of A, in their own pattern. Layout:
 * `src/preconditioners/triangular/triangles.ts`; `factor-pieces.ts` and `ordered.ts` call for rows, `factor-groups.ts` has groups of them.
 *
 *     lu          M = (I + L) D (I + U)
 *     cholesky    M = E (I + L) (I + L)ᵀ E; there is one triangle
 *
 * Source: Meijerink & van der Vorst 1977; Saad 2003, algorithms 10.4 (ILU(0), rows in order) and 10.6.
 *
 * A row is spread over `dense`, of which only its own columns are read; what updates write beside them is never read. If a pivot is not
 * usable, the factorization ends there, and `status` is 1 + its row; the caller fills in the values again and adds a shift to the diagonal.
 */
import { FACTORED, FactorHeader, TrianglesHeader } from '../../build/headers';
import { Branching, rowSum } from '../lanes';
import { word } from '../word';

/** A pivot below this share of the row's sum is not usable: it has lost most of its digits. */
const LEAST_PIVOT: f64 = 1e-10;

/** The shift of a row's pivot. */
@inline
export function shiftOf<X>(header: FactorHeader, row: u32, shift: X): X {
  return shift * load<X>(header.sums + ((<usize>row) << alignof<X>()));
}

/** The diagonal of A. */
@inline
export function diagonalOf<X>(header: FactorHeader, row: u32): X {
  return load<X>(header.diagonal + ((<usize>row) << alignof<X>()));
}

@inline
export function leastPivot<X>(header: FactorHeader, row: u32): X {
  return <X>LEAST_PIVOT * load<X>(header.sums + ((<usize>row) << alignof<X>()));
}

/**
 * A row of K = E (I + L). Row i of K is the solution of K kᵢ = aᵢ over the rows before, in
 * the pattern of aᵢ: kᵢⱼ = aᵢⱼ / eⱼ − Σ lⱼₘ kᵢₘ. Where the pattern has no entry, `dense` is 0.
 */
@inline
export function choleskyRow<V, X>(header: FactorHeader, row: u32, shift: X): u32 {
  const triangles = changetype<TrianglesHeader>(header.triangles);
  const ptr = triangles.lowerPtr;
  const inverse = triangles.inverse;
  const dense = header.dense;
  const k = load<u32>(word(ptr, row));
  const count = load<u32>(word(ptr, row + 1)) - k;
  const idx = triangles.lowerIdx + ((<usize>k) << 2);
  const values = triangles.lower + ((<usize>k) << alignof<V>());
  const first: u32 = count > 0 ? load<u32>(idx) : 0;
  let pivot = diagonalOf<X>(header, row) + shiftOf<X>(header, row, shift);
  for (let e: usize = 0; e < count; e++) {
    const col = load<u32>(idx + (e << 2));
    const k2 = load<u32>(word(ptr, col));
    const count2 = load<u32>(word(ptr, col + 1)) - k2;
    const skipped = entriesBefore(word(triangles.lowerIdx, k2), count2, first);
    const columns = word(triangles.lowerIdx, k2 + skipped);
    const before = triangles.lower + ((<usize>(k2 + skipped)) << alignof<V>());
    const own = <X>load<V>(values + (e << alignof<V>())) * load<X>(inverse + ((<usize>col) << alignof<X>()));
    const value = own - rowSum<V, u32, X, Branching>(dense, columns, before, 0, count2 - skipped);
    store<X>(dense + ((<usize>col) << alignof<X>()), value);
    pivot -= value * value;
  }
  if (!(pivot > leastPivot<X>(header, row)) || pivot === Infinity) {
    clear<X>(dense, idx, count);
    return row + 1;
  }
  const inverseOf = <X>1 / sqrt<X>(pivot);
  store<X>(inverse + ((<usize>row) << alignof<X>()), inverseOf);
  for (let e: usize = 0; e < count; e++) {
    const at = dense + ((<usize>load<u32>(idx + (e << 2))) << alignof<X>());
    store<V>(values + (e << alignof<V>()), <V>(load<X>(at) * inverseOf));
    store<X>(at, 0);
  }
  return FACTORED;
}

/** Entries of a row before `column`, in whole eights: `dense` is 0 there. */
@inline
export function entriesBefore(idx: usize, count: u32, column: u32): u32 {
  let k: u32 = 0;
  while (k + 8 <= count && load<u32>(word(idx, k), 28) < column) k += 8;
  return k;
}

@inline
function clear<X>(dense: usize, idx: usize, count: usize): void {
  for (let e: usize = 0; e < count; e++) store<X>(dense + ((<usize>load<u32>(idx + (e << 2))) << alignof<X>()), 0);
}

/**
 * The rows [begin, end) of L, D and U: for each entry of L in order, row i ← row i − lᵢⱼ dⱼ (row j of I + U), in the pattern of row i.
 */
export function luRows<V, X>(header: FactorHeader, begin: u32, end: u32, shift: X): u32 {
  const triangles = changetype<TrianglesHeader>(header.triangles);
  const inverse = triangles.inverse;
  const dense = header.dense;
  for (let row = begin; row < end; row++) {
    const k = load<u32>(word(triangles.lowerPtr, row));
    const count = load<u32>(word(triangles.lowerPtr, row + 1)) - k;
    const idx = triangles.lowerIdx + ((<usize>k) << 2);
    const values = triangles.lower + ((<usize>k) << alignof<V>());
    const upper = load<u32>(word(triangles.upperPtr, row));
    const upperCount = load<u32>(word(triangles.upperPtr, row + 1)) - upper;
    const upperIdx = triangles.upperIdx + ((<usize>upper) << 2);
    const upperValues = triangles.upper + ((<usize>upper) << alignof<V>());
    const middle = dense + ((<usize>row) << alignof<X>());
    const diagonal = diagonalOf<X>(header, row);
    const more = shiftOf<X>(header, row, shift);
    const isNegative = diagonal < <X>0 && !header.isDefinite;
    store<X>(middle, isNegative ? diagonal - more : diagonal + more);
    spread<V, X>(dense, idx, values, count);
    spread<V, X>(dense, upperIdx, upperValues, upperCount);
    for (let e: usize = 0; e < count; e++) {
      const col = load<u32>(idx + (e << 2));
      const factor = load<X>(dense + ((<usize>col) << alignof<X>()));
      subtractUpper<V, X>(triangles, dense, col, factor);
      store<V>(values + (e << alignof<V>()), <V>(factor * load<X>(inverse + ((<usize>col) << alignof<X>()))));
    }
    const pivot = load<X>(middle);
    const size = header.isDefinite ? pivot : abs<X>(pivot);
    if (!(size > leastPivot<X>(header, row)) || size === Infinity) return row + 1;
    const inverseOf = <X>1 / pivot;
    store<X>(inverse + ((<usize>row) << alignof<X>()), inverseOf);
    for (let e: usize = 0; e < upperCount; e++) {
      const value = load<X>(dense + ((<usize>load<u32>(upperIdx + (e << 2))) << alignof<X>()));
      store<V>(upperValues + (e << alignof<V>()), <V>(value * inverseOf));
    }
  }
  return FACTORED;
}

/** dense ← the values of a row. */
@inline
function spread<V, X>(dense: usize, idx: usize, values: usize, count: usize): void {
  for (let e: usize = 0; e < count; e++) {
    const at = dense + ((<usize>load<u32>(idx + (e << 2))) << alignof<X>());
    store<X>(at, <X>load<V>(values + (e << alignof<V>())));
  }
}

/** dense ← dense − factor times a row of U. */
@inline
function subtractUpper<V, X>(triangles: TrianglesHeader, dense: usize, row: u32, factor: X): void {
  const k = load<u32>(word(triangles.upperPtr, row));
  let idx = triangles.upperIdx + ((<usize>k) << 2);
  let values = triangles.upper + ((<usize>k) << alignof<V>());
  const last = triangles.upperIdx + ((<usize>load<u32>(word(triangles.upperPtr, row + 1))) << 2);
  for (; idx < last; idx += 4, values += sizeof<V>()) {
    const at = dense + ((<usize>load<u32>(idx)) << alignof<X>());
    store<X>(at, load<X>(at) - factor * <X>load<V>(values));
  }
}

/**
 * Whether a matrix equals its transpose, by its entries: exactly, or up to rounding. Matrices of assembled elements differ from their transposes by
 * 2e-16 of an entry, products A D Aᵀ by 5e-13, because sums are added in another order.
 */
import type { CsrMatrix } from './csr.js';
import { lowerBound } from './search.js';
import { trusted } from './trusted.js';
import type { FloatArray } from './types.js';

/**
 * Whether A = Aᵀ: the patterns, explicit zeros included, or with `'values'` the values too, exactly. NaN differs from NaN. False for a
 * matrix that is not square. O(rows + nnz).
 *
 * One cursor per row, which only advances, is at the first entry that is not yet the mirror image of one in an earlier row. Rows are visited in
 * ascending order, so that in row i it is at the diagonal or behind it, or an entry before it has no mirror image.
 */
export function equalsTranspose(
  matrix: Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx'> & { readonly values?: FloatArray },
  what: 'pattern' | 'values',
): boolean {
  const { rows, cols, rowPtr, colIdx, values } = matrix;
  if (rows !== cols) return false;
  if (what === 'pattern' && SYMMETRIC.get(colIdx) === rowPtr) return true;
  const compared = what === 'values' ? values : undefined;
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = cursor[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      // Behind the diagonal the next mirror image in row j is that of row i; on it, an entry is its own; before it, there is none.
      const mirror = j === i ? k : cursor[j]!++;
      if (j < i || mirror >= rowPtr[j + 1]! || colIdx[mirror] !== i) return false;
      if (compared !== undefined && compared[mirror] !== compared[k]) return false;
    }
  }
  if (trusted(matrix) !== undefined) SYMMETRIC.set(colIdx, rowPtr);
  return true;
}

/** Column indices and row pointers of matrices that were trusted, and have a symmetric pattern. */
const SYMMETRIC = new WeakMap<Uint32Array, Uint32Array>();

/** Largest difference of an entry and that across the diagonal, as a share of the largest entries of both rows. */
const SYMMETRY_ROUNDING = 1e-10;

/** How a matrix compares with its transpose. `rounded`: numbers differ by rounding errors; an entry that has none across the diagonal differs from 0. */
export type Likeness = 'exact' | 'rounded' | 'none';

/** O(rows + nnz); where the patterns differ and rounding may be why, O(nnz log nnz) at most. */
export function likenessOfTranspose(matrix: CsrMatrix): Likeness {
  if (equalsTranspose(matrix, 'values')) return 'exact';
  if (matrix.rows !== matrix.cols) return 'none';
  const isRounded = equalsTranspose(matrix, 'pattern')
    ? firstAsymmetry(matrix, matrix.values) === undefined
    : isMirroredThroughout(matrix);
  return isRounded ? 'rounded' : 'none';
}

/** The same for any pattern: an entry is looked for across the diagonal, and counts as 0 if it is not there. */
function isMirroredThroughout(matrix: CsrMatrix): boolean {
  const { rows, rowPtr, colIdx, values } = matrix;
  const largest = largestOfRows(matrix, values);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      if (!isMirrored(values[k]!, elementOf(matrix, j, i), largest[i]!, largest[j]!)) return false;
    }
  return true;
}

/** The number at (row, col), 0 if there is no entry. */
export function elementOf(
  { rowPtr, colIdx, values }: Pick<CsrMatrix, 'rowPtr' | 'colIdx' | 'values'>,
  row: number,
  col: number,
): number {
  const end = rowPtr[row + 1]!;
  const place = lowerBound(colIdx, col, rowPtr[row]!, end);
  return place < end && colIdx[place] === col ? values[place]! : 0;
}

/**
 * The first entry that differs by more than rounding from that across the diagonal, or undefined. NaN differs from everything.
 *
 * @param matrix of a symmetric pattern @param values its numbers
 */
export function firstAsymmetry(matrix: RowPattern, values: FloatArray): number | undefined {
  const { rows, rowPtr, colIdx } = matrix;
  // Most matrices are symmetric to the last bit, and need no largest entries.
  let largest: Float64Array | undefined;
  // Rows are visited in order, so the cursor of row j is at the entry across the diagonal.
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = cursor[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      if (j === i) continue;
      const value = values[k]!;
      const across = values[cursor[j]!++]!;
      if (value === across) continue;
      largest ??= largestOfRows(matrix, values);
      if (!isMirrored(value, across, largest[i]!, largest[j]!)) return k;
    }
  }
  return undefined;
}

/**
 * Signs of columns with which a matrix is symmetric up to rounding: A D = D Aᵀ for a diagonal matrix D of 1 and −1. The real equivalent of a complex
 * symmetric matrix has them, and a saddle point [A B; −Bᵀ C] of symmetric A and C. Of the signs of a connected part the first one is 1.
 *
 * @param matrix of a symmetric pattern @param values its numbers
 * @returns undefined where no signs make it symmetric. O(nnz), nearly
 */
export function symmetrizingSigns(matrix: RowPattern, values: FloatArray): Int8Array | undefined {
  const { rows, rowPtr, colIdx } = matrix;
  let largest: Float64Array | undefined;
  const signs = new SignForest(rows);
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = cursor[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      if (j === i) continue;
      const value = values[k]!;
      const across = values[cursor[j]!++]!;
      if (value === 0 && across === 0) continue;
      let isEqual = value === across;
      let isOpposite = value === -across;
      if (!isEqual && !isOpposite) {
        largest ??= largestOfRows(matrix, values);
        isEqual = isMirrored(value, across, largest[i]!, largest[j]!);
        isOpposite = isMirrored(value, -across, largest[i]!, largest[j]!);
        if (!isEqual && !isOpposite) return undefined;
        // Numbers as small as rounding errors say nothing of signs.
        if (isEqual && isOpposite) continue;
      }
      if (!signs.join(i, j, isEqual ? 1 : -1)) return undefined;
    }
  }
  return signs.all();
}

/** Vertices in trees, by the least one of each, with their signs relative to it. */
class SignForest {
  readonly #parent: Uint32Array;
  /** The sign of a vertex relative to its parent. */
  readonly #sign: Int8Array;
  #found = 1;

  constructor(vertices: number) {
    this.#parent = new Uint32Array(vertices);
    for (let v = 0; v < vertices; v++) this.#parent[v] = v;
    this.#sign = new Int8Array(vertices).fill(1);
  }

  /** The root of a vertex; `#found` is then the sign relative to it. Halves the way to it. */
  #find(vertex: number): number {
    const parents = this.#parent;
    const signs = this.#sign;
    let at = vertex;
    let sign = 1;
    for (let parent = parents[at]!; parent !== at; parent = parents[at]!) {
      const above = parents[parent]!;
      if (above !== parent) signs[at]! *= signs[parent]!;
      parents[at] = above;
      sign *= signs[at]!;
      at = above;
    }
    this.#found = sign;
    return at;
  }

  /** Joins two trees so that the vertices have a relative sign. @returns false if they are in one tree, with another sign */
  join(a: number, b: number, sign: number): boolean {
    const rootA = this.#find(a);
    let between = sign * this.#found;
    const rootB = this.#find(b);
    between *= this.#found;
    if (rootA === rootB) return between === 1;
    const other = Math.max(rootA, rootB);
    this.#parent[other] = Math.min(rootA, rootB);
    this.#sign[other] = between;
    return true;
  }

  /** The sign of each vertex relative to the least one of its tree. */
  all(): Int8Array {
    const found = new Int8Array(this.#sign.length);
    for (let v = 0; v < found.length; v++) {
      this.#find(v);
      found[v] = this.#found;
    }
    return found;
  }
}

/** The places of entries, row by row. */
type RowPattern = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/** The largest modulus of each row. */
export function largestOfRows({ rows, rowPtr }: Pick<RowPattern, 'rows' | 'rowPtr'>, values: FloatArray): Float64Array {
  const largest = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let most = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) most = Math.max(most, Math.abs(values[k]!));
    largest[i] = most;
  }
  return largest;
}

/** Whether two entries across the diagonal are the same up to rounding. @param largest moduli of the rows of each */
export function isMirrored(value: number, across: number, largest: number, largestAcross: number): boolean {
  return value === across || Math.abs(value - across) <= SYMMETRY_ROUNDING * Math.min(largest, largestAcross);
}

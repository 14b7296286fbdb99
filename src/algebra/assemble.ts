/**
 * Assembly of finite elements: A = Σₑ Pₑᵀ Aₑ Pₑ, where Pₑ selects the unknowns of element e. The pattern of A and the place of each number of each
 * element matrix are found once; after that an assembly is one pass over the element matrices.
 *
 * Each sum is taken in the order of the elements, so it always has the same bits, and A is symmetric to the last bit if all Aₑ are.
 * On the caller's thread: the pass writes as fast as memory takes scattered writes.
 */
import { asFloats, asIndices, checkRange, type IndexArray, type NumberArray } from '../core/arrays.js';
import { checkSymmetry, integer, knownKeys } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, Symmetry } from '../core/types.js';
import { newMatrix } from './new-matrix.js';

/** An `Assembly` takes these options. */
export interface AssemblyOptions {
  /** Unknowns of an element, m: 3 for linear triangles, 8 for bilinear quadrilaterals with two displacements per node. */
  readonly perElement: number;
  /** All unknowns, n. Default: one more than the greatest in `elements`. */
  readonly unknowns?: number;
  /** The relation of A to Aᵀ, which follows from that of the element matrices. Default `general`. */
  readonly symmetry?: Symmetry;
}

const OPTIONS = { perElement: true, unknowns: true, symmetry: true } satisfies Record<keyof AssemblyOptions, true>;

/**
 * The pattern of a mesh: which unknowns the elements connect.
 *
 * @example
 * const mesh = new Assembly(triangles, { perElement: 3 });
 * const A = mesh.matrix(stiffness); // 9 numbers for each triangle
 * const b = mesh.vector(loads); // 3 numbers for each triangle
 * mesh.update(A, others); // the same entries with other numbers
 */
export class Assembly {
  /** n: rows and columns of the matrices. */
  readonly unknowns: number;
  readonly elements: number;
  /** m: unknowns of an element. */
  readonly perElement: number;
  readonly #symmetry: Symmetry;
  /** Unknown i of element e is at e · m + i. */
  readonly #unknownsOf: Uint32Array;
  readonly #rowPtr: Uint32Array;
  readonly #colIdx: Uint32Array;
  /** The entry to which number k of the element matrices is added. */
  readonly #places: Uint32Array;

  /**
   * O(elements · m²), 4 bytes for each number of the element matrices.
   *
   * @param elements the unknowns of all elements, m for each; an element may name one twice
   * @throws SparlaneError `argument`; `shape` if they are not whole elements; `structure` for an unknown out of range
   */
  constructor(elements: IndexArray, options: AssemblyOptions) {
    knownKeys('options', options, OPTIONS);
    const given = asIndices('elements', elements);
    this.perElement = integer('perElement', options.perElement, 1);
    this.elements = given.length / this.perElement;
    if (!Number.isInteger(this.elements))
      throw mismatch('shape', 'elements', `${this.perElement} unknowns for each`, given.length, {
        length: given.length,
      });
    this.unknowns = integer('unknowns', options.unknowns ?? given.reduce((most, one) => Math.max(most, one + 1), 0));
    checkRange('elements', 'row', given, this.unknowns);
    this.#symmetry = checkSymmetry(options.symmetry ?? 'general', this.unknowns, this.unknowns);
    this.#unknownsOf = given.slice();
    const { rowPtr, colIdx, places } = patternOf(this.#unknownsOf, this.perElement, this.unknowns);
    this.#rowPtr = rowPtr;
    this.#colIdx = colIdx;
    this.#places = places;
  }

  /**
   * A, in f64. All matrices of the mesh share the arrays of their pattern.
   *
   * @param elementMatrices m² numbers for each element, row by row
   * @throws SparlaneError `shape` for another number of them; `argument`
   */
  matrix(elementMatrices: NumberArray): CsrMatrix {
    const { unknowns } = this;
    const values = new Float64Array(this.#colIdx.length);
    const arrays = { rows: unknowns, cols: unknowns, rowPtr: this.#rowPtr, colIdx: this.#colIdx, values };
    return this.update(newMatrix({ ...arrays, symmetry: this.#symmetry }), elementMatrices);
  }

  /**
   * Writes other values into a matrix of this mesh, and nothing else; `update(matrix.values)` of a preconditioner takes them.
   *
   * @throws SparlaneError `argument` for the matrix of another mesh; `shape` as `matrix`
   */
  update(matrix: CsrMatrix, elementMatrices: NumberArray): CsrMatrix {
    if (matrix?.rowPtr !== this.#rowPtr || matrix.colIdx !== this.#colIdx)
      throw mismatch('argument', 'matrix', 'one that this assembly has made', matrix);
    addInto(
      matrix.values.fill(0),
      this.#places,
      this.#numbers('elementMatrices', elementMatrices, this.#places.length),
    );
    return matrix;
  }

  /**
   * b = Σₑ Pₑᵀ bₑ, in f64.
   *
   * @param elementVectors m numbers for each element
   * @throws SparlaneError `shape` for another number of them; `argument`
   */
  vector(elementVectors: NumberArray): Float64Array {
    const b = new Float64Array(this.unknowns);
    addInto(b, this.#unknownsOf, this.#numbers('elementVectors', elementVectors, this.#unknownsOf.length));
    return b;
  }

  #numbers(name: string, given: NumberArray, length: number): FloatArray {
    const numbers = asFloats(name, given);
    if (numbers.length !== length)
      throw mismatch('shape', name, `${length / (this.elements || 1)} for each of ${this.elements} elements`, given);
    return numbers;
  }
}

function addInto(sums: FloatArray, places: Uint32Array, numbers: FloatArray): void {
  for (let k = 0; k < places.length; k++) sums[places[k]!]! += numbers[k]!;
}

interface Pattern {
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly places: Uint32Array;
}

/** Row by row: the columns of a row are the unknowns of the elements around it. */
function patternOf(unknownsOf: Uint32Array, m: number, n: number): Pattern {
  const around = occurrences(unknownsOf, n);
  const rowPtr = new Uint32Array(n + 1);
  /** The last row, plus one, in which a column was seen. */
  const seen = new Uint32Array(n);
  /** Calls `use` once with each column of a row. */
  const forColumns = (row: number, stamp: number, use: (column: number) => void) => {
    for (let at = around.ptr[row]!; at < around.ptr[row + 1]!; at++) {
      const first = around.idx[at]! - (around.idx[at]! % m);
      for (let k = first; k < first + m; k++) {
        const column = unknownsOf[k]!;
        if (seen[column] === stamp) continue;
        seen[column] = stamp;
        use(column);
      }
    }
  };
  let nnz = 0;
  for (let row = 0; row < n; row++) {
    forColumns(row, row + 1, () => nnz++);
    rowPtr[row + 1] = integer('entries of the matrix', nnz);
  }
  seen.fill(0);
  const colIdx = new Uint32Array(nnz);
  const places = new Uint32Array(unknownsOf.length * m);
  /** The entry of a column in the current row. */
  const entryOf = new Uint32Array(n);
  for (let row = 0; row < n; row++) {
    let end = rowPtr[row]!;
    forColumns(row, row + 1, (column) => {
      colIdx[end++] = column;
    });
    colIdx.subarray(rowPtr[row], end).sort();
    for (let k = rowPtr[row]!; k < end; k++) entryOf[colIdx[k]!] = k;
    for (let at = around.ptr[row]!; at < around.ptr[row + 1]!; at++) {
      const place = around.idx[at]!;
      const first = place - (place % m);
      for (let j = 0; j < m; j++) places[place * m + j] = entryOf[unknownsOf[first + j]!]!;
    }
  }
  return { rowPtr, colIdx, places };
}

/** For each unknown, where it stands among those of the elements: a counting sort. */
function occurrences(unknownsOf: Uint32Array, n: number): { readonly ptr: Uint32Array; readonly idx: Uint32Array } {
  const ptr = new Uint32Array(n + 1);
  for (const unknown of unknownsOf) ptr[unknown + 1]!++;
  for (let i = 0; i < n; i++) ptr[i + 1]! += ptr[i]!;
  const next = ptr.slice(0, n);
  const idx = new Uint32Array(unknownsOf.length);
  for (let k = 0; k < unknownsOf.length; k++) idx[next[unknownsOf[k]!]!++] = k;
  return { ptr, idx };
}

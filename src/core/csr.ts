/**
 * Input validation of matrices: every matrix enters the library as compressed sparse rows and is validated here once.
 * The other modules trust it. Compressed columns and coordinates are converted to rows here, too.
 *
 * Canonical: columns ascend strictly within a row, so a row has no duplicates. Canonical CSR arrays are used without a
 * copy. Other arrays are sorted, and their duplicates summed, into new arrays.
 */
import { asFloats, asIndices, checkOnes, type IndexArray, type NumberArray, outOfRange, type Side } from './arrays.js';
import { canonical, summed } from './canonical.js';
import { checkSymmetry, integer, oneOf } from './checks.js';
import { csrOfDense, type DenseMatrix } from './dense.js';
import { checkEntries, csrFromEntries } from './entries.js';
import { mismatch, SparlaneError } from './errors.js';
import { transposedEntries } from './transpose.js';
import { trust, trusted } from './trusted.js';
import { FIELDS, type Field, type FloatArray, type Symmetry } from './types.js';

/** A real matrix in compressed sparse rows (CSR). */
export interface CsrMatrix {
  readonly rows: number;
  readonly cols: number;
  /** Stored entries, explicit zeros included; at most 2³² − 1. */
  readonly nnz: number;
  /** Length rows + 1: row i holds the entries rowPtr[i] … rowPtr[i + 1] − 1. */
  readonly rowPtr: Uint32Array;
  /** Length nnz, ascending strictly within a row. */
  readonly colIdx: Uint32Array;
  /** Length nnz. All ones when `field` is `pattern`. */
  readonly values: FloatArray;
  readonly field: Field;
  /** As declared by the source. Both triangles are stored in any case. */
  readonly symmetry: Symmetry;
}

/** Compressed rows. The columns of a row may be in any order. */
export type CompressedRows = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz' | 'rowPtr' | 'colIdx' | 'values'>;

/** The members that all layouts of a matrix have in common. */
export interface MatrixArrays {
  /** From 0 to 2³² − 1, as `cols`. */
  rows: number;
  cols: number;
  /** One per entry. If omitted, the matrix is a pattern: every entry is 1. */
  values?: NumberArray;
  /** The kind of the values. Default `real`, or without values `pattern`. */
  field?: Field;
  /** The relation of A to Aᵀ. Default `general`. The arrays hold both triangles in any case. */
  symmetry?: Symmetry;
}

/** Compressed rows, the columns of each in any order; duplicates are summed. */
export interface CsrInput extends MatrixArrays {
  /** Length rows + 1: row i has the entries rowPtr[i] … rowPtr[i + 1] − 1. */
  rowPtr: IndexArray;
  /** Length nnz, from 0 to cols − 1. */
  colIdx: IndexArray;
  colPtr?: never;
  rowIdx?: never;
}

/** Compressed columns, the rows of each in any order; duplicates are summed. */
export interface CscInput extends MatrixArrays {
  /** Length cols + 1: column j has the entries colPtr[j] … colPtr[j + 1] − 1. */
  colPtr: IndexArray;
  /** Length nnz, from 0 to rows − 1. */
  rowIdx: IndexArray;
  rowPtr?: never;
  colIdx?: never;
}

/** Coordinates, in any order; duplicates are summed. */
export interface CooInput extends MatrixArrays {
  /** Length nnz, from 0 to rows − 1. */
  rowIdx: IndexArray;
  /** Length nnz, from 0 to cols − 1. */
  colIdx: IndexArray;
  rowPtr?: never;
  colPtr?: never;
}

/** The arrays of a matrix. Their names define the layout. */
export type LayoutInput = CsrInput | CscInput | CooInput;

/** A matrix as the caller has it: arrays, whose names define the layout, or an array of rows, `[[4, 1], [1, 3]]`. They are never written to. */
export type MatrixInput = LayoutInput | DenseMatrix;

/** The names of all arrays that a `MatrixInput` may have. */
export const MATRIX_ARRAYS = ['rowPtr', 'colPtr', 'rowIdx', 'colIdx', 'values'] as const;

/**
 * Validates the arrays of a matrix and converts them to canonical CSR. O(rows + cols + nnz). The result is not validated again where it is
 * used, nor is any matrix that the library made: do not write to the arrays of either, except to values that are not a pattern's.
 *
 * @throws SparlaneError `shape` if lengths do not fit; `structure` if pointers decrease, a row or a column is out of
 *   range, or a value of a pattern is not 1; `argument` if a number is negative, fractional or too large, or if the
 *   arrays are neither CSR nor CSC nor COO.
 */
export function csrMatrix(input: MatrixInput): CsrMatrix {
  return trust(inspectedMatrix(input, HERE));
}

export function isDenseMatrix(input: unknown): input is DenseMatrix {
  return Array.isArray(input);
}

/** As `csrMatrix`; CSR arrays are checked by an inspection. */
export function inspectedMatrix(input: MatrixInput, inspection: Inspection): CsrMatrix {
  if (isDenseMatrix(input)) return inspection.place(csrOfDense(input));
  const known = trusted(input);
  if (known !== undefined) return inspection.place(known);
  const layout = layoutOf(input);
  const rows = integer('rows', input.rows);
  const cols = integer('cols', input.cols);
  const { values } = input;
  const field = oneOf('field', input.field ?? (values === undefined ? 'pattern' : 'real'), FIELDS);
  const symmetry = checkSymmetry(input.symmetry ?? 'general', rows, cols);
  const claims: Claims = { values, field, symmetry };
  if (layout === 'csr') {
    const { matrix, ascending } = compressed(ROWS, rows, cols, input.rowPtr!, input.colIdx!, claims, inspection);
    return ascending ? matrix : canonical(matrix);
  }
  if (layout === 'csc') {
    const { matrix, ascending } = compressed(COLUMNS, cols, rows, input.colPtr!, input.rowIdx!, claims);
    const { ptr, idx, values: moved } = transposedEntries(matrix);
    const csr: CsrMatrix = { ...matrix, rows, cols, rowPtr: ptr, colIdx: idx, values: moved };
    return ascending ? csr : summed(csr);
  }
  const entries = checkEntries({ rows, cols }, input.rowIdx!, input.colIdx!, values);
  if (field === 'pattern' && entries.values !== undefined) checkOnes(entries.values);
  return { ...csrFromEntries({ rows, cols, field, symmetry: 'general' }, [entries]), symmetry };
}

/** How a large matrix is checked. */
export interface Inspection {
  /** The same matrix, its arrays perhaps copied. Only their lengths have been checked. */
  readonly place: (matrix: CsrMatrix) => CsrMatrix;
  /**
   * Whether the row pointers, the first and the last of which are right, ascend, and the columns are in range and ascend
   * strictly in each row; false also if this was not checked.
   */
  readonly isCanonical: (matrix: CsrMatrix) => boolean;
}

/** Where the arrays are, on the caller's thread. */
const HERE: Inspection = {
  place: (matrix) => matrix,
  isCanonical: ({ rows, cols, rowPtr, colIdx }) => isAscending(cols, rowPtr, colIdx, 0, rows),
};

interface Claims extends Pick<CsrMatrix, 'field' | 'symmetry'> {
  readonly values: NumberArray | undefined;
}

const LAYOUTS = {
  csr: ['rowPtr', 'colIdx'],
  csc: ['colPtr', 'rowIdx'],
  coo: ['rowIdx', 'colIdx'],
} as const;

/** The layout whose index arrays are all defined, and no others; if none fits, the same by the names alone. */
function layoutOf(input: LayoutInput): keyof typeof LAYOUTS {
  const expected = 'the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO)';
  if (typeof input !== 'object' || input === null) throw mismatch('argument', 'matrix', expected, input);
  const indices = MATRIX_ARRAYS.filter((name) => name !== 'values');
  const given = indices.filter((name) => input[name] !== undefined);
  const layout = layoutWith(given) ?? layoutWith(indices.filter((name) => name in input));
  if (layout !== undefined) return layout;
  const got = given.join(', ') || Object.keys(input).slice(0, 8).join(', ') || 'none';
  throw new SparlaneError('argument', `matrix: expected ${expected}, got ${got}`);
}

function layoutWith(names: readonly string[]): keyof typeof LAYOUTS | undefined {
  const layouts = Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[];
  return layouts.find((layout) => names.length === 2 && LAYOUTS[layout].every((name) => names.includes(name)));
}

/** The names of compressed rows, or of compressed columns, in errors. */
interface Lines {
  readonly ptr: 'rowPtr' | 'colPtr';
  readonly idx: 'colIdx' | 'rowIdx';
  /** The number of lines. */
  readonly count: 'rows' | 'cols';
  /** The kind of an index: a row or a column. */
  readonly side: Side;
}

const ROWS: Lines = { ptr: 'rowPtr', idx: 'colIdx', count: 'rows', side: 'column' };
const COLUMNS: Lines = { ptr: 'colPtr', idx: 'rowIdx', count: 'cols', side: 'row' };

/** Checked compressed lines, and whether indices ascend strictly in each. Columns are the rows of Aᵀ. */
function compressed(
  lines: Lines,
  rows: number,
  cols: number,
  ptr: IndexArray,
  idx: IndexArray,
  claims: Claims,
  inspection: Inspection = HERE,
): { matrix: CsrMatrix; ascending: boolean } {
  const rowPtr = asIndices(lines.ptr, ptr);
  const colIdx = asIndices(lines.idx, idx);
  const nnz = integer('nnz', colIdx.length);
  if (rowPtr.length !== rows + 1) {
    const { length } = rowPtr;
    throw mismatch('shape', lines.ptr, `length ${lines.count} + 1 = ${rows + 1}`, ptr, { [lines.count]: rows, length });
  }
  const { field, symmetry } = claims;
  const values = checkValues(claims, nnz);
  const matrix = inspection.place({ rows, cols, nnz, rowPtr, colIdx, values, field, symmetry });
  if (rowPtr[0] === 0 && rowPtr[rows] === nnz && inspection.isCanonical(matrix)) return { matrix, ascending: true };
  checkPtr(lines, rowPtr, nnz);
  return { matrix, ascending: checkIndices(lines, matrix) };
}

function checkValues({ values: given, field }: Claims, nnz: number): FloatArray {
  if (given === undefined) return new Float64Array(nnz).fill(1);
  const values = asFloats('values', given);
  if (values.length !== nnz) {
    throw mismatch('shape', 'values', `length nnz = ${nnz}`, given, { nnz, length: values.length });
  }
  if (field === 'pattern') checkOnes(values);
  return values;
}

function checkPtr({ ptr: name, idx }: Lines, ptr: Uint32Array, nnz: number): void {
  if (ptr[0] !== 0) throw mismatch('structure', `${name}[0]`, '0', ptr[0]);
  for (let i = 1; i < ptr.length; i++) {
    if (ptr[i]! < ptr[i - 1]!) {
      throw mismatch('structure', `${name}[${i}]`, `at least ${name}[${i - 1}] = ${ptr[i - 1]}`, ptr[i], { index: i });
    }
  }
  const last = ptr.length - 1;
  if (ptr[last] !== nnz) throw mismatch('structure', `${name}[${last}]`, `the length of ${idx} = ${nnz}`, ptr[last]);
}

/**
 * Whether the pointers of rows `begin` … `end` − 1 ascend, and their columns are in range and ascend strictly in each row.
 * 32-bit integers make it twice as fast as the exact check; columns or pointers from 2³¹ on are answered with false.
 */
export function isAscending(
  cols: number,
  rowPtr: Uint32Array,
  colIdx: Uint32Array,
  begin: number,
  end: number,
): boolean {
  let k = rowPtr[begin]! | 0;
  for (let i = begin; i < end; i++) {
    let previous = -1;
    const rowEnd = rowPtr[i + 1]! | 0;
    if (rowEnd < k) return false;
    for (; k < rowEnd; k++) {
      const column = colIdx[k]! | 0;
      if (column <= previous) return false;
      previous = column;
    }
    if (previous >= cols) return false;
  }
  return true;
}

/** Throws at an index out of range. Returns false if some line is not strictly ascending. */
function checkIndices({ idx: name, side }: Lines, { rows, cols, rowPtr, colIdx }: CsrMatrix): boolean {
  let ascending = true;
  for (let i = 0; i < rows; i++) {
    let previous = -1;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const index = colIdx[k]!;
      if (index >= cols) throw outOfRange(`${name}[${k}]`, side, index, cols, k);
      if (index <= previous) ascending = false;
      previous = index;
    }
  }
  return ascending;
}

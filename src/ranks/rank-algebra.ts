/**
 * Products, transposes, diagonals, sums and norms of matrices whose rows are dealt to ranks. For a product, each rank gets those rows of the right factor that its
 * columns name; no rank holds a whole matrix.
 *
 * Source: PETSc's MatMatMult and MatTranspose of MPIAIJ.
 * Memory: 12 bytes for each entry of the rows that a rank gets, and for a while 16 bytes in messages.
 */

import { diagonalFrom } from '../algebra/diagonal.js';
import { multiplyMatrices } from '../algebra/multiply.js';
import { LINES, type LineKind, type Norm, normsOf, sumsOf } from '../algebra/rows.js';
import { concatenated } from '../core/arrays.js';
import { oneOf } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { distinct } from '../core/distinct.js';
import { mismatch } from '../core/errors.js';
import { lowerBound } from '../core/search.js';
import type { FloatArray } from '../core/types.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { type Bounds, columnBounds, ghostsByOwner } from './halo.js';
import { checkedRows, type PlacedRows } from './redistribute.js';
import { gatherBounds, pointersOf, rankRows } from './row-range.js';
import { entriesOf, rowsOfEntries } from './send-entries.js';

/**
 * Returns this rank's rows of A B, as many as it has of A, with an entry wherever some product contributes; of `general` symmetry. The bits are those of `multiplyMatrices`,
 * on any number of ranks. Together.
 *
 * @param B its rows may be dealt in another way than those of A
 * @throws SparlaneError `shape` unless B has as many rows as A has columns; and as `csrMatrix`; on all ranks
 *
 * @example
 * // The Galerkin product Pᵀ A P.
 * const coarse = multiplyRows(comm, transposeRows(comm, P), multiplyRows(comm, A, P));
 */
export function multiplyRows(comm: Communicator, A: RankRows, B: RankRows): RankRows {
  const [left, right] = comm.together(() => [checkedRows(A), checkedRows(B)] as const);
  const bounds = gatherBounds(comm, right.matrix.rows);
  const columns = comm.together(() => {
    const { cols } = left.matrix;
    const rows = bounds[comm.size]!;
    if (cols !== rows) throw mismatch('shape', 'B', `${cols} rows, as A has columns`, rows, { cols, rows });
    return distinct(left.matrix.colIdx);
  });
  const factor = namedRows(comm, right.matrix, bounds, columns);
  return comm.together(() => {
    const named = distinct(factor.colIdx);
    const product = multiplyMatrices(numbered(left.matrix, columns), numbered(factor, named));
    const colIdx = product.colIdx.map((column) => named[column]!);
    return rankRows({ ...product, cols: right.matrix.cols, colIdx }, left.firstRow, 'general');
  });
}

/** Returns a matrix without the columns that have no entries. @param columns the others, ascending */
function numbered(matrix: CsrMatrix, columns: Uint32Array): CsrMatrix {
  const colIdx = matrix.colIdx.map((column) => lowerBound(columns, column));
  return { ...matrix, cols: columns.length, colIdx, symmetry: 'general' };
}

/**
 * Returns this rank's rows of Aᵀ. A square matrix keeps the rows of each rank; of others rank r gets the rows ⌊cols r / ranks⌋ to ⌊cols (r + 1) / ranks⌋ − 1. Duplicates are
 * summed. Together.
 *
 * @throws SparlaneError as `csrMatrix`, on all ranks
 */
export function transposeRows(comm: Communicator, A: RankRows): RankRows {
  const placed = comm.together(() => checkedRows(A));
  const { matrix, firstRow } = transposed(comm, placed);
  return rankRows(matrix, firstRow, placed.symmetry);
}

function transposed(comm: Communicator, { matrix, firstRow }: PlacedRows): Pick<PlacedRows, 'matrix' | 'firstRow'> {
  const { cols, field } = matrix;
  const bounds = gatherBounds(comm, matrix.rows);
  const columns = columnBounds(bounds, cols);
  const { rowIdx, colIdx, ...others } = entriesOf(matrix, (row) => firstRow + row);
  const shape = { cols: bounds[comm.size]!, field, symmetry: 'general' } as const;
  const rows = rowsOfEntries(comm, shape, columns, { ...others, rowIdx: colIdx, colIdx: rowIdx });
  return { matrix: rows, firstRow: columns[comm.rank]! };
}

/** Returns the diagonal in this rank's rows, 0 where there is no entry; one number for each row that also is a column. @throws SparlaneError as `csrMatrix` */
export function diagonalOfRows(A: RankRows): Float64Array {
  const { matrix, firstRow } = checkedRows(A);
  return diagonalFrom(matrix, firstRow);
}

/**
 * Returns the sum of each row of this rank, or of each column that is a row of this rank by `transposeRows`. Together.
 *
 * @throws SparlaneError `argument`, and as `csrMatrix`, on all ranks
 */
export function sumsOfRows(comm: Communicator, A: RankRows, lines: LineKind): Float64Array {
  return sumsOf(linesOf(comm, A, lines), 'rows');
}

/** Returns the norm of each row or column, as `sumsOfRows`. Together. @throws as that */
export function normsOfRows(comm: Communicator, A: RankRows, lines: LineKind, norm: Norm = 'two'): Float64Array {
  const own = linesOf(comm, A, lines);
  return comm.together(() => normsOf(own, 'rows', norm));
}

/** Returns this rank's rows or columns, as rows of a matrix. */
function linesOf(comm: Communicator, A: RankRows, lines: LineKind): CsrMatrix {
  const placed = comm.together(() => {
    oneOf('lines', lines, LINES);
    return checkedRows(A);
  });
  return lines === 'rows' ? placed.matrix : transposed(comm, placed).matrix;
}

/** Gathers some rows of a matrix, which their owners send. @param own the rows of this rank @param names of the rows that are gathered, ascending */
function namedRows(comm: Communicator, own: CsrMatrix, bounds: Bounds, names: Uint32Array): CsrMatrix {
  const first = bounds[comm.rank]!;
  const asked = comm.alltoall(ghostsByOwner(names, bounds)).map((rows) => Uint32Array.from(rows, (row) => row - first));
  const lengthOf = (row: number) => own.rowPtr[row + 1]! - own.rowPtr[row]!;
  const lengths = comm.alltoall(asked.map((rows) => Float64Array.from(rows, lengthOf)));
  const sent = (array: Uint32Array | FloatArray) =>
    comm.alltoall(
      asked.map((rows) => {
        const part = new Float64Array(rows.reduce((sum, row) => sum + lengthOf(row), 0));
        let at = 0;
        for (const row of rows) {
          part.set(array.subarray(own.rowPtr[row]!, own.rowPtr[row + 1]!), at);
          at += lengthOf(row);
        }
        return part;
      }),
    );
  const rowPtr = Uint32Array.from(pointersOf(concatenated(Float64Array, lengths)));
  const colIdx = concatenated(Uint32Array, sent(own.colIdx));
  const values = concatenated(Float64Array, sent(own.values));
  return { ...own, rows: names.length, nnz: values.length, rowPtr, colIdx, values, symmetry: 'general' };
}

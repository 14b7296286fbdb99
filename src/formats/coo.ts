/**
 * COO, the coordinate format: row, column and value of every entry, sorted by row, then by column.
 *
 * Source: Flegar & Anzt 2017, §3.1; Jindal, "Sparse Matrix-Vector Multiplication on GPU", §1. Kernels: `assembly/coo.ts`,
 *   `assembly/coo-atomic.ts`.
 * Differs: a part is summed run by run in registers, by CSR's loop, where the papers' warps scan 32 entries; the rows that
 *   parts share go through carries, added in part order, where the papers add atomically.
 * For: anything: parts are cut between entries, not between rows, so no row is too long or too short; the rest of a matrix
 *   whose regular part is stored otherwise (`hyb`).
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]:
 *
 *     rowIdx   0  0  2  3  3  3     u32, nnz
 *     colIdx   0  2  2  0  1  2     u32, nnz
 *     values  10 20 30 40 50 60     nnz
 *
 * Parts: whole cache lines of 16 entries; their numbers differ by at most one. `oversubscription` (Flegar & Anzt's ω) makes
 *   that many parts per thread.
 * With `adds=atomic`, Jindal's two orders; y ← β y is a stage before. The bits then depend on who comes first.
 *   `order=row`: the entries as above. He adds every entry atomically; here a run of one row is summed first and added once.
 *   `order=column`: sorted by column, so each element of x is read once and in order; every entry is an atomic add. That is
 *   mostly the faster one on his GPU. On a CPU an add is a compare-and-swap, and one per entry costs more than x ever did:
 *   5-point Laplacian of 10⁶ rows 25 ms, by row 7.3, carried 6.4 (one thread of an AMD EPYC Zen 4, f64, November 2026).
 * Cost: nnz (8 + V) + X (rows + cols) bytes, for V bytes per value (8, 4, as a code 1, of a pattern 0) and X per element of x
 *   and y.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { formatSpec, resolveParameters } from '../core/parameters.js';
import type { Dtype, FloatArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { isSteady, placeColumns, READ_PAST } from './csr.js';
import { type Cost, costOf, type Format, type Stage, type StoredMatrix, type SummationOrder } from './format.js';
import { scaleStage } from './scale.js';
import {
  asParameter,
  type EncodedValues,
  encodeValues,
  placeTable,
  placeValues,
  valueAt,
  valuesParameter,
  warningsOf,
} from './values.js';

/** Entries in a unit: a cache line of rows, one of columns. */
const LINE = 16;

/** What entries are sorted by. */
export type EntryOrder = 'row' | 'column';

export interface CooOptions {
  readonly spec: string;
  readonly values: EncodedValues;
  /** Parts per thread. Default 1. */
  readonly oversubscription?: number;
  /** Adds to a product of another format: a stage that is not the first. Default: false. */
  readonly adds?: boolean;
  /** Adds atomically, in this order of the entries. Default: by row, with carries. */
  readonly atomic?: EntryOrder | undefined;
}

export class StoredCoo implements StoredMatrix, Stage {
  readonly spec: string;
  readonly kernel: string;
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly header: number;
  readonly adds: boolean;
  readonly carries: boolean;
  readonly bitsDependOn: SummationOrder;
  readonly stages: readonly Stage[];
  readonly oversubscription: number;
  readonly warnings: readonly string[];
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Values, or codes of values; empty for a pattern. */
  readonly values: FloatArray | Uint8Array;
  /** What codes mean; empty where there are none. */
  readonly table: FloatArray;
  readonly #scope: HeapScope;

  /** The scope is the matrix's from here on. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: CooOptions) {
    const { rows, cols, nnz } = csr;
    const { atomic, values: encoded } = options;
    this.#scope = scope;
    this.spec = options.spec;
    this.kernel = `${atomic === undefined ? 'coo' : 'coo_atomic'}${encoded.suffix}`;
    this.dtype = dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.adds = atomic !== undefined || (options.adds ?? false);
    this.carries = atomic === undefined;
    this.bitsDependOn = atomic === undefined ? 'parts' : 'chance';
    this.stages = atomic === undefined || options.adds ? [this] : [scaleStage(scope, rows), this];
    this.oversubscription = options.oversubscription ?? 1;
    this.warnings = warningsOf(encoded);
    const rowIdx = placeRows(scope, csr);
    const colIdx = placeColumns(scope, csr.colIdx);
    const values = placeValues(scope, encoded, dtype, READ_PAST);
    if (atomic === 'column') sortByColumn(csr, rowIdx, colIdx, values);
    this.table = placeTable(scope, encoded);
    this.rowIdx = rowIdx.subarray(0, nnz);
    this.colIdx = colIdx.subarray(0, nnz);
    this.values = values.subarray(0, nnz);
    const arrays = [rowIdx, colIdx, values, this.table].map((array) => array.byteOffset);
    const flags = [this.adds, atomic === 'column'].map(Number);
    this.header = scope.header([rows, cols, nnz, Number(isSteady(csr)), ...arrays, ...flags]); // CooAtomicHeader in assembly/
  }

  get storedEntries(): number {
    return this.nnz;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  /** Lines of entries; one without any, so that y is written. */
  get units(): number {
    return Math.max(1, Math.ceil(this.nnz / LINE));
  }

  workBefore(unit: number): number {
    return LINE * unit;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { nnz, rowIdx, colIdx, values, table } = this;
    for (let k = 0; k < nnz; k++) visit(rowIdx[k]!, colIdx[k]!, valueAt(values, table, k));
  }

  /** What a product reads beside x and y. */
  get arrays(): readonly ArrayBufferView[] {
    return [this.rowIdx, this.colIdx, this.values, this.table];
  }

  cost(): Cost {
    return costOf(this, this.arrays);
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

/** The row of every entry, and behind them, to the end of the last line and on, one that is none. */
function placeRows(scope: HeapScope, { rows, nnz, rowPtr }: CsrMatrix): Uint32Array {
  const rowIdx = scope.array(Uint32Array, Math.ceil(nnz / LINE) * LINE + READ_PAST);
  for (let i = 0, k = 0; i < rows; i++) for (const end = rowPtr[i + 1]!; k < end; k++) rowIdx[k] = i;
  return rowIdx.fill(rows, nnz);
}

/** Sorts entries by column, rows ascending within one; behind the last is a column that is none. */
function sortByColumn(
  { cols, nnz, colIdx: columns }: CsrMatrix,
  rowIdx: Uint32Array,
  colIdx: Uint32Array,
  values: FloatArray | Uint8Array,
): void {
  const places = new Uint32Array(cols + 1);
  for (let k = 0; k < nnz; k++) places[columns[k]! + 1]!++;
  for (let column = 0; column < cols; column++) places[column + 1]! += places[column]!;
  const rows = rowIdx.slice(0, nnz);
  const unsorted = values.slice(0, nnz);
  for (let k = 0; k < nnz; k++) {
    const place = places[columns[k]!]!++;
    rowIdx[place] = rows[k]!;
    colIdx[place] = columns[k]!;
    // A pattern has no values.
    if (k < unsorted.length) values[place] = unsorted[k]!;
  }
  colIdx.fill(cols, nnz);
}

/**
 * ω, which the paper takes as 8, 32 or 128 by the number of entries. Here 16 against 1: R-MAT 1.15 ×, random geometric graph 1.09,
 * circuit 0.98; 8 against 1: 1.11, 1.03, 0.96. (2 cores of an AMD EPYC Zen 4, Node 20, f64, 3 to 9 million entries, November 2026.)
 */
const OVERSUBSCRIPTION = 16;

const parameters = {
  adds: {
    kind: 'word',
    default: 'carried',
    allowed: ['carried', 'atomic'],
    doc: 'sums shared by parts: carried: added in part order; atomic: by compare-and-swap',
  },
  order: {
    kind: 'word',
    default: 'row',
    allowed: ['row', 'column'],
    doc: 'order of the entries; column only with adds=atomic',
  },
  oversubscription: { kind: 'integer', default: OVERSUBSCRIPTION, min: 1, max: 64, doc: 'ω: parts per thread' },
  values: valuesParameter,
} as const;

export const coo: Format = {
  name: 'coo',
  summary: 'coordinates, sorted by row; parts are cut between entries',
  source: 'Flegar & Anzt 2017, §3.1; Jindal, §1',
  suits: 'rows of very unequal length',
  parameters,
  variants: ['coo', 'coo?values=table', 'coo?adds=atomic', 'coo?adds=atomic&order=column'],
  fromCsr(heap, matrix, dtype, given) {
    const resolved = resolveParameters('coo', parameters, given);
    const { adds, order, oversubscription } = resolved;
    if (order === 'column' && adds === 'carried')
      throw mismatch('argument', 'coo order', "'row' with adds=carried: only a row has a sum to carry", order);
    const atomic = adds === 'atomic' ? (order as EntryOrder) : undefined;
    const values = encodeValues(matrix, dtype, resolved.values);
    const spec = formatSpec('coo', parameters, { ...resolved, values: asParameter(values) });
    return heap.build((scope) => new StoredCoo(scope, matrix, dtype, { spec, values, oversubscription, atomic }));
  },
};

/**
 * COO, the coordinate format: row, column and value of every entry, sorted by row, then by column.
 *
 * Source: Flegar & Anzt 2017, §3.1; Jindal, "Sparse Matrix-Vector Multiplication on GPU", §1. Kernels: `assembly/coo/coo.ts`,
 *   `assembly/coo/atomic.ts`.
 * Differs: a part is summed run by run in registers, by CSR's loop; the papers' warps scan 32 entries. Rows shared by
 *   parts are summed through carries, added in part order; the papers add atomically.
 * For: any matrix: parts are cut between entries, not between rows, and no row is too long or too short. Also for the rest
 *   of a matrix whose regular part is stored in another format (`hyb`).
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]:
 *
 *     rowIdx   0  0  2  3  3  3     u32, nnz
 *     colIdx   0  2  2  0  1  2     u32, nnz
 *     values  10 20 30 40 50 60     nnz
 *
 * Parts: whole cache lines of 16 entries; their numbers differ by at most one. `oversubscription` (Flegar & Anzt's ω) is
 *   the number of parts per thread.
 * With `adds=atomic`, Jindal's two orders; y ← β y is a stage before. The bits then depend on the timing of the threads.
 *   `order=row`: the entries as above. Jindal adds every entry atomically; here a run of one row is summed and added once.
 *   `order=column`: sorted by column: each element of x is read once and in order, and every entry is an atomic add. On
 *   Jindal's GPU this is mostly faster. On a CPU an add is a compare-and-swap, which costs more per entry than reading x:
 *   5-point Laplacian of 10⁶ rows 25 ms, by row 7.3, carried 6.4 (one thread of an AMD EPYC Zen 4, f64, November 2026).
 * Cost: nnz (8 + V) + X (rows + cols) bytes, for V bytes per value (8 or 4; a code 1, a pattern 0) and X per element of x
 *   and y.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { rowSpan } from '../../core/span.js';
import type { Dtype, FloatArray } from '../../core/types.js';
import { extendHeader, placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import {
  type Format,
  type Layout,
  layoutName,
  type Stages,
  type SummationOrder,
  stageOver,
  vectorBytes,
} from '../format.js';
import type { Keepable } from '../layout/keep.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { placeColumns, READ_PAST } from '../layout/read-past.js';
import { areAllPredicted, placeRows, rowEndsOf } from '../layout/row-loops.js';
import { scaleStage } from '../layout/scale.js';
import {
  asParameter,
  type EncodedValues,
  encodeValues,
  placeTable,
  placeValues,
  type StoredValues,
  valueAt,
  valueProspects,
  valuesParameter,
  warningsOf,
} from '../layout/values.js';
import { waysOfWord } from '../layout/ways.js';
import { workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';

/** Entries per unit: one cache line of row indices, and one of column indices. */
const LINE = 16;

/** The sort key of the entries. */
export type EntryOrder = 'row' | 'column';

/** A matrix without its values, which are encoded. */
export type EntryStructure = Omit<CsrMatrix, 'values'>;

export interface CooOptions {
  readonly spec: string;
  readonly values: EncodedValues;
  /** Parts per thread. Default 1. */
  readonly oversubscription?: number;
  /** Whether it adds to the product of another format, as a later stage. Default: false. */
  readonly adds?: boolean;
  /** Adds atomically, in this order of the entries. Default: by row, with carries. */
  readonly atomic?: EntryOrder | undefined;
  readonly runLoop?: RunLoop | undefined;
  /** Arrays of the matrix that are kept, if entries are in order of rows. Default: none. */
  readonly keepable?: Keepable | undefined;
}

export const COO_HEADER = {
  rows: 'u32',
  cols: 'u32',
  nnz: 'u32',
  /** This word is 1 if branches at row ends are predicted (`RowEnds`). */
  steady: 'u32',
  /** Readable to the end of the last line and for 4 more entries; past the last entry it holds `rows`, which is not a row. */
  rowIdx: 'usize',
  /** Readable, and valid columns, for 4 entries past the last. */
  colIdx: 'usize',
  /** Readable for 4 entries past the last. 0 if all values are 1 and none is stored. */
  values: 'usize',
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table: 'usize',
  /** 1 if the entries are added to a product: rows without entries are then not written. */
  adds: 'u32',
} as const;

/** The header of every COO matrix; CPU kernels without atomic adds do not read the last word. */
const ATOMIC_WORDS = {
  /** 1 if entries are sorted by column. After the last entry colIdx then holds `cols`, which is not a column. */
  byColumn: 'u32',
} as const;

export const COO_ATOMIC_HEADER: typeof COO_HEADER & typeof ATOMIC_WORDS = extendHeader(COO_HEADER, ATOMIC_WORDS);

export class StoredCoo extends Stored implements Layout {
  readonly header: number;
  readonly bitsDependOn: SummationOrder;
  readonly stages: Stages;
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Values, or codes of values; empty for a pattern. */
  readonly values: StoredValues;
  /** The value of each code; empty without codes. */
  readonly table: FloatArray;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: EntryStructure, dtype: Dtype, options: CooOptions) {
    const { rows, cols, nnz } = csr;
    const { spec, atomic, values: encoded, runLoop = serially } = options;
    super(scope, { spec, dtype, rows, cols, nnz, warnings: warningsOf(encoded) });
    const keepable = atomic === 'column' ? undefined : options.keepable;
    const adds = atomic !== undefined || (options.adds ?? false);
    this.bitsDependOn = atomic === undefined ? 'parts' : 'chance';
    const rowIdx = rowsOfEntries(scope, csr, runLoop);
    const colIdx = placeColumns(scope, csr.colIdx, runLoop, keepable);
    const values = placeValues(scope, encoded, dtype, READ_PAST, runLoop, keepable);
    if (atomic === 'column') sortByColumn(csr, rowIdx, colIdx, values);
    this.table = placeTable(scope, encoded);
    this.rowIdx = rowIdx.subarray(0, nnz);
    this.colIdx = colIdx.subarray(0, nnz);
    this.values = values.subarray(0, nnz);
    this.header = placeHeader(scope, COO_ATOMIC_HEADER, {
      rows,
      cols,
      nnz,
      steady: Number(areAllPredicted(rowEndsOf(scope.heap, csr, runLoop).predicted, rows, nnz)),
      rowIdx,
      colIdx,
      values,
      table: this.table,
      adds: Number(adds),
      byColumn: Number(atomic === 'column'),
    });
    const base = atomic === undefined ? 'coo' : 'coo_atomic';
    const kernel = { base, values: encoded.kind, verb: 'spmv' } as const;
    const { oversubscription = 1 } = options;
    const product = stageOver(this, kernel, { adds, carries: atomic === undefined, oversubscription });
    const scattering = stageOver(this, { base: 'coo', values: encoded.kind, verb: 'spmv_t' }, { scatters: true });
    // Whole rows belong to one part, so nothing is carried.
    const blocks = stageOver(this, { ...kernel, verb: 'spmm' }, { adds, oversubscription });
    this.stages = {
      spmv: atomic === undefined || options.adds ? [product] : [scaleStage(scope, rows), product],
      spmv_t: [scattering],
      ...(atomic === undefined && { spmm: [blocks] }),
    };
  }

  /** Row ends have branches or none. */
  get ways(): readonly (() => void)[] {
    return waysOfWord(this.scope.heap, this.header, COO_ATOMIC_HEADER, 'steady', [0, 1]);
  }

  /** Lines of entries; at least one: y is written even without entries. */
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

  get arrays(): readonly ArrayBufferView[] {
    return [this.rowIdx, this.colIdx, this.values, this.table];
  }
}

/** The row of every entry; after them, to the end of the last line and beyond, a row index outside the matrix. */
function rowsOfEntries(scope: HeapScope, matrix: EntryStructure, runLoop: RunLoop): Uint32Array {
  const { rows, nnz, rowPtr } = matrix;
  const rowIdx = scope.array(Uint32Array, Math.ceil(nnz / LINE) * LINE + READ_PAST);
  runLoop(placeRows, { rowPtr, rowIdx }, rowSpan(matrix));
  return rowIdx.fill(rows, nnz);
}

/** Sorts entries by column, rows ascending within a column; after the last is a column index outside the matrix. */
function sortByColumn(
  { cols, nnz, colIdx: columns }: EntryStructure,
  rowIdx: Uint32Array,
  colIdx: Uint32Array,
  values: StoredValues,
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
 * ω. The paper uses 8, 32 or 128, depending on the number of entries. Here, speed of 16 over 1: R-MAT 1.15 ×, random
 * geometric graph 1.09, circuit 0.98; of 8 over 1: 1.11, 1.03, 0.96. (2 cores of an AMD EPYC Zen 4, Node 20, f64, 3 to
 * 9 million entries, November 2026.)
 */
const OVERSUBSCRIPTION = 16;

const parameters = {
  adds: {
    kind: 'word',
    default: 'carried',
    allowed: ['carried', 'atomic'],
    doc: 'rows shared by parts: carried: added in part order; atomic: by compare-and-swap',
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

/** As in `cuda/look-back.cuh` and `cuda/coo/coo.cu`: of more blocks of entries, a second kernel adds the rows that blocks share. */
const WAITING_ENTRIES = 1536 * 1024;

export const coo: Format = {
  name: 'coo',
  summary: 'coordinates, sorted by row; parts are cut between entries',
  source: 'Flegar & Anzt 2017, §3.1; Jindal, §1',
  suits: 'rows of very unequal length',
  parameters,
  variants: ['coo', 'coo?values=table', 'coo?adds=atomic', 'coo?adds=atomic&order=column'],
  /** Only for a device: CPU kernels of other formats are always faster. */
  prospects({ features }, dtype, onDevice) {
    if (!onDevice) return [];
    const { nnz } = features;
    return valueProspects(features, dtype).map(({ values, kind, bytes }) => ({
      spec: formatSpec('coo', parameters, { values }),
      kernel: layoutName({ base: 'coo', values: kind }),
      bytes: nnz * (8 + bytes) + vectorBytes(features, dtype),
      entries: nnz,
      launches: nnz > WAITING_ENTRIES ? 1 : 0,
    }));
  },
  fromCsr(heap, matrix, dtype, given, { runLoop, keepable } = {}) {
    const resolved = resolveParameters('coo', parameters, given);
    const { adds, order, oversubscription } = resolved;
    if (order === 'column' && adds === 'carried')
      throw mismatch('argument', 'coo order', "'row' with adds=carried: only the sum of a row can be carried", order);
    const atomic = adds === 'atomic' ? (order as EntryOrder) : undefined;
    using workspace = workspaceFor(heap, matrix, runLoop);
    const values = encodeValues(matrix, dtype, resolved.values, workspace);
    const spec = formatSpec('coo', parameters, { ...resolved, values: asParameter(values) });
    const options = { spec, values, oversubscription, atomic, runLoop, keepable };
    return heap.build((scope) => new StoredCoo(scope, matrix, dtype, options));
  },
};

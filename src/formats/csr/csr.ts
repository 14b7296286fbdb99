/**
 * CSR, compressed sparse rows: the entries row after row, and the start of each row.
 *
 * Source: Bell & Garland 2008, §3.3 (and every textbook). Kernels: `assembly/csr/csr.ts`. Their order of summation depends only
 *   on the length of a row: the parts and their number do not change a bit of y.
 * For: every matrix; the baseline of all other formats.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]:
 *
 *     rowPtr   0     2  2  3        6      u32, rows + 1
 *     colIdx   0  2     2  0  1  2         u32, nnz
 *     values  10 20    30 40 50 60         nnz
 *     nonEmpty                             u32: where many rows have no entries, those that have some (`listed-rows.ts`)
 *
 * Partition: by rows, balanced by entries, or (`partition=merge`) along the merge path of Merrill & Garland 2016, which
 *   splits rows too: one full row among a million is shared by all threads. The arrays are the same.
 * Cost: nnz (4 + V) + 4 (rows + 1) + X (rows + cols) bytes, 4 more for each row of the list, for V bytes per value (8 or 4; a code 1, a pattern 0) and X
 *   per element of x and y.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { type Dtype, type FloatArray, vectorArray } from '../../core/types.js';
import { type HeaderWords, placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import {
  type Format,
  type KernelId,
  type Layout,
  layoutName,
  type Prospect,
  productAndBlocks,
  type Stage,
  type Stages,
  type StoredEntries,
  type SummationOrder,
  stageOver,
  vectorBytes,
} from '../format.js';
import { copied } from '../layout/copy-loop.js';
import { type Keepable, keep } from '../layout/keep.js';
import { allRows, figuresOfList, listNonEmpty } from '../layout/listed-rows.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { placeColumns, READ_PAST } from '../layout/read-past.js';
import { ALL_BRANCHES, areAllPredicted } from '../layout/row-loops.js';
import {
  asParameter,
  type EncodedValues,
  encodeValues,
  placeTable,
  placeValues,
  type StoredValues,
  type ValueProspect,
  valueAt,
  valueProspects,
  valuesParameter,
  warningsOf,
} from '../layout/values.js';
import { waysOfWord } from '../layout/ways.js';
import { workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';

/**
 * Cost of a row in addition to its entries, in entries: rowPtr and y are 12 bytes of f64 CSR, as much as one entry.
 * Balancing by entries alone would give one thread all the empty rows.
 */
const ROW_WORK = 1;

export type Partition = 'rows' | 'merge';

/** The options of a matrix stored row by row. */
export interface CsrOptions {
  readonly spec: string;
  /** The layout of its kernels. */
  readonly base: string;
  readonly values: EncodedValues;
  readonly partition?: Partition;
  /** In the heap, READ_PAST places longer than the number of entries. Default: a copy of the matrix's columns. */
  readonly colIdx?: Uint32Array | Uint16Array;
  /** Places a header that begins with these words, and returns its address. Default: a header of these words. */
  readonly placeHeader?: (words: HeaderWords<keyof typeof CSR_HEADER>) => number;
  readonly warnings?: readonly string[];
  readonly runLoop?: RunLoop | undefined;
  /** Arrays of the matrix that are kept. Default: none. */
  readonly keepable?: Keepable | undefined;
}

export const CSR_HEADER = {
  rows: 'u32',
  cols: 'u32',
  nnz: 'u32',
  /** Bit 0: rows are computed alternately from two places. The bits above: rows end in branches in parts that have at most so many of them (`branchesOf`). */
  way: 'u32',
  rowPtr: 'usize',
  /** Readable, and valid columns, for 4 entries past the last. */
  colIdx: 'usize',
  /** Readable for 4 entries past the last. 0 if all values are 1 and none is stored. */
  values: 'usize',
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table: 'usize',
  /** Points at the list of the rows that have entries, in ascending order; 0 if all rows are computed. */
  nonEmpty: 'usize',
  nonEmptyCount: 'u32',
} as const;

/** Returns the word of a way, as `assembly/csr/csr.ts` reads it. @param branches rows end in branches in parts that have at most so many of them */
function wayOf(branches: number, hasTwoPlaces: boolean): number {
  return 2 * branches + Number(hasTwoPlaces);
}

/** Greatest mean entries per row for which kernels read two places at first. */
const SHORT_ROW = 10;
/**
 * Where branches at row ends are not predicted and x has more bytes than this, kernels read one place at first: short rows are then 0.98 to 1.39 × as fast
 * (Delaunay, R-MAT, random rows of 1 to 15 entries; below it 0.86 to 1.0 ×. f64, one core of an AMD EPYC Zen 5 with 1 MiB of second cache, November 2026).
 */
const NEAR_X = 2 ** 20;

export class StoredCsr extends Stored implements Layout {
  readonly header: number;
  readonly carries: boolean;
  readonly rowPtr: Uint32Array;
  /** Columns; offsets from a base where they have 16 bits (`csrk`). */
  readonly colIdx: Uint32Array | Uint16Array;
  /** Values, or codes of values; empty for a pattern. */
  readonly values: StoredValues;
  /** The value of each code; empty without codes. */
  readonly table: FloatArray;
  /** Lists the rows that have entries; undefined if all rows are computed. */
  readonly nonEmpty: Uint32Array | undefined;
  readonly #kernel: KernelId;
  /** As in `RowEnds`. */
  readonly #predicted: number;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: CsrOptions) {
    const { rows, cols, nnz } = csr;
    const { spec, values: encoded } = options;
    const warnings = [...(options.warnings ?? []), ...warningsOf(encoded)];
    super(scope, { spec, dtype, rows, cols, nnz, warnings });
    const { runLoop = serially, keepable } = options;
    this.carries = options.partition === 'merge';
    this.rowPtr = keep(scope, keepable, csr.rowPtr, Uint32Array) ?? copied(scope, csr.rowPtr, Uint32Array, runLoop);
    const colIdx = options.colIdx ?? placeColumns(scope, csr.colIdx, runLoop, keepable);
    const values = placeValues(scope, encoded, dtype, READ_PAST, runLoop, keepable);
    this.table = placeTable(scope, encoded);
    this.colIdx = colIdx.subarray(0, nnz);
    const columns = colIdx instanceof Uint16Array ? 16 : 32;
    this.#kernel = { base: options.base, columns, values: encoded.kind, verb: 'spmv' };
    this.values = values.subarray(0, nnz);
    const { rowPtr, table } = this;
    const isByRows = options.base === 'csr';
    const { list, predicted } = (isByRows ? listNonEmpty : allRows)(scope, csr, runLoop);
    this.nonEmpty = list;
    this.#predicted = predicted;
    const isTwofold = list === undefined && readsTwoPlaces(csr, dtype, areAllPredicted(predicted, rows, nnz));
    const way = wayOf(predicted, isTwofold);
    const arrays = { rowPtr, colIdx, values, table, nonEmpty: list };
    const words = { rows, cols, nnz, way, ...arrays, nonEmptyCount: list?.length ?? 0 };
    this.header = options.placeHeader?.(words) ?? placeHeader(scope, CSR_HEADER, words);
  }

  get stages(): Stages {
    const product = stageOver(this, this.#kernel, { carries: this.carries });
    const products = this.carries ? { spmv: [product] } : productAndBlocks(product);
    const { base, values } = this.#kernel;
    const fast = stageOver(this, { ...this.#kernel, verb: 'spmm_fast' });
    const hasFast = base === 'csr' && values === 'full';
    return { ...products, ...(hasFast && { spmm_fast: [fast] }), spmv_t: [this.scattering] };
  }

  /**
   * The ways have branches at all row ends, or at those that a core predicts, or, if that is all of them, at none. They read rows one after the other or, unless
   * rows are listed, from two places of a part in turn.
   */
  get ways(): readonly (() => void)[] {
    const places = this.nonEmpty === undefined ? [false, true] : [false];
    const fewest = this.#predicted === ALL_BRANCHES ? 0 : this.#predicted;
    const values = places.flatMap((hasTwo) => [fewest, ALL_BRANCHES].map((branches) => wayOf(branches, hasTwo)));
    return waysOfWord(this.scope.heap, this.header, CSR_HEADER, 'way', values);
  }

  /** Over the rows, for every partition. */
  protected get scattering(): Stage {
    const { header, rows } = this;
    const kernel = { ...this.#kernel, base: 'csr', verb: 'spmv_t' } as const;
    return { kernel, header, units: rows, workBefore: (row) => this.workBeforeRow(row), scatters: true };
  }

  /** The arrays, if they hold the entries in full. */
  get entries(): StoredEntries | undefined {
    const { rowPtr, colIdx, values } = this;
    if (values instanceof Uint8Array || colIdx instanceof Uint16Array) return undefined;
    return { rowPtr, colIdx, values };
  }

  get bitsDependOn(): SummationOrder {
    return this.carries ? 'parts' : 'nothing';
  }

  /** Rows, or steps of the merge path. */
  get units(): number {
    return this.carries ? this.rows + this.nnz : this.rows;
  }

  workBefore(unit: number): number {
    return this.carries ? unit : this.workBeforeRow(unit);
  }

  protected workBeforeRow(row: number): number {
    return this.rowPtr[row]! + ROW_WORK * row;
  }

  /** The value of entry k. */
  valueOfEntry(k: number): number {
    return valueAt(this.values, this.table, k);
  }

  override forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, rowPtr } = this;
    for (let i = 0; i < rows; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) visit(i, this.colIdx[k]!, this.valueOfEntry(k));
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [this.rowPtr, this.colIdx, this.values, this.table, this.nonEmpty];
  }
}

/** Returns whether rows are computed from two places until both ways were tried (`StoredMatrix.ways`). */
function readsTwoPlaces({ rows, cols, nnz }: CsrMatrix, dtype: Dtype, steady: boolean): boolean {
  return nnz <= SHORT_ROW * rows && (steady || cols * vectorArray(dtype).BYTES_PER_ELEMENT <= NEAR_X);
}

const parameters = {
  partition: {
    kind: 'word',
    default: 'rows',
    allowed: ['rows', 'merge'],
    doc: 'rows: a part owns its rows; merge: rows may be shared (merge path)',
  },
  values: valuesParameter,
} as const;

/** The layout of the kernels: a partition has its own, over the same arrays. */
function baseOf(partition: Partition): string {
  return partition === 'merge' ? 'csr_merge' : 'csr';
}

/** The merge path is offered if the longest row exceeds one thread's share of the entries on this many threads. */
const MANY_THREADS = 64;

export const csr: Format = {
  name: 'csr',
  summary: 'compressed sparse rows; parts by rows or along the merge path',
  source: 'Bell & Garland 2008, §3.3; Merrill & Garland 2016',
  suits: 'any matrix; the baseline',
  parameters,
  variants: ['csr', 'csr?partition=merge', 'csr?values=table'],
  prospects({ features, sample }, dtype) {
    const { rows, nnz, longestRow } = features;
    const list = figuresOfList(features, sample);
    const prospect = ({ values, kind, bytes }: ValueProspect, partition: Partition): Prospect => {
      const isByRows = partition === 'rows';
      const listed = isByRows ? list : undefined;
      return {
        spec: formatSpec('csr', parameters, { partition, values }),
        kernel: layoutName({ base: baseOf(partition), values: kind }),
        bytes: nnz * (4 + bytes) + 4 * (rows + 1 + (listed?.groups ?? 0)) + vectorBytes(features, dtype),
        entries: nnz,
        ...(isByRows ? { indivisible: longestRow, ...listed } : { units: nnz + rows }),
      };
    };
    const byValues = valueProspects(features, dtype);
    const byRows = byValues.map((values) => prospect(values, 'rows'));
    return longestRow * MANY_THREADS > nnz ? [...byRows, prospect(byValues[0]!, 'merge')] : byRows;
  },
  fromCsr(heap, matrix, dtype, given, { runLoop, keepable } = {}) {
    const resolved = resolveParameters('csr', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const values = encodeValues(matrix, dtype, resolved.values, workspace);
    const spec = formatSpec('csr', parameters, { ...resolved, values: asParameter(values) });
    const partition = resolved.partition as Partition;
    const base = baseOf(partition);
    const options = { spec, base, values, partition, runLoop, keepable };
    return heap.build((scope) => new StoredCsr(scope, matrix, dtype, options));
  },
};

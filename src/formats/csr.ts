/**
 * CSR, compressed sparse rows: the entries of each row side by side, and where each row begins.
 *
 * Source: Bell & Garland 2008, §3.3 (and every textbook). Kernels: `assembly/csr.ts`, whose order of summation depends on
 *   a row's length only, so that neither the parts nor their number change a bit of y.
 * For: every matrix; the yardstick of all other formats.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]:
 *
 *     rowPtr   0     2  2  3        6      u32, rows + 1
 *     colIdx   0  2     2  0  1  2         u32, nnz
 *     values  10 20    30 40 50 60         nnz
 *
 * Cost: nnz (4 + V) + 4 (rows + 1) + X (rows + cols) bytes, for V bytes per value and X per element of x and y.
 */
import type { CsrMatrix } from '../core/csr.js';
import { resolveParameters } from '../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import type { Cost, Format, StoredMatrix } from './format.js';

/**
 * What a row costs beside its entries, in entries: rowPtr and y are 12 bytes of f64 CSR, as much as one entry. Balancing
 * by entries alone would give one thread all the empty rows.
 */
const ROW_WORK = 1;

/** Entries that a kernel may read, and discard, behind the last one of colIdx and values. */
const READ_PAST = 4;

/** Share of rows as long as the row before from which a kernel leaves the ends of rows to branch prediction. */
const STEADY = 0.8;

function isSteady({ rows, rowPtr }: CsrMatrix): boolean {
  let same = 0;
  for (let i = 1; i < rows; i++) if (rowPtr[i + 1]! - rowPtr[i]! === rowPtr[i]! - rowPtr[i - 1]!) same++;
  return same >= STEADY * (rows - 1);
}

export class StoredCsr implements StoredMatrix {
  readonly spec: string = 'csr';
  readonly kernel: string = 'csr';
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly header: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
  readonly #scope: HeapScope;

  /** `more`: words that a format built on CSR appends to the header. The scope is the matrix's from here on. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, more: readonly number[] = []) {
    const { rows, cols, nnz } = csr;
    this.#scope = scope;
    this.dtype = dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.rowPtr = scope.array(Uint32Array, rows + 1);
    const colIdx = scope.array(Uint32Array, nnz + READ_PAST);
    const values = scope.array<FloatArray>(valueArray(dtype), nnz + READ_PAST);
    this.rowPtr.set(csr.rowPtr);
    colIdx.set(csr.colIdx);
    values.set(csr.values);
    colIdx.fill(0, nnz);
    values.fill(0, nnz);
    this.colIdx = colIdx.subarray(0, nnz);
    this.values = values.subarray(0, nnz);
    const arrays = [this.rowPtr.byteOffset, this.colIdx.byteOffset, this.values.byteOffset];
    this.header = scope.header([rows, cols, nnz, isSteady(csr) ? 1 : 0, ...arrays, ...more]); // CsrHeader in assembly/
  }

  get storedEntries(): number {
    return this.nnz;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  get units(): number {
    return this.rows;
  }

  workBefore(unit: number): number {
    return this.rowPtr[unit]! + ROW_WORK * unit;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, rowPtr, colIdx, values } = this;
    for (let i = 0; i < rows; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) visit(i, colIdx[k]!, values[k]!);
    }
  }

  cost(): Cost {
    const { rows, cols, nnz, rowPtr, colIdx, values } = this;
    const vectors = vectorArray(this.dtype).BYTES_PER_ELEMENT * (rows + cols);
    return { bytes: rowPtr.byteLength + colIdx.byteLength + values.byteLength + vectors, flops: 2 * nnz };
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

export const csr: Format = {
  name: 'csr',
  summary: 'compressed sparse rows',
  source: 'Bell & Garland 2008, §3.3',
  suits: 'every matrix; the yardstick',
  parameters: {},
  variants: ['csr'],
  fromCsr(heap, matrix, dtype, given) {
    resolveParameters('csr', csr.parameters, given);
    return heap.build((scope) => new StoredCsr(scope, matrix, dtype));
  },
};
